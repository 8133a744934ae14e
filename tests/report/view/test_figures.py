"""Figures as text: unknown is no zero, nothing is rounded over a line, clocks are the window's."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hermes_ops.report.model import Amount, unknown
from hermes_ops.report.view import figures
from orchestrator.contracts import Window
from tests.report.samples import DAY, at

APPROX = Amount(1234, "approx")


def test_zero_and_unknown_are_told_apart() -> None:
    assert (figures.count(Amount(0)), figures.count(unknown("down")), figures.count(APPROX)) == ("0", "—", "≈1,234")
    assert figures.spoken(unknown("down"), "zh") == "未知"
    assert figures.spoken(APPROX, "en") == "about 1,234"
    assert figures.percent(unknown("down")) == figures.budget(unknown("down")) == "—"
    assert figures.change(Amount(5), unknown("down")) == ""


def test_a_part_is_at_least_and_nothing_in_a_part_is_no_zero() -> None:
    some, none = Amount(1234, "least", "只覆盖 00:00–08:00"), Amount(0, "least", "只覆盖 00:00–08:00")
    assert (figures.count(some), figures.count(none)) == ("≥1,234", "—")
    assert (figures.spoken(some, "zh"), figures.spoken(none, "zh")) == ("至少 1,234", "未知")
    assert figures.noted(some, "zh") == "≥1,234（只覆盖 00:00–08:00）"
    assert figures.noted(none, "zh") == "—（只覆盖 00:00–08:00，其间为 0）"
    assert figures.change(Amount(9), some) == ""
    assert (figures.count(Amount(0, "approx")), figures.zero(Amount(0)), figures.zero(none)) == ("0", True, False)


@pytest.mark.parametrize(
    ("value", "text"),
    [(100, "100%"), (98.0734, "98.07%"), (99.9, "99.90%"), (99.99999, "99.99999%"), (99.99996, "99.99996%"),
     (99.995, "99.995%"), (0, "0.00%"), (99.99999999, "99.999999%"), (50, "50.00%")],
)  # fmt: skip
def test_an_availability_below_a_hundred_never_reads_as_a_hundred(value: float, text: str) -> None:
    assert figures.share(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(-1826.6, "−1,827%"), (50.0, "50%"), (0.42, "0.42%"), (0.0, "0%"), (-0.4, "−0.4%")]
)
def test_a_budget_keeps_its_sign(value: float, text: str) -> None:
    assert figures.budget(Amount(value)) == text


@pytest.mark.parametrize(
    ("seconds", "zh", "en"),
    [(0, "0 秒", "0 s"), (59.6, "1 分", "1 min"), (2670, "44 分 30 秒", "44 min 30 s"), (3600, "1 小时", "1 h"),
     (90_061, "1 天 1 小时", "1 d 1 h")],
)  # fmt: skip
def test_times_that_last(seconds: float, zh: str, en: str) -> None:
    assert (figures.lasting(seconds, "zh"), figures.lasting(seconds, "en")) == (zh, en)


def test_changes() -> None:
    assert figures.change(Amount(272), Amount(9)) == "+263"
    assert figures.change(Amount(1), Amount(9, "approx")) == "≈−8"
    assert figures.change(Amount(9), Amount(9)) == "±0"


def test_a_clock_says_the_day_where_there_are_several() -> None:
    shift = Window(at(21), at(33), DAY.zone)
    assert figures.clock(at(22.07), DAY) == "22:04"
    assert figures.clock(at(22.07), shift) == "11-29 22:04"
    assert figures.clock(at(-1), DAY) == "11-28 23:00"
    assert figures.span(at(22), at(22.5), DAY, "zh") == "22:00–22:30"
    assert figures.span(at(22), at(22.5), shift, "zh") == "11-29 22:00–22:30"
    assert figures.span(at(22), at(25), DAY, "zh") == "22:00–11-30 01:00"
    assert figures.span(at(23), at(25), shift, "zh") == "11-29 23:00–11-30 01:00"
    assert figures.span(at(22), None, DAY, "en", "open") == "22:00 – open"


def test_edges_are_round_and_the_day_ends_at_24() -> None:
    assert figures.edge(at(8) - timedelta(seconds=40), DAY) == "08:00"
    assert figures.edge(DAY.end, DAY) == "24:00"
    assert figures.between(at(0), at(8), DAY) == "00:00–08:00"
    night = Window(at(18), at(30), DAY.zone)
    assert figures.between(at(25), at(26), night) == "11-30 01:00–02:00"
    assert figures.edge(at(1) + timedelta(minutes=1), Window(at(0), at(2), DAY.zone)) == "01:01"


def test_nothing_is_known_after_the_window() -> None:
    for hours in (2, 14):
        now = at(hours) + timedelta(minutes=28, seconds=40)
        assert figures.edge(now, Window(at(0), now, DAY.zone)) == f"{hours:02}:28"


def test_a_date_far_from_the_window_has_its_year() -> None:
    assert figures.clock(datetime(2017, 8, 3, 19, 17, tzinfo=UTC), DAY) == "2017-08-04 03:17"
    assert figures.day(replace(DAY, end=at(1.77) + timedelta(seconds=12, microseconds=5)), "zh").endswith(
        "00:00 – 01:46"
    )


def test_a_day_is_a_local_day_of_any_length() -> None:
    assert figures.day(DAY, "zh") == "2026-11-29 周日"
    berlin = Window(datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 23, tzinfo=UTC), "Europe/Berlin")
    assert (figures.day(berlin, "en"), figures.length(berlin)) == ("2026-10-25 Sun", 25)
    kathmandu = Window(
        datetime(2026, 11, 28, 18, 15, tzinfo=UTC), datetime(2026, 11, 29, 18, 15, tzinfo=UTC), "Asia/Kathmandu"
    )
    assert figures.day(kathmandu, "en") == "2026-11-29 Sun"
    assert figures.day(Window(DAY.start - timedelta(days=6), DAY.end, DAY.zone), "zh") == "2026-11-23 – 11-29"
    assert figures.day(Window(at(21), at(33), DAY.zone), "zh") == "2026-11-29 21:00 – 11-30 09:00"
    assert figures.day(Window(at(14), at(15), DAY.zone), "en") == "2026-11-29 14:00 – 15:00"


def test_names_keep_what_they_say_without_what_steers_or_hides() -> None:
    assert figures.clean("\u202eetalp\x1b[31m\na\x00") == "etalp a"
    assert figures.clean("支付|网关 🔥 <b>") == "支付|网关 🔥 <b>"
    assert figures.clean("x" * 300, 10) == "x" * 9 + "…"
    assert figures.clean("e\u0301" * 9, 4) == "e\u0301…"
    assert figures.clean("\ud800").encode() == "\ufffd".encode()

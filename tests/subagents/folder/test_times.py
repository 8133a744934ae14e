"""Timestamps of machines."""

from __future__ import annotations

import pytest

from subagents.folder import spellings
from subagents.folder.times import Clock, parse
from tests.subagents.folder.helpers import utc

NOON = utc("2026-11-29T14:00:00").timestamp()


@pytest.mark.parametrize(
    "said",
    [
        "2026-11-29T14:00:00Z", "2026-11-29 14:00:00", "2026-11-29T22:00:00+08:00", "2026-11-29 22:00:00 +0800",
        "2026/11/29 14:00:00", "2026-11-29T14:00:00.000000000Z", "2026-11-29 14:00:00,000", "[2026-11-29 14:00:00]",
        "2026-11-29 15:00:00.000 CET", "29/Nov/2026:14:00:00 +0000", "29/Nov/2026:22:00:00 +0800",
        "Sun Nov 29 14:00:00 2026", "Sun Nov 29 14:00:00 UTC 2026", "Sun Nov 29 22:00:00 2026 +0800",
        "Sun, 29 Nov 2026 14:00:00 GMT", "29 Nov 2026 14:00:00 +0000", "Nov 29 14:00:00", "20261129.140000,000",
        "2026-333T14:00:00", "26/11/29 14:00:00", "1795960800", 1795960800, 1795960800.0, 1795960800000,
        "1795960800000000", 1795960800000000000, "2026-11-29 14:00:00.0 +0000 UTC m=+0.1", "2026-11-29T14:00Z",
        "11/29/2026 2:00:00 PM", "11/29/26 14:00:00", "29/11/2026 14:00:00", "29.11.2026 14:00:00",
        "2026-11-29 2:00 pm",
        "29-Nov-2026 14:00:00.000", "Nov 29, 2026 2:00:00 PM", "Nov 29 2026 14:00:00", "29 Nov 14:00:00",
        "11月 29 14:00:00", "nov. 29 14:00:00",
        "2026年11月29日 14:00:00", "2026年11月29日 14时00分00秒", "2026/11/29 下午 2:00:00",
        "2026/11/29 14:00",
        "261129 14:00:00", "261129 140000", "20261129-14:00:0:0", "11-29 14:00:00.000",
        "11/29-14:00:00.000000", "11.29 14:00:00", "Sun 2026-11-29 14:00:00 UTC", "2026-11-29 14:00:00:000",
    ],
)  # fmt: skip
def test_a_moment_in_every_spelling(said: object) -> None:
    assert parse(said, Clock(NOON)) == NOON


@pytest.mark.parametrize(
    ("said", "order", "day"),
    [
        ("03/04/2026 14:00:00", "", None), ("03/04/2026 14:00:00", "day", "2026-04-03"),
        ("03/04/2026 14:00:00", "month", "2026-03-04"), ("13/04/2026 14:00:00", "", "2026-04-13"),
        ("04/13/2026 14:00:00", "", "2026-04-13"), ("03.04.2026 14:00:00", "", "2026-04-03"),
        ("04/04/2026 14:00:00", "", "2026-04-04"),
    ],
)  # fmt: skip
def test_a_day_that_cant_be_told_is_no_day(said: str, order: str, day: str | None) -> None:
    at = parse(said, Clock(order=order))
    assert at == (None if day is None else utc(f"{day}T14:00:00").timestamp())


def test_what_comes_first_is_told_by_the_others() -> None:
    assert spellings.order(["03/04/2026 14:00:00", "13/04/2026 14:00:00"]) == "day"
    assert spellings.order(["03/04/2026 14:00:00", "03/13/2026 14:00:00"]) == "month"
    assert spellings.order(["03/04/2026 14:00:00", "04/04/2026 14:00:00"]) == "day"
    assert spellings.order(["03/04/2026 14:00:00", "04/05/2026 14:00:00"]) == ""
    assert parse("03/04/2026 14:00:00", Clock(utc("2026-03-20").timestamp())) == utc("2026-03-04T14:00:00").timestamp()


def test_fractions_count() -> None:
    assert parse("2026-11-29T14:00:00.25Z") == NOON + 0.25
    assert parse("2026-11-29 14:00:00,250") == NOON + 0.25


@pytest.mark.parametrize(
    "said", ["", "hello", "0001-01-01", None, True, 12, "12:00", "2026-13-45T00:00:00Z", {}, "Foo 29"]
)
def test_what_is_no_time_is_none(said: object) -> None:
    assert parse(said, Clock(NOON)) is None or said == "0001-01-01"


def test_a_leap_day_without_a_year_finds_its_year() -> None:
    assert parse("Feb 29 00:00:00", Clock(utc("2027-03-01").timestamp())) == utc("2024-02-29").timestamp()
    assert parse("Nov 29 14:00:00") is None

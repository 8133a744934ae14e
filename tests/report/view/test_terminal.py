"""The terminal's form: within its width, without colours, in Chinese too; hostile names steer nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console

from hermes_ops.report.model import Amount, Availability, Report, unknown
from hermes_ops.report.view.terminal import bar, spark
from hermes_ops.report.view.terminal import render as terminal
from tests.report.samples import bad_day, blind_day, hostile, quiet_day, shift, week

SAMPLES: list[Callable[[], Report]] = [bad_day, hostile, quiet_day, blind_day, week, shift]


def printed(report: Report, width: int = 80) -> str:
    console = Console(width=width, no_color=True, force_terminal=False, legacy_windows=False)
    with console.capture() as got:
        console.print(terminal(report, width))
    return got.get()


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("sample", SAMPLES)
def test_nothing_is_wider_than_the_terminal(sample: Callable[[], Report], width: int) -> None:
    said = printed(sample(), width)
    assert max(map(cell_len, said.splitlines())) <= width
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_on_a_phone_s_width_names_hours_and_shares_stay_whole() -> None:
    said = printed(bad_day(), 40)
    assert "checkout" in said
    assert "98.07%" in said
    assert "…" not in said[said.index("告警  ") : said.index("事故\n")]


def test_verdict_needs_numbers_and_trends_come_first() -> None:
    said = printed(bad_day())
    order = ["运维日报", "✖ 异常", "需要人处理", "98.07%", "█", "事故", "可用性", "告警", "变更"]
    places = [said.index(word) for word in order[:5]]
    assert places == sorted(places)
    assert "疑似原因：payment 2.4.1" in said
    assert "未达标" in said


def test_sparklines() -> None:
    assert spark([0, 1, 4, 8, None]) == " ▁▄█·"
    assert spark([0, 0]) == "  "
    assert spark([1, 1000]) == "▁█", "something is never shown as nothing"
    assert spark([2, 2], 260) == "▁▁", "two lines on one scale"
    assert spark([]) == ""


def test_bars() -> None:
    half = Availability("a", Amount(99.0), Amount(1), Amount(0), 99.5, unknown(""))
    assert bar(half, 98.0, 8) == "████░░|░"
    assert bar(Availability("a", unknown(""), unknown(""), unknown(""), 99.5, unknown("")), 98.0, 4) == "····"
    assert bar(Availability("a", Amount(100.0), Amount(1), Amount(0), None, unknown("")), 98.0, 4) == "████"


def test_unknown_is_not_zero() -> None:
    said = printed(blind_day())
    assert said.count("—") >= 6
    assert "数据不全" in said

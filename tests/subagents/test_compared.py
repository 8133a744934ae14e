"""Two times in one question: which other time is meant, and that both numbers are found with both windows."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hermes_ops.testing.sources import MemoryLogs
from orchestrator import when
from orchestrator.contracts import Window
from subagents import logs
from subagents.compared import COMPARED, against, compares
from subagents.plain.aims import aim
from subagents.sources import Sources
from tests.subagents.rig import at, by_time, calm, context, errors, findings, window

NOW = datetime(2026, 11, 29, 16, tzinfo=UTC)  # a Sunday
BASE = Window(datetime(2026, 11, 29, 10, 30, tzinfo=UTC), datetime(2026, 11, 29, 11, 30, tzinfo=UTC), "UTC")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("cart errors 10:30-11:30 today vs yesterday", "2026-11-28 10:30–11:30 +00:00"),
        ("cart errors compared with yesterday", "2026-11-28 10:30–11:30 +00:00"),
        ("compare requests 10:30-11:30 today with yesterday", "2026-11-28 10:30–11:30 +00:00"),
        ("is cart worse than last week?", "2026-11-22 10:30–11:30 +00:00"),
        ("compare it against the same day last week", "2026-11-22 10:30–11:30 +00:00"),
        ("errors 10:30-11:30 versus last Thursday", "2026-11-26 10:30–11:30 +00:00"),
        ("compared to the day before", "2026-11-28 10:30–11:30 +00:00"),
        ("how do today's alerts compare with yesterday's", "2026-11-28 10:30–11:30 +00:00"),
        ("跟昨天同一时间比呢", "2026-11-28 10:30–11:30 +00:00"),
        ("比上周同一天多吗", "2026-11-22 10:30–11:30 +00:00"),
        ("和昨天同期相比", "2026-11-28 10:30–11:30 +00:00"),
        ("今天和昨天的告警数对比", "2026-11-28 10:30–11:30 +00:00"),
        ("10:30-11:30 的错误跟前一天同一时段对比", "2026-11-28 10:30–11:30 +00:00"),
        ("跟前天这个点比多了多少", "2026-11-27 10:30–11:30 +00:00"),
    ],
)
def test_the_same_stretch_of_the_day_that_is_compared_with(text: str, other: str) -> None:
    found = against(text, BASE, NOW, "UTC")
    assert found is not None
    assert when.say(found) == other


@pytest.mark.parametrize(
    "text", ["昨天 cart 有多少错误", "cart vs pay", "did it happen yesterday?", "cart 和 pay 比谁的错误多"]
)
def test_no_other_time_is_set_against_the_asked_one(text: str) -> None:
    assert against(text, BASE, NOW, "UTC") is None
    assert against("cart vs yesterday", None, NOW, "UTC") is None


def test_a_comparison_without_a_service_is_still_a_question_about_the_data() -> None:
    assert compares("compare requests 20:00-21:00 today with yesterday")
    assert {aim(t) for t in ("compare requests today with yesterday", "今天的请求数和昨天比")} == {"plain"}
    assert aim("compare Redis with Memcached") == ""


async def test_both_counts_are_found_each_in_its_own_window_and_the_other_one_moves_nothing() -> None:
    lines = by_time(calm("cart", "00:00", 1400), errors("cart", "13:03", 40, 6), errors("cart", "11:05", 2, 1))
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=lines),)))
    ctx = context(window("13:00", "14:00"), ["cart"], "cart 13:00-14:00 的错误和 11:00 到 12:00 相比")
    found = await findings(agent, ctx)
    now, then = (e for e in found.evidence if e.tool == "count_errors")
    assert then.args == {"window": COMPARED}
    assert now.result.data["counts"][0]["n"] == 240
    assert then.result.data["compared"]["counts"][0]["n"] == 2
    assert (then.result.window.start, then.result.window.end) == (at("11:00"), at("12:00"))
    assert found.onset == at("13:03")


async def test_where_nothing_is_compared_the_tool_says_so() -> None:
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=calm("cart")),)))
    value = await agent.by_name["count_errors"].invoke(context(window(), ["cart"], "errors?"), {"window": COMPARED})
    assert value["result"]["status"] == "error"
    assert "compares with no other time" in value["result"]["text"]

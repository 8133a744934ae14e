"""Edges of the data are neither a symptom nor "before"; whose end isn't told neither fires nor is over."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, Literal

import pytest

from hermes_ops.testing.sources import MemoryAlerts, MemoryLogs, MemoryMetrics
from subagents import alerts, changes, logs
from subagents.alerts.measured import beginnings, harmless, rates, target
from subagents.asking import around, usual
from subagents.changes.earlier import read
from subagents.gaps import worded
from subagents.onset import shift
from subagents.sources import Coverage, Series, Sources
from tests.subagents.rig import at, by_time, call, calm, context, episode, errors, findings, window

STEP = timedelta(seconds=30)


def counted(name: str, start: str, growth: list[float], service: str = "pay", **labels: str) -> Series:
    total, points = 0.0, []
    for i, n in enumerate(growth):
        total += n
        points.append((at(start) + i * STEP, total))
    return Series(name, service, "counter", "", tuple(points), labels)


def gauge(name: str, start: str, values: list[float]) -> Series:
    return Series(name, "pay", "gauge", "", tuple((at(start) + i * STEP, v) for i, v in enumerate(values)), {})


async def moved(*rows: Series, span: tuple[str, str] = ("00:00", "23:00")) -> Any:
    sources = Sources(metrics=(MemoryMetrics("prom", rows=rows),))
    return (await call(alerts.make(sources), context(window(*span), ["pay"]), "metric")).data


# ── counters and gauges ───────────────────────────────────────────────────────────────────────


async def test_a_counter_that_begins_with_its_targets_data_did_not_rise():
    got = await moved(
        counted("requests_total", "12:00", [8.0] * 400, code="200"), counted("requests_total", "12:00:30", [5.0] * 399)
    )
    assert (got["series"], got["onset"], got["services"]) == ([], None, [])


async def test_a_counter_of_failures_that_appears_later_rose_when_it_appeared():
    ok, bad = counted("requests_total", "12:00", [8.0] * 400, code="200"), [6.0] * 100
    got = await moved(ok, counted("requests_total", "14:00", bad, code="500"))
    assert got["onset"] == at("14:00").isoformat()
    assert [s["name"] for s in got["series"]] == ["requests_total{code=500}"]


async def test_a_target_that_came_up_in_the_window_has_no_zeros_before():
    old = counted("requests_total", "12:00", [8.0] * 400, instance="a", code="200")
    new = counted("requests_total", "14:00", [8.0] * 160, instance="b", code="500")
    assert (await moved(old, new))["onset"] is None


async def test_success_that_begins_later_is_a_change_but_no_failure():
    rows = (counted("up_checks", "12:00", [1.0] * 400), counted("requests_total", "14:00", [9.0] * 160, code="200"))
    got = await moved(*rows)
    assert [s["name"] for s in got["series"]] == ["requests_total{code=200}"]
    assert (got["onset"], got["services"]) == (None, [])


def test_zeros_reach_back_to_where_the_target_began_and_no_further():
    rows = [counted("a", "12:00", [1.0] * 20), counted("b", "12:05", [3.0, 3.0])]
    found = rates(rows[1].points, beginnings(rows)[target(rows[1])])
    assert [t for t, v in found if v == 0] == [at("12:00") + k * STEP for k in range(10)]
    assert [v for _, v in found if v] == [0.1, 0.1]


@pytest.mark.parametrize(
    ("name", "labels", "up", "safe"),
    [
        ("http_requests_total", {"code": "204"}, True, True),
        ("http_requests_total", {"status": "503"}, True, False),
        ("http_requests_total", {"code": "503"}, False, True),
        ("queries_per_second", {}, True, True),
        ("cache_hit_ratio", {}, False, False),
        ("cache_hit_ratio", {}, True, True),
        ("latency_seconds_mean", {}, False, True),
        ("pool_size", {}, False, False),
    ],
)
def test_what_is_surely_no_failure(name: str, labels: dict[str, str], up: bool, safe: bool):
    assert harmless(Series(name, "pay", "gauge", "", (), labels), up) is safe


def test_what_fills_and_is_let_go_is_told_as_the_rise_with_its_peak():
    level = [220.0 + i % 3 for i in range(120)]
    climb = [223.0 + 7 * i for i in range(40)]
    points = gauge("rss_mb", "10:00", [*level, *climb, *[38.0] * 60]).points
    found = shift(points, at("10:50"))
    assert found is not None
    assert (found.extreme, found.peak) == (496.0, at("10:00") + 159 * STEP)
    assert found.end == at("10:00") + 160 * STEP
    assert found.during > found.before


async def test_the_summary_tells_the_peak_and_not_what_was_left_after_it():
    rows = [gauge("rss_mb", "12:00", [*[220.0] * 120, *[220.0 + 7 * i for i in range(1, 41)], *[38.0] * 60])]
    agent = alerts.make(Sources(alerts=(MemoryAlerts("am"),), metrics=(MemoryMetrics("prom", rows=rows),)))
    found = await findings(agent, context(window("12:50", "13:50"), ["pay"], "pay memory"))
    assert "at most 500 at 13:19:30, over at 13:20" in found.summary
    zh = await findings(agent, context(window("12:50", "13:50"), ["pay"], "pay 内存", "zh"))
    assert "最高 500（13:19:30），13:20 回落" in zh.summary


# ── before ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("since", "held"), [("11:59:59", False), ("11:00", False), ("10:00", True), ("06:00", True), ("12:30", False)]
)
async def test_before_is_told_only_where_most_of_it_is_held(since: str, held: bool):
    minutes = int((at("18:00") - at(since)).total_seconds() // 60)
    lines = by_time(calm("mail", since, minutes), errors("pay", "13:00", 10, 6), errors("pay", "14:30", 1, 1, "x y z"))
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=lines),)))
    found = await findings(agent, context(window(), ["pay"], "pay errors"))
    data = {e.tool: e.result.data for e in found.evidence}
    assert ("before" in found.summary) is held
    assert any(p["new"] for p in data["patterns"]["patterns"]) is held
    assert ("the logs don't reach back over the baseline" in found.gaps) is not held


def test_a_baseline_is_as_long_as_the_window_but_an_hour_at_least():
    def of(since: str) -> Any:
        return usual(window("12:00", "12:10"), Coverage(at(since), at("18:00")))

    assert of("11:45") is None
    found = of("11:15")
    assert (found.start, found.end) == (at("11:00"), at("12:00"))
    assert usual(window(), Coverage(None, None)) is not None, "of a source that doesn't say, the time before is asked"


# ── counts and their times ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "pay: 66 errors (before: 3), 60 of them in a rise that began at 13:00 UTC, ended at 13:10 [L1]."),
        ("zh", "pay 66 条错误（之前 3），其中 60 条属于一次升高：13:00 UTC 开始，13:10 结束 [L1]。"),
    ],
)
async def test_what_lies_outside_of_the_rise_is_told_apart(lang: Literal["en", "zh"], said: str):
    stray = [errors("pay", f"{h:02}:{m}", 1, 1) for h in (9, 10, 11, 12, 14) for m in ("15", "45")]
    lines = by_time(calm("mail"), *stray[3:], errors("pay", "13:00", 10, 6), errors("pay", "12:30", 1, 2))
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=lines),)))
    found = await findings(agent, context(window(), ["pay"], "pay errors", lang))
    assert found.summary.splitlines()[0] == said


async def test_a_window_within_a_rise_tells_both_numbers():
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=by_time(calm("mail"), errors("pay", "12:30", 60, 4))),)))
    found = await findings(agent, context(window("13:00", "13:10"), ["pay"], "pay errors"))
    assert found.summary.startswith("pay: 40 errors (before: 120), part of a rise of 160 that began at 12:30 UTC")


# ── alerts whose end isn't known, and the future ──────────────────────────────────────────────


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        (
            "en",
            "1 alert fires now: Full (pay, critical); 1 alert has an unknown end, so whether it is over can't be told:",
        ),
        (
            "zh",
            "现在有 1 个告警在触发：Full (pay, critical)；1 个告警恢复时间未知，无法判断是否还在触发",
        ),
    ],
)
async def test_an_alert_without_a_known_end_does_not_fire_now(lang: Literal["en", "zh"], said: str):
    rows = [episode("Old", "pay", "09:00", None, end_known=False), episode("Full", "pay", "17:00", None)]
    agent = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=rows, since=at("06:00")),)))
    text = "现在有哪些告警在触发" if lang == "zh" else "what is firing right now?"
    found = await findings(agent, context(window("17:50", "18:00"), ["pay"], text, lang))
    assert found.summary.startswith(said)
    alone = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=rows[:1], since=at("06:00")),)))
    summary = (await findings(alone, context(window("17:50", "18:00"), ["pay"], text, lang))).summary
    assert summary.startswith("1 个告警恢复时间未知" if lang == "zh" else "1 alert has an unknown end")


async def test_of_data_that_ended_before_now_the_last_record_is_told():
    rows = [episode("Full", "pay", "12:00", None), episode("Over", "mail", "12:00", "13:00")]
    agent = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=rows),)))
    found = await findings(agent, context(window("17:50", "18:00"), [], "what is firing right now?"))
    assert found.summary.startswith("1 alert fires at 13:00 UTC, where the data ends: Full (pay, critical)")


async def test_nothing_that_lies_in_the_future_of_the_question_is_told():
    rows = [episode("Full", "pay", "12:00", "19:30"), episode("Later", "pay", "18:30", None)]
    sources = Sources(alerts=(MemoryAlerts("am", rows=rows),), logs=(MemoryLogs("files", lines=LATER),))
    ctx = context(window("16:00", "18:00"), ["pay"], "pay?")
    told = [await findings(make.make(sources), ctx) for make in (alerts, logs)]
    text = "\n".join(e.result.text for f in told for e in f.evidence)
    assert "Later" not in text
    assert not any(f"{clock}" in text for clock in ("18:30", "18:4", "19:"))
    assert around(window("16:00", "17:50"), at("18:00"), STEP, timedelta(days=1)).end == at("18:00")


LATER = by_time(calm("pay", "06:00", 900), errors("pay", "18:40", 10, 6))


# ── the onset that changes are weighed against ────────────────────────────────────────────────


def _told(**onsets: str) -> list[dict[str, Any]]:
    pieces = [
        {"id": f"X{i}", "tool": tool, "result": {"data": {"onset": at(clock).isoformat()}}}
        for i, (tool, clock) in enumerate(onsets.items())
    ]
    return [{"onset": min(p["result"]["data"]["onset"] for p in pieces), "services": ["pay"], "evidence": pieces}]


@pytest.mark.parametrize(
    ("onsets", "expected"),
    [
        ({"metric": "12:01", "list_alerts": "17:17", "count_errors": "17:18"}, "17:17"),
        ({"metric": "12:01", "count_errors": "17:18"}, "17:18"),
        ({"list_alerts": "12:01", "count_errors": "17:18"}, "17:18"),
        ({"metric": "17:05", "count_errors": "17:18"}, "17:05"),
        ({"metric": "12:01"}, "12:01"),
    ],
)
def test_one_early_onset_does_not_beat_those_that_agree(onsets: dict[str, str], expected: str):
    turn: Any = SimpleNamespace(brief={"earlier": _told(**onsets)}, ctx=context(window(), ["pay"]))
    assert read(turn).onset == at(expected)


async def test_a_quiet_time_gets_no_cause():
    rows = (
        counted("requests_total", "12:00", [8.0] * 700, code="200"),
        counted("requests_total", "12:00", [0.0] * 700),
    )
    agents = Sources(
        alerts=(MemoryAlerts("am"),),
        metrics=(MemoryMetrics("prom", rows=rows),),
        logs=(MemoryLogs("files", lines=calm("pay", "12:00", 350)),),
    )
    ctx = replace(context(window("00:00", "18:00"), ["pay"], "why does pay fail?"))
    told = [await findings(make.make(agents), ctx) for make in (alerts, logs)]
    found = await findings(changes.make(agents, {}), ctx, told)
    assert [f.onset for f in told] == [None, None]
    assert "suspects" not in {e.tool for e in found.evidence}
    assert not any((e.result.data or {}).get("cause") for e in found.evidence)


@pytest.mark.parametrize(
    ("span", "gaps"),
    [
        (("00:00", "15:00"), ["the logs hold nothing before 2026-03-04 06:00"]),
        (("12:00", "23:00"), ["the logs hold nothing after 2026-03-04 17:59"]),
        (("06:05", "17:55"), []),
        (("01:00", "02:00"), []),  # wholly outside: said in the answer itself
    ],
)
async def test_what_part_of_a_window_has_no_data_is_said(span: tuple[str, str], gaps: list[str]):
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=calm("pay")),)))
    got = await call(agent, context(window(*span), ["pay"]), "count_errors")
    assert [g for g in got.gaps if "hold nothing" in g] == gaps
    assert all("日志在" in worded(g, "zh") for g in gaps)

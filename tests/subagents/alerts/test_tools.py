from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from hermes_ops.testing.sources import MemoryAlerts, MemoryMetrics
from orchestrator.agent import Agent
from subagents import alerts
from subagents.alerts.episodes import clusters, distinct, grouped
from subagents.alerts.measured import rates
from subagents.sources import Ratio, Series, Sources
from tests.subagents.rig import DAY, at, call, context, episode, window

FIRED = [
    episode("Watchdog", "", "00:00", None, "none"),
    episode("DiskFull", "mail", "12:10", "12:40", "warning"),
    episode("PoolFull", "pay", "13:03", "13:48", "warning", suppressed=True, by="PayErrors"),
    episode("CartErrors", "cart", "13:04:30", "13:49"),
    episode("PayErrors", "pay", "13:04:30", "13:49"),
]


def agent(rows: list = FIRED, metrics: tuple[MemoryMetrics, ...] = (), **more: Any) -> Agent:
    return alerts.make(Sources(alerts=(MemoryAlerts("am", rows=rows, **more),), metrics=metrics))


async def test_the_first_signal_is_found_though_it_was_inhibited():
    got = await call(agent(), context(window(), ["cart"]), "list_alerts")
    assert "warning PoolFull pay 13:03–13:48 (suppressed: PayErrors, first)" in got.text
    assert got.text.splitlines()[1].startswith("* critical CartErrors cart 13:04:30–13:49")
    assert got.data["onset"] == at("13:03").isoformat()
    assert got.data["end"] == at("13:49").isoformat()
    assert got.data["services"] == ["pay", "cart"], "by first start; mail's alert is another matter"


async def test_an_alert_that_always_fires_begins_nothing():
    got = await call(agent([episode("Watchdog", "", "00:00", None, "none")]), context(window()), "list_alerts")
    assert got.data["onset"] is None


async def test_nothing_in_the_window_says_so_and_offers_what_begins_elsewhere():
    got = await call(agent(FIRED[1:]), context(window("04:00", "05:30", "Asia/Shanghai"), ["cart"]), "list_alerts")
    assert got.status == "no_data"
    assert got.text.startswith("no alerts in 2026-03-04 12:00–13:30 +08:00")
    assert got.data["elsewhere"]["onset"] == at("13:03").isoformat()
    assert "21:03 +08:00 (13:03 UTC in the data's own clock)" in got.text


async def test_the_same_firing_told_twice_stands_once():
    two = (MemoryAlerts("a", rows=FIRED), MemoryAlerts("b", rows=FIRED))
    got = await call(alerts.make(Sources(alerts=two)), context(window()), "count_alerts")
    assert got.data["total"] == 4
    assert got.data["counts"]["severity"] == {"critical": 2, "warning": 2}
    assert got.data["earlier"] == 1


async def test_the_same_firing_seen_a_moment_later_by_another_source_stands_once():
    """A series is looked at every so many seconds; what its sender told has the start itself, and more labels."""
    sent = {"service": "pay", "code": "500"}
    pager = [
        episode(
            "Errors", "pay", "13:04:10", None, labels={**sent, "cluster": "eu"}, suppressed=True, by="silenced by wei"
        ),
        episode("Errors", "pay", "13:04:20", None, labels={**sent, "code": "503"}),
    ]
    seen = [
        episode("Errors", "pay", "13:04:15", "13:30", labels=sent),
        episode("Errors", "pay", "13:31", "13:40", labels=sent),
        episode("Errors", "pay", "13:41", "13:50", labels=sent),
    ]
    got = distinct([*pager, *seen])
    assert [(e.start, e.end, e.by) for e in got] == [
        (at("13:04:10"), at("13:30"), "silenced by wei"),
        (at("13:04:20"), None, ""),
        (at("13:31"), at("13:40"), ""),
        (at("13:41"), at("13:50"), ""),
    ]
    assert distinct(reversed(got)) == got


async def test_many_short_episodes_are_one_flapping_alert():
    rows = [episode("Latency", "cart", f"13:{m:02}", f"13:{m + 4:02}") for m in range(0, 50, 10)]
    got = await call(agent(rows), context(window(), ["cart"]), "list_alerts")
    assert "5 episodes of 1 alerts" in got.text
    assert "13:00–13:44 ×5 (flapping, first)" in got.text
    assert not grouped(rows[:2])[0].flapping


async def test_counts_by_hour_are_in_the_askers_zone():
    got = await call(agent(), context(window(zone="Asia/Shanghai")), "count_alerts", by=["hour"])
    assert "by hour: 20:00 1, 21:00 3" in got.text


async def test_what_fires_now():
    rows = [episode("Old", "cart", "09:00", "09:30"), episode("Open", "cart", "17:00", None)]
    got = await call(agent(rows, since=at("00:00")), context(window(), ["cart"]), "firing_now")
    assert [a["name"] for a in got.data["alerts"]] == ["Open"]


async def test_what_is_silenced_now_and_by_whom():
    rows = [
        episode("Full", "cart", "17:00", None, "warning", suppressed=True, by="silenced by wei (换盘)"),
        episode("Errors", "cart", "17:01", None),
    ]
    live = agent(rows, since=at("00:00"))
    got = await call(live, context(window(), ["cart"]), "firing_now", suppressed_only=True)
    assert [a["name"] for a in got.data["alerts"]] == ["Full"]
    assert "(suppressed: silenced by wei (换盘))" in got.text
    both = await call(live, context(window(), ["cart"]), "firing_now")
    assert {f.name: f.value for f in both.figures if not f.labels} == {
        "firing": 2,
        "end unknown": 0,
        "suppressed": 1,
        "not suppressed": 1,
    }


async def test_a_source_without_history_adds_what_it_knows_and_is_no_gap():
    past = MemoryAlerts("prom", rows=FIRED, caps=frozenset({"history", "current"}))
    same = [
        episode("PoolFull", "pay", "13:03", None, "warning", suppressed=True, by="silenced by wei"),
        episode("New", "cart", "14:30", None),
    ]
    now = MemoryAlerts("am", rows=same, caps=frozenset({"current"}), gaps=("am keeps no history",))
    both = alerts.make(Sources(alerts=(past, now)))
    got = await call(both, context(window(), []), "list_alerts")
    assert got.gaps == ()
    assert got.complete
    assert got.text.count("PoolFull") == 1
    assert "13:03–13:48 (suppressed: PayErrors, first)" in got.text
    assert "New cart" in got.text
    alone = alerts.make(Sources(alerts=(now,)))
    assert (await call(alone, context(window(), []), "list_alerts")).gaps == ("am keeps no history",)


async def test_an_objective_gives_the_budget():
    metrics = MemoryMetrics("prom", ratios=[Ratio("cart", 10000, 20, objective=99.9)])
    got = await call(agent(metrics=(metrics,)), context(window(), ["cart"]), "availability")
    assert "cart 99.8 % (20 bad of 10000 requests; objective 99.9 %, 200 % of its error budget used)" in got.text
    assert ("error budget used", 200.0, "%") in {(f.name, f.value, f.unit) for f in got.figures}


async def test_a_runbook_is_shown_where_it_is_allowed():
    rows = [replace(episode("Errors", "cart", "13:00", "13:30"), runbook="https://wiki.example/r/errors")]
    got = await call(agent(rows), context(window(), ["cart"]), "list_alerts")
    assert "runbook https://wiki.example/r/errors" in got.text


async def test_availability_is_code_counted():
    metrics = MemoryMetrics("prom", ratios=[Ratio("cart", 14118, 272), Ratio("mail", 0, 0)])
    got = await call(agent(metrics=(metrics,)), context(window(), ["cart"]), "availability")
    assert "cart 98.0734 % (272 bad of 14118 requests)" in got.text
    assert {(f.name, f.value, f.unit) for f in got.figures} == {
        ("requests", 14118, ""),
        ("bad requests", 272, ""),
        ("availability", 98.0734, "%"),
    }


def series(name: str, values: list[float], kind: str = "gauge", **labels: str) -> Series:
    points = tuple((at("11:00") + timedelta(seconds=30 * i), v) for i, v in enumerate(values))
    return Series(name, "pay", kind, "", points, labels)  # type: ignore[arg-type]


async def test_a_metric_that_left_its_level_is_found_with_its_onset():
    metrics = MemoryMetrics(
        "prom", rows=[series("pool_max", [20.0] * 246 + [2.0] * 90 + [20.0] * 60), series("up", [1.0] * 400)]
    )
    got = await call(agent(metrics=(metrics,)), context(window(), ["pay"]), "metric")
    assert "pay pool_max 20 → 2 (extreme 2 at 13:03) 13:03–13:48" in got.text
    assert "1 of 2 series left" in got.text
    assert got.data["onset"] == at("13:03").isoformat()


async def test_a_counter_is_a_rate_and_a_sum_with_its_count_a_mean():
    errors = [0.0] * 246 + [6.0 * i for i in range(1, 91)] + [540.0] * 60
    seconds, count = [0.1 * i for i in range(240)], [float(i) for i in range(240)]
    seconds += [seconds[-1] + 3.0 * i for i in range(1, 100)]
    count += [count[-1] + i for i in range(1, 100)]
    rows = [
        series("requests_total", errors, "counter", code="500"),
        series("took_seconds_sum", seconds, "counter"),
        series("took_seconds_count", count, "counter"),
    ]
    got = await call(agent(metrics=(MemoryMetrics("prom", rows=rows),)), context(window(), ["pay"]), "metric")
    assert "pay requests_total{code=500} 0 → 0.2/s (extreme 0.2 at 13:03) 13:03–13:48" in got.text
    assert "pay took_seconds_mean 0.1 → 3s" in got.text
    assert "took_seconds_sum" not in got.text


def test_a_reset_counter_counts_from_zero():
    points = [(DAY + timedelta(seconds=10 * i), v) for i, v in enumerate([100.0, 110.0, 5.0, 15.0])]
    assert [v for _, v in rates(points)] == [1.0, 0.5, 1.0]


async def test_metric_tools_are_offered_only_where_there_are_metrics():
    assert set(agent().by_name) == {"list_alerts", "count_alerts", "firing_now"}
    assert len(agent(metrics=(MemoryMetrics("prom"),)).tools) == 5


@pytest.mark.parametrize("gap", [10, 20])
def test_clusters_are_cut_where_starts_lie_apart(gap: int):
    rows = [episode("A", "x", "13:00", "13:50"), episode("B", "y", f"13:{gap}", "13:50")]
    assert len(clusters(rows)) == (1 if gap == 10 else 2)

"""Questions about slowness: latency first, whether it rose or not; metrics that a question calls by name."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

import pytest

from hermes_ops.testing.sources import MemoryAlerts, MemoryMetrics
from subagents import alerts
from subagents.alerts.latencies import is_one, unit
from subagents.sources import Series, Sources
from tests.subagents.rig import at, context, episode, findings, window


def level(name: str, usual: float, during: float, service: str = "cart", **labels: str) -> Series:
    """A value each minute from 09:00 to 15:00, another one from 13:00 to 13:40, and a little noise."""
    points = []
    for m in range(360):
        moment = at("09:00") + timedelta(minutes=m)
        value = during if at("13:00") <= moment < at("13:40") else usual
        points.append((moment, value * (1 + (m % 5) / 100)))
    return Series(name, service, "gauge", "", tuple(points), labels)


def agent(*rows: Series) -> object:
    fired = MemoryAlerts("am", rows=[episode("High", "cart", "13:02", "13:45")])
    return alerts.make(Sources(alerts=(fired,), metrics=(MemoryMetrics("prom", rows=rows),)))


@pytest.mark.parametrize(
    ("name", "kind", "one", "of"),
    [
        ("http_request_duration_seconds_mean", "gauge", True, "s"),
        ("api_latency_p99_ms", "gauge", True, "ms"),
        ("upstream_response_time", "unknown", True, ""),
        ("rt", "gauge", True, ""),
        ("接口延迟", "gauge", True, ""),
        ("http_request_duration_seconds_count", "unknown", False, "s"),
        ("http_request_duration_seconds", "counter", False, "s"),
        ("gc_duration_seconds", "gauge", False, "s"),
        ("process_cpu_seconds", "gauge", False, "s"),
        ("part_count", "gauge", False, ""),
    ],
)
def test_which_series_tell_how_long_requests_take(
    name: str, kind: Literal["gauge", "counter", "unknown"], one: bool, of: str
) -> None:
    assert is_one(Series(name, "a", kind, "", ())) is one
    assert unit(name) == of


async def test_what_is_slow_is_measured_also_where_nothing_fired() -> None:
    made = agent(level("latency_ms", 80.0, 900.0, "tax"), level("queue_depth", 3.0, 70.0, "tax"))
    found = await findings(made, context(window("12:00", "14:00"), question="is anything slow?"))  # type: ignore[arg-type]
    [metric] = [e for e in found.evidence if e.tool == "metric"]
    [row] = metric.result.data["slow"]
    assert (row["service"], row["unit"], row["onset"]) == ("tax", "ms", at("13:00").isoformat())
    assert row["usual"] < 100 < row["during"]


async def test_a_latency_that_stayed_is_told_too() -> None:
    made = agent(level("latency_ms", 80.0, 80.0))
    found = await findings(made, context(window("12:00", "14:00"), ["cart"], "was cart slow?"))  # type: ignore[arg-type]
    [metric] = [e for e in found.evidence if e.tool == "metric"]
    [row] = metric.result.data["slow"]
    assert row["onset"] is None
    assert row["before"] == pytest.approx(row["usual"])
    assert metric.result.data["series"] == []
    assert {f.value for f in metric.result.figures} >= {row["usual"], row["extreme"]}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("qps of cart?", "cart `http_requests:rate1m` "),
        ("cart 的内存怎么样", "cart `process_resident_memory_bytes` "),
        ("how deep is the queue of cart", "cart `jobs_pending` "),
    ],
)
async def test_the_metric_that_a_question_names_comes_first(question: str, first: str) -> None:
    made = agent(
        level("http_requests:rate1m", 9.0, 2.0),
        level("process_resident_memory_bytes", 1e6, 5e6),
        level("jobs_pending", 2.0, 40.0),
        level("worker_restarts", 1.0, 900.0),
    )
    found = await findings(made, context(window("12:00", "14:00"), ["cart"], question))  # type: ignore[arg-type]
    lines = [line for line in found.summary.splitlines() if "→" in line]
    assert lines[0].startswith(first)

"""Percentiles from histogram buckets: the algorithm on known figures, and a question over a small folder."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import inf, isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.contracts import Window
from subagents.alerts.quantiles import asked, percentiles, quantile, told
from subagents.asking import Merged
from subagents.sources import Series

AT = datetime(2026, 11, 29, 14, tzinfo=UTC)
SPAN = Window(AT, AT + timedelta(hours=1), "UTC")
COUNTS = {0.1: 50.0, 0.5: 90.0, 1.0: 100.0, inf: 100.0}


@pytest.mark.parametrize(
    ("q", "value", "above"),
    [(0.5, 0.1, False), (0.25, 0.05, False), (0.9, 0.5, False), (0.95, 0.75, False), (1.0, 1.0, False)],
)
def test_known_figures(q: float, value: float, above: bool) -> None:
    found = quantile(q, COUNTS)
    assert found[0] == pytest.approx(value)
    assert found[1] is above


def test_beyond_the_last_bound_only_more_is_known() -> None:
    assert quantile(0.99, {0.1: 50.0, 1.0: 60.0, inf: 100.0}) == (1.0, True)
    assert isnan(quantile(0.99, {})[0])
    assert isnan(quantile(0.99, {0.1: 0.0, inf: 0.0})[0])


@given(st.lists(st.integers(0, 50), min_size=2, max_size=8), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_a_higher_percentile_is_never_lower(steps: list[int], a: float, b: float) -> None:
    bounds = [float(n + 1) for n in range(len(steps) - 1)] + [inf]
    total, counts = 0.0, {}
    for bound, n in zip(bounds, steps, strict=True):
        total += n
        counts[bound] = total
    low, high = quantile(min(a, b), counts)[0], quantile(max(a, b), counts)[0]
    assert isnan(low) or low <= high + 1e-9


def series(le: str, before: float, during: float, route: str = "/") -> Series:
    """A counter that grew so much in the hour before, and so much in the window; it was reset in between."""
    points = (
        (AT - timedelta(hours=1), 0.0),
        (AT - timedelta(minutes=1), before),
        (AT, 0.0),
        (AT + timedelta(minutes=30), during),
    )
    return Series("wait_seconds_bucket", "cart", "counter", "", points, {"le": le, "route": route})


def test_routes_are_added_up_and_the_time_before_stands_beside() -> None:
    rows = [
        series("0.1", 90, 0),
        series("1", 100, 50),
        series("+Inf", 100, 100),
        series("1", 0, 50, "/b"),
        series("+Inf", 0, 50, "/b"),
    ]
    found = percentiles(Merged(tuple(rows)), 0.5, SPAN, ("cart",))
    [row] = found.data["percentiles"]
    assert (row["service"], row["name"], row["n"], row["above"]) == ("cart", "wait_seconds", 150, False)
    assert row["value"] == pytest.approx(0.775)
    assert row["before"] == pytest.approx(0.0556, abs=1e-4)
    assert told(found.data, "[A1]", zh=True) == [
        "cart `wait_seconds` 的 p50 为 0.775s（共 150 次，之前 0.05556s） [A1]。"
    ]


def test_without_a_histogram_that_is_said() -> None:
    found = percentiles(Merged(()), 0.99, SPAN, ("cart",))
    assert told(found.data, "[A1]", zh=True) == ["没有直方图指标，无法得出 p99，只有平均值可查 [A1]。"]


@pytest.mark.parametrize(
    ("text", "q"),
    [("checkout p99 多少", 0.99), ("P95 latency", 0.95), ("p99.9", 0.999), ("p999 呢", 0.999), ("90 分位", 0.9),
     ("median latency", 0.5), ("昨天有哪些告警", None), ("step99", None), ("p2 alerts", None)],
)  # fmt: skip
def test_what_is_asked(text: str, q: float | None) -> None:
    assert asked(text) == ({} if q is None else {"quantile": q})

"""What every source of metrics keeps to. A source passes by a subclass that gives `source`.

It holds, of service cart, a gauge `queue_depth` (10, later 50) with two values that are no numbers, and a counter of
requests by code, every 30 s from 00:00 to 02:00: 10 requests a step, one of them failing from 01:00 on.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.contracts import Window
from subagents.sources import MetricQuery, MetricSource

DAY = datetime(2026, 11, 1, tzinfo=UTC)
STEPS = 240
HOUR = Window(DAY + timedelta(minutes=30), DAY + timedelta(minutes=90))


def open_metrics() -> str:
    lines = ["# TYPE queue_depth gauge"]
    odd = {100: "NaN", 101: "+Inf"}
    start = int(DAY.timestamp())
    for n in range(STEPS + 1):
        value = odd.get(n, "10" if n < 120 else "50")
        lines.append(f'queue_depth{{service="cart"}} {value} {start + 30 * n}')
    lines.append("# TYPE http_requests counter")
    for n in range(STEPS + 1):
        good = 10 * n - max(n - 120, 0)
        lines.append(f'http_requests_total{{service="cart",code="200"}} {good} {start + 30 * n}')
    for n in range(120, STEPS + 1):
        lines.append(f'http_requests_total{{service="cart",code="500"}} {n - 120} {start + 30 * n}')
    return "\n".join([*lines, "# EOF", ""])


class MetricContract:
    @pytest.fixture
    def source(self) -> MetricSource:
        raise NotImplementedError

    async def test_series_lie_in_the_window_and_are_numbers(self, source: MetricSource) -> None:
        found = await source.series(MetricQuery(HOUR, ("cart",), ("queue_depth",)))
        (series,) = found.rows
        assert (series.name, series.service, series.kind) == ("queue_depth", "cart", "gauge")
        assert all(point in HOUR for point, _ in series.points)
        assert [p for p, _ in series.points] == sorted(p for p, _ in series.points)
        assert {v for _, v in series.points} == {10.0, 50.0}
        assert all(math.isfinite(v) for _, v in series.points)
        assert found.query
        assert found.window == HOUR

    async def test_availability_is_exact(self, source: MetricSource) -> None:
        found = await source.ratio(("cart",), HOUR)
        (row,) = found.rows
        assert (row.total, row.bad) == (1200, 60)
        assert round(row.percent or 0, 2) == 95.0
        assert found.window == HOUR

    async def test_windows_without_anything(self, source: MetricSource) -> None:
        ahead = datetime.now(UTC) + timedelta(days=365)
        for start, end in ((9, 10), (1.001, 1.001)):
            window = Window(DAY + timedelta(hours=start), DAY + timedelta(hours=end))
            assert all(not s.points for s in (await source.series(MetricQuery(window))).rows)
            assert [r for r in (await source.ratio((), window)).rows if r.total] == []
        future = Window(ahead, ahead + timedelta(hours=1))
        assert all(not s.points for s in (await source.series(MetricQuery(future))).rows)
        assert [r for r in (await source.ratio((), future)).rows if r.total] == []

    async def test_a_service_that_nobody_knows(self, source: MetricSource) -> None:
        assert (await source.series(MetricQuery(HOUR, ("nobody",)))).rows == ()
        found = await source.ratio(("nobody",), HOUR)
        assert found.rows == ()
        assert "nobody" in " ".join(found.gaps)

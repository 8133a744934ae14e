"""Metric series out of Prometheus, as they stand: counters raw, gauges as sampled at a step chosen for the window."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import Literal

from orchestrator.contracts import Window
from subagents.prometheus.api import Api, Points, Row, Said
from subagents.prometheus.availability import Availability
from subagents.prometheus.labels import Labels, among, selector, text
from subagents.prometheus.presence import Presence
from subagents.saying import moment
from subagents.sources import Answered, Coverage, Health, MetricQuery, Ratio, Series
from subagents.web.links import filled

STEPS = (15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400)
FINE = 1500  # points of a series: what a change is found in
UNASKED = "ALERTS.*|scrape_.+|.+_bucket|.+_created|go_.+|promhttp_.+|net_conntrack_.+"
COUNTERS = ("_total", "_count", "_sum", "_bucket")
UNITS = {"seconds": "s", "bytes": "B", "ratio": "", "celsius": "°C", "percent": "%"}


class PrometheusMetrics:
    caps = frozenset({"series", "ratio"})

    def __init__(
        self, name: str, api: Api, labels: Labels, presence: Presence, availability: Availability,
        matchers: str, most: int, link: str, zone: str,
    ) -> None:  # fmt: skip
        self.name = name
        self._api, self._labels, self._presence, self._availability = api, labels, presence, availability
        self._matchers, self._most, self._link, self._zone = matchers, most, link, zone

    async def probe(self) -> Health:
        return await self._presence.probe()

    async def coverage(self) -> Coverage:
        since = await self._presence.since()
        return Coverage(since, None, self._zone, await self._presence.services(self._labels.services))

    async def ratio(self, services: tuple[str, ...], window: Window) -> Answered[tuple[Ratio, ...]]:
        return await self._availability.ratio(services, window)

    async def series(self, q: MetricQuery, step: float | None = None) -> Answered[tuple[Series, ...]]:
        """Without names every metric of the services, but for histogram buckets and what the runtime says of itself.

        `step` None: as fine as the window allows. At most so many series as the settings say; the rest is a gap.
        """
        now, said = datetime.now(UTC), Said()
        end = min(q.window.end, now)
        if q.window.start >= end:
            gap = f"the window lies in the future of {moment(now, q.window.zone)}"
            return Answered((), self._query(q, q.names), q.window, total=0, complete=False, gaps=(gap,))
        names, left = await self._names(q, end)
        query, step = self._query(q, names), step or fitting(end - q.window.start)
        found, cut = await self._read(query, q.window.start, end, step, said) if names else ([], False)
        gaps = said.gaps()
        if left or cut:
            gaps = (*gaps, f"only {len(found)} series were read: name a metric or a service to see the others")
        series = tuple(self._made(row, points) for row, points in found)
        link = filled(self._link, self._query(q, q.names), q.window)  # a query that names hundreds is no address
        total = None if left or cut else len(series)
        return Answered(
            series, f"{query} step {step:g}s", q.window, link=link, total=total, complete=not gaps, gaps=gaps
        )

    async def _read(
        self, query: str, start: datetime, end: datetime, step: float, said: Said
    ) -> tuple[list[tuple[Row, Points]], bool]:
        """As many series as are read at once, and whether there were more. A window is half-open: what is sampled at
        its very end belongs to the next."""
        found: dict[object, tuple[Row, Points]] = {}
        async with aclosing(self._api.range(query, start, end - timedelta(milliseconds=1), step, said)) as rows:
            async for row in rows:
                if len(found) == self._most and _whole(row) not in found:
                    return list(found.values()), True
                kept = found.get(_whole(row), (row, ()))[1]
                found[_whole(row)] = row, (*kept, *row.points)
        return list(found.values()), False

    async def _names(self, q: MetricQuery, at: datetime) -> tuple[tuple[str, ...], int]:
        """The metrics to read, and how many are left out since there would be too many series."""
        if q.names:
            return q.names, 0
        rows = await self._api.instant(f"count by (__name__) ({self._query(q, ())})", at)
        if not rows:  # quiet at the very end of the window
            rows = await self._api.instant(
                f"count by (__name__) ({self._query(q, ())})", at - (at - q.window.start) / 2
            )
        names, room, left = list[str](), self._most, 0
        for row in sorted(rows, key=lambda r: r.value):
            if row.value <= room:
                names.append(row.labels["__name__"])
                room -= int(row.value)
            else:
                left += 1
        return tuple(sorted(names)), left

    def _query(self, q: MetricQuery, names: Sequence[str]) -> str:
        which = among("__name__", names) if names else f"__name__!~{text(UNASKED)}"
        label = self._labels.services[0] if self._labels.services else "service"
        whose = among(label, q.services) if q.services else f'{label}!=""' if not q.names else ""
        return selector("", which, whose, self._matchers)

    def _made(self, row: Row, points: Points) -> Series:
        name = row.labels.get("__name__", "")
        kind: Literal["gauge", "counter"] = "counter" if name.endswith(COUNTERS) else "gauge"
        labels = {k: v for k, v in row.labels.items() if k not in ("__name__", "service")}
        unit = next((UNITS[word] for word in reversed(name.split("_")) if word in UNITS), "")
        return Series(name, self._labels.service(row.labels), kind, unit, points, labels)


def fitting(length: timedelta) -> float:
    """The shortest of the usual steps (seconds) that gives no more than FINE points."""
    seconds = length.total_seconds()
    return float(next((s for s in STEPS if seconds / s <= FINE), STEPS[-1]))


def _whole(row: Row) -> frozenset[tuple[str, str]]:
    return frozenset(row.labels.items())

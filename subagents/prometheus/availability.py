"""Availability of services out of request counters, as exactly as counters allow; or by queries of the settings' own.

`increase()` extrapolates, and loses what a counter had when it was born inside the window (prometheus/prometheus#3746).
So counters are taken as they stand at both ends: a difference is exact; a counter that appears beside others of its
service began at zero. Only where one was reset is `increase()` asked, and the result said to be about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from orchestrator.contracts import Window
from subagents.prometheus.api import Api, Row, Said
from subagents.prometheus.labels import Labels, selector
from subagents.prometheus.presence import Presence
from subagents.saying import moment
from subagents.sources import Answered, Ratio
from subagents.web.links import filled

MOST = 5_000  # counters that are read one by one; of more only sums are asked, and they are about
LEAP = 3.0  # a counter in the first data is new if it stands no higher than so many steps bring
LATE = timedelta(minutes=5)  # that data may begin after the window without a word
Key = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Sli:
    """See docs/SOURCES.md. With `total_query` it is these two queries, else counters. `objective`: percent."""

    metric: str = "http_requests_total"
    bad: str = 'code=~"5.."'
    total_query: str = ""
    bad_query: str = ""
    objective: float | None = None


@dataclass(slots=True)
class _Counted:
    """What is counted by service."""

    total: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    bad: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    about: set[str] = field(default_factory=set)
    gaps: list[str] = field(default_factory=list)


class Availability:
    def __init__(self, api: Api, labels: Labels, presence: Presence, sli: Sli, matchers: str, link: str) -> None:
        self._api, self._labels, self._presence, self._sli = api, labels, presence, sli
        self._matchers, self._link = matchers, link

    async def ratio(self, services: tuple[str, ...], window: Window) -> Answered[tuple[Ratio, ...]]:
        now = datetime.now(UTC)
        query = self._sli.total_query or self._total
        if window.start >= now:
            gap = f"the window lies in the future of {moment(now, window.zone)}"
            return Answered((), query, window, total=0, complete=False, gaps=(gap,))
        said, part = Said(), Window(window.start, min(window.end, now), window.zone)
        counted = await (self._by_queries(part, said) if self._sli.total_query else self._by_counters(part, said))
        rows = tuple(
            Ratio(s, _count(n), _count(counted.bad.get(s, 0.0)), "requests", s in counted.about, self._sli.objective)
            for s, n in sorted(counted.total.items())
            if n > 0 and (not services or s in services)
        )
        missing = sorted(set(services) - {r.service for r in rows})
        if missing:
            counted.gaps.append(f"no request counts by status for {', '.join(missing)}")
        gaps = (*said.gaps(), *counted.gaps)
        link = filled(self._link, self._share(_length(part)), window)
        return Answered(
            rows, f"growth of {query}, failed: {self._failed}", window, link=link, total=len(rows),
            complete=not gaps, approx=bool(counted.about), gaps=gaps,
        )  # fmt: skip

    @property
    def _total(self) -> str:
        return selector(self._sli.metric, self._matchers)

    @property
    def _failed(self) -> str:
        return self._sli.bad_query or selector(self._sli.metric, self._sli.bad, self._matchers)

    def _share(self, length: str) -> str:
        """What the console shows: the share that failed, of each service, over the window; extrapolated there."""
        if self._sli.total_query:
            bad, total = (q.replace("$window", length) for q in (self._sli.bad_query, self._sli.total_query))
            return f"({bad}) / ({total})"
        by = f"sum by ({', '.join(self._labels.services)})"
        bad, total = (f"{by} (increase({counter}[{length}]))" for counter in (self._failed, self._total))
        return f"({bad} or 0 * {total}) / {total}"

    # ── by the settings' own queries ──────────────────────────────────────────────────────────

    async def _by_queries(self, window: Window, said: Said) -> _Counted:
        counted = _Counted()
        for query, table in ((self._sli.total_query, counted.total), (self._sli.bad_query, counted.bad)):
            for row in await self._api.instant(query.replace("$window", _length(window)), window.end, said):
                table[self._labels.service(row.labels)] += row.value
        counted.about = {s for s, n in counted.total.items() if not n.is_integer()}
        return counted

    # ── by counters ───────────────────────────────────────────────────────────────────────────

    async def _by_counters(self, window: Window, said: Said) -> _Counted:
        counted, length = _Counted(), _length(window)
        many = await self._api.instant(f"count(last_over_time({self._total}[{length}]))", window.end, said)
        if many and many[0].value > MOST:
            return await self._by_increase(window, said)
        last = await self._api.instant(f"last_over_time({self._total}[{length}])", window.end, said)
        failed = {r.key for r in await self._api.instant(f"last_over_time({self._failed}[{length}])", window.end)}
        growth = await self._grown(window, length, last, counted)
        for row in last:
            service = self._labels.service(row.labels)
            n, about = growth[row.key]
            counted.total[service] += n
            if row.key in failed:
                counted.bad[service] += n
            if about:
                counted.about.add(service)
        return counted

    async def _grown(
        self, window: Window, length: str, last: list[Row], counted: _Counted
    ) -> Mapping[Key, tuple[float, bool]]:
        """How much each counter grew, and whether that is only about so much."""
        base, begins = await self._base(window, counted)
        reset = await self._values(f"increase({self._total}[{length}]) and resets({self._total}[{length}]) > 0", window)
        known = {self._labels.service(dict(key)) for key in base}
        fresh = [r for r in last if r.key not in base and self._labels.service(r.labels) not in known]
        lowest, samples = dict[Key, float](), dict[Key, float]()
        if begins or fresh:
            lowest = await self._values(f"min_over_time({self._total}[{length}])", window)
            samples = await self._values(f"count_over_time({self._total}[{length}])", window)
        found: dict[Key, tuple[float, bool]] = {}
        for row in last:
            key, value = row.key, row.value
            first = lowest.get(key, 0.0) if begins or key not in base else base[key]
            if key in reset or (key in base and value < base[key]):
                found[key] = max(reset.get(key, value), 0.0), True
            elif key in base and not begins:
                found[key] = value - base[key], False
            elif key not in base and self._labels.service(row.labels) in known:
                found[key] = value, False
            else:
                mean = (value - first) / max(samples.get(key, 1.0) - 1.0, 1.0)
                found[key] = (value if first <= LEAP * max(mean, 1.0) else value - first), False
        return found

    async def _base(self, window: Window, counted: _Counted) -> tuple[dict[Key, float], bool]:
        """The counters at the window's start; or where the data begin inside it, as they began, and True."""
        base = await self._values(self._total, window, window.start)
        if base:
            return base, False
        since = await self._presence.since()
        if since is not None and since > window.start + LATE:
            counted.gaps.append(f"{self._api.name} has no data before {moment(since, window.zone)}")
        if since is None or not window.start < since < window.end:
            return {}, False
        return await self._values(self._total, window, since), True

    async def _values(self, query: str, window: Window, at: datetime | None = None) -> dict[Key, float]:
        return {row.key: row.value for row in await self._api.instant(query, at or window.end)}

    async def _by_increase(self, window: Window, said: Said) -> _Counted:
        counted, by = _Counted(), ", ".join(self._labels.services)
        for selected, table in ((self._total, counted.total), (self._failed, counted.bad)):
            query = f"sum by ({by}) (increase({selected}[{_length(window)}]))"
            for row in await self._api.instant(query, window.end, said):
                table[self._labels.service(row.labels)] += row.value
        counted.about = set(counted.total)
        return counted


def _length(window: Window) -> str:
    return f"{max(round((window.end - window.start).total_seconds()), 1)}s"


def _count(n: float) -> int:
    """Requests are whole: what was extrapolated is rounded, and said to be about."""
    return round(n)

"""Sources whose data stands in memory, one for each protocol of `subagents.sources`. For tests of what asks sources.

They answer as a real backend does (windows half-open, totals over all rows, provenance) and are strict: a dimension,
level or kind that the protocol doesn't know, a naive time and a row out of order fail at once. `down` makes one
unreachable; `asked` holds every query it got, so that a test can show what was pushed down. `since`, `cut`, `about` and
`gaps` stage what a backend holds or answers in part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar, get_args

from orchestrator.contracts import Window
from subagents import near
from subagents.sources import (
    AlertQuery,
    Answered,
    Change,
    ChangeKind,
    ChangeQuery,
    Count,
    Coverage,
    Edge,
    Episode,
    Health,
    Level,
    LogLine,
    LogQuery,
    MetricQuery,
    Pattern,
    Ratio,
    Series,
    SourceError,
    Span,
)

T = TypeVar("T")
_STEPS = {"hour": "%Y-%m-%dT%H:00:00+00:00", "minute": "%Y-%m-%dT%H:%M:00+00:00", "day": "%Y-%m-%dT00:00:00+00:00"}


class Unexpected(AssertionError):
    """Asked in a way that no backend would understand: a fault of the caller."""


@dataclass
class Held:
    """What all of them have. `zone`: the clock the data is written in; `since`: when it began to keep data, where that
    isn't its first record; `cut`, `about`: its answers are a part only, or approximate."""

    name: str
    zone: str = "UTC"
    down: str = ""
    services: tuple[str, ...] = ()
    caps: frozenset[str] = frozenset()
    asked: list[Any] = field(default_factory=list)
    since: datetime | None = field(default=None, kw_only=True)
    cut: bool = field(default=False, kw_only=True)
    about: bool = field(default=False, kw_only=True)
    gaps: tuple[str, ...] = field(default=(), kw_only=True)
    sparse = False

    async def probe(self) -> Health:
        return Health(not self.down, self.down or "in memory")

    async def coverage(self) -> Coverage:
        if self.down:
            raise SourceError(self.name, self.down)
        times = self._times()
        if self.since is not None:  # a store that began then, and goes on
            return Coverage(self.since, None, self.zone, self.services)
        first, last = min(times, default=None), max(times, default=None)
        return Coverage(first, last, self.zone, self.services, sparse=self.sparse)

    def _times(self) -> Sequence[datetime]:
        raise NotImplementedError

    def _answered(self, rows: T, query: str, window: Window | None, total: int, whole: bool = True) -> Answered[T]:
        complete = whole and not self.cut
        return Answered(rows, query, window, total=total, complete=complete, approx=self.about, gaps=self.gaps)

    def _take(self, query: Any, window: Window | None) -> None:
        if window is not None and (window.start.tzinfo is None or window.end.tzinfo is None):
            raise Unexpected(f"{self.name}: a window with naive times")
        self.asked.append(query)
        if self.down:
            raise SourceError(self.name, self.down)


def ordered(times: Iterable[datetime], what: str) -> None:
    rows = list(times)
    if any(t.tzinfo is None for t in rows):
        raise Unexpected(f"{what}: a naive time")
    if rows != sorted(rows):
        raise Unexpected(f"{what}: rows must come oldest first")


def known(values: Iterable[str], allowed: Iterable[str], what: str) -> None:
    if wrong := set(values) - set(allowed):
        raise Unexpected(f"{what}: {sorted(wrong)} are none of {sorted(allowed)}")


@dataclass
class MemoryLogs(Held):
    lines: Sequence[LogLine] = ()

    def __post_init__(self) -> None:
        ordered((x.at for x in self.lines if x.at), self.name)
        self.services = self.services or tuple(dict.fromkeys(x.service for x in self.lines))

    def _times(self) -> Sequence[datetime]:
        return [x.at for x in self.lines if x.at]

    def _matching(self, q: LogQuery) -> list[LogLine]:
        known(q.levels, get_args(Level), "levels")
        return [
            x for x in self.lines
            if x.at and x.at in q.window and x.service in (q.services or (x.service,))
            and x.level in (q.levels or (x.level,)) and all(t.lower() in x.message.lower() for t in q.text)
            and (not q.near or near.holds(q.near, x.message.lower()))
        ]  # fmt: skip

    async def count(self, q: LogQuery, by: tuple[str, ...]) -> Answered[tuple[Count, ...]]:
        known(by, ("service", "level", "code", *_STEPS), "dimensions")
        self._take((q, by), q.window)
        rows = self._matching(q)
        groups = Counter(tuple(_value(x, dimension) for dimension in by) for x in rows)
        counts = tuple(Count(dict(zip(by, key, strict=True)), n) for key, n in sorted(groups.items()))
        return self._answered(counts, f"count by {','.join(by)}", q.window, len(rows))

    async def search(
        self, q: LogQuery, limit: int = 50, context: int = 0, cursor: str | None = None
    ) -> Answered[tuple[LogLine, ...]]:
        self._take(q, q.window)
        rows = self._matching(q)
        return self._answered(tuple(rows[:limit]), "search", q.window, len(rows), len(rows) <= limit)

    async def patterns(self, q: LogQuery, baseline: Window | None, limit: int = 20) -> Answered[tuple[Pattern, ...]]:
        """Digits vary, words don't."""
        self._take((q, baseline), q.window)
        before: Counter[tuple[str, str, str]] = Counter()
        if baseline is not None:
            earlier = replace(q, window=baseline)
            before.update(_template(x) for x in self._matching(earlier))
        found: dict[tuple[str, str, str], list[LogLine]] = {}
        for x in self._matching(q):
            found.setdefault(_template(x), []).append(x)
        rows = [
            Pattern(key[2], key[0], xs[0].level, len(xs), before[key] if baseline else None, xs[0].at, xs[-1].at,
                    xs[0].message) for key, xs in found.items()
        ]  # fmt: skip
        rows.sort(key=lambda p: -p.n)
        return self._answered(tuple(rows[:limit]), "patterns", q.window, len(rows), len(rows) <= limit)

    async def batches(self, q: LogQuery) -> AsyncIterator[tuple[LogLine, ...]]:
        self._take(q, q.window)
        yield tuple(self._matching(q))


def _value(x: LogLine, dimension: str) -> str:
    if dimension in _STEPS:
        return x.at.astimezone(UTC).strftime(_STEPS[dimension]) if x.at else ""
    return x.fields.get("code", "") if dimension == "code" else str(getattr(x, dimension))


def _template(x: LogLine) -> tuple[str, str, str]:
    return x.service, x.level, re.sub(r"\d+", "<*>", x.message)


@dataclass
class MemoryAlerts(Held):
    rows: Sequence[Episode] = ()
    caps: frozenset[str] = frozenset(("history", "current"))
    sparse = True

    def __post_init__(self) -> None:
        ordered((e.start for e in self.rows), self.name)

    def _times(self) -> Sequence[datetime]:
        return [t for e in self.rows for t in (e.start, e.end) if t]

    async def episodes(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        self._take(q, q.window)
        rows = [
            e for e in self.rows
            if e.start < q.window.end and (e.end is None or e.end > q.window.start)
            and e.service in (q.services or (e.service,)) and e.name in (q.names or (e.name,))
        ]  # fmt: skip
        return self._answered(tuple(rows), "episodes", q.window, len(rows))

    async def current(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        found = await self.episodes(q)
        rows = tuple(e for e in found.rows if e.end is None)
        return self._answered(rows, "current", q.window, len(rows))


@dataclass
class MemoryMetrics(Held):
    rows: Sequence[Series] = ()
    ratios: Sequence[Ratio] = ()

    def __post_init__(self) -> None:
        for s in self.rows:
            ordered((at for at, _ in s.points), s.name)

    def _times(self) -> Sequence[datetime]:
        return [at for s in self.rows for at, _ in s.points]

    async def series(self, q: MetricQuery, step: float | None = None) -> Answered[tuple[Series, ...]]:
        self._take(q, q.window)
        rows = [s for s in self.rows if s.service in (q.services or (s.service,)) and s.name in (q.names or (s.name,))]
        cut = [_within(s, q.window) for s in rows]
        return self._answered(tuple(cut), "series", q.window, len(cut))

    async def ratio(self, services: tuple[str, ...], window: Window) -> Answered[tuple[Ratio, ...]]:
        self._take(services, window)
        rows = tuple(r for r in self.ratios if r.service in (services or (r.service,)))
        return self._answered(rows, "ratio", window, len(rows))


def _within(s: Series, window: Window) -> Series:
    return Series(s.name, s.service, s.kind, s.unit, tuple(p for p in s.points if p[0] in window), s.labels)


@dataclass
class MemorySpans(Held):
    caps: frozenset[str] = frozenset(("spans", "edges"))
    rows: Sequence[Span] = ()
    calls: Sequence[Edge] = ()

    def _times(self) -> Sequence[datetime]:
        return [s.start for s in self.rows]

    async def spans(
        self, window: Window, services: tuple[str, ...] = (), limit: int = 50
    ) -> Answered[tuple[Span, ...]]:
        self._take(services, window)
        rows = [s for s in self.rows if s.start in window and s.service in (services or (s.service,))]
        return self._answered(tuple(rows[:limit]), "spans", window, len(rows))

    async def edges(self, window: Window | None) -> Answered[tuple[Edge, ...]]:
        self._take("edges", window)
        return self._answered(tuple(self.calls), "edges", window, len(self.calls))


@dataclass
class MemoryChanges(Held):
    rows: Sequence[Change] = ()
    sparse = True
    diffs: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ordered((c.at for c in self.rows), self.name)
        known((c.kind for c in self.rows), get_args(ChangeKind), "kinds")

    def _times(self) -> Sequence[datetime]:
        return [c.at for c in self.rows]

    async def list(self, q: ChangeQuery, limit: int = 200, cursor: str | None = None) -> Answered[tuple[Change, ...]]:
        self._take(q, q.window)
        rows = [
            c for c in self.rows
            if c.at in q.window and c.service in (q.services or (c.service,)) and c.kind in (q.kinds or (c.kind,))
        ]  # fmt: skip
        return self._answered(tuple(rows[:limit]), "changes", q.window, len(rows), len(rows) <= limit)

    async def diff(self, id: str, cap: int = 4000) -> Answered[str]:
        self._take(id, None)
        if id not in self.diffs:
            raise SourceError(self.name, f"no diff of {id}", "bad_query")
        return Answered(self.diffs[id][:cap], "diff", None, total=1, complete=len(self.diffs[id]) <= cap)

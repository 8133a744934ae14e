"""Everything an analysis looks at, asked once from the five kinds of source. Judges nothing.

A source that fails is a gap, not an end: the others may still tell.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

from orchestrator.contracts import Window
from subagents.asking import Merged, ask_all
from subagents.cause.shaped import renamed, shaped
from subagents.sources import (
    AlertQuery,
    Answered,
    Change,
    ChangeQuery,
    ChangeSource,
    Count,
    Episode,
    Level,
    LogLine,
    LogQuery,
    LogSource,
    MetricQuery,
    Pattern,
    Series,
    Source,
    SourceError,
    Sources,
    Span,
)
from subagents.topology import Topology

T = TypeVar("T")
S = TypeVar("S", bound=Source)
Bins = Mapping[datetime, int]
SPANS, SAMPLES, PATTERNS, CHANGES, DIFF = 50_000, 400, 300, 1_000, 12_000
NEARBY = 4_000  # lines on each side of the onset
DIFFS = 60  # of the changes nearest to the onset, where a source holds more
BAD: tuple[Level, ...] = ("error", "fatal")
MINUTE = timedelta(minutes=1)
READ = 1_000  # characters of a text that are read: what tells the kind of trouble stands first


@dataclass(frozen=True, slots=True)
class Facts:
    """`errors`, `lines`: service → start of the minute → log lines; `queries`: kind → the exact query. `nearby`: all
    lines next to `parted`, some thousands on each side: before it all was as usual, after it it isn't."""

    window: Window
    services: tuple[str, ...] = ()
    topology: Topology = field(default_factory=lambda: Topology(()))
    series: tuple[Series, ...] = ()
    errors: Mapping[str, Bins] = field(default_factory=dict)
    loud: str = "errors"  # what `errors` counts
    lines: Mapping[str, Bins] = field(default_factory=dict)
    patterns: tuple[Pattern, ...] = ()
    samples: tuple[LogLine, ...] = ()
    nearby: tuple[LogLine, ...] = ()
    parted: datetime | None = None
    episodes: tuple[Episode, ...] = ()
    spans: tuple[Span, ...] = ()
    changes: tuple[Change, ...] = ()
    diffs: Mapping[str, str] = field(default_factory=dict)
    queries: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)  # query → its console, "" where there is none
    gaps: tuple[str, ...] = ()

    @property
    def known(self) -> tuple[str, ...]:
        """All services that anything names."""
        named = [
            *(s.service for s in self.series),
            *self.lines,
            *(p.service for p in self.patterns),
            *(s.service for s in self.spans),
            *(e.service for e in self.episodes),
            *(c.service for c in self.changes),
            *(name for edge in self.topology.edges for name in edge),
        ]
        return tuple(sorted({n for n in named if n}))

    @property
    def outside(self) -> frozenset[str]:
        """Whom only a status page speaks of: no service of ours."""
        ours = {*self.lines, *(s.service for s in self.spans), *(p.service for p in self.patterns), *self.services}
        ours |= {c.service for c in self.changes}
        feeds = {
            e.service for e in self.episodes if {"impact", "component"} & e.labels.keys() or "updates" in e.annotations
        }
        return frozenset(feeds - ours - {""})


async def gather(
    sources: Sources, window: Window, services: Sequence[str], topology: Topology, changed: Window | None = None
) -> Facts:
    """All but patterns and samples of logs, which need an onset (`with_logs`)."""
    asked = _Asked()
    series = await asked.of(sources.metrics, "metrics", lambda s: s.series(MetricQuery(window)))
    spans = await asked.of(sources.spans, "spans", lambda s: s.spans(window, (), SPANS))
    episodes = await asked.of(sources.alerts, "alerts", lambda s: s.episodes(AlertQuery(window)))
    changes = await asked.of(sources.changes, "changes", lambda s: s.list(ChangeQuery(changed or window), CHANGES))
    minutes = ("service", "minute")
    bad = await asked.of(sources.logs, "errors", lambda s: s.count(LogQuery(window, levels=BAD), minutes))
    lines = await asked.of(sources.logs, "logs", lambda s: s.count(LogQuery(window), minutes))
    named = {e.service for e in episodes.rows} | {r.keys.get("service", "") for r in lines.rows} | set(services)
    return Facts(
        window=window,
        services=tuple(services),
        topology=Topology(topology.edges | calls(spans.rows)),
        series=tuple(renamed(shaped(series.rows), named)),
        errors=_bins(bad.rows),
        lines=_bins(lines.rows),
        episodes=episodes.rows,
        spans=spans.rows,
        changes=tuple(
            sorted((c for c in changes.rows if not c.outcome), key=lambda c: c.at)
        ),  # what failed changed nothing
        queries=dict(asked.queries),
        links=dict(asked.links),
        gaps=tuple(asked.gaps),
    )


async def with_warnings(sources: Sources, facts: Facts) -> Facts:
    """With warnings in the place of errors: for trouble that shows in nothing else."""
    asked, minutes = _Asked(), ("service", "minute")
    found = await asked.of(sources.logs, "errors", lambda s: s.count(LogQuery(facts.window, levels=("warn",)), minutes))
    queries, links = {**facts.queries, **asked.queries}, {**facts.links, **asked.links}
    return replace(facts, errors=_bins(found.rows), loud="warnings", queries=queries, links=links)


async def with_logs(sources: Sources, facts: Facts, onset: datetime, at: datetime | None = None) -> Facts:
    """With the log patterns since the onset against those before it, lines that tell of failures, and all lines next
    to the onset. `at`: a moment at which the trouble certainly goes on."""
    asked = _Asked()
    start = max(facts.window.start, onset - MINUTE)
    since = replace(facts.window, start=min(start, facts.window.end))
    before = replace(facts.window, end=since.start)
    usual = before if before.end > before.start else None
    patterns = await asked.of(sources.logs, "patterns", lambda s: s.patterns(LogQuery(since), usual, PATTERNS))
    samples = await asked.of(sources.logs, "samples", lambda s: s.search(LogQuery(since, levels=BAD), SAMPLES))
    diffs = await _diffs(sources.changes, facts.changes, onset)
    parted = at or onset
    near = [
        await asked.of(sources.logs, "nearby", partial(_first, LogQuery(w))) for w in _stretches(facts, onset, parted)
    ]
    return replace(
        facts,
        nearby=tuple(line for found in near for line in found.rows),
        parted=parted,
        patterns=patterns.rows,
        samples=samples.rows,
        diffs=diffs,
        queries={**facts.queries, **asked.queries},
        links={**facts.links, **asked.links},
        gaps=(*facts.gaps, *asked.gaps),
    )


def _first(q: LogQuery, source: LogSource) -> Awaitable[Answered[tuple[LogLine, ...]]]:
    return source.search(q, NEARBY)


def _stretches(facts: Facts, onset: datetime, at: datetime) -> list[Window]:
    """As many whole minutes before the onset, and after the moment, as hold some thousands of lines; of the last minute
    after it only a part may be read."""
    whole: Counter[datetime] = Counter()
    for bins in facts.lines.values():
        whole.update(bins)
    minutes = sorted(whole)
    until = onset if minutes and minutes[0] + MINUTE < onset else at
    before = _some([m for m in reversed(minutes) if m < until], whole, 0)
    after = _some([m for m in minutes if m + MINUTE > at], whole, 1)
    if not before or not after:
        return []
    found = (
        replace(facts.window, start=before[-1], end=until),
        replace(facts.window, start=at, end=after[-1] + MINUTE),
    )
    return [w for w in found if w.start < w.end]


def _some(minutes: Sequence[datetime], lines: Mapping[datetime, int], more: int) -> list[datetime]:
    """The first of them that hold no more lines than are read (at least one), and so many more."""
    n = full = 0
    while full < len(minutes) and (n := n + lines[minutes[full]]) <= NEARBY:
        full += 1
    return list(minutes[: max(1, full + more)])


async def _diffs(sources: Sequence[ChangeSource], changes: Sequence[Change], onset: datetime) -> dict[str, str]:
    near = sorted((c for c in changes if c.has_diff), key=lambda c: abs(c.at - onset))[:DIFFS]
    found: dict[str, str] = {}
    for change in near:
        for source in sources:
            try:
                text = (await source.diff(change.id, DIFF)).rows
            except SourceError:
                continue
            if text:
                found[change.id] = text
                break
    return found


def shortened(facts: Facts) -> Facts:
    """Without the rest of texts so long that patterns would take very long over them: they come from anywhere."""
    return replace(
        facts,
        patterns=tuple(replace(p, template=p.template[:READ], sample=p.sample[:READ]) for p in facts.patterns),
        spans=tuple(replace(s, error=s.error[:READ]) if len(s.error) > READ else s for s in facts.spans),
        episodes=tuple(replace(e, annotations={k: v[:READ] for k, v in e.annotations.items()}) for e in facts.episodes),
        changes=tuple(replace(c, title=c.title[:READ], body=c.body[: 4 * READ]) for c in facts.changes),
        diffs={name: text[:DIFF] for name, text in facts.diffs.items()},
    )


class _Asked:
    """Remembers queries and gaps; a kind whose sources all fail has no rows."""

    def __init__(self) -> None:
        self.queries: dict[str, str] = {}
        self.links: dict[str, str] = {}
        self.gaps: list[str] = []

    async def of(
        self, sources: Sequence[S], kind: str, call: Callable[[S], Awaitable[Answered[tuple[T, ...]]]]
    ) -> Merged[T]:
        try:
            found = await ask_all(sources, kind, call)
        except SourceError as e:
            self.gaps.append(f"{kind}: {e}")
            return Merged()
        self.queries[kind] = found.query
        self.links[found.query] = found.link
        return found


def _bins(rows: Sequence[Count]) -> dict[str, dict[datetime, int]]:
    found: dict[str, Counter[datetime]] = defaultdict(Counter)
    for row in rows:
        if row.keys.get("minute"):
            at = datetime.fromisoformat(row.keys["minute"]).astimezone(UTC)
            found[row.keys.get("service", "")][at] += row.n
    return {service: dict(bins) for service, bins in found.items()}


def calls(spans: Sequence[Span]) -> frozenset[tuple[str, str]]:
    """(caller, callee) as spans tell; a parent that isn't in its trace is found by its id, where only one has it."""
    within = {(s.trace, s.id): s.service for s in spans}
    owners: dict[str, list[str]] = defaultdict(list)
    for span in spans:
        owners[span.id].append(span.service)
    found = set()
    for span in spans:
        if span.parent:
            alone = owners[span.parent][0] if len(owners.get(span.parent, ())) == 1 else ""
            found.add((within.get((span.trace, span.parent), alone), span.service))
    return frozenset((a, b) for a, b in found if a and b and a != b)

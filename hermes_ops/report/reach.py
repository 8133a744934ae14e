"""What sources can speak of: each one from when until when, and those of a kind together which part of a window.

Each source is told apart: that one ends says nothing of another. It asks only for coverage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from orchestrator.contracts import Window
from subagents.sources import Source, SourceError

SLACK = timedelta(minutes=15)  # a quiet source may begin or end so long inside a window that it covers
SHARE = 0.25  # of a short window that it may be at most
ENOUGH = 0.5  # of an earlier time that must be known to compare with it, and of an hour to call it zero
HOUR = timedelta(hours=1)

Part = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Span:
    """One source's. None: without an end on that side; `sparse`: of what needn't happen for days, so that its records'
    ends are not its own; `present`: it knows what is now, and nothing of what is over; `empty`: it holds nothing, with
    the reason in words."""

    source: str
    since: datetime | None = None
    until: datetime | None = None
    sparse: bool = False
    present: bool = False
    empty: str = ""

    def may_hold(self, window: Window) -> bool:
        """Records of it: a store may have been told of what was before it began."""
        return not self.empty and (self.until is None or self.until > window.start)

    def part(self, window: Window) -> Part | None:
        """Of the window it knows, up to an edge that it comes near to; None: nothing."""
        late = self.since is not None and self.since >= window.end
        if self.empty or self.present or late or (self.until is not None and self.until <= window.start):
            return None
        slack = min(SLACK, SHARE * (window.end - window.start))
        since = self.since if self.since is not None and self.since > window.start + slack else window.start
        until = self.until if self.until is not None and self.until < window.end - slack else window.end
        return since, until


@dataclass(frozen=True, slots=True)
class Reach:
    """What the sources of one kind can speak of, in their order. `why`: why there is none of that kind."""

    spans: tuple[Span, ...] = ()
    why: str = ""

    @property
    def empty(self) -> str:
        """Nobody holds anything, with the reason in words."""
        return self.why or (self.spans[0].empty if self.spans and all(s.empty for s in self.spans) else "")

    def parts(self, window: Window) -> tuple[Part, ...]:
        """Stretches of the window that any of them knows, in order."""
        found: list[Part] = []
        for since, until in sorted(part for s in self.spans if (part := s.part(window))):
            if found and since <= found[-1][1] + SLACK:
                since, until = found[-1][0], max(until, found.pop()[1])
            found.append((since, until))
        return tuple(found)

    def none_of(self, window: Window) -> bool:
        return not self.parts(window)

    def hours(self, window: Window) -> float:
        """Of the window, of which it can speak."""
        return sum((until - since).total_seconds() / 3600 for since, until in self.parts(window))

    def compares(self, window: Window) -> bool:
        """Enough of it is known to set another time against it."""
        length = (window.end - window.start).total_seconds() / 3600
        return not self.none_of(window) and self.hours(window) >= ENOUGH * length

    def knows(self, hour: datetime, window: Window) -> bool:
        """Most of that hour of the window: nothing in it is zero then."""
        start, end = max(hour, window.start), min(hour + HOUR, window.end)
        return start < end and self.compares(replace(window, start=start, end=end))

    def unbroken(self, window: Window) -> bool:
        """At every moment of it, somebody looked."""
        return self.parts(window) == ((window.start, window.end),)

    def whole(self, window: Window) -> bool:
        """All of it is known to each of them that knows any of it."""
        parts = {part for s in self.spans if (part := s.part(window))}
        return parts == {(window.start, window.end)}


async def spans(sources: Sequence[Source]) -> tuple[Span, ...]:
    """One that can't be asked is taken to know everything: its answers will fail as well, and say so."""
    return tuple([await _span(source) for source in sources])


async def _span(source: Source) -> Span:
    present, asked = "current" in source.caps and "history" not in source.caps, datetime.now(UTC)
    try:
        cover = await source.coverage()
        untold = cover.until is None and (cover.since is None or cover.since >= asked)
        if untold and not (health := await source.probe()).ok:
            return Span(source.name, empty=health.detail)
    except SourceError:
        return Span(source.name, present=present)
    return Span(source.name, cover.since, cover.until, cover.sparse, present)


def stretched(reaches: Mapping[str, Reach]) -> dict[str, Reach]:
    """Events needn't happen for days: records of them that end are known for as long as other records that end are,
    which lie in the same place. A store that goes on says itself since when it looks."""
    ended = [s for r in reaches.values() for s in r.spans if s.until is not None]
    since = min((s.since for s in ended if s.since is not None and not s.sparse), default=None)
    until = max((s.until for s in ended if s.until is not None), default=None)

    def known(spans: Iterable[Span]) -> tuple[Span, ...]:
        return tuple(_stretched(s, since, until) if s.sparse and s.until is not None else s for s in spans)

    return {kind: replace(reach, spans=known(reach.spans)) for kind, reach in reaches.items()}


def _stretched(s: Span, since: datetime | None, until: datetime | None) -> Span:
    first = min(s.since, since) if s.since is not None and since is not None else None
    return replace(s, since=first, until=until)

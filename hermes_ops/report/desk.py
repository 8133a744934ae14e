"""Asks the sources for a report, and keeps what they could not tell: down, cut, approximate, younger than the window.

An answer that nobody could give is None, never an empty one: who counts it says "unknown", not zero.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

from hermes_ops.report.model import Amount, Gap, Lang, Place, unknown
from hermes_ops.report.view.figures import clock
from hermes_ops.report.words import joined, say
from orchestrator.contracts import Window
from subagents.asking import Merged, ask_all
from subagents.gaps import worded
from subagents.sources import Answered, Coverage, Source, SourceError, Sources

T = TypeVar("T")
S = TypeVar("S", bound=Source)
EVENTS = frozenset(("alerts", "changes"))
SLACK = timedelta(minutes=15)  # a quiet source may begin or end so long inside a window that it covers
ENOUGH = 0.5  # of an earlier time that must be known to compare with it
PLACES: Mapping[str, Place] = {"alerts": "alerts", "metrics": "availability", "logs": "errors", "changes": "changes"}


@dataclass(frozen=True, slots=True)
class Reach:
    """What the sources of one kind can speak of. `empty`: they hold nothing, with the reason in words."""

    since: datetime | None = None
    until: datetime | None = None
    sparse: bool = False
    empty: str = ""
    first: datetime | None = None  # from when on anything is known, where that is before `since`

    def none_of(self, window: Window) -> bool:
        """It lies wholly outside."""
        if self.empty:
            return True
        late = self.since is not None and self.since >= window.end
        return late or (self.until is not None and self.until <= window.start)

    def begins_late(self, window: Window) -> bool:
        return not self.sparse and self.since is not None and self.since > window.start + SLACK

    def ends_early(self, window: Window) -> bool:
        return self.until is not None and self.until < window.end - SLACK

    def hours(self, window: Window) -> float:
        """Of the window, of which it can speak."""
        first = self.first or self.since
        start = max(window.start, first) if first is not None else window.start
        end = min(window.end, self.until) if self.until is not None else window.end
        return 0.0 if self.empty else max(0.0, (end - start).total_seconds() / 3600)

    def compares(self, window: Window) -> bool:
        """Enough of it is known to set another time against it."""
        length = (window.end - window.start).total_seconds() / 3600
        return not self.none_of(window) and self.hours(window) >= ENOUGH * length

    def whole(self, window: Window) -> bool:
        return not (self.none_of(window) or self.begins_late(window) or self.ends_early(window))


@dataclass
class Desk:
    """One report's questions. `window`: the report's; `gaps` grow as it asks."""

    sources: Sources
    window: Window
    lang: Lang
    mask: Callable[[str], str]
    gaps: list[Gap] = field(default_factory=list)
    reaches: dict[str, Reach] = field(default_factory=dict)

    def gap(self, source: str, what: str, where: Place) -> None:
        found = Gap(source, worded(self.mask(what), self.lang), where)
        if found not in self.gaps:
            self.gaps.append(found)

    def of(self, kind: str) -> Sequence[Source]:
        found: Sequence[Source] = getattr(self.sources, kind)
        return found

    async def look(self) -> None:
        """Finds out what each kind can speak of, and says where that is less than the window."""
        for kind in PLACES:
            if not self.of(kind):
                self.reaches[kind] = Reach(empty=say("no_source", self.lang, kind=say(kind, self.lang)))
            else:
                found = await reach(self.of(kind))
                self.reaches[kind] = replace(found, empty=worded(self.mask(found.empty), self.lang))
        self._say_skipped()
        for kind, place in PLACES.items():
            self.reaches[kind] = self._on(kind)
            self._say_reach(kind, self.reaches[kind], place)

    def _say_skipped(self) -> None:
        """Files that nobody could read matter where a kind of data is missing: they may be it."""
        names = [str(s.get("path", "")) for s in self.sources.skipped]
        if names and any(r.empty for r in self.reaches.values()):
            self.gap("folder", say("skipped", self.lang, n=len(names), names=joined(names, self.lang)), "errors")

    def _on(self, kind: str) -> Reach:
        """Alerts and changes needn't happen for days: they are known for as long as anything is."""
        found = self.reaches[kind]
        if kind not in EVENTS or found.empty:
            return found
        ends = [r.until for r in self.reaches.values() if not r.empty]
        known = [end for end in ends if end is not None]
        begins = [r.since for r in self.reaches.values() if r.since is not None and not r.empty]
        first = min(begins) if found.sparse and found.since is not None else None
        return replace(found, until=max(known) if known and len(known) == len(ends) else None, first=first)

    def _say_reach(self, kind: str, found: Reach, place: Place) -> None:
        name = ", ".join(s.name for s in self.of(kind)) or say(kind, self.lang)
        if found.empty:
            self.gap(name, found.empty, place)
        elif found.none_of(self.window):
            self.gap(name, say("outside", self.lang), place)
        elif said := self._part(found):
            self.gap(name, said, place)

    def _part(self, found: Reach) -> str:
        """Which part of the window it holds; "" for all of it."""
        since = clock(found.since, self.window) if found.since and found.begins_late(self.window) else ""
        until = clock(found.until, self.window) if found.until and found.ends_early(self.window) else ""
        if since and until:
            return say("spans", self.lang, since=since, until=until)
        if since:
            return say("begins", self.lang, at=since)
        return say("ends", self.lang, at=until) if until else ""

    async def ask(
        self,
        kind: str,
        window: Window,
        call: Callable[[S], Awaitable[Answered[tuple[T, ...]]]],
        sources: Sequence[S],
        where: Place | None = None,
        anyhow: bool = False,
    ) -> Merged[T] | None:
        """None: nothing is known of that window, and a gap says why where it is the report's own. `anyhow`: also where
        the kind holds no records of that time, but perhaps what somebody made of them."""
        earlier: Place = "comparison" if window.end <= self.window.start else PLACES[kind]
        reached, place = self.reaches[kind], where or earlier
        if not sources or (reached.none_of(window) and not anyhow):
            return None
        try:
            found = await ask_all(sources, kind, call)
        except SourceError as e:
            self.gap(e.source, say("down", self.lang, why=str(e)), place)
            return None
        for gap in found.gaps:
            self.gap(found.source, gap, place)
        if not found.complete and not found.gaps:
            self.gap(found.source, say("cut", self.lang), place)
        return found

    def lacks(self, kind: str, window: Window, of: str) -> str:
        """Why an earlier time, called `of`, can't be compared with; "" where it can."""
        reached = self.reaches[kind]
        if reached.empty or reached.compares(window):
            return reached.empty
        hours = reached.hours(window)
        if reached.none_of(window) or hours < 0.05:
            return say("no_data_of", self.lang, of=of)
        return say("little_data_of", self.lang, of=of, hours=hours)

    def amount(self, value: int | float, kind: str, window: Window, found: Merged[T] | None) -> Amount:
        """A figure as sure as the answer it was counted in."""
        reached = self.reaches[kind]
        if found is None:
            return unknown(reached.empty or say("not_known", self.lang))
        if not found.complete:
            return Amount(value, "approx", say("part", self.lang))
        if not reached.whole(window):
            return Amount(value, "approx", say("part_of_time", self.lang))
        return Amount(value, "approx", say("about", self.lang)) if found.approx else Amount(value)


async def reach(sources: Sequence[Source]) -> Reach:
    """What they can speak of together. One that can't be asked is passed over here: its answers will fail as well."""
    found: list[Coverage] = []
    empty: list[str] = []
    for source in sources:
        try:
            cover = await source.coverage()
            if cover.since is None and cover.until is None and not (health := await source.probe()).ok:
                empty.append(health.detail)
                continue
        except SourceError:
            continue
        found.append(cover)
    if not found:
        return Reach(empty=empty[0] if empty else "")
    return Reach(
        min((c.since for c in found if c.since), default=None),
        max((c.until for c in found if c.until), default=None),
        any(c.sparse for c in found),
    )

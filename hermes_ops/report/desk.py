"""Asks the sources for a report, and keeps what they could not tell: down, cut, approximate, younger than the window.

An answer that nobody could give is None, never an empty one: who counts it says "unknown", not zero. A count of which a
part is missing is "at least".
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from hermes_ops.report.model import Amount, Gap, Lang, Place, unknown
from hermes_ops.report.reach import Reach, Span, spans, stretched
from hermes_ops.report.reasons import lacking
from hermes_ops.report.view.figures import between, edge
from hermes_ops.report.words import joined, say
from orchestrator.contracts import Window
from subagents.asking import Merged, ask_all
from subagents.gaps import UNREACHED
from subagents.sources import Answered, Source, SourceError, Sources

T = TypeVar("T")
S = TypeVar("S", bound=Source)
YOUNG = re.compile(r"the store of web hooks runs since|.+ has no data before ")  # gaps that a reach tells already
PRESENT = re.compile(r".+ keeps no history: ")  # no gap beside a source that keeps one
UNSURE = re.compile(r"\d+ of these alerts weren't told of again")  # of alerts that are counted all the same
CUT = "only the last "  # the store's gap where it left rows out
PLACES: Mapping[str, Place] = {"alerts": "alerts", "metrics": "availability", "logs": "errors", "changes": "changes"}


@dataclass
class Desk:
    """One report's questions. `window`: the report's; `gaps` grow as it asks; `sampled`: its logs are a sample."""

    sources: Sources
    window: Window
    lang: Lang
    mask: Callable[[str], str]
    gaps: list[Gap] = field(default_factory=list)
    reaches: dict[str, Reach] = field(default_factory=dict)
    sampled: bool = False

    def gap(self, source: str, what: str, where: Place) -> None:
        found = Gap(source, self._said(what), where)
        if found not in self.gaps:
            self.gaps.append(found)

    def _said(self, what: str) -> str:
        return lacking(self.mask(what), self.lang)

    def of(self, kind: str) -> Sequence[Source]:
        found: Sequence[Source] = getattr(self.sources, kind)
        return found

    async def look(self) -> None:
        """Finds out what each source can speak of, and says where that is less than the window."""
        for kind in PLACES:
            known = [replace(s, empty=self._said(s.empty)) for s in await spans(self.of(kind))]
            why = "" if known else say("no_source", self.lang, kind=say(kind, self.lang))
            self.reaches[kind] = Reach(tuple(known), why)
        self.reaches = stretched(self.reaches)
        self._say_skipped()
        for kind, place in PLACES.items():
            self._say_reach(kind, place)

    def _say_skipped(self) -> None:
        """Files that nobody could read matter where a kind of data is missing: they may be it."""
        names = [str(s.get("path", "")) for s in self.sources.skipped]
        if names and any(r.empty for r in self.reaches.values()):
            self.gap("folder", say("skipped", self.lang, n=len(names), names=joined(names, self.lang)), "errors")

    def _say_reach(self, kind: str, place: Place) -> None:
        reached = self.reaches[kind]
        if reached.why:
            self.gap(say(kind, self.lang), reached.why, place)
        for span in reached.spans:
            if said := span.empty or ("" if span.present else self._part(span)):
                self.gap(span.source, said, place)

    def _part(self, span: Span) -> str:
        """Which part of the window one source holds; "" for all of it."""
        part, w = span.part(self.window), self.window
        if part is None:
            return say("outside", self.lang)
        since, until = (edge(at, w) for at in part)
        if part[0] > w.start and part[1] < w.end:
            return say("spans", self.lang, since=since, until=until)
        if part[0] > w.start:
            return say("begins", self.lang, at=since)
        return say("ends", self.lang, at=until) if part[1] < w.end else ""

    def last(self, kind: str) -> datetime:
        """How far that kind is known in the report's window."""
        parts = self.reaches[kind].parts(self.window)
        return parts[-1][1] if parts else self.window.end

    def seen(self, kind: str, window: Window) -> str:
        """ "00:00–08:00": which part of a window is known of that kind."""
        parts = self.reaches[kind].parts(window)
        return joined((between(since, until, window) for since, until in parts), self.lang, 3)

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
        place = where or earlier
        known = zip(sources, self.reaches[kind].spans, strict=True)
        telling = [source for source, span in known if anyhow or span.may_hold(window)]
        if not telling:
            return None

        kept = any(not span.present for span in self.reaches[kind].spans)

        async def told(source: S) -> Answered[tuple[T, ...]]:
            return _of_its_time(await call(source), kept)

        try:
            found = await ask_all(telling, kind, told)
        except SourceError as e:
            self.gap(e.source, say("down", self.lang, why=str(e)), place)
            return None
        if not found.rows and not anyhow and self.reaches[kind].none_of(window):
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
        """A figure as sure as the answer that it was worked out from."""
        reached = self.reaches[kind]
        blind = reached.none_of(window)
        if found is None or (blind and not value):
            return unknown(reached.empty or say("outside" if blind else "not_known", self.lang))
        if not blind and not reached.unbroken(window):
            return Amount(value, "approx", say("only", self.lang, hours=self.seen(kind, window)))
        if not found.complete or not reached.whole(window):
            return Amount(value, "approx", say("part", self.lang))
        return Amount(value, "approx", say("about", self.lang)) if found.approx else Amount(value)

    def count(self, value: int | float, kind: str, window: Window, found: Merged[T] | None) -> Amount:
        """The same of what was counted: where a part is missing, there are at least so many."""
        made = self.amount(value, kind, window, found)
        if found is None or made.value is None:
            return made
        return replace(made, sure="least") if _lacks(found) or not self.reaches[kind].whole(window) else made


def _lacks(found: Merged[T]) -> bool:
    """Rows of it are missing: it was cut, or one of several sources wasn't reached."""
    return (not found.complete and not found.gaps) or any(g.startswith((UNREACHED, CUT)) for g in found.gaps)


def _of_its_time(answer: Answered[tuple[T, ...]], kept: bool) -> Answered[tuple[T, ...]]:
    """A source that is younger than what it was asked about has answered whole for its own time; so has one that knows
    the present only, where others keep what was (`kept`)."""
    gaps = tuple(g for g in answer.gaps if not YOUNG.match(g) and not (kept and PRESENT.match(g)))
    if gaps == answer.gaps:
        return answer
    return replace(answer, gaps=gaps, complete=all(UNSURE.match(g) for g in gaps))

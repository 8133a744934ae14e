"""When a change took effect, against when the trouble and its first signs began. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from math import log2

from subagents.cause.candidates import Candidate
from subagents.cause.facts import Facts
from subagents.cause.model import Reason
from subagents.cause.places import Incident, precursors
from subagents.cause.symptoms import HARD
from subagents.cause.waking import Waking

MARGIN = timedelta(minutes=2)
UNIT = timedelta(minutes=10)
ENDED = timedelta(minutes=30)
WAKES = timedelta(minutes=15)  # before the onset: what began to work then is what fails
IDLE = 10  # points without any work


class Clock:
    """The times of one incident: `onset`, `earliest` signs and from when on these are `sure`, `latest` its onset."""

    def __init__(self, facts: Facts, found: Incident) -> None:
        signs = precursors(found, found.first)
        self.facts = facts
        self.onset = found.onset or found.at
        self.earliest = min([*(s.at for s in signs), self.onset])
        self.sure = min((s.sure for s in signs), default=self.onset)
        self.latest = found.sure or found.at

    def timing(self, c: Candidate, woken: Waking | None) -> Iterator[Reason]:
        """`woken`: when its code began to work, where that was later."""
        onset, early = self.onset, self.earliest
        if c.change.until is not None and c.at <= onset <= c.change.until + ENDED:
            yield Reason("timing", "planned work that was going on at the onset", 0.2)
            return
        if c.at > max(early, self.sure) + MARGIN and early < onset - UNIT:
            yield Reason("timing", f"trouble was under way since {early:%H:%M}, before it at {c.at:%H:%M}", -1.5)
        if woken is not None:
            yield Reason("timing", woken.timing, 0.4)
            return
        began = early if c.at <= early + MARGIN else onset
        what = "onset" if began == onset else "first signs"
        if (first := self.woke(c)) is not None:
            text = f"{c.service} had nothing to do from {c.at:%H:%M} to {first:%H:%M}, just before the onset"
            yield Reason("timing", text, 0.4)
            return
        lead = max(timedelta(), began - c.at)
        weight = 0.4 - 0.35 * log2(1 + lead / UNIT)
        yield Reason("timing", f"{lead.total_seconds() / 60:.0f} min before the {what} at {began:%H:%M}", weight)

    def woke(self, c: Candidate) -> datetime | None:
        """When the service began to work, where it had nothing to do since the change: until then its code slept."""
        for series in self.facts.series:
            if series.service != c.service or HARD.search(series.name):
                continue
            first = next((at for at, v in series.points if at >= c.at and v > 0), None)
            idle = sum(v == 0 for at, v in series.points if c.at <= at and (first is None or at < first))
            if first is not None and idle >= IDLE and -MARGIN <= self.onset - first <= WAKES:
                return first
        return None

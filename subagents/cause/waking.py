"""What a change waited for: its code slept until the date changed, or until its flag was switched. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from subagents.cause.content import SWITCHES
from subagents.cause.midnight import midnight
from subagents.sources import Change

LATEST, AFTER = timedelta(minutes=30), timedelta(minutes=2)  # before the onset, and after it: dates aren't that exact
NAME = 6  # characters: a shorter key is a word of any code


@dataclass(frozen=True, slots=True)
class Waking:
    """`effect`, `timing`: how it is told that and when."""

    at: datetime
    effect: str
    timing: str


def key_of(change: Change) -> str:
    return change.title.partition(": ")[0].strip()


def waking(lines: str, at: datetime, onset: datetime, changes: Iterable[Change]) -> Waking | None:
    """`lines`: those that the change took out or put in; `at`: when it took effect."""
    for flag in (c for c in changes if c.kind in SWITCHES and at <= c.at and onset - LATEST <= c.at <= onset + AFTER):
        if reads(lines, key_of(flag)):
            minutes = max(0.0, (onset - flag.at).total_seconds() / 60)
            timing = f"its flag {key_of(flag)} was switched at {flag.at:%H:%M}, {minutes:.0f} min before the onset"
            return Waking(flag.at, f"works since the flag {key_of(flag)} was switched", timing)
    night = midnight(lines, at, onset)
    if night is None:
        return None
    timing = f"its first midnight, at {night:%H:%M}, is just before the onset"
    return Waking(night, "reckons with dates, and the date changed", timing)


def reads(lines: str, key: str) -> bool:
    """The code asks for the flag by its name."""
    return len(key) >= NAME and bool(re.search(rf"(?<![\w.-]){re.escape(key)}(?![\w-])", lines))

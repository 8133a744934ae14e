"""What becomes of an alert beside that it fires: who holds it back and until when, and whom its sender routes it to.

In the words and shapes that the live Alertmanager, its exports and its web hooks share. It knows no source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

_NEXT = re.compile(r"; (?=(?:silenced|inhibited|muted) by )")
_HOLD = re.compile(
    r"(silenced|inhibited|muted) by (.+?)(?: until (\d{4}-\d\d-\d\d \d\d:\d\d) UTC)?(?: \((.*)\))?", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Hold:
    """One thing that holds an alert back. `how`: silenced | inhibited | muted, "" for what is worded otherwise; `who`:
    the person of a silence, the alert that inhibits, the name of the muted time."""

    how: str
    who: str
    until: datetime | None = None
    why: str = ""

    @property
    def said(self) -> str:
        words = f"{self.how} by {self.who}" if self.how else self.who
        words += f" until {self.until:%Y-%m-%d %H:%M} UTC" if self.until else ""
        return f"{words} ({self.why})" if self.why else words


def together(holds: Iterable[Hold]) -> str:
    """As an episode's `by`."""
    return "; ".join(hold.said for hold in holds)


def holds(by: str) -> list[Hold]:
    """What an episode's `by` says."""
    return [_hold(part) for part in _NEXT.split(by) if part]


def _hold(said: str) -> Hold:
    found = _HOLD.fullmatch(said)
    if found is None:
        return Hold("", said)
    how, who, until, why = found.groups()
    return Hold(how, who, datetime.fromisoformat(until).replace(tzinfo=UTC) if until else None, why or "")


def group(labels: Mapping[str, object]) -> str:
    """A group's name: the labels that its alerts have in common; "" where everything is one group."""
    return ", ".join(f"{name}={labels[name]}" for name in sorted(labels))


def group_of_key(key: str) -> str:
    """The same of a `groupKey`, `{}/{team="db"}:{alertname="Down", service="cart"}`: route, colon, labels."""
    inner = key.rpartition(":{")[2].removesuffix("}")
    return ", ".join(f"{name}={value}" for name, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', inner))


def once(notified: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Each (receiver, group) once. A receiver of whom no group is known is left out where one is."""
    found = dict.fromkeys(notified)
    grouped = {receiver for receiver, name in found if name}
    return tuple((receiver, name) for receiver, name in found if name or receiver not in grouped)

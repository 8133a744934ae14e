"""Settings and flags that were turned back: a later change of the same key in the other direction. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from subagents.sources import Change

_MOVE = re.compile(r"(?P<key>.*?)(?P<old>\S+) ?(?:→|->|=>) ?(?P<new>\S+)\s*")  # "pool_max: 20 → 2", "new_ui: off->on"
_KINDS = ("config", "flag")


def turned_back(change: Change, others: Sequence[Change]) -> Change | None:
    """The first later change that sets the same key of the same service back to what it was."""
    mine = _move(change)
    if mine is None:
        return None
    key, old, new = mine
    later = [o for o in others if o.at > change.at and o.service == change.service and _move(o) == (key, new, old)]
    return min(later, key=lambda o: o.at, default=None)


def turned(change: Change, others: Sequence[Change]) -> Change | None:
    """The last earlier change that this one turned back."""
    earlier = [o for o in others if o.at < change.at and turned_back(o, (change,))]
    return max(earlier, key=lambda o: o.at, default=None)


def _move(change: Change) -> tuple[str, str, str] | None:
    found = _MOVE.fullmatch(change.title) if change.kind in _KINDS else None
    return (found["key"], found["old"], found["new"]) if found else None

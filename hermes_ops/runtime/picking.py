"""Which of the waiting messages are begun now: in order, so many of a conversation and of this process at once.

It doesn't know where they are stored, nor how they are answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from memory import Entry

Follows = Callable[[Entry], bool]


class Picker:
    """For one claim (`memory.inbox.Picks`). `free`: questions that this process may still begin; `each`: at once in a
    conversation, whoever works on them; `follows`: whether one refers to those before it, while some are not done."""

    def __init__(self, owner: str, free: int, each: int, now: datetime, follows: Follows) -> None:
        self.free, self.each = free, each
        self._owner, self._now, self._follows = owner, now, follows

    def pick(self, undone: Sequence[Entry]) -> list[Entry]:
        """Commands never wait. Nobody overtakes within a conversation."""
        before: dict[str, list[Entry]] = {}
        for entry in undone:
            if entry.state == "running" and entry.kind == "question":
                before.setdefault(entry.conversation, []).append(entry)
        held: set[str] = set()
        chosen: list[Entry] = []
        for entry in undone:
            if entry.state == "running" or (entry.kind == "command" and not self._may(entry)):
                continue
            mine = before.setdefault(entry.conversation, [])
            if entry.kind == "question":
                if entry.conversation in held or not self._fits(entry, mine):
                    held.add(entry.conversation)
                    continue
                mine.append(entry)
                self.free -= 1
            chosen.append(entry)
        return chosen

    def _may(self, entry: Entry) -> bool:
        """Another process shows just now that it waits."""
        return entry.owner in ("", self._owner)

    def _fits(self, entry: Entry, mine: Sequence[Entry]) -> bool:
        late = entry.due is not None and entry.due > self._now
        full = len(mine) >= self.each or self.free <= 0
        return self._may(entry) and not late and not full and not (mine and self._follows(entry))

"""Records of things that live (a run, an order, a request to merge), which are no lines of a log though they have a
time and a text: their time is that at which they were made, and they say how they stand, or when that changed last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, levels

_MADE = frozenset(("createdat", "createtime", "startedat", "starttime"))
_LIVED = ("updatedat", "modifiedat", "finishedat", "completedat", "endedat", "closedat", "resolvedat", "appliedat",
          "updatetime", "finishtime", "endtime")  # fmt: skip


def lives(item: Mapping[str, Any]) -> bool:
    """`item`: nested values lifted. What has a level, or a state that is one (`"status": "error"`), is a line."""
    time = keys.found(item, keys.TIME)
    if time is None or keys.norm(time) not in _MADE or keys.found(item, keys.LEVEL) is not None:
        return False
    state = keys.text(item, "status", "state")
    stands = bool(state) and not state.isdigit() and levels.level(state) == "unknown"
    return stands or keys.found(item, _LIVED) is not None

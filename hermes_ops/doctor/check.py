"""One thing that was tried, and what came of it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warn", "fail", "skip"]


@dataclass(frozen=True, slots=True)
class Check:
    """`state`: "warn" works worse than it could, "fail" is needed and doesn't work, "skip" wasn't tried. `says`: what
    was found; `do`: what to do about it, for all but "ok"."""

    part: str  # settings | machine | store | source | tool | model | team | feishu
    name: str
    state: State
    says: str
    do: str = ""
    seconds: float = 0.0


Checks = AsyncIterator[Check]


class Clock:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._begun = time.monotonic()

    @property
    def seconds(self) -> float:
        return round(time.monotonic() - self._begun, 3)

"""What the inbox hands out and gets back: bounds, jobs, outcomes, and who does what it decides. Data only."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memory import Entry, Parcel


@dataclass(frozen=True, slots=True)
class Bounds:
    """`questions` at once in this process, `per_conversation` of them in one, `queue` waiting at most."""

    questions: int = 32
    per_conversation: int = 2
    queue: int = 200


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the work on an entry ended, and what its chat has to see."""

    state: Literal["done", "failed", "cancelled", "refused"] = "done"
    reason: str = ""
    parcels: tuple[Parcel, ...] = ()


@dataclass(frozen=True)
class Hands:
    """Who does what the inbox decides. `work`: raises HermesError or anything else for "try again"; `stop`: ends it
    soon, it comes back; `told`: what a chat sees when an entry ends without an answer; `follows`: whether a message
    refers to those before it, while some are not done; `queued`: tells that an entry has to wait behind `place` others;
    `ended`: it has, for good, and there may be something to deliver."""

    work: Callable[[Entry], Awaitable[Outcome]]
    stop: Callable[[Entry], None]
    told: Callable[[Entry, Literal["failed", "cancelled"], str], Sequence[Parcel]]
    refusal: Callable[[Entry, datetime], Parcel]
    follows: Callable[[Entry], bool] = lambda entry: False
    queued: Callable[[Entry, int], Awaitable[None]] = lambda entry, place: asyncio.sleep(0)
    ended: Callable[[Entry], None] = lambda entry: None


@dataclass
class Job:
    """An entry that is worked on. `cancelled`: by whom."""

    entry: Entry
    task: asyncio.Task[None] | None = None
    begun: float = field(default_factory=time.monotonic)
    cancelled: str = ""
    ending: bool = False  # the work is done, and is being stored: not to be cut off

    @property
    def ran(self) -> float:
        return self.entry.ran + time.monotonic() - self.begun

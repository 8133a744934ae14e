"""Ending work from outside: soft and hard deadline, and cancellation, in one object that a run carries.

Only leaves (a model call, a plain tool) are raced against it, so that a loop always lives to sum up what it has.
Times are `time.monotonic()` seconds: running time counts, not wall time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

from orchestrator.errors import Stopped

T = TypeVar("T")


class Stop:
    """`soft`: sum up now. `hard`: what runs is ended. `cancel()`: the same at once, for this and all children."""

    def __init__(self, soft: float | None = None, hard: float | None = None, parent: Stop | None = None) -> None:
        now = time.monotonic()
        outer_soft, outer_hard = (parent.soft_at, parent.hard_at) if parent else (float("inf"), float("inf"))
        self.soft_at: float = min(outer_soft, now + soft if soft is not None else float("inf"))
        self.hard_at: float = min(outer_hard, now + hard if hard is not None else float("inf"))
        self._cancelled: asyncio.Event = parent._cancelled if parent else asyncio.Event()

    def child(self, seconds: float) -> Stop:
        """A deadline of its own inside this one; sums up at four fifths of it."""
        return Stop(soft=seconds * 0.8, hard=seconds, parent=self)

    def cancel(self) -> None:
        self._cancelled.set()

    @property
    def reason(self) -> str | None:
        """Why work must not go on: "cancelled" | "deadline", or None."""
        if self._cancelled.is_set():
            return "cancelled"
        return "deadline" if time.monotonic() >= self.hard_at else None

    @property
    def hurry(self) -> bool:
        return time.monotonic() >= self.soft_at

    @property
    def left(self) -> float:
        return max(0.0, self.hard_at - time.monotonic())

    async def race(self, work: Awaitable[T]) -> T:
        """The result of `work`, or Stopped when it was ended first; it has been cancelled and awaited by then."""
        task = asyncio.ensure_future(work)
        flag = asyncio.ensure_future(self._cancelled.wait())
        timeout = None if self.hard_at == float("inf") else self.left
        try:
            await asyncio.wait({task, flag}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise Stopped(self.reason or "deadline")
        finally:
            flag.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=1.0)

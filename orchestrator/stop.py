"""Ending work from outside: soft and hard deadline, and cancellation, in one object that a run carries.

Only leaves (a model call, a plain tool) are raced against it, so that a loop always lives to sum up what it has.
Times are `time.monotonic()` seconds: running time counts, not wall time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from functools import partial
from typing import TypeVar

from orchestrator.errors import Stopped

T = TypeVar("T")


class _Shared:
    """What a Stop has in common with its children and its parent: the mark, and who waits for it."""

    def __init__(self) -> None:
        self.cancelled = False
        self.flags: set[asyncio.Future[None]] = set()


def _set(flag: asyncio.Future[None]) -> None:
    if not flag.done():
        flag.set_result(None)


def _done(flag: asyncio.Future[None], task: asyncio.Future[T]) -> None:
    _set(flag)
    if not task.cancelled():
        task.exception()  # read, or asyncio complains of one that came when nobody waited any more


class Stop:
    """`soft`: sum up now. `hard`: what runs is ended. `cancel()`: the same at once, for its parent and its
    children too: deadlines are each one's own, a cancellation is the whole run's."""

    def __init__(self, soft: float | None = None, hard: float | None = None, parent: Stop | None = None) -> None:
        now = time.monotonic()
        outer_soft, outer_hard = (parent.soft_at, parent.hard_at) if parent else (float("inf"), float("inf"))
        self.soft_at: float = min(outer_soft, now + soft if soft is not None else float("inf"))
        self.hard_at: float = min(outer_hard, now + hard if hard is not None else float("inf"))
        self._shared: _Shared = parent._shared if parent else _Shared()

    def child(self, seconds: float) -> Stop:
        """A deadline of its own inside this one; sums up at four fifths of it."""
        return Stop(soft=seconds * 0.8, hard=seconds, parent=self)

    def cancel(self) -> None:
        self._shared.cancelled = True
        for flag in self._shared.flags:
            _set(flag)

    @property
    def reason(self) -> str | None:
        """Why work must not go on: "cancelled" | "deadline", or None."""
        if self._shared.cancelled:
            return "cancelled"
        return "deadline" if time.monotonic() >= self.hard_at else None

    @property
    def hurry(self) -> bool:
        return time.monotonic() >= self.soft_at

    @property
    def left(self) -> float:
        return max(0.0, self.hard_at - time.monotonic())

    async def race(self, work: Awaitable[T]) -> T:
        """The result of `work`, or Stopped when it was ended first: it has been cancelled by then, and awaited for
        at most 1 s. What it gives or raises later is dropped."""
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)
        flag: asyncio.Future[None] = loop.create_future()  # set when the work is done or must end
        self._shared.flags.add(flag)
        task.add_done_callback(partial(_done, flag))
        alarm = None if self.hard_at == float("inf") else loop.call_later(self.left, _set, flag)
        if self._shared.cancelled:
            _set(flag)
        try:
            await flag
            if task.done():
                return task.result()
            raise Stopped(self.reason or "deadline")
        finally:
            self._shared.flags.discard(flag)
            if alarm:
                alarm.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=1.0)

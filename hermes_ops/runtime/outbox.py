"""The outbox at work: what must reach a chat is delivered in its lane's order, tried again, and given up with a reason.

It doesn't know a platform. Whoever delivers raises `Undeliverable` where another try can't help.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta

from memory import Outbox, Parcel
from orchestrator.errors import StoreError

BACKOFF = (1.0, 3.0, 10.0, 30.0, 60.0, 300.0)  # seconds before the next try; the last one again and again
TRIES = 40  # a platform that is away for hours
LOOK = 0.3  # seconds between looks for what was stored

log = logging.getLogger("hermes_ops.outbox")


class Undeliverable(Exception):
    """It can't be delivered, now or later: the chat is gone, the bot was removed. The text says why."""


class Deliveries:
    """`deliver`: gives the channel's name for what was sent."""

    def __init__(self, store: Outbox, deliver: Callable[[Parcel], Awaitable[str]]) -> None:
        self._store, self._deliver = store, deliver
        self._lanes: dict[str, deque[Parcel]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._seen = 0
        self._wake = asyncio.Event()
        self._closing = False

    def nudge(self) -> None:
        """Something was stored just now."""
        self._wake.set()

    async def run(self) -> None:
        """Until `close()`."""
        while not self._closing:
            try:
                await self._look()
            except StoreError as e:
                log.error("outbox: %s", e)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), LOOK)
            self._wake.clear()

    async def close(self, grace: float = 3.0) -> None:
        """What isn't delivered within `grace` seconds is delivered after the next start."""
        try:
            await self._look()
        except StoreError as e:
            log.error("outbox: %s", e)
        self._closing = True
        self._wake.set()
        if tasks := list(self._tasks.values()):
            await asyncio.wait(tasks, timeout=grace)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def waiting(self) -> int:
        return sum(map(len, self._lanes.values()))

    async def _look(self) -> None:
        for parcel in await self._store.waiting(self._seen):
            self._seen = max(self._seen, parcel.seq)
            lane = f"{parcel.channel} {parcel.lane}"
            self._lanes.setdefault(lane, deque()).append(parcel)
            if lane not in self._tasks:
                self._tasks[lane] = asyncio.create_task(self._drain(lane), name=f"outbox {lane}")

    async def _drain(self, lane: str) -> None:
        """One after the other; the lane is gone when it is empty."""
        waiting = self._lanes[lane]
        try:
            while waiting and not (self._closing and waiting[0].tries):
                await self._one(waiting[0])
                waiting.popleft()
        finally:
            del self._tasks[lane]
            if not waiting:
                del self._lanes[lane]

    async def _one(self, parcel: Parcel) -> None:
        """Delivered or given up when it returns."""
        tries = parcel.tries
        while True:
            try:
                sent = await self._deliver(parcel)
                return await self._store.sent(parcel.key, sent)
            except Undeliverable as e:
                log.warning("outbox: %s can't be delivered: %s", parcel.key, e)
                return await self._store.failed(parcel.key, str(e))
            except Exception as e:
                reason = str(e) or type(e).__name__
                log.warning("outbox: %s, try %d: %s", parcel.key, tries + 1, reason)
                if await self._later(parcel, reason, tries):
                    return
            tries += 1

    async def _later(self, parcel: Parcel, reason: str, tries: int) -> bool:
        """True: it was the last try."""
        seconds = BACKOFF[min(tries, len(BACKOFF) - 1)]
        try:
            if tries + 1 >= TRIES:
                await self._store.failed(parcel.key, reason)
                return True
            await self._store.again(parcel.key, reason, self._store.clock() + timedelta(seconds=seconds))
        except StoreError as e:
            log.error("outbox: %s", e)
        await asyncio.sleep(seconds)
        return False

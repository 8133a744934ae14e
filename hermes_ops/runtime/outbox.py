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
from functools import partial

from hermes_ops.runtime.insisting import AGAIN, insist
from memory import Outbox, Parcel
from orchestrator.errors import StoreError

BACKOFF = (1.0, 3.0, 10.0, 30.0, 60.0, 300.0)  # seconds before the next try; the last one again and again
TRIES = 40  # a platform that is away for hours
LOOK = 0.3  # seconds between looks for what was stored
POSSIBLY = "possibly sent"  # how the reason begins where nobody can tell whether it arrived

log = logging.getLogger("hermes_ops.outbox")


class Undeliverable(Exception):
    """It can't be delivered, now or later: the chat is gone, the bot was removed. The text says why."""


Troubled = Callable[[Parcel, str, int, bool], Awaitable[None]]


async def nobody(parcel: Parcel, reason: str, tries: int, over: bool) -> None:
    return None


class Deliveries:
    """`deliver`: gives the channel's name for what was sent; `owner`: this process's name; `troubled`: hears of each
    try that failed, with how many there were and whether it was the last one."""

    def __init__(
        self,
        store: Outbox,
        deliver: Callable[[Parcel], Awaitable[str]],
        owner: str = "local",
        troubled: Troubled = nobody,
    ) -> None:
        self._store, self._deliver, self._owner, self._troubled = store, deliver, owner, troubled
        self._lanes: dict[str, deque[Parcel]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._known: set[int] = set()
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
                await asyncio.sleep(AGAIN)
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
        with suppress(StoreError):
            await self._store.rest(self._owner)

    async def lost(self, owner: str) -> None:
        """What it had is others' to deliver. Goes on under the name `owner`."""
        tasks, self._owner = list(self._tasks.values()), owner
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._lanes.clear()
        self._tasks.clear()
        self._known.clear()

    @property
    def waiting(self) -> int:
        return sum(map(len, self._lanes.values()))

    async def _look(self) -> None:
        owner = self._owner
        for parcel in await self._store.claim(owner, self._known):
            if owner != self._owner:  # held for dead meanwhile: they are others'
                return
            self._known.add(parcel.seq)
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
                self._known.discard(waiting.popleft().seq)
        finally:
            del self._tasks[lane]
            if not waiting:
                del self._lanes[lane]

    async def _one(self, parcel: Parcel) -> None:
        """Delivered or given up when it returns, and stored so, however long the database is away."""
        tries = parcel.tries
        while True:
            try:
                sent = await self._deliver(parcel)
            except Exception as e:
                tries += 1
                reason, over = str(e) or type(e).__name__, isinstance(e, Undeliverable) or tries >= TRIES
                log.warning("outbox: %s, try %d%s: %s", parcel.key, tries, ", the last one" if over else "", reason)
                await self._tell(parcel, reason, tries, over)
                if over:
                    return await insist(partial(self._store.failed, parcel.key, reason))
                await self._later(parcel, reason, BACKOFF[min(tries, len(BACKOFF)) - 1])
            else:
                return await insist(partial(self._store.sent, parcel.key, sent))

    async def _later(self, parcel: Parcel, reason: str, seconds: float) -> None:
        try:
            await self._store.again(parcel.key, reason, self._store.clock() + timedelta(seconds=seconds))
        except StoreError as e:
            log.error("outbox: %s", e)
        await asyncio.sleep(seconds)

    async def _tell(self, parcel: Parcel, reason: str, tries: int, over: bool) -> None:
        try:
            await self._troubled(parcel, reason, tries, over)
        except Exception as e:  # whoever hears of it must not stop what is behind it in the lane
            log.error("outbox: %s", e, exc_info=not isinstance(e, StoreError))

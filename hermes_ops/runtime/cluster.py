"""One replica among several on a PostgreSQL database: that it lives, what the dead leave, what only one may hold.

What a replica works on carries its id, and its id is locked on the server for as long as its session lives. Whoever
finds a lock free gives its owner's questions back to the queue (`memory.replicas`), where any replica begins them again
from their journal. No clock decides over life and death: a lock does, and for a process that hangs with its session
open, a count that stands still. It doesn't know what a question is.
"""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from hermes_ops.runtime.alone import new_id, nothing
from memory import Live, Replicas
from memory.hold import Hold
from memory.replicas import lock_name
from orchestrator.errors import ConfigError, StoreError

LOOK = 1.0  # seconds between looks at the others
PATIENCE = 10.0  # seconds that others have to come back after the database was away
HANGS = 60.0  # seconds without a sign of life, after which a replica's session is ended

log = logging.getLogger("hermes_ops.cluster")


class Replica:
    """`hold`: a session on the server that holds the inbox, shared; `lost`: breaks off all work, because others have
    been given it, and goes on under the id it gets."""

    def __init__(self, replicas: Replicas, hold: Hold, version: str) -> None:
        self.id, self.hold = new_id(), hold
        self.lost: Callable[[str], Awaitable[None]] = nothing
        self._replicas, self._version = replicas, version
        self._seen: dict[str, tuple[int, float]] = {}  # others: beats, and since when by our own clock
        self._live: list[Live] = []
        self._elsewhere: set[str] = set()
        self._losses = 0
        self._patient = 0.0  # until then nobody is held for dead

    async def enter(self) -> None:
        """Before anything is taken. Raises StoreError."""
        if not await asyncio.to_thread(self.hold.take, lock_name(self.id), True):
            raise ConfigError('serve.runtime = "cluster" needs PostgreSQL: set database_url, or serve.runtime local.')
        await self._enter()
        await self._look()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            await asyncio.sleep(LOOK)
            try:
                await self._look()
            except StoreError as e:
                log.error("cluster: %s", e)

    async def leave(self) -> None:
        """Everything was given back."""
        with suppress(StoreError):
            await self._replicas.leave(self.id)

    def others(self) -> int:
        return max(0, len(self._live) - 1)

    @property
    def figures(self) -> dict[str, int]:
        """`taken_over`: questions that replicas alive now gave back to the queue for dead ones; `losses`: how often
        this one was cut off from its database."""
        return {"replicas": len(self._live), "taken_over": sum(r.taken for r in self._live), "losses": self._losses}

    def elsewhere(self, name: str) -> bool:
        """Whether another one has it."""
        return name in self._elsewhere

    async def alone(self, name: str, begin: Callable[[], None], end: Callable[[], Awaitable[None]]) -> None:
        """What one replica at a time does, such as listening: begun where the name is free, ended where it was lost
        with the session. Until it is cancelled; then it is ended, and the name free for the next."""
        backend = 0  # of the session under which it was begun
        try:
            while True:
                if backend and self.hold.backend != backend:
                    backend = 0
                    await end()
                if not backend and await asyncio.to_thread(self.hold.take, name):
                    backend = self.hold.backend
                    begin()
                (self._elsewhere.discard if backend else self._elsewhere.add)(name)
                await asyncio.sleep(LOOK / 2)
        finally:
            if backend:
                await end()
            await asyncio.to_thread(self.hold.drop, name)  # also what was got in the moment of being cancelled

    async def _look(self) -> None:
        if not await self.hold.held() and not await self._renewed():
            return
        if not await self._replicas.beat(self.id, self.hold.backend):
            await self._begin_anew()
        if time.monotonic() > self._patient:
            for dead, questions in (await self._replicas.bury(self.id)).items():
                log.warning("cluster: %s is gone; %d questions of it are queued again", dead, questions)
        self._live = await self._replicas.list()
        if hanging := self._hanging(time.monotonic()):
            log.warning("cluster: no sign of life from %s for %g s; its session is ended", ", ".join(hanging), HANGS)
            await self._replicas.cut_off(hanging)

    async def _enter(self) -> None:
        host, pid = platform.node(), os.getpid()
        await self._replicas.enter(self.id, host, pid, self._version, self.hold.backend)

    async def _begin_anew(self) -> None:
        """It was held for dead. Under its old id, which is free from here on, nothing is done any more."""
        old, self.id = self.id, new_id()
        log.warning("cluster: %s was held for dead; it begins anew as %s", old, self.id)
        await self.lost(self.id)
        await asyncio.to_thread(self.hold.drop, lock_name(old))
        if await asyncio.to_thread(self.hold.take, lock_name(self.id), True):
            await self._enter()

    async def _renewed(self) -> bool:
        """The session was lost: a restart of the server, a cut connection. Others may be about to come back as well."""
        if await asyncio.to_thread(self.hold.renew) != "held":
            return False
        self._losses += 1
        self._patient = time.monotonic() + PATIENCE
        log.warning("cluster: the database is back")
        return True

    def _hanging(self, now: float) -> list[str]:
        seen = {r.id: self._seen.get(r.id, (r.beats, now)) for r in self._live if r.id != self.id}
        self._seen = {
            r.id: seen[r.id] if seen[r.id][0] == r.beats else (r.beats, now) for r in self._live if r.id in seen
        }
        return [id for id, (_, since) in self._seen.items() if now - since > HANGS]

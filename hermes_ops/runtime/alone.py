"""The only process on a database: that it stays the only one. `cluster` is its counterpart for several."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import secrets
from collections.abc import Awaitable, Callable

from memory.hold import Hold
from orchestrator.errors import StoreError

WATCH = 5.0  # seconds between looks
REFUSALS = 5  # looks at which another session has the inbox; the server may need a moment to end a lost one of ours

log = logging.getLogger("hermes_ops.serve")


def new_id() -> str:
    """A name for this process, as what it works on carries it; no other process ever has it."""
    return f"{platform.node()}-{os.getpid()}-{secrets.token_hex(3)}"


class Alone:
    """`hold` holds the inbox for this process."""

    others = None

    def __init__(self, hold: Hold) -> None:
        self.id, self.hold = new_id(), hold
        self.lost: Callable[[str], Awaitable[None]] = nothing  # never happens: it ends instead
        self._losses = 0

    async def enter(self) -> None:
        """Nobody else is there to be told."""

    async def leave(self) -> None:
        """Nobody either."""

    async def run(self) -> None:
        """The right to consume the inbox may be lost with a database connection; it is taken again as soon as the
        server is back. Raises StoreError where another process was quicker."""
        refused = 0
        while refused < REFUSALS:
            await asyncio.sleep(WATCH)
            if await self.hold.held():
                refused = 0
                continue
            state = await asyncio.to_thread(self.hold.renew)
            refused += state == "taken"
            if state == "held":
                self._losses += 1
                log.warning("serve: the database is back")
        raise StoreError("Another process took the inbox while the database was away. End one of them.")

    def elsewhere(self, name: str) -> bool:
        """Whether another process has it: there is none."""
        return False

    async def alone(self, name: str, begin: Callable[[], None], end: Callable[[], Awaitable[None]]) -> None:
        """Begun at once, and ended when it is cancelled."""
        begin()
        try:
            await asyncio.Event().wait()
        finally:
            await end()

    @property
    def figures(self) -> dict[str, int]:
        """`losses`: how often the connection that holds the inbox was lost."""
        return {"replicas": 1, "taken_over": 0, "losses": self._losses}


async def nothing(id: str) -> None:
    """What is done about losing everything, as long as nobody says."""

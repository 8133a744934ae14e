"""Writing to a database that may be away for a while."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from orchestrator.errors import StoreError

T = TypeVar("T")
AGAIN = 1.0  # seconds

log = logging.getLogger("hermes_ops.store")


async def insist(write: Callable[[], Awaitable[T]]) -> T:
    """Tries until it is done: nothing is lost because the database is away."""
    while True:
        try:
            return await write()
        except StoreError as e:
            log.error("store: %s", e)
            await asyncio.sleep(AGAIN)

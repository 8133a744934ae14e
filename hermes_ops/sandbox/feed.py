"""What has just changed, for whoever is watching: the page, and tests that wait. It keeps nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

DEPTH = 2_000


class Feed:
    """Hands every (kind, value) to every watcher; a watcher that falls far behind loses the oldest."""

    def __init__(self) -> None:
        self._watchers: set[asyncio.Queue[tuple[str, Any]]] = set()

    def publish(self, kind: str, value: Any) -> None:
        for queue in self._watchers:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait((kind, value))

    @contextmanager
    def watch(self) -> Iterator[asyncio.Queue[tuple[str, Any]]]:
        queue: asyncio.Queue[tuple[str, Any]] = asyncio.Queue(DEPTH)
        self._watchers.add(queue)
        try:
            yield queue
        finally:
            self._watchers.discard(queue)

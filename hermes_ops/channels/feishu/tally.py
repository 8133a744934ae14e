"""How many calls this month took: free tenants have a quota, and a bot that uses it up is silent till the next one."""

from __future__ import annotations

import asyncio

from memory import Posts
from orchestrator.errors import StoreError

EVERY = 50  # calls between two writes


class Tally:
    """Called once a call, on the event loop."""

    def __init__(self, posts: Posts) -> None:
        self._posts = posts
        self._new = self._stored = 0
        self._task: asyncio.Task[None] | None = None

    def __call__(self) -> None:
        self._new += 1
        if self._new >= EVERY and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self.save())

    @property
    def month(self) -> int:
        return self._stored + self._new

    async def save(self) -> None:
        """Also tells how many there are when nothing is new."""
        new, self._new = self._new, 0
        try:
            self._stored = await self._posts.count("feishu", new)
        except StoreError:
            self._new += new

"""The sign under a question that it is being worked on: a reaction. Whether it can be shown never matters."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from hermes_ops.channels.feishu.errors import Refusal
from hermes_ops.channels.feishu.rest import Api
from hermes_ops.channels.feishu.stream import Stream

TYPING = {"reaction_type": {"emoji_type": "Typing"}}


class Sign:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._tasks: set[asyncio.Task[None]] = set()

    def show(self, message: str, stream: Stream) -> None:
        if message and not stream.reaction:
            self._aside(self._show(message, stream))

    def hide(self, message: str, stream: Stream) -> None:
        """Also one that is just being shown."""
        stream.over = True
        if stream.reaction:
            self._aside(self._hide(message, stream.reaction))

    async def end(self, seconds: float) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _show(self, message: str, stream: Stream) -> None:
        with suppress(Refusal):
            made = await self._api.call("POST", f"/im/v1/messages/{message}/reactions", TYPING, attempts=1)
            stream.reaction = str(made["data"]["reaction_id"])
            if stream.over:  # the answer was quicker
                await self._hide(message, stream.reaction)

    async def _hide(self, message: str, reaction: str) -> None:
        with suppress(Refusal):
            await self._api.call("DELETE", f"/im/v1/messages/{message}/reactions/{reaction}", attempts=2)

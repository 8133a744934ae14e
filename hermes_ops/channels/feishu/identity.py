"""Who we are: the bot's own open_id, asked once, and again only as long as it is unknown."""

from __future__ import annotations

import asyncio
import logging

from hermes_ops.channels.feishu.errors import Refusal
from hermes_ops.channels.feishu.rest import Api

AGAIN = (1.0, 5.0, 30.0, 120.0, 600.0, 1800.0)  # seconds between tries; the last one again and again

log = logging.getLogger("hermes_ops.feishu")


class Identity:
    """`open_id` "" while it is unknown: then the bot is silent in groups."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.open_id = self.name = self.problem = ""
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """One try now; where it fails, more of them later."""
        if not await self._ask():
            self._task = asyncio.create_task(self._insist(), name="feishu identity")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _ask(self) -> bool:
        try:
            bot = (await self._api.call("GET", "/bot/v3/info", attempts=2)).get("bot") or {}
        except Refusal as e:
            self.problem = str(e)
            log.warning("feishu: our own identity is unknown: %s", e)
            return False
        self.open_id, self.name = str(bot.get("open_id") or ""), str(bot.get("app_name") or "")
        return bool(self.open_id)

    async def _insist(self) -> None:
        n = 0
        while not self.open_id:
            await asyncio.sleep(AGAIN[min(n, len(AGAIN) - 1)])
            n += 1
            await self._ask()

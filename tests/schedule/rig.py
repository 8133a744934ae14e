"""The bot in the sandbox as `serve` starts it, with a team, schedules, and a clock for them that a test moves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hermes_ops.cli.serve import plugs
from hermes_ops.sandbox import Message, Sandbox
from hermes_ops.schedule.settings import ScheduleSettings, TeamSettings
from hermes_ops.serve import serving
from hermes_ops.service import Service
from hermes_ops.settings import Settings
from tests.feishu.rig import settings as feishu_settings
from tests.feishu.rig import words

ZONE = "UTC"
NINE = datetime(2026, 11, 30, 9, tzinfo=UTC)  # a Monday; the folder holds the Sunday before
TITLE = "运维日报"


@dataclass
class Team:
    """`now`: what the schedules' clock says."""

    box: Sandbox
    place: Path
    schedules: dict[str, ScheduleSettings] = field(default_factory=dict)
    team: dict[str, Any] = field(default_factory=dict)
    feishu: dict[str, Any] = field(default_factory=dict)
    now: datetime = NINE - timedelta(hours=1)
    service: Service | None = None

    def settings(self) -> Settings:
        base = feishu_settings(self.box, self.place, **self.feishu)
        team = {"name": "shop", "zone": ZONE, "chats": (self.box.group.chat_id,), **self.team}
        return base.model_copy(update={"team": TeamSettings(**team), "schedules": self.schedules})

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[Service]:
        chosen = self.settings()
        async with serving(chosen, lambda app: plugs(chosen, app), offline=True) as service:
            service.app.memory.schedules.clock = lambda: self.now
            self.service = service
            await self.box.connected()
            yield service

    async def known(self, name: str = "daily") -> None:
        """The clockwork has seen a schedule."""
        assert self.service is not None
        store = self.service.app.memory.schedules
        while not await store.first(name):
            await self.box.until(lambda: True)
            await _pause()

    @property
    def service_chats(self) -> tuple[str, ...]:
        return (self.box.group.chat_id,)

    def reports(self, chat: Any = None) -> list[Message]:
        return [m for m in self.box.messages(chat or self.box.group, self.box.app) if TITLE in title(m)]


def alarms(box: Sandbox) -> list[str]:
    """What the owner, alice, was told by the bot in her own chat."""
    return [words(m) for m in box.messages(box.p2p("alice"), box.app)]


def title(message: Message) -> str:
    if message.card is None:
        return words(message)
    return str(((message.card.json.get("header") or {}).get("title") or {}).get("content") or "")


async def until(true: Callable[[], Any], seconds: float = 20.0) -> None:
    for _ in range(int(seconds * 50)):
        if true():
            return
        await _pause()
    raise AssertionError("it did not happen")


async def _pause() -> None:

    await asyncio.sleep(0.02)

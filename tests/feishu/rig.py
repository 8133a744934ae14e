"""The sandbox and the bot as `serve` starts it, on the unmodified SDK, in one process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from hermes_ops.channels.feishu.channel import FeishuChannel
from hermes_ops.cli.serve import plugs
from hermes_ops.loading import load
from hermes_ops.sandbox import Message, Sandbox
from hermes_ops.serve import serving
from hermes_ops.service import Service
from hermes_ops.settings import Settings
from memory import Entry
from tests.e2e.place import folder
from tests.serve.bench import until

WHEN = "2026-11-29 14:00 到 15:00 "
QUESTION = f"{WHEN}checkout 为什么报错？"


@dataclass
class Bot:
    box: Sandbox
    service: Service
    channel: FeishuChannel

    async def entry(self, message: Message, attempt: int = 0) -> Entry | None:
        return await self.service.app.memory.inbox.find(f"{message.message_id}.{attempt}")

    async def done(self, message: Message, seconds: float = 20.0) -> Message:
        """The bot's card under the message, once it is finished: no longer streaming."""
        box = self.box

        def finished() -> bool:
            cards = [m for m in box.answers(message) if m.card]
            return (
                bool(cards) and cards[0].card is not None and "👍" in json.dumps(cards[0].card.json, ensure_ascii=False)
            )

        await box.until(finished, seconds)
        return next(m for m in box.answers(message) if m.card)

    def calls(self, path: str = "") -> int:
        return len(self.box.journal.calls(path))


def settings(box: Sandbox, place: Path, model: str = "", name: str = "m", **feishu: Any) -> Settings:
    secret = SecretStr(box.app_secret)
    given = {
        "app_id": box.app_id,
        "app_secret": secret,
        "domain": box.domain,
        "chats": ("*",),
        "users": ("*",),
        **feishu,
    }
    environment = {"HERMES_OPS_DATA_DIR": str(place / "data"), "HERMES_OPS_ZONE": "UTC"}
    if model:
        environment |= {"HERMES_OPS_BASE_URL": model, "HERMES_OPS_MODEL": name, "HERMES_OPS_API_KEY": "k"}
    base = load(environment)
    return base.model_copy(
        update={
            "feishu": base.feishu.model_copy(update=given),
            "serve": base.serve.model_copy(update={"port": 0}),
            "sources": base.sources.model_copy(update={"folder": folder(place / "incident")}),
        }
    )


@asynccontextmanager
async def bot(box: Sandbox, place: Path, model: str = "", name: str = "m", **feishu: Any) -> AsyncIterator[Bot]:
    chosen = settings(box, place, model, name, **feishu)
    async with serving(chosen, lambda app: plugs(chosen, app), offline=not model) as service:
        channel = service.plugged[0].channel
        assert isinstance(channel, FeishuChannel)
        if chosen.feishu.mode == "socket":
            await box.connected()
            await until(lambda: channel.health().ok)  # its own thread learns of it a moment later
        yield Bot(box, service, channel)


def words(message: Message) -> str:
    """All that a card or a text says."""
    if message.card is None:
        return str(json.loads(message.content).get("text", ""))
    return json.dumps(message.card.json, ensure_ascii=False)

"""The contract of channels, run on Feishu in the sandbox."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hermes_ops.channels.base import Address, Speaking
from hermes_ops.channels.feishu import plug
from hermes_ops.channels.feishu.channel import FeishuChannel
from hermes_ops.channels.feishu.content import card_text
from hermes_ops.sandbox import Message, Sandbox
from hermes_ops.settings import Settings
from hermes_ops.testing.channels import CHECKS, Check
from memory import Memory, open_memory
from orchestrator.contracts import Incoming, Json
from tests.feishu.rig import settings


class Nobody:
    """An inbox that takes nothing: only the way out is tried here."""

    async def take(self, asked: Incoming, kind: str, extra: Json) -> str:
        return "busy"

    async def again(self, key: str) -> str:
        return "gone"

    async def cancel(self, key: str, by: str) -> bool:
        return False


class InFeishu:
    def __init__(self, box: Sandbox, chosen: Settings, memory: Memory) -> None:
        self.box, self._chosen, self._memory = box, chosen, memory
        self._made: list[FeishuChannel] = []
        self._asked: dict[str, Message] = {}
        self.channel: Speaking

    async def open(self) -> None:
        self.channel = await self.again()

    async def again(self) -> Speaking:
        channel = plug.make(self._chosen, self._memory.posts, lambda text: text)
        await channel.listen(Nobody())
        self._made.append(channel)
        return channel

    async def close(self) -> None:
        for channel in self._made:
            await channel.close()

    async def place(self) -> Address:
        asked = await self.box.say("alice", self.box.add_group("新群"), "支付为什么慢", mention_bot=True)
        self._asked[asked.message_id] = asked
        return Address(asked.chat.chat_id, None, asked.message_id, "ou_alice", "zh")

    async def seen(self, to: Address) -> list[str]:
        return [_visible(m) for m in self.box.answers(self._asked[to.message])]

    def fail(self) -> bool:
        self.box.faults.page("/cardkit/v1/cards/", times=2)
        return True

    def vanish(self, to: Address) -> bool:
        self._asked[to.message].chat.dissolved = True
        return True

    def pinged(self) -> bool:
        ours = [m for asked in self._asked.values() for m in self.box.answers(asked)]
        return any(m.mentions or re.search(r"<at|\]\(", _visible(m)) for m in ours)


def _visible(message: Message) -> str:
    if message.card is not None:
        return card_text({key: message.card.json[key] for key in ("header", "body") if key in message.card.json})
    return str(json.loads(message.content).get("text", ""))


@pytest.fixture
async def feishu(tmp_path: Path) -> AsyncIterator[InFeishu]:
    async with Sandbox() as box:
        chosen = settings(box, tmp_path, verdict_after=0.0)
        memory = open_memory(chosen.database_url)
        stage = InFeishu(box, chosen, memory)
        box.limits.on = False
        try:
            await stage.open()
            yield stage
        finally:
            await stage.close()
            await memory.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
async def test_feishu(check: Check, feishu: InFeishu) -> None:
    await check(feishu)

"""A foreign client, `lark-channel-sdk`, against the sandbox: it isn't shaped around our own bot."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path

import pytest

from hermes_ops.sandbox import Sandbox
from tests.sandbox.raw import Api
from tests.sandbox.test_cards import BUTTON, card, md

ROOT = Path(__file__).resolve().parents[2]


async def test_it_connects_streams_a_card_hears_a_press_and_leaves(box: Sandbox, api: Api) -> None:
    if importlib.util.find_spec("lark_channel") is None:
        pytest.skip("needs lark-channel-sdk, one of the development tools")
    command = [sys.executable, "-m", "tests.sandbox.foreign_bot", box.domain, box.app_id, box.app_secret]
    pipe = asyncio.subprocess.PIPE
    bot = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=pipe, stdout=pipe)
    assert bot.stdin is not None
    try:
        await says(bot, "connected")
        asked = await box.say("alice", box.p2p("alice"), "你好")
        await says(bot, "streamed")
        [answer] = box.answers(asked)
        assert answer.card is not None
        assert "一 二 三" in str(answer.card.json)
        assert answer.card.opened is None, "streaming was closed"
        sent = await api.send(box.group, "interactive", card(md("x"), BUTTON))
        click = await box.click("alice", box.world.messages[sent.data["message_id"]], "停止")
        assert click.code == 0
        await says(bot, "pressed")
        bot.stdin.close()
        await says(bot, "stopped")
        await box.until(lambda: not box.link.connections)
    finally:
        if bot.returncode is None:
            bot.kill()
        await bot.wait()
    refused = [e.data for e in box.journal.of("rest") if e.data.get("code")]
    assert refused == []


async def says(bot: asyncio.subprocess.Process, word: str) -> None:
    assert bot.stdout is not None
    async with asyncio.timeout(40):
        while line := (await bot.stdout.readline()).decode():
            assert not line.startswith("error"), line
            if line.strip() == word:
                return
    pytest.fail(f"the bot ended without saying {word!r}")

"""A foreign client, `lark-channel-sdk`, against the sandbox: it isn't shaped around our own bot."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest

from hermes_ops.sandbox import Sandbox
from tests.sandbox.test_cards import BUTTON, card, md

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    channel = pytest.importorskip("lark_channel.channel", reason="needs the package lark-channel-sdk")


async def test_it_connects_streams_a_card_and_answers_a_press(box: Sandbox) -> None:
    box.limits.on = False
    client = channel.FeishuChannel(app_id=box.app_id, app_secret=box.app_secret, domain=box.domain)
    streamed, pressed = asyncio.Event(), asyncio.Event()
    errors: list[Any] = []

    async def on_message(message: Any) -> None:
        async def produce(stream: Any) -> None:
            for piece in ("一 ", "二 ", "三"):
                await stream.append(piece)

        await client.stream(message.chat_id, {"markdown": produce}, {"reply_to": message.message_id})
        streamed.set()

    async def on_press(event: Any) -> None:
        pressed.set()

    client.on("message", on_message)
    client.on("cardAction", on_press)
    client.on("error", errors.append)
    await client.start_background(timeout=30)
    try:
        asked = await box.say("alice", box.p2p("alice"), "你好")
        await asyncio.wait_for(streamed.wait(), 15)
        [answer] = box.answers(asked)
        assert answer.card is not None
        assert "一 二 三" in str(answer.card.json)
        assert answer.card.opened is None, "streaming was closed"
        await _press(box, client, pressed)
        assert errors == []
    finally:
        await asyncio.wait_for(client.stop_background(), 15)
    await box.until(lambda: not box.link.connections)


async def _press(box: Sandbox, client: Any, pressed: asyncio.Event) -> None:
    sent = await client.send(box.group.chat_id, {"card": card(md("x"), BUTTON)})
    message = box.world.messages[sent.message_id]
    assert (await box.click("alice", message, "停止")).code == 0
    await asyncio.wait_for(pressed.wait(), 5)

"""The unmodified `lark-oapi` SDK as a bot on the sandbox's long connection, and behind its web hook."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from hermes_ops.sandbox import Sandbox
from hermes_ops.sandbox.frames import Frame, decode, encode
from hermes_ops.sandbox.webhook import sealed, signature
from tests.sandbox.sdk import CARD, HEADER, Bot, call, create, lark, reply_to, rest

pbbp2: Any = pytest.importorskip("lark_oapi.ws.pb.pbbp2_pb2")
Toast: Any = pytest.importorskip("lark_oapi.event.callback.model.p2_card_action_trigger").P2CardActionTriggerResponse


def test_our_frames_are_those_of_the_generated_class() -> None:
    ours = Frame(1, 2**63, 33554678, 1, {"type": "event", "timestamp": ""}, "e", "t", b"\0\xff", "n")
    theirs = pbbp2.Frame()
    theirs.ParseFromString(encode(ours))
    assert (theirs.SeqID, theirs.LogID, theirs.service, theirs.method) == (1, 2**63, 33554678, 1)
    assert {h.key: h.value for h in theirs.headers} == ours.headers
    assert decode(theirs.SerializeToString()) == ours


async def test_a_bot_on_the_long_connection_answers_and_leaves_cleanly(box: Sandbox) -> None:
    client, threads = rest(box), []

    def on_message(event: Any) -> None:
        message = event.event.message
        threads.append(threading.current_thread())
        answer = client.im.v1.message.reply(reply_to(message.message_id, "收到: " + message.content, uuid="r-1"))
        assert answer.success(), answer.msg

    async with Bot(box, {"p2_im_message_receive_v1": on_message}):
        asked = await box.say("alice", box.group, "支付为什么慢", mention_bot=True)
        [answer] = await box.answered(asked)
        await box.deliveries(asked)[0].settled()
    assert "支付为什么慢" in answer.content
    ack = box.deliveries(asked)[0].acks[0]
    assert ack is not None
    assert (ack.code, ack.biz_rt.isdigit()) == (200, True)
    await box.until(lambda: not box.link.connections)
    assert box.journal.of("socket", what="closed")[0].data["code"] == 1000


async def test_a_handler_that_raises_and_a_missing_one_are_pushed_again(box: Sandbox) -> None:
    box.pushes.repeats = (15, 300)
    tries = []

    def on_message(event: Any) -> None:
        tries.append(event.header.event_id)
        if len(tries) == 1:
            raise RuntimeError("on purpose")

    async with Bot(box, {"p2_im_message_receive_v1": on_message}):
        asked = await box.say("alice", box.p2p("alice"), "hello")
        [delivery] = box.deliveries(asked)
        await box.until(lambda: len(delivery.acks) == 1)
        box.clock.advance(16)
        await delivery.settled()
        assert [a.code for a in delivery.acks if a] == [500, 200]
        assert len(set(tries)) == 1
        unheard = box.push("im.chat.updated_v1", {"chat_id": box.group.chat_id})
        assert unheard is not None
        await box.until(lambda: bool(unheard.acks))
        assert unheard.acks[0] is not None
        assert unheard.acks[0].code == 500


async def test_a_press_is_answered_with_toast_and_card(box: Sandbox) -> None:
    client, new = rest(box), {**CARD, "config": {"update_multi": True}}
    sent = await call(client.im.v1.message.create, create(box.group.chat_id, "interactive", new))
    message = box.world.messages[sent.data.message_id]
    answer = {
        "toast": {"type": "success", "content": "停了"},
        "card": {"type": "raw", "data": {**new, "header": HEADER}},
    }
    async with Bot(box, {"p2_card_action_trigger": lambda event: Toast(answer)}):
        click = await box.click("alice", message, "停止")
    assert (click.code, click.toast["content"], click.changed) == (0, "停了", True)
    assert message.card is not None
    assert message.card.json["header"] == HEADER


async def test_large_events_cut_in_parts_arrive(box: Sandbox) -> None:
    sizes: list[int] = []
    async with Bot(box, {"p2_im_message_receive_v1": lambda e: sizes.append(len(e.event.message.content))}):
        asked = await box.say("alice", box.p2p("alice"), "x" * (1 << 21))
        await box.deliveries(asked)[0].settled()
    assert sizes[0] > 1 << 21


async def test_it_comes_back_after_a_loss_and_a_fatal_answer_makes_it_deaf(box: Sandbox) -> None:
    box.link.client_config |= {"ReconnectNonce": 0, "ReconnectInterval": 1}
    async with Bot(box, {"p2_im_message_receive_v1": lambda e: None}) as bot:
        box.link.cut()
        await box.until(lambda: len(box.journal.of("socket", what="connected")) == 2)
        box.link.faults.discovery = (200, 1000040350, "too many")
        await box.link.drop(code=1000)
        await box.until(lambda: box.journal.of("discover")[-1].data["code"] == 1000040350)
        box.link.faults.discovery = None
        await asyncio.sleep(0.3)
        assert box.link.connections == {}
        assert bot.thread.is_alive(), "start() keeps blocking: the bot is deaf and does not know it"


async def test_the_first_connection_is_refused_for_good(box: Sandbox) -> None:
    box.link.faults.handshake = {"handshake-status": "403", "handshake-msg": "forbidden"}
    bot = Bot(box, {})
    bot.thread.start()
    await asyncio.to_thread(bot.thread.join, 5)
    assert type(bot.failed).__name__ == "ClientException"
    assert "forbidden" in str(bot.failed)


def challenge(body: bytes) -> Any:
    request = lark.core.model.RawRequest()
    request.uri, request.headers, request.body = "/hook", {}, body
    return lark.EventDispatcherHandler.builder("a-key", "a-token").build().do(request)


async def test_the_sdk_opens_what_the_webhook_seals(box: Sandbox) -> None:
    got: list[str] = []
    builder = lark.EventDispatcherHandler.builder("a-key", "a-token")
    handler = builder.register_p2_im_message_receive_v1(lambda e: got.append(e.event.message.message_id)).build()
    box.app.verification_token = "a-token"
    said = await box.say("alice", box.p2p("alice"), "hello")
    body = sealed(box.deliveries(said)[0].payload, "a-key")
    request = lark.core.model.RawRequest()
    request.uri, request.body = "/hook", body
    request.headers = {
        "X-Lark-Request-Timestamp": "1",
        "X-Lark-Request-Nonce": "n",
        "X-Lark-Signature": signature("1", "n", "a-key", body),
    }
    assert handler.do(request).status_code == 200
    assert got == [said.message_id]
    answer = challenge(sealed({"challenge": "c", "token": "a-token", "type": "url_verification"}, "a-key"))
    assert (answer.status_code, json.loads(answer.content)) == (200, {"challenge": "c"})

"""The unmodified `lark-oapi` SDK against the sandbox: REST calls in the shapes it really sends, and its long connection.

Importing the SDK takes seconds, so everything that needs it stands here.
"""

from __future__ import annotations

import asyncio
import io
import json
import threading
import time
from typing import Any

import pytest

from hermes_ops.sandbox import Sandbox
from hermes_ops.sandbox.frames import Frame, decode, encode
from hermes_ops.sandbox.webhook import sealed, signature
from tests.sandbox.raw import PNG
from tests.sandbox.sdk import Bot, call, lark, rest

im: Any = lark.api.im.v1
kit: Any = lark.api.cardkit.v1
pbbp2: Any = pytest.importorskip("lark_oapi.ws.pb.pbbp2_pb2")
Toast: Any = pytest.importorskip("lark_oapi.event.callback.model.p2_card_action_trigger").P2CardActionTriggerResponse

CARD = {
    "schema": "2.0",
    "config": {"streaming_mode": True, "update_multi": True},
    "body": {
        "elements": [
            {"tag": "markdown", "element_id": "answer", "content": ""},
            {
                "tag": "button",
                "text": {"tag": "plain_text", "content": "停止"},
                "behaviors": [{"type": "callback", "value": {"act": "stop"}}],
            },
        ]
    },
}


def reply_to(message_id: str, text: str, **more: Any) -> Any:
    body = im.ReplyMessageRequestBody.builder().msg_type("text").content(json.dumps({"text": text}, ensure_ascii=False))
    for name, value in more.items():
        getattr(body, name)(value)
    return im.ReplyMessageRequest.builder().message_id(message_id).request_body(body.build()).build()


def create(chat_id: str, msg_type: str, content: Any) -> Any:
    body = im.CreateMessageRequestBody.builder().receive_id(chat_id).msg_type(msg_type)
    body = body.content(json.dumps(content, ensure_ascii=False)).build()
    return im.CreateMessageRequest.builder().receive_id_type("chat_id").request_body(body).build()


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
    answer = {"toast": {"type": "success", "content": "停了"}, "card": {"type": "raw", "data": {**new, "header": HEADER}}}
    async with Bot(box, {"p2_card_action_trigger": lambda event: Toast(answer)}):
        click = await box.click("alice", message, "停止")
    assert (click.code, click.toast["content"], click.changed) == (0, "停了", True)
    assert message.card is not None
    assert message.card.json["header"] == HEADER


HEADER = {"title": {"tag": "plain_text", "content": "T"}}


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


async def test_messages_through_the_typed_calls(box: Sandbox) -> None:
    message, asked = rest(box).im.v1.message, await box.say("alice", box.group, "why")
    sent = await call(message.reply, reply_to(asked.message_id, "a", reply_in_thread=True))
    assert sent.data.thread_id == asked.thread_id
    assert sent.data.sender.sender_type == "app"
    message_id = sent.data.message_id
    body = im.UpdateMessageRequestBody.builder().msg_type("text").content('{"text": "b"}').build()
    edited = await call(message.update, im.UpdateMessageRequest.builder().message_id(message_id).request_body(body).build())
    assert (edited.success(), edited.data.updated) == (True, True)
    got = await call(message.get, im.GetMessageRequest.builder().message_id(message_id).build())
    assert got.data.items[0].body.content == '{"text": "b"}'
    query = im.ListMessageRequest.builder().container_id_type("chat").container_id(box.group.chat_id).page_size(20)
    assert len((await call(message.list, query.build())).data.items) == 2
    assert (await call(message.delete, im.DeleteMessageRequest.builder().message_id(message_id).build())).success()
    refused = await call(message.reply, reply_to(message_id, "c"))
    assert (refused.code, refused.get_log_id() is not None) == (230011, True)


async def test_a_card_is_streamed_and_patched(box: Sandbox) -> None:
    client = rest(box)
    made = await call(client.cardkit.v1.card.create, kit.CreateCardRequest.builder().request_body(
        kit.CreateCardRequestBody.builder().type("card_json").data(json.dumps(CARD)).build()).build())
    content = {"type": "card", "data": {"card_id": made.data.card_id}}
    sent = await call(client.im.v1.message.create, create(box.group.chat_id, "interactive", content))
    for n, words in enumerate(("正", "正在", "正在查"), 1):
        text = kit.ContentCardElementRequestBody.builder().content(words).sequence(n).uuid(f"u{n}").build()
        streamed = await call(client.cardkit.v1.card_element.content, kit.ContentCardElementRequest.builder().card_id(
            made.data.card_id).element_id("answer").request_body(text).build())
        assert streamed.success(), streamed.msg
    closing = kit.SettingsCardRequestBody.builder().settings('{"config": {"streaming_mode": false}}').sequence(4).build()
    closed = await call(client.cardkit.v1.card.settings, kit.SettingsCardRequest.builder().card_id(
        made.data.card_id).request_body(closing).build())
    assert closed.success(), closed.msg
    card = box.world.messages[sent.data.message_id].card
    assert card is not None
    assert card.json["body"]["elements"][0]["content"] == "正在查"
    patch = im.PatchMessageRequestBody.builder().content(json.dumps({**CARD, "header": HEADER})).build()
    patched = await call(client.im.v1.message.patch, im.PatchMessageRequest.builder().message_id(
        sent.data.message_id).request_body(patch).build())
    assert patched.success(), patched.msg


async def test_uploads_in_every_form_that_the_sdk_sends(box: Sandbox) -> None:
    client = rest(box)

    async def upload(value: Any) -> Any:
        body = im.CreateImageRequestBody.builder().image_type("message").image(value).build()
        return await call(client.im.v1.image.create, im.CreateImageRequest.builder().request_body(body).build())

    for value in (io.BytesIO(PNG), ("chart.png", io.BytesIO(PNG), "image/png")):
        made = await upload(value)
        assert box.media.blobs[made.data.image_key].data == PNG
    assert (await upload(PNG)).code == 234011, "bytes are sent as the text of their repr"
    assert (await upload(io.BytesIO(b""))).code == 234010
    body = im.CreateFileRequestBody.builder().file_type("stream").file_name("报告.csv").file(io.BytesIO(b"a,b")).build()
    made = await call(client.im.v1.file.create, im.CreateFileRequest.builder().request_body(body).build())
    assert box.media.blobs[made.data.file_key].name == "报告.csv"
    said = await box.send_image("alice", box.group, PNG)
    key = json.loads(said.content)["image_key"]
    request = im.GetMessageResourceRequest.builder().message_id(said.message_id).file_key(key).type("image").build()
    assert (await call(client.im.v1.message_resource.get, request)).file.read() == PNG


async def test_reactions_chats_and_the_bot_itself(box: Sandbox) -> None:
    client, said = rest(box), await box.say("alice", box.group, "hello")
    emoji = im.Emoji.builder().emoji_type("Typing").build()
    body = im.CreateMessageReactionRequestBody.builder().reaction_type(emoji).build()
    request = im.CreateMessageReactionRequest.builder().message_id(said.message_id).request_body(body).build()
    made = await call(client.im.v1.message_reaction.create, request)
    gone = im.DeleteMessageReactionRequest.builder().message_id(said.message_id).reaction_id(made.data.reaction_id)
    assert (await call(client.im.v1.message_reaction.delete, gone.build())).success()
    chat = await call(client.im.v1.chat.get, im.GetChatRequest.builder().chat_id(box.topics.chat_id).build())
    assert chat.data.chat_mode == "topic"
    query = im.GetChatMembersRequest.builder().chat_id(box.group.chat_id).member_id_type("open_id").build()
    assert [m.name for m in (await call(client.im.v1.chat_members.get, query)).data.items] == ["王晓", "李雷", "韩梅梅"]
    tenant = {lark.AccessTokenType.TENANT}
    info = lark.BaseRequest.builder().http_method(lark.HttpMethod.GET).uri("/open-apis/bot/v3/info").token_types(tenant)
    raw = (await call(client.request, info.build())).raw.content
    assert json.loads(raw)["bot"]["open_id"] == box.app.open_id


async def test_tokens_are_renewed_before_their_end_and_revoked_ones_are_used_on(box: Sandbox) -> None:
    client = rest(box)

    async def send() -> int:
        return int((await call(client.im.v1.message.create, create(box.group.chat_id, "text", {"text": "x"}))).code)

    box.tokens.life = 601  # the SDK keeps it until 600 s before its end
    assert await send() == 0
    began = time.monotonic()
    while len(box.journal.calls("tenant_access_token")) < 2 and time.monotonic() - began < 5:
        await asyncio.sleep(0.3)
        assert await send() in (0, 230020)
    assert len(box.journal.calls("tenant_access_token")) == 2
    box.tokens.life = 7200
    box.limits.on = False
    client = rest(box)
    assert await send() == 0
    box.tokens.revoke()
    assert await send() == 99991663
    client = rest(box)
    assert await send() == 0


async def test_what_a_broken_gateway_looks_like_to_the_sdk(box: Sandbox) -> None:
    client = rest(box)
    request = create(box.group.chat_id, "text", {"text": "x"})
    await call(client.im.v1.message.create, request)
    box.faults.page("/im/v1/messages")
    with pytest.raises(ValueError, match="Expecting value"):
        await call(client.im.v1.message.create, request)
    box.faults.lose("/im/v1/messages")
    with pytest.raises(OSError, match=r"(?i)connection|reset"):
        await call(client.im.v1.message.create, request)
    assert len(box.messages(box.group)) == 2, "the lost one was stored"


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

"""The unmodified `lark-oapi` SDK's REST calls against the sandbox, in the shapes that it really sends."""

from __future__ import annotations

import asyncio
import io
import json
import time
from typing import Any

import pytest

from hermes_ops.sandbox import Sandbox
from tests.sandbox.raw import PNG
from tests.sandbox.sdk import CARD, HEADER, call, create, im, lark, reply_to, rest

kit: Any = lark.api.cardkit.v1


async def test_messages_through_the_typed_calls(box: Sandbox) -> None:
    message, asked = rest(box).im.v1.message, await box.say("alice", box.group, "why")
    sent = await call(message.reply, reply_to(asked.message_id, "a", reply_in_thread=True))
    assert sent.data.thread_id == asked.thread_id
    assert sent.data.sender.sender_type == "app"
    message_id = sent.data.message_id
    body = im.UpdateMessageRequestBody.builder().msg_type("text").content('{"text": "b"}').build()
    edited = await call(
        message.update, im.UpdateMessageRequest.builder().message_id(message_id).request_body(body).build()
    )
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
    made = await call(
        client.cardkit.v1.card.create,
        kit.CreateCardRequest.builder()
        .request_body(kit.CreateCardRequestBody.builder().type("card_json").data(json.dumps(CARD)).build())
        .build(),
    )
    content = {"type": "card", "data": {"card_id": made.data.card_id}}
    sent = await call(client.im.v1.message.create, create(box.group.chat_id, "interactive", content))
    for n, words in enumerate(("正", "正在", "正在查"), 1):
        text = kit.ContentCardElementRequestBody.builder().content(words).sequence(n).uuid(f"u{n}").build()
        streamed = await call(
            client.cardkit.v1.card_element.content,
            kit.ContentCardElementRequest.builder()
            .card_id(made.data.card_id)
            .element_id("answer")
            .request_body(text)
            .build(),
        )
        assert streamed.success(), streamed.msg
    closing = (
        kit.SettingsCardRequestBody.builder().settings('{"config": {"streaming_mode": false}}').sequence(4).build()
    )
    closed = await call(
        client.cardkit.v1.card.settings,
        kit.SettingsCardRequest.builder().card_id(made.data.card_id).request_body(closing).build(),
    )
    assert closed.success(), closed.msg
    card = box.world.messages[sent.data.message_id].card
    assert card is not None
    assert card.json["body"]["elements"][0]["content"] == "正在查"
    patch = im.PatchMessageRequestBody.builder().content(json.dumps({**CARD, "header": HEADER})).build()
    patched = await call(
        client.im.v1.message.patch,
        im.PatchMessageRequest.builder().message_id(sent.data.message_id).request_body(patch).build(),
    )
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

"""Presses on cards: the callback's shape, its answer, what the client shows, and what is locked meanwhile."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from hermes_ops.sandbox import Message, Sandbox
from hermes_ops.sandbox.clicks import NoSuchButton
from tests.sandbox.raw import Api, connected, ok
from tests.sandbox.test_cardkit import make
from tests.sandbox.test_cards import BUTTON, card, form, md

TOAST = {"toast": {"type": "success", "content": "已停止"}}
NEW = card(md("done"))


async def shown(box: Sandbox, api: Api, *more: dict[str, Any]) -> Message:
    sent = await api.send(box.group, "interactive", card(md("hello"), BUTTON, *more))
    return box.world.messages[sent.data["message_id"]]


async def test_a_press_calls_back_and_shows_toast_and_card(box: Sandbox, api: Api) -> None:
    message = await shown(box, api)
    async with connected(box, lambda e: ok({**TOAST, "card": {"type": "raw", "data": NEW}})) as client:
        click = await box.click("alice", message, "停止")
    assert (click.code, click.toast, click.changed) == (0, TOAST["toast"], True)
    assert message.card is not None
    assert message.card.json == NEW
    [payload] = client.events
    assert payload["header"]["event_type"] == "card.action.trigger"
    assert len(payload["header"]["create_time"]) == 16, "microseconds"
    event = payload["event"]
    assert event["action"] == {"value": {"act": "stop"}, "tag": "button", "timezone": "Asia/Shanghai"}
    assert event["context"] == {"open_message_id": message.message_id, "open_chat_id": box.group.chat_id}
    assert event["operator"]["open_id"] == box.app.open_id_of(box.people["alice"])
    assert event["token"] == click.token
    assert client.frames[0].headers["type"] == "event"


async def test_a_form_hands_over_its_fields(box: Sandbox, api: Api) -> None:
    submit = {
        "tag": "button",
        "name": "ok",
        "text": {"tag": "plain_text", "content": "提交"},
        "form_action_type": "submit",
        "behaviors": [{"type": "callback", "value": {"act": "why"}}],
    }
    message = await shown(box, api, form({"tag": "input", "name": "q"}, submit))
    async with connected(box) as client:
        await box.click("alice", message, "ok", {"q": "是 DNS"})
    action = client.events[0]["event"]["action"]
    assert (action["name"], action["form_value"]) == ("ok", {"q": "是 DNS"})


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"code": 500}, 200671),
        ({"code": 200, "data": "no base64!"}, 200672),
        (ok(["a list"]), 200672),
        (ok({"toast": {"type": "loud", "content": "x"}}), 200672),
        (ok({"card": NEW}), 200673),
        (ok({"card": {"type": "raw", "data": card({"tag": "video"})}}), 200673),
        (ok({}), 0),
        (ok(), 0),
    ],
)
async def test_what_the_client_shows_for_a_bad_answer(box: Sandbox, api: Api, answer: Any, code: int) -> None:
    message = await shown(box, api)
    async with connected(box, lambda e: answer):
        click = await box.click("alice", message, "停止")
    assert (click.code, click.changed) == (code, False)


async def test_silence_absence_and_a_missing_subscription(box: Sandbox, api: Api) -> None:
    message = await shown(box, api)
    assert (await box.click("alice", message, "停止")).code == 200342
    box.link.within = 0.1
    async with connected(box, lambda e: None) as client:
        assert (await box.click("alice", message, "停止")).code == 200341
        await asyncio.sleep(0.1)
        assert len(client.events) == 1, "callbacks are not repeated"
        box.app.callbacks = False
        assert (await box.click("alice", message, "停止")).code == 200340
        assert len(client.events) == 1


async def test_frames_of_type_card_on_demand(box: Sandbox, api: Api) -> None:
    message = await shown(box, api)
    box.link.faults.card_frames = True
    async with connected(box) as client:
        await box.click("alice", message, "停止")
    assert client.frames[0].headers["type"] == "card"


async def test_while_a_press_is_answered_other_updates_are_refused(box: Sandbox, api: Api) -> None:
    message = await shown(box, api)
    patched: list[Any] = []

    async def slowly(event: Any) -> Any:
        body = {"content": json.dumps(NEW)}
        patched.append(await api("PATCH", f"/im/v1/messages/{message.message_id}", body))
        return ok()

    async with connected(box, slowly):
        await box.click("alice", message, "停止")
    assert (patched[0].code, "11310; ErrMsg: card action is lock" in patched[0].msg) == (230099, True)
    after = await api("PATCH", f"/im/v1/messages/{message.message_id}", {"content": json.dumps(NEW)})
    assert after.code == 0


async def test_a_streaming_card_is_not_replaced_by_an_answer(box: Sandbox, api: Api) -> None:
    kit, message = await make(box, api, BUTTON)
    assert message is not None
    codes = []

    async def answer(event: Any) -> Any:
        codes.append(await kit.text("x"))
        return ok({**TOAST, "card": {"type": "raw", "data": NEW}})

    async with connected(box, answer):
        click = await box.click("alice", message, "停止")
        assert (click.changed, click.toast["content"], codes) == (False, "已停止", [200810])
        await kit.settings(streaming_mode=False)
        assert (await box.click("alice", message, "停止")).changed


async def test_an_update_after_the_press_by_its_token(box: Sandbox, api: Api) -> None:
    message = await shown(box, api)

    async def update(token: str, content: Any = NEW) -> int:
        return (await api("POST", "/interactive/v1/card/update", {"token": token, "card": content})).code

    codes = []

    async def too_early(event: Any) -> Any:
        codes.append(await update(event["event"]["token"]))
        return ok()

    async with connected(box, too_early):
        click = await box.click("alice", message, "停止")
        again = await box.click("alice", message, "停止")
    assert codes == [10002, 10002]
    assert [await update(click.token) for _ in range(3)] == [0, 0, 10002]
    assert message.card is not None
    assert message.card.json == NEW
    assert await update("c-nothing") == 10002
    assert await update(message.message_id) == 10002
    box.clock.advance(1801)
    assert await update(again.token) == 10002


async def test_only_what_can_be_pressed_is_pressed(box: Sandbox, api: Api) -> None:
    message = await shown(box, api, {**BUTTON, "disabled": True, "element_id": "off"})
    with pytest.raises(NoSuchButton, match="停止"):
        await box.click("alice", message, "重试")
    with pytest.raises(NoSuchButton):
        await box.click("alice", message, "off")
    text = await box.say("alice", box.group, "hi")
    with pytest.raises(NoSuchButton):
        await box.click("alice", text, "停止")

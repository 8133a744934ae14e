"""Messages: send, reply, change, recall, read, list. Source: protocol, 5 and 9."""

from __future__ import annotations

import re

from hermes_ops.sandbox import content, views
from hermes_ops.sandbox.api import outgoing
from hermes_ops.sandbox.api.call import Answer, Call, Route
from hermes_ops.sandbox.errors import Refusal, card_refused, invalid_field, parameter
from hermes_ops.sandbox.model import App, Author, Chat, Message, Person
from hermes_ops.sandbox.platform import Platform

ID_TYPES = frozenset({"open_id", "union_id", "user_id", "email", "chat_id"})
DAYS_14, EDITS = 14 * 86400.0, 20
SEND = ("im:message:send_as_bot", "im:message")
READ = ("im:message:readonly", "im:message")
CHANGE = ("im:message:update", "im:message", "im:message:send_as_bot")


def create(p: Platform, call: Call) -> Answer:
    """POST /im/v1/messages"""
    kind = call.one_of("receive_id_type", ID_TYPES)
    chat = _receiver(p, call.app, kind, call.body["receive_id"])
    return outgoing.send(p, call, chat, None)


def reply(p: Platform, call: Call) -> Answer:
    """POST /im/v1/messages/:message_id/reply"""
    parent = found(p, call)
    if parent.deleted:
        raise Refusal(230011, "The message was withdrawn.")
    if call.body.get("reply_in_thread") and not parent.chat.threads:
        raise Refusal(230071, "The chat does not support reply in thread.")
    return outgoing.send(p, call, parent.chat, parent)


def patch(p: Platform, call: Call) -> Answer:
    """PATCH /im/v1/messages/:message_id: another card in place of the card."""
    message = _own(p, call, "NOT the sender of the message")
    if message.card is None:
        raise Refusal(230001, "Your request contains an invalid request parameter, ext=This message is NOT a card.")
    if p.clock.now() - message.created > DAYS_14:
        raise Refusal(230031, "The message exceeds the time limit of 14 days for being updated.")
    outgoing.fits(call.body["content"], content.RICH_BYTES)
    card = content.parsed(call.body["content"])
    outgoing.check_card(p, call.app, message.chat, card)
    for shown in (message.card.json, card):
        config = shown.get("config")
        if shown.get("schema") != "2.0" and not (isinstance(config, dict) and config.get("update_multi")):
            raise card_refused(300302, "update_multi must be true")
    if message.card.locked:
        raise card_refused(11310, "card action is lock")
    p.limits.message(message.message_id)
    message.card.json = card
    message.edits += 1
    p.world.changed(message)
    return {}


def edit(p: Platform, call: Call) -> Answer:
    """PUT /im/v1/messages/:message_id: another text or post."""
    message = _own(p, call, "The operator is NOT the sender of the message")
    if call.body["msg_type"] not in ("text", "post") or message.msg_type not in ("text", "post"):
        raise Refusal(230054, "This type of message is unsupported.")
    if message.edits >= EDITS:
        raise Refusal(230072, "The message has reached the number of times it can be edited.")
    p.limits.message(message.message_id)
    new = content.read(p, call.app, message.chat, call.body["msg_type"], call.body["content"])
    message.msg_type, message.content, message.mentions = call.body["msg_type"], new.text, new.mentions
    message.edits += 1
    p.world.changed(message)
    return views.item(p.world, message, call.app)


def recall(p: Platform, call: Call) -> Answer:
    """DELETE /im/v1/messages/:message_id"""
    message = found(p, call)
    if message.author is not call.app:
        raise Refusal(230026, "No permission to recall this message.")
    if message.deleted:
        raise Refusal(230110, "Action unavailable as the message has been deleted.")
    message.deleted = True
    p.world.changed(message)
    return {}


def get(p: Platform, call: Call) -> Answer:
    """GET /im/v1/messages/:message_id: the message, and the children of a forwarded bundle."""
    message = found(p, call)
    original = call.query.get("card_msg_content_type") in ("user_card_content", "raw_card_content")
    children = [m for m in message.chat.messages if m.upper is message]
    return {"items": [views.item(p.world, m, call.app, original) for m in (message, *children)]}


def listed(p: Platform, call: Call) -> Answer:
    """GET /im/v1/messages: those of a chat or a topic, oldest first unless asked otherwise."""
    kind = call.one_of("container_id_type", frozenset({"chat", "thread"}))
    size, start = call.number("page_size", 20, 1, 50), call.number("page_token", 0, 0, 10**9)
    chosen = _container(p, call.app, kind, call.query.get("container_id", ""))
    if call.one_of("sort_type", frozenset({"ByCreateTimeAsc", "ByCreateTimeDesc"}), "ByCreateTimeAsc").endswith("Desc"):
        chosen.reverse()
    since, until = call.number("start_time", 0, 0, 10**11), call.number("end_time", 10**11, 0, 10**11)
    chosen = [m for m in chosen if since <= m.created <= until + 1]
    page, more = chosen[start : start + size], len(chosen) > start + size
    items = [views.item(p.world, m, call.app) for m in page]
    return {"items": items, "has_more": more, "page_token": str(start + size) if more else ""}


def found(p: Platform, call: Call) -> Message:
    """The message of the path, in a chat that the bot is in. Raises 99992354, 230001, 230002."""
    message_id = call.path["message_id"]
    if not re.fullmatch(r"om_\w+", message_id):
        raise Refusal(
            99992354,
            f"The request you send is not a valid {{message_id}} or not exists, example value: om_…: {message_id}",
        )
    message = p.world.messages.get(message_id)
    if message is None:
        raise parameter("invalid message_id")
    outgoing.may_speak(call.app, message.chat, reading=True)
    return message


def _own(p: Platform, call: Call, why: str) -> Message:
    message = found(p, call)
    if message.author is not call.app:
        raise Refusal(230071, why + ".")
    if message.deleted:
        raise Refusal(230110, "Action unavailable as the message has been deleted.")
    p.limits.app(call.app.app_id)
    return message


def _receiver(p: Platform, app: App, kind: str, value: str) -> Chat:
    """The chat that a receive_id means. Raises 230001, 230013, 99992361."""
    if kind == "chat_id":
        chat = p.world.chats.get(value)
        if chat is None:
            raise parameter("invalid receive_id")
        return chat
    who: Author | None
    if kind == "open_id":
        who = p.world.by_open_id(app, value)
        if who is None and p.world.foreign_open_id(app, value):
            raise Refusal(99992361, "open_id cross app.")
    else:
        who = next((one for one in p.world.people.values() if value in (one.union_id, one.user_id)), None)
    if not isinstance(who, Person):
        raise parameter("invalid receive_id")
    if who in app.outside:
        raise Refusal(230013, "Bot has NO availability to this user.")
    return p.world.p2p(who, app)


def _container(p: Platform, app: App, kind: str, value: str) -> list[Message]:
    if kind == "thread":
        chosen = [m for m in p.world.messages.values() if m.thread_id and m.thread_id == value]
        if not chosen:
            raise Refusal(230019, "The topic does NOT exist.")
        outgoing.may_speak(app, chosen[0].chat, reading=True)
        return chosen
    chat = p.world.chats.get(value)
    if chat is None:
        raise invalid_field("container_id", value, "no such chat")
    outgoing.may_speak(app, chat, reading=True)
    return list(chat.messages)


NEW = {"msg_type": ("string", True), "content": ("string", True), "uuid": ("string", False)}
ROUTES = (
    Route("POST", "/im/v1/messages", create, SEND, {"receive_id": ("string", True), **NEW}),
    Route("POST", "/im/v1/messages/:message_id/reply", reply, SEND, {**NEW, "reply_in_thread": ("bool", False)}),
    Route("PATCH", "/im/v1/messages/:message_id", patch, CHANGE, {"content": ("string", True)}),
    Route(
        "PUT", "/im/v1/messages/:message_id", edit, CHANGE, {"msg_type": ("string", True), "content": ("string", True)}
    ),
    Route("DELETE", "/im/v1/messages/:message_id", recall, ("im:message:recall", *SEND)),
    Route("GET", "/im/v1/messages/:message_id", get, READ),
    Route("GET", "/im/v1/messages", listed, READ),
)

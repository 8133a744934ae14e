"""Putting messages into chats: as a reply where that can be, else into the chat; each once, by its uuid.

Source: the platform makes one message of all calls with the same uuid within an hour.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256

from hermes_ops.channels.base import Address
from hermes_ops.channels.feishu import cards, fit
from hermes_ops.channels.feishu.content import within
from hermes_ops.channels.feishu.errors import CENSORED, TOO_LONG, Refusal
from hermes_ops.channels.feishu.markdown import printable
from hermes_ops.channels.feishu.rest import Api
from hermes_ops.channels.words import say
from hermes_ops.runtime.outbox import Undeliverable
from orchestrator.contracts import Json

NO_THREADS = 230071  # of a chat
NO_REPLY = (230019, 230071, 230001, 99992354)
TEXT_BYTES, LEAST_BYTES = (
    100_000,
    4_000,
)  # of the platform's 150 KB a text, escapes included; halved where it wants less
MARGIN, SOON = timedelta(hours=3), timedelta(seconds=5)  # our clock and the platform's may differ
PAGES = 6  # of fifty messages that are looked through

log = logging.getLogger("hermes_ops.feishu")


def uuid(key: str) -> str:
    """At most 50 characters, the same for the same key."""
    return sha256(key.encode()).hexdigest()[:40]


async def post(api: Api, to: Address, kind: str, content: Json, key: str) -> str:
    """The message's id, "" where it had to stay and couldn't. Raises Undeliverable where no try can help, Refusal
    otherwise."""
    body = {"msg_type": kind, "content": json.dumps(content, ensure_ascii=False), "uuid": uuid(key)}
    try:
        if to.since is not None and (there := await _there(api, to, kind, content)):
            return there
        if to.message and (replied := await _reply(api, to, body)):
            return replied
        if to.message and to.stay:
            return ""
        where, id = ("chat_id", to.chat) if to.chat else ("open_id", to.user)
        sent = await api.call(
            "POST", "/im/v1/messages", {**body, "receive_id": id}, {"receive_id_type": where}, chat=id
        )
        return _id(sent)
    except Refusal as e:
        if e.sort in ("passing", "change", "token"):
            raise
        raise Undeliverable(str(e)) from e


async def _there(api: Api, to: Address, kind: str, content: Json) -> str:
    """Ours in the chat since then, as an answer to the same message and with the same words; "" where there is none."""
    if not to.chat or to.since is None:
        return ""
    since = to.since - (MARGIN if kind == "text" else SOON)  # a card's words are another's that came before it
    async for item, said in ours(api, to, since):
        same = item.get("msg_type") == kind and (item.get("parent_id") or "") == to.message
        if same and (kind != "text" or said.get("text") == content.get("text")):
            return str(item["message_id"])
    return ""


async def ours(api: Api, to: Address, since: datetime) -> AsyncIterator[tuple[Json, Json]]:
    """What this app has said there since then and is still there, the newest first, each with its content. A topic is
    looked through from its end: the platform takes no times for one. Raises Refusal."""
    place = ("thread", to.thread) if to.thread else ("chat", to.chat)
    query = {
        "container_id_type": place[0],
        "container_id": place[1],
        "page_size": "50",
        "sort_type": "ByCreateTimeDesc",
    }
    if not to.thread:
        query["start_time"] = str(int(since.timestamp()))
    for _ in range(PAGES):
        data = within(await api.call("GET", "/im/v1/messages", None, query), "data")
        for item in data.get("items") or []:
            if within(item, "sender").get("id") == api.app_id and not item.get("deleted"):
                yield item, _said(item)
        if not data.get("has_more"):
            return
        query["page_token"] = str(data.get("page_token") or "")


def _said(item: Json) -> Json:
    try:
        said = json.loads(within(item, "body").get("content") or "")
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


async def _reply(api: Api, to: Address, body: Json) -> str:
    """ "" where the question can't be replied to any more: it was recalled, or its topic is gone."""
    path = f"/im/v1/messages/{to.message}/reply"
    try:
        return _id(await api.call("POST", path, {**body, "reply_in_thread": True} if to.topic else body, chat=to.chat))
    except Refusal as e:
        if to.topic and e.code == NO_THREADS:
            return await _reply(api, replace(to, topic=False), body)
        if e.sort != "gone" and e.code not in NO_REPLY:
            raise
        log.info("feishu: the question is gone (code %s)", e.code)
        return ""


async def post_text(api: Api, to: Address, text: str, key: str) -> str:
    """In as many messages as it takes; the id of the first."""
    first, part, most = "", 0, TEXT_BYTES
    rest = text or " "
    while rest:
        shown, left = fit.cut(rest, most)
        try:
            id = await _post_words(api, to, shown, key if not part else f"{key}.p{part}")
        except Refusal as e:
            if e.code != TOO_LONG or most < LEAST_BYTES:
                raise
            most //= 2
            continue
        first, part, rest = first or id, part + 1, left
    return first


async def _post_words(api: Api, to: Address, text: str, key: str) -> str:
    """Where the platform refuses what they say, that is said instead."""
    try:
        return await post(api, to, "text", {"text": harmless(text)}, key)
    except Undeliverable as e:
        code = e.__cause__.code if isinstance(e.__cause__, Refusal) else None
        if code not in CENSORED:
            raise
    return await post(api, to, "text", {"text": say("censored", to.locale or "zh", code=code)}, f"{key}.censored")


async def post_markdown(api: Api, to: Address, text: str, title: str, key: str, tone: str = "") -> str:
    """As a card; as text where it is too long or refused."""
    card = cards.simple(text, title, tone)
    if not fit.troubles(card):
        try:
            return await post(api, to, "interactive", card, key)
        except Refusal as e:
            if e.sort != "change":
                raise
            log.warning("feishu: a card was refused: %s", e)
    return await post_text(api, to, f"{title}\n{text}" if title else text, key)


def harmless(text: str) -> str:
    """A text's tags would mention people, and its links say one thing and lead to another."""
    return printable(text).replace("<", "＜").replace("](", "] (")


def _id(answer: Json) -> str:
    return str(answer["data"]["message_id"])

"""The state of the sandbox as the page gets it. Ids of people are user_ids here, never open_ids."""

from __future__ import annotations

import json
from typing import Any

from hermes_ops.sandbox.cards.check import elements, size
from hermes_ops.sandbox.cards.inside import tables
from hermes_ops.sandbox.clicks import Click
from hermes_ops.sandbox.errors import Json
from hermes_ops.sandbox.hands import Hands
from hermes_ops.sandbox.journal import Entry
from hermes_ops.sandbox.model import App, Author, Card, Chat, Message, Person

TAIL = 200  # entries of the journal that a fresh page gets


def everything(hands: Hands) -> Json:
    world = hands.world
    return {
        "people": [{"id": one.user_id, "name": one.name} for one in world.people.values()],
        "apps": [{"id": app.app_id, "name": app.name} for app in world.apps.values()],
        "chats": [chat(c) for c in world.chats.values()],
        "messages": [message(hands, m) for m in world.messages.values()],
        "names": names(hands),
        "limits": {"bytes": hands.rules.size, "elements": hands.rules.elements, "tables": hands.rules.tables},
        "journal": [entry(e) for e in list(hands.journal)[-TAIL:]],
    }


def change(hands: Hands, kind: str, value: Any) -> Json:
    """One change of the feed."""
    if kind == "message":
        return message(hands, value)
    if kind == "chat":
        return chat(value)
    if kind == "journal":
        return entry(value)
    pressed, person, click = value
    return press(pressed, person, click)


def chat(c: Chat) -> Json:
    return {
        "id": c.chat_id,
        "name": c.name,
        "mode": c.mode,
        "people": [one.user_id for one in c.people],
        "apps": [app.app_id for app in c.apps],
    }


def message(hands: Hands, m: Message) -> Json:
    """One message with its card, counted."""
    return {
        "id": m.message_id,
        "chat": m.chat.chat_id,
        "author": author(m.author),
        "type": m.msg_type,
        "content": None if m.card or m.deleted else json.loads(m.content),
        "mentions": [{"key": x.key, "name": x.name, "id": author(x.who)["id"] if x.who else "all"} for x in m.mentions],
        "card": card(m.card) if m.card and not m.deleted else None,
        "thread": m.thread_id,
        "parent": m.parent.message_id if m.parent else "",
        "deleted": m.deleted,
        "edited": m.edits > 0 and m.card is None,
        "at": m.created,
        "reactions": [{"emoji": r.emoji, "who": author(r.who)} for r in m.reactions],
    }


def author(who: Author) -> Json:
    if isinstance(who, App):
        return {"id": who.app_id, "name": who.name, "bot": True}
    return {"id": who.user_id, "name": who.name, "bot": False}


def card(c: Card) -> Json:
    found = list(elements(c.json))
    shown = sum(1 if e["tag"] == "table" else tables(str(e.get("content", ""))) for e in found if _counts(e))
    return {
        "json": c.json,
        "streaming": c.opened is not None,
        "generating": isinstance(c.json.get("config"), dict) and c.json["config"].get("streaming_mode") is True,
        "bytes": size(c.json),
        "elements": len(found),
        "tables": shown,
        "sequence": c.sequence,
    }


def _counts(element: Json) -> bool:
    return element["tag"] in ("table", "markdown")


def names(hands: Hands) -> dict[str, str]:
    """How cards may call people and bots (open_id, user_id) → what is shown."""
    everybody: list[Author] = [*hands.world.people.values(), *hands.world.apps.values()]
    known = {app.open_id_of(who): who.name for app in hands.world.apps.values() for who in everybody}
    return known | {one.user_id: one.name for one in hands.world.people.values()}


def entry(e: Entry) -> Json:
    return {"n": e.n, "at": e.at, "kind": e.kind, "data": json.loads(json.dumps(e.data, default=str))}


def press(m: Message, person: Person, click: Click) -> Json:
    return {"message": m.message_id, "who": person.user_id, "code": click.code, "why": click.why, "toast": click.toast}

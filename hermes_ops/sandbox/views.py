"""How an app sees a message: as an item of the messaging interfaces, and in an event. Shapes: protocol, 5 and 8."""

from __future__ import annotations

import json

from hermes_ops.sandbox.cards.simple import simplified
from hermes_ops.sandbox.errors import Json
from hermes_ops.sandbox.ids import fresh
from hermes_ops.sandbox.model import App, Author, Mention, Message, Person
from hermes_ops.sandbox.world import TENANT, World, sender

RECALLED = "This message was recalled"


def item(world: World, message: Message, viewer: App, original_card: bool = False) -> Json:
    """A message as send, reply, read and list give it. `original_card`: the card's JSON, not its simplified form."""
    shown: Json = {
        "message_id": message.message_id,
        "msg_type": message.msg_type,
        "create_time": world.clock.ms(message.created),
        "update_time": world.clock.ms(message.updated),
        "deleted": message.deleted,
        "updated": message.edits > 0,
        "chat_id": message.chat.chat_id,
        "sender": sender(message, viewer),
        "body": {"content": RECALLED if message.deleted else content(message, original_card)},
    }
    shown |= _places(message)
    if message.upper is not None:
        shown["upper_message_id"] = message.upper.message_id
    if message.mentions and not message.deleted:
        shown["mentions"] = [_mention_of_item(m, viewer) for m in message.mentions if m.who]
    return shown


def content(message: Message, original_card: bool = False) -> str:
    """The content as it is read: a card in its simplified form, unless the original is asked for."""
    if message.card is None:
        return message.content
    shown = message.card.json if original_card else simplified(message.card.json)
    return json.dumps(shown, ensure_ascii=False)


def envelope(world: World, app: App, kind: str, event: Json, event_id: str = "") -> Json:
    """An event in schema 2.0. Card callbacks count microseconds, all others milliseconds."""
    now = world.clock.now()
    created = str(int(now * 1_000_000)) if kind == "card.action.trigger" else world.clock.ms(now)
    header = {
        "event_id": event_id or fresh(""),
        "event_type": kind,
        "create_time": created,
        "token": app.verification_token,
        "app_id": app.app_id,
        "tenant_key": TENANT,
    }
    return {"schema": "2.0", "header": header, "event": event}


def received(world: World, message: Message, viewer: App) -> Json:
    """The body of im.message.receive_v1."""
    body: Json = {
        "message_id": message.message_id,
        "create_time": world.clock.ms(message.created),
        "update_time": world.clock.ms(message.updated),
        "chat_id": message.chat.chat_id,
        "chat_type": message.chat.kind,
        "message_type": message.msg_type,
        "content": content(message),
    }
    body |= _places(message)
    if mentions := [_mention_of_event(m, viewer) for m in message.mentions if m.who]:
        body["mentions"] = mentions
    author = message.author
    kind = author.sender_type if isinstance(author, App) else "user"
    return {"sender": {"sender_id": ids(viewer, author), "sender_type": kind, "tenant_key": TENANT}, "message": body}


def ids(viewer: App, who: Author) -> Json:
    """The three ids of somebody; user_id only with its scope, and never of a bot."""
    found = {"open_id": viewer.open_id_of(who), "union_id": who.union_id}
    if isinstance(who, Person) and "contact:user.employee_id:readonly" in viewer.scopes:
        found["user_id"] = who.user_id
    return found


def _places(message: Message) -> Json:
    places: Json = {}
    if message.root is not None and message.parent is not None:
        places |= {"root_id": message.root.message_id, "parent_id": message.parent.message_id}
    if message.thread_id:
        places["thread_id"] = message.thread_id
    return places


def _mention_of_item(mention: Mention, viewer: App) -> Json:
    open_id = viewer.open_id_of(mention.who) if mention.who else "all"
    return {"key": mention.key, "id": open_id, "id_type": "open_id", "name": mention.name, "tenant_key": TENANT}


def _mention_of_event(mention: Mention, viewer: App) -> Json:
    found = ids(viewer, mention.who) if mention.who else {}
    kind = "bot" if isinstance(mention.who, App) else "user"
    return {"key": mention.key, "id": found, "mentioned_type": kind, "name": mention.name, "tenant_key": TENANT}

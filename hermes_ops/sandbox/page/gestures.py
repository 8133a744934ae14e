"""What can be done on the page, by name. Each gets the JSON that the page has sent and returns JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from hermes_ops.sandbox import clicks, says
from hermes_ops.sandbox.api import reactions
from hermes_ops.sandbox.errors import Json
from hermes_ops.sandbox.hands import Hands
from hermes_ops.sandbox.model import Message, Person


async def do(hands: Hands, name: str, body: Any) -> Json:
    """Raises LookupError, ValueError, TypeError or a Refusal; their text is shown."""
    if name not in GESTURES:
        raise LookupError(f"there is no gesture {name!r}")
    if not isinstance(body, dict):
        raise TypeError("a gesture is a JSON object")
    return await GESTURES[name](hands, body)


def upload(hands: Hands, query: dict[str, str], data: bytes) -> Json:
    """A pasted picture or a chosen file, kept until it is sent."""
    who = hands.who(query["who"])
    if query.get("kind") == "image":
        return {"key": hands.media.image(who, data, query.get("name", "")).key}
    return {"key": hands.media.file(who, data, query.get("name") or "file").key}


async def say(hands: Hands, body: Json) -> Json:
    """A text, or with pictures a post; `mentions` are ids of people and bots, "all" among them."""
    meant = [hands.who(str(one)) for one in body.get("mentions", []) if one != "all"]
    everyone, parent = (
        "all" in body.get("mentions", []),
        _message(hands, body["reply_to"]) if body.get("reply_to") else None,
    )
    if body.get("pictures"):
        kind = "post"
        content, mentions = says.post(str(body.get("text", "")), [str(k) for k in body["pictures"]], meant)
    else:
        kind = "text"
        content, mentions = says.text(str(body["text"]), meant, everyone)
    sent = hands.post(
        _person(hands, body),
        str(body["chat"]),
        kind,
        content,
        mentions=mentions,
        reply_to=parent,
        thread=bool(body.get("thread")),
    )
    return {"id": sent.message_id}


async def file(hands: Hands, body: Json) -> Json:
    blob = hands.media.blobs[str(body["key"])]
    sent = hands.post(_person(hands, body), str(body["chat"]), "file", {"file_key": blob.key, "file_name": blob.name})
    return {"id": sent.message_id}


async def press(hands: Hands, body: Json) -> Json:
    """`path` leads from the card's JSON to the element; `values` are a form's fields or a choice."""
    message = _message(hands, body["message"])
    element: Any = message.card.json if message.card else None
    for step in body["path"]:
        element = element[step]
    if not isinstance(element, dict) or "tag" not in element:
        raise clicks.NoSuchButton("there is nothing to press")
    click = await clicks.press(hands.platform, message, _person(hands, body), element, body.get("values") or {})
    return {"code": click.code, "why": click.why, "toast": click.toast}


async def react(hands: Hands, body: Json) -> Json:
    """Adds the reaction, or takes it away again."""
    message, who = _message(hands, body["message"]), _person(hands, body)
    mine = next((r for r in message.reactions if r.who is who and r.emoji == body["emoji"]), None)
    if mine:
        reactions.unreact(hands.platform, message, mine)
    else:
        reactions.react(hands.platform, message, who, str(body["emoji"]))
    return {}


async def recall(hands: Hands, body: Json) -> Json:
    message = _message(hands, body["message"])
    if message.author is not _person(hands, body):
        raise ValueError("only the author can take a message back")
    await hands.recall(message)
    return {}


async def group(hands: Hands, body: Json) -> Json:
    name = str(body["name"]).strip()
    if not name:
        raise ValueError("a group needs a name")
    return {"id": hands.add_group(name, mode="topic" if body.get("topic") else "group").chat_id}


async def fault(hands: Hands, body: Json) -> Json:
    """The buttons of the side panel."""
    name = body["name"]
    if name == "drop":
        did = f"{await hands.link.drop()} connections closed"
    elif name == "cut":
        did = f"{hands.link.cut()} connections cut"
    elif name == "deafen":
        did = f"{hands.link.deafen()} connections deaf"
    elif name == "revoke":
        did = f"{hands.tokens.revoke()} tokens revoked"
    elif name == "fail":
        did = f"the next {hands.faults.page('', times=3).times} calls get a 502"
    elif name == "lose":
        did = f"the next {hands.faults.lose('').times} call loses its answer"
    elif name == "advance":
        hands.clock.advance(float(body.get("seconds", 600)))
        did = "the clock was put forward"
    else:
        raise LookupError(f"there is no fault {name!r}")
    return {"did": did}


def _message(hands: Hands, message_id: object) -> Message:
    return hands.world.messages[str(message_id)]


def _person(hands: Hands, body: Json) -> Person:
    who = hands.who(str(body["who"]))
    if not isinstance(who, Person):
        raise TypeError("only people sit before the page")
    return who


GESTURES: dict[str, Callable[[Hands, Json], Awaitable[Json]]] = {
    "say": say,
    "file": file,
    "press": press,
    "react": react,
    "recall": recall,
    "group": group,
    "fault": fault,
}

"""The content of a message: which shapes each kind has when an app sends it, and what it then is. Source: protocol, 5.

It turns `<at user_id=…>` of a text into keys and mentions, as the platform does. Cards are checked in `cards/`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from hermes_ops.sandbox.errors import Json, Refusal, parameter
from hermes_ops.sandbox.model import App, Chat, Mention
from hermes_ops.sandbox.platform import Platform

TEXT_BYTES, RICH_BYTES = 150 << 10, 30 << 10
AT = re.compile(r"<at\s+user_id=[\"']([^\"']*)[\"']\s*>(.*?)</at>", re.DOTALL)
POST_TAGS = frozenset({"text", "a", "at", "img", "media", "emotion", "hr", "code_block", "md"})
KEYED = {"image": ("image_key",), "file": ("file_key",), "audio": ("file_key",), "media": ("file_key",)}
KINDS = frozenset({"text", "post", "interactive", *KEYED, "sticker", "share_chat", "share_user"})


@dataclass
class Content:
    """What is stored: the JSON text and its mentions. `card` is the object of an interactive message."""

    text: str
    mentions: list[Mention] = field(default_factory=list)
    card: Json | None = None


def read(p: Platform, app: App, chat: Chat, msg_type: str, text: str) -> Content:
    """Checks and turns what was sent. Raises Refusal 230001, 230017, 230025, 230054."""
    if msg_type not in KINDS:
        raise Refusal(230001, "Your request contains an invalid request parameter, ext=invalid msg_type.")
    if len(text.encode()) > (TEXT_BYTES if msg_type == "text" else RICH_BYTES):
        raise Refusal(230025, "The length of the message content reaches its limit.")
    body = parsed(text)
    if msg_type == "text":
        return _text(p, app, chat, body)
    if msg_type == "post":
        return _post(p, app, chat, body)
    if msg_type == "interactive":
        return Content(text, card=body)
    for name in KEYED.get(msg_type, ()):
        _own(p, app, body.get(name), "image" if msg_type == "image" else "file")
    return Content(text)


def parsed(text: str) -> Json:
    """The object in a JSON text. Raises 230001."""
    try:
        body = json.loads(text)
    except ValueError:
        raise parameter("content is not a string in json format") from None
    if not isinstance(body, dict):
        raise parameter("content is not a string in json format")
    return body


def _text(p: Platform, app: App, chat: Chat, body: Json) -> Content:
    text = body.get("text")
    if not isinstance(text, str) or not text:
        raise parameter("text is empty")
    mentions: list[Mention] = []
    shown = AT.sub(lambda m: _mention(p, app, chat, m[1], mentions), text)
    return Content(json.dumps({"text": shown}, ensure_ascii=False), mentions)


def _mention(p: Platform, app: App, chat: Chat, open_id: str, mentions: list[Mention]) -> str:
    """Adds the mention and returns its key. Raises 230001 for somebody unknown, 230018 where @all is not allowed."""
    if open_id == "all":
        if not chat.everyone:
            raise Refusal(230018, "These operations are NOT allowed at current group settings.")
        mentions.append(Mention("@_all", None, "所有人"))
        return "@_all"
    who = p.world.by_open_id(app, open_id)
    if who is None:
        raise parameter("invalid user resource in at")
    key = f"@_user_{sum(1 for m in mentions if m.who) + 1}"
    mentions.append(Mention(key, who, who.name))
    return key


def _post(p: Platform, app: App, chat: Chat, body: Json) -> Content:
    languages = [value for key, value in body.items() if re.fullmatch(r"[a-z]{2}_[a-z]{2}", key)]
    if not languages or not all(isinstance(v, dict) and isinstance(v.get("content"), list) for v in languages):
        raise parameter("invalid post content, a language and its content are needed")
    mentions: list[Mention] = []
    for language in languages:
        for line in language["content"]:
            _line(p, app, chat, line, mentions)
    flat = {"title": languages[0].get("title", ""), "content": languages[0]["content"]}
    return Content(json.dumps(flat, ensure_ascii=False), mentions)


def _line(p: Platform, app: App, chat: Chat, line: object, mentions: list[Mention]) -> None:
    if not isinstance(line, list) or not all(isinstance(e, dict) for e in line):
        raise parameter("invalid post content, each line is a list of elements")
    for element in line:
        tag = element.get("tag")
        if tag not in POST_TAGS:
            raise parameter(f"invalid post content, unknown tag {tag}")
        if tag == "img":
            _own(p, app, element.get("image_key"), "image")
        if tag == "at":
            element["user_id"] = _mention(p, app, chat, str(element.get("user_id")), mentions)
            element["user_name"] = mentions[-1].name


def _own(p: Platform, app: App, key: object, kind: str) -> None:
    blob = p.media.blobs.get(str(key))
    if blob is None or blob.kind != kind:
        raise parameter(f"invalid {kind}_key")
    if isinstance(blob.owner, App) and blob.owner is not app:
        raise Refusal(230017, f"Bot is NOT the owner of the resource, {kind}_key belongs to another app.")

"""What a message says: its content by type as plain text, and the files it carries. Pure functions of JSON.

Source: the documentation of `im.message.receive_v1`; posts come flat or under a language, and both are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.contracts import Json

LANGUAGES = ("zh_cn", "en_us", "ja_jp")  # the first that is there; else any other
LANGUAGE = re.compile(r"[a-z]{2}_[a-z]{2}")
FORWARDS = "merge_forward"  # a bundle
EVERYBODY = "@_all"


@dataclass(frozen=True, slots=True)
class Mention:
    """`key` stands in the text; `id`: the open_id, another id of who has none for this app, "" for everybody."""

    key: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class File:
    """Something to download. `kind`: image | file."""

    key: str
    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """`known` False: a kind of message that can't be read."""

    text: str
    files: tuple[File, ...] = ()
    known: bool = True


def read(kind: str, raw: str) -> Content:
    """Never raises: what can't be read has no text."""
    try:
        return _read(kind, json.loads(raw))
    except ValueError:
        return _read(kind, None)
    except RecursionError:  # nested as nobody writes
        return Content("", known=False)


def _read(kind: str, body: Any) -> Content:
    if kind == FORWARDS:  # its content is a sentence; its messages have to be fetched
        return Content("")
    if not isinstance(body, dict):
        return Content(body if isinstance(body, str) else "", known=False)
    reader = _READERS.get(kind)
    return reader(body) if reader else Content("", known=False)


def within(node: Any, key: str) -> Json:
    """The object under the key; {} where there is none."""
    found = node.get(key) if isinstance(node, dict) else None
    return found if isinstance(found, dict) else {}


def _post(body: Json) -> Content:
    inner = _told(body)
    rows = inner.get("content")
    files: list[File] = []
    lines = [str(inner.get("title") or "")]
    for row in rows if isinstance(rows, list) else ():
        lines.append("".join(_part(p, files) for p in _flat(row)))
    return Content("\n".join(filter(None, lines)), tuple(files))


def _told(body: Json) -> Json:
    """Flat, under a language, or under `post` and a language, as it is sent."""
    body = within(body, "post") or body
    keys = [*LANGUAGES, *(k for k in body if LANGUAGE.fullmatch(k))]
    return next((found for key in keys if (found := within(body, key))), body)


def _flat(row: Any) -> Iterator[Json]:
    if isinstance(row, list):
        for item in row:
            yield from _flat(item)
    elif isinstance(row, dict):
        yield row


def _part(part: Json, files: list[File]) -> str:
    tag = part.get("tag")
    if tag == "img":
        files.append(File(str(part.get("image_key")), "image"))
        return ""
    if tag == "media":
        return "[视频]"
    if tag == "at":
        return _at(part)
    if tag == "a":
        text, href = str(part.get("text") or ""), str(part.get("href") or "")
        return text if text == href else f"{text} ({href})"
    if tag == "code_block":
        return f"\n```\n{str(part.get('text') or '').rstrip()}\n```\n"
    return "\n" if tag == "hr" else str(part.get("text") or part.get("emoji_type") or "")


def _at(part: Json) -> str:
    """The key of a mention, as events have it; a name where an id stands, as when it was sent."""
    who = str(part.get("user_id") or "")
    if who in ("all", EVERYBODY):
        return EVERYBODY
    return who if who.startswith("@_") else _name(str(part.get("user_name") or ""))


def _name(name: str) -> str:
    return f"@{name}" if name else ""


def mentioned(raw: object) -> tuple[Mention, ...]:
    """Of an event, with three ids each, or of a message that was read, with one."""
    return tuple(_mention(one) for one in raw if isinstance(one, dict)) if isinstance(raw, list) else ()


def _mention(raw: Json) -> Mention:
    ids = within(raw, "id") or {"open_id": raw.get("id")}
    known = [ids.get(kind) for kind in ("open_id", "union_id", "user_id")]
    id = next((one for one in known if isinstance(one, str) and one), "")
    return Mention(str(raw.get("key") or ""), id, str(raw.get("name") or ""))


def card_text(card: Json) -> str:
    """The words of a card in any of its forms: 1.0, 2.0, or the flat one that a plain read gives."""
    words = [w for w in (_words(node) for node in _nodes(card)) if w]
    return "\n".join(dict.fromkeys(words))


def _nodes(node: Any) -> Iterator[Json]:
    """In reading order: title, header, then what is inside."""
    if isinstance(node, list):
        for item in node:
            yield from _nodes(item)
    elif isinstance(node, dict):
        yield node
        order = ("header", "title", "subtitle", "text", "fields", "elements", "body", "columns", "i18n_elements")
        for key in (*order, *(k for k in node if k not in order)):
            if isinstance(node.get(key), (dict, list)):
                yield from _nodes(node[key])


def _words(node: Json) -> str:
    content, text = node.get("content"), node.get("text")
    if isinstance(content, str):
        return content.strip()
    if isinstance(text, str):
        return text.strip()
    title = node.get("title")
    return title.strip() if isinstance(title, str) else ""


def named(text: str, mentions: Sequence[Mention], own: str) -> str:
    """The text with the names of who is mentioned, our own left out. Long keys first: `@_user_1` begins `@_user_10`."""
    for mention in sorted((m for m in mentions if m.key), key=lambda m: len(m.key), reverse=True):
        text = text.replace(mention.key, "" if mention.id in (own, "") else _name(mention.name))
    return text.replace(EVERYBODY, "").strip()


_READERS: dict[str, Callable[[Json], Content]] = {
    "text": lambda body: Content(str(body.get("text") or "")),
    "post": _post,
    "image": lambda body: Content("", (File(str(body.get("image_key")), "image"),)),
    "file": lambda body: Content("", (File(str(body.get("file_key")), "file", str(body.get("file_name") or "file")),)),
    "interactive": lambda body: Content(card_text(body)),
}

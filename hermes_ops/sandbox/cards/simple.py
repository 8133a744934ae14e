"""The simplified form in which a card is read back: a title and lines of texts, never the card itself.

A card of version 2.0 is read as a placeholder that asks for a newer client; only its title is kept.
"""

from __future__ import annotations

from hermes_ops.sandbox.errors import Json

PLACEHOLDER = "请升级至最新版本客户端，以查看内容"


def simplified(card: Json) -> Json:
    """`{"title", "elements": [[…]]}` of a card."""
    title = _text(_dict(card.get("header")).get("title"))
    if card.get("schema") == "2.0":
        return {"title": title or None, "elements": [[{"tag": "text", "text": PLACEHOLDER}]]}
    return {"title": title or None, "elements": [line for e in _dicts(card.get("elements")) if (line := _line(e))]}


def _line(element: Json) -> list[Json]:
    tag = element.get("tag")
    if tag == "hr":
        return [{"tag": "hr"}]
    if tag == "img":
        return [{"tag": "img", "image_key": element.get("img_key", "")}]
    if tag == "markdown":
        return [{"tag": "text", "text": str(element.get("content", ""))}]
    if tag == "action":
        actions = _dicts(element.get("actions"))
        return [{"tag": "button", "text": _text(a.get("text")), "type": "default"} for a in actions]
    if tag == "column_set":
        inner = [e for column in _dicts(element.get("columns")) for e in _dicts(column.get("elements"))]
        return [part for e in inner for part in _line(e)]
    texts = [element.get("text"), *_dicts(element.get("fields")), *_dicts(element.get("elements"))]
    return [{"tag": "text", "text": text} for t in texts if (text := _text(_dict(t).get("text") or t))]


def _text(value: object) -> str:
    return str(_dict(value).get("content", ""))


def _dict(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

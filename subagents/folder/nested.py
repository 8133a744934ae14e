"""JSON inside of JSON: an agent (Fluent Bit, Vector, docker's driver) that ships a line which is itself an object puts
it, as text, under `log` or `message`. The inner object is what the program wrote, so it tells time, level, service and
message; what is around it (pod, stream, file) stays where the inner one doesn't say.

Bounded in depth and size. Knows spellings of keys (`keys`), no format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times

_DEEP = 3
_LARGE = 64 << 10  # characters of an inner object; a larger one stays the text that it is
_ROLES = (keys.TIME, keys.LEVEL, keys.MESSAGE, keys.CODE, keys.ERROR)
_OWN = ("service", "servicename", "svc", "app", "application", "appname", "服务", "服务名", "应用")
_EVER = times.Clock(near=4e9)
_OFFSET = re.compile(r"(?:[zZ]|UTC|GMT|[+-]\d\d:?\d\d)$")
HELD = rb'"(?!\{|\\u007[bB])'
"""How a JSON string begins that holds no object."""


def unwrapped(item: dict[str, Any]) -> dict[str, Any]:
    """The record itself, where the message of `item` is an object that is one."""
    for _ in range(_DEEP):
        key = keys.found(item, keys.MESSAGE)
        text = item[key] if key else None
        if key is None or not isinstance(text, str) or text[:1] != "{" or len(text) > _LARGE:
            return item
        inner = _read(text)
        if inner is None or not _tells(inner, item):
            return item
        item = _joined(inner, {k: v for k, v in item.items() if k != key})
    return item


def _read(text: str) -> dict[str, Any] | None:
    try:
        inner = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return inner if isinstance(inner, dict) else None


def _tells(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    """Whether it is a log record, and no payload that somebody logged: it has a message, and a level or a time unless
    the outer one states no level either."""
    if keys.found(inner, keys.MESSAGE) is None:
        return False
    told = keys.found(inner, keys.LEVEL) or keys.found(inner, keys.TIME)
    return bool(told) or keys.found(outer, keys.LEVEL) is None


def _joined(inner: dict[str, Any], outer: dict[str, Any]) -> dict[str, Any]:
    """Both, the inner one first; of what both say under different names, only what the inner one says."""
    if _vague(inner, outer):
        inner = {k: v for k, v in inner.items() if keys.norm(k) not in keys.TIME}
    said: list[tuple[str, ...]] = [role for role in _ROLES if keys.found(inner, role)]
    if any(keys.norm(k) in _OWN for k in inner):
        said.append(keys.SERVICE)
    elif keys.service(outer):  # "component", "name": parts of a program, where it is known which one it is
        inner = {k: v for k, v in inner.items() if keys.norm(k) not in keys.SERVICE}
    return inner | {k: v for k, v in outer.items() if k not in inner and not any(keys.norm(k) in r for r in said)}


def _vague(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    """Whether the outer time is the better one: the inner can't be read, or has no offset where the outer has."""
    key, around = keys.found(inner, keys.TIME), keys.found(outer, keys.TIME)
    if key is None or around is None:
        return False
    if times.parse(inner[key], _EVER) is None:
        return True
    return not _zoned(inner[key]) and _zoned(outer[around])


def _zoned(value: Any) -> bool:
    """Whether it means one instant, wherever it was written."""
    return not isinstance(value, str) or value.isdigit() or _OFFSET.search(value.strip()) is not None

"""Values in JSON by a path that a person writes, or by the names that such values usually have. Knows no product.

A path is `a.b`, `a.0.b` for the first of a list, `a[key=severity].value` for the one whose `key` is "severity". Text
that holds JSON is gone into. `=words` are those words. Several paths: the first that holds something.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from orchestrator.contracts import Json

DEPTH = 4  # levels that usual names are looked for in
_STEP = re.compile(r"([^.\[\]]+)|\[([^\]=]+)=([^\]]*)\]")


def at(body: Json, paths: str | Sequence[str]) -> Json:
    """None where there is nothing."""
    for path in (paths,) if isinstance(paths, str) else paths:
        found = path[1:] if path.startswith("=") else _walk(body, path)
        if found not in (None, "", [], {}):
            return found
    return None


def usual(body: Json, names: Sequence[str], depth: int = DEPTH) -> Json:
    """The value under the first of these names that holds something, the outer ones before the inner, so many levels
    deep. Names are compared without case and separators."""
    pairs = [(plain(key), value) for level in _levels(opened(body), depth) for key, value in level.items()]
    found = (v for name in names for key, v in pairs if key == name and v not in (None, "", [], {}))
    return next(found, None)


def outermost(body: Json, names: Sequence[str], depth: int = DEPTH) -> Json:
    """The same, level by level: any of the names in an outer one counts before all in the inner ones."""
    levels = ({plain(key): value for key, value in level.items()} for level in _levels(opened(body), depth))
    found = (level[n] for level in levels for n in names if text_like(level.get(n)))
    return next(found, None)


def text_like(value: Json) -> bool:
    return isinstance(value, str | int | float) and value != ""


def plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def opened(value: Json) -> Json:
    """Text that holds a JSON object or list, as that."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _walk(body: Json, path: str) -> Json:
    for name, key, wanted in _STEP.findall(path):
        body = opened(body)
        if key:
            held = body if isinstance(body, list) else ()
            body = next((x for x in held if isinstance(x, dict) and str(x.get(key)) == wanted), None)
        elif isinstance(body, dict):
            body = body.get(name)
        elif isinstance(body, list) and name.isdecimal() and int(name) < len(body):
            body = body[int(name)]
        else:
            return None
    return body


def _levels(body: Json, depth: int) -> Iterator[dict[str, Json]]:
    """Tables, the outer ones first; of lists only the first element, since the others are others'."""
    level = [body]
    for _ in range(depth):
        level = [item[0] if isinstance(item, list) and item else item for item in map(opened, level)]
        tables = [item for item in level if isinstance(item, dict)]
        yield from tables
        level = [value for held in tables for value in held.values() if isinstance(opened(value), dict | list)]

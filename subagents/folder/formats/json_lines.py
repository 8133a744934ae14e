"""Logs as JSON lines: any usual keys for time, level, service and message; nested ones one storey deep.

Shapes: "field" (levels are words, or bunyan/pino numbers), "number" (syslog or OpenTelemetry numbers), "status" (no
level: the HTTP status tells), "text" (no level: the message's first words tell).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from subagents.folder import keys, levels, times
from subagents.folder.records import Hints, LineParser, Literal, LogFormat, Rec

_ANY = re.compile(rb":[ \t]*\"?" + levels.ERROR_BYTES)
_SPACED = re.compile(rb": [\"56]" + levels.ERROR_BYTES.replace(b"]", b"0]", 1))
_SPACED_LINE = re.compile(rb'\{"[^"\n]{0,64}": [^ \t\n]')
_OTHER_LINE = re.compile(rb'\n(?!\{"[^"\n]{0,64}": [^ \t\n]|\Z)')
_LONG = 4_000
_MEMBER = re.compile(r'"([\w.@-]{1,60})" ?: ?("(?:[^"\\\n]|\\["\\/bfnrt])*"|-?\d{1,20}(?:\.\d{1,20})?)(?=[,}\s])')
_OPENED = re.compile(r'"([\w.@-]{1,60})" ?: ?"((?:[^"\\]|\\.)*)$', re.DOTALL)
_PREFIX = re.compile(r"^[\w.-]+ +\| (?=\{)")  # docker compose


class Plan(NamedTuple):
    time: str | None
    level: str | None
    service: str | None
    message: str | None
    code: str | None
    error: str | None


@lru_cache(maxsize=1024)
def plan(names: tuple[str, ...]) -> Plan:
    probe = dict.fromkeys(names, "x")
    return Plan(
        keys.found(probe, keys.TIME),
        keys.found(probe, keys.LEVEL),
        keys.found(probe, keys.SERVICE),
        keys.found(probe, keys.MESSAGE),
        keys.found(probe, keys.CODE),
        keys.found(probe, keys.ERROR),
    )


def decode(line: str) -> dict[str, Any] | None:
    """The object on a line, or None; a container's name before it is let pass."""
    if not line.startswith("{"):
        line = _PREFIX.sub("", line.lstrip("\ufeff "), count=1)
        if not line.startswith("{"):
            return None
    try:
        item = json.loads(line)
    except ValueError:
        return _salvaged(line) if len(line) > _LONG else None
    return item if isinstance(item, dict) else None


def _salvaged(line: str) -> dict[str, Any] | None:
    """The short members at both ends of an object whose middle was too long to keep."""
    ends = f"{line[:_LONG]}\n{line[-_LONG:]}"
    found: dict[str, Any] = {k: json.loads(v) for k, v in _MEMBER.findall(ends)}
    opened = _OPENED.search(line[:_LONG])
    if opened and opened.group(1) not in found:
        found[opened.group(1)] = opened.group(2)
    return found or None


def flat(item: Mapping[str, Any]) -> dict[str, Any]:
    """Nested objects one storey up (`log.level`), after the keys that were there."""
    out = {k: v for k, v in item.items() if not isinstance(v, dict)}
    for key, value in item.items():
        if not isinstance(value, dict):
            continue
        if "$date" in value or "epochSecond" in value:
            out[key] = _instant(value)
            continue
        for inner, v in value.items():
            out.setdefault(inner if _known(inner) else f"{key}.{inner}", v)
    return out


def _known(key: str) -> bool:
    name = keys.norm(key)
    return name in keys.TIME or name in keys.LEVEL or name in keys.MESSAGE


def _instant(value: Mapping[str, Any]) -> Any:
    if "$date" in value:
        return value["$date"]
    return float(value["epochSecond"]) + float(value.get("nanoOfSecond", 0)) / 1e9


def is_log(item: Mapping[str, Any]) -> bool:
    """A time, and a message or a level."""
    p = plan(tuple(item))
    if p.time is None or isinstance(item[p.time], Mapping) or (p.message is None and p.level is None):
        item = flat(item)
        p = plan(tuple(item))
    if p.time is None or times.parse(item[p.time]) is None:
        return False
    return p.message is not None or p.level is not None or p.code is not None


def shape(lines: list[str]) -> str | None:
    items = [i for i in map(decode, lines) if i is not None and is_log(i)]
    if not items or len(items) * 20 < len(lines):
        return None
    values = [flat(i).get(plan(tuple(flat(i))).level or "") for i in items]
    words = [v for v in values if isinstance(v, str) and not v.isdigit() and levels.level(v) != "unknown"]
    numbers = [v for v in values if (isinstance(v, int) and not isinstance(v, bool)) or str(v).isdigit()]
    if words:
        return "field"
    if numbers:
        return "field" if all(int(str(n)) in (10, 20, 30, 40, 50, 60) for n in numbers) else "number"
    return "status" if any(plan(tuple(flat(i))).code for i in items) else "text"


def parser(hints: Hints) -> LineParser:
    kind, default, near = hints.shape or "field", hints.service, hints.near

    def read(line: str) -> Rec | None:
        item = decode(line)
        return None if item is None else record(item, kind, default, near)

    return read


def record(item: dict[str, Any], kind: str, default: str, near: float | None) -> Rec | None:
    """One object as a record; None where it has no time."""
    p = plan(tuple(item))
    if p.time is None or isinstance(item[p.time], dict) or p.message is None or p.level is None:
        item = flat(item)
        p = plan(tuple(item))
    at = times.parse(item[p.time], near) if p.time else None
    if at is None:
        return None
    service = _service(item, p) or default
    message = _message(item.get(p.message or ""))
    code = item.get(p.code or "", "")
    code = str(code) if isinstance(code, int | str) and str(code).isdigit() else ""
    level = level_of(item.get(p.level or ""), kind, code, message)
    if p.error and p.error != p.message and isinstance(item[p.error], str) and item[p.error]:
        message = f"{message}: {item[p.error]}" if message else item[p.error]
    return Rec(at, service, level, message, code, item)


def _service(item: dict[str, Any], p: Plan) -> str:
    if p.service is None:
        return keys.service(item)
    value = item[p.service]
    if isinstance(value, str) and value:
        return keys.owner(p.service, value)
    return keys.service(item)


def _message(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(v, int) for v in value):  # journald: bytes that are no UTF-8
        return bytes(v & 255 for v in value).decode("utf-8", "replace")
    if value is None:
        return ""
    return value.rstrip("\n") if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def level_of(value: Any, kind: str, code: str, message: str) -> str:
    if kind == "status":
        return levels.of_status(code)
    if kind == "text":
        match = levels.WORD.search(message, 0, 80)
        return levels.level(match.group(1)) if match else "unknown"
    if kind == "number":
        return levels.level(value) if isinstance(value, str | int | float) else "unknown"
    if isinstance(value, int | float) or (isinstance(value, str) and value.isdigit()):
        return levels.level(value) if float(value) >= 10 and float(value) % 10 == 0 else "unknown"
    return levels.level(value) if isinstance(value, str) and value.isalnum() else "unknown"


def _literal(block: bytes) -> re.Pattern[bytes]:
    """With one space after each colon, as most writers put it, errors are found twice as fast. A line's first member
    tells how its writer spaces; a block with any line that doesn't begin so is searched for every way."""
    return _SPACED if _SPACED_LINE.match(block) and not _OTHER_LINE.search(block) else _ANY


def errors(shape: str) -> Literal | None:
    return _literal if shape == "field" else None


FORMAT = LogFormat("JSON-lines log", shape, parser, errors)

"""Logs as JSON lines: any usual keys for time, level, service and message; nested ones one storey deep.

Shapes: "field" (levels are words, or bunyan/pino numbers), "number" (syslog or Monolog numbers), "otel" (1-24), "scale"
(0 debug … 4 fatal), "status" (no level: the HTTP status tells), "text" (no level: the message's first words tell).

An object without a time that can be read is a record without one; a line that breaks off is one by what it still says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from subagents.folder import colours, expressions, keys, layouts, levels, nested, spellings, times
from subagents.folder.formats import things
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search

_ERRORS = re.compile(rb":(?<=[\" \t\r]:)[ \t\r]*+\\*+\"?+" + levels.ERROR_VALUE)
_BUNYAN: dict[float, str] = {10: "debug", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal"}
_BUNYAN_TEXT = {str(number): level for number, level in _BUNYAN.items()}
_EVENT = 3  # an object with a time and more values than these is an event, whatever they are called
_DATED = re.compile(f"{times.ISO}|{spellings.PATTERN}")
_EVER = times.Clock(near=4e9)
_LONG = 4_000
_SINGLE = {"$date", "epochSecond", "stringValue"}
_WRAPPERS = ("_source", "attributes")  # of Elasticsearch's and Datadog's exports: the record itself stands in it
_OTEL = ("debug", "debug", "info", "warn", "error", "fatal")  # severity numbers 1-24, four each
_SCALE = {"0": "debug", "1": "info", "2": "warn", "3": "error", "4": "fatal"}
_LEFT_OUT = "(the exporter left this long message out: export with `journalctl --all`)"
_MEMBER = re.compile(
    r'"([\w.@-]{1,60})" ?: ?("(?:[^"\\\n]|\\["\\/bfnrt])*"|-?(?:0|[1-9]\d{0,19})(?:\.\d{1,20})?)(?=[,}\s])'
)
_OPENED = re.compile(r'"([\w.@-]{1,60})" ?: ?"((?:[^"\\]|\\.){3,})$', re.DOTALL)
_STRING = rb'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
_SCALAR = rb"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?|true|false|null"
_VALUE = b"(?:" + _STRING + b"|" + _SCALAR + b")"
_TEXT = b"(?:" + _STRING.replace(b'"', nested.HELD, 1) + b"|" + _SCALAR + b")"
_KEPT = rb'("[^"\\\x00-\x1f]*+"|' + _SCALAR + b")"
_NAME = rb'"([^"\\\x00-\x1f]++)"'
_TIME = b'(?:"' + layouts.ISO + b'"|(?P<quote>")?+' + layouts.EPOCH + b'(?(quote)"))'
_ONE = re.compile(rb'[ \t]*+"([^"\\\x00-\x1f]*+)"[ \t]*+:[ \t]*+' + _VALUE + rb"[ \t]*+(?=[,}])")


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
    """The object on a line, or None."""
    line = line.lstrip("\ufeff\x1e ").removeprefix("data: ")  # RFC 7464, server-sent events: journalctl
    if not line.startswith("{"):
        return None
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return _salvaged(line) if len(line) > _LONG else None
    return nested.unwrapped(item) if isinstance(item, dict) else None


def _salvaged(line: str) -> dict[str, Any] | None:
    """The short members at both ends of an object whose middle was too long to keep, or whose end is missing."""
    ends = f"{line[:_LONG]}\n{line[-_LONG:]}" if len(line) > _LONG else line
    found: dict[str, Any] = {k: json.loads(v, strict=False) for k, v in _MEMBER.findall(ends)}
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
        if _SINGLE & value.keys():
            out[key] = _single(value)
            continue
        whole = key in _WRAPPERS
        for inner, v in value.items():
            out.setdefault(inner if whole or _known(inner, v) else f"{key}.{inner}", v)
    return out


def _known(key: str, value: Any) -> bool:
    """Whether a nested value speaks of the whole record; a number for a severity may be anything's."""
    name = keys.norm(key)
    return name in keys.TIME or name in keys.MESSAGE or (name in keys.LEVEL and isinstance(value, str))


def _single(value: Mapping[str, Any]) -> Any:
    """MongoDB's and Log4j's times, OTLP's texts."""
    if "epochSecond" not in value:
        return value.get("$date", value.get("stringValue"))
    parts = (value["epochSecond"], value.get("nanoOfSecond", 0))
    return parts[0] + parts[1] / 1e9 if all(isinstance(p, int | float) and abs(p) < 1e12 for p in parts) else None


def is_log(item: Mapping[str, Any], timed: bool = True) -> bool:
    """A message, a level or a status, and a time, where none stands outside of it; or a time and several values."""
    p, item = _planned(item)
    at = item[p.time] if p.time else _dated(item)
    if timed and (times.parse(at, _EVER) is None or things.lives(item)):
        return False
    return (timed and len(item) > _EVENT) or bool(p.message or p.level or p.code)


def tells(item: Mapping[str, Any]) -> bool:
    """Whether it is surely a log record: a time and a message under names that logs use for them."""
    p, item = _planned(item)
    return bool(p.time and p.message) and times.parse(item[p.time or ""], _EVER) is not None and not things.lives(item)


def _planned(item: Mapping[str, Any]) -> tuple[Plan, Mapping[str, Any]]:
    p = plan(tuple(item))
    if p.time is None or isinstance(item[p.time], Mapping) or (p.message is None and p.level is None):
        item = flat(item)
        p = plan(tuple(item))
    return p, item


def _dated(item: Mapping[str, Any]) -> str | None:
    """Where no key is known to be the time: the first value that is a date with a time of day."""
    return next((v for v in item.values() if isinstance(v, str) and _DATED.fullmatch(v)), None)


def shape(lines: list[str], timed: bool = True) -> str | None:
    items = [i for i in map(decode, lines) if i is not None and is_log(i, timed)]
    if not items or len(items) * 20 < len(lines):
        return None
    values = [flat(i).get(plan(tuple(flat(i))).level or "") for i in items]
    words = [v for v in values if isinstance(v, str) and not v.isdigit() and levels.level(v) != "unknown"]
    numbers = [n for v in values if isinstance(v, int | str) and (n := levels.digits(str(v))) is not None]
    if words:
        return "field"
    if numbers:
        return _numbers(numbers, items)
    return "status" if any(plan(tuple(flat(i))).code for i in items) else "text"


def _numbers(values: list[int], items: list[dict[str, Any]]) -> str:
    """What levels that are numbers mean. GELF (`short_message`) and journald write syslog's, also under "level"."""
    if all(value in _BUNYAN for value in values):
        return "field"
    key = plan(tuple(flat(items[0]))).level or ""
    if keys.norm(key) == "severitynumber":
        return "otel"
    syslog = keys.norm(key) == "priority" or any("short_message" in item for item in items)
    return "number" if syslog or max(values) > 4 or keys.norm(key) != "level" else "scale"


def parser(hints: Hints) -> LineParser:
    kind, default, clock = hints.shape or "field", hints.service, hints.clock

    def read(line: str) -> Rec | None:
        item = decode(line)
        if item is None:  # broken off, or no JSON at all
            item = _salvaged(line) if line.startswith("{") else None
            return None if item is None else record(item, kind, default, clock)
        rec = record(item, kind, default, clock)
        if rec is None:
            return undated(item, kind, default, line)
        return rec if rec.message else rec._replace(message=line)

    return read


def record(item: dict[str, Any], kind: str, default: str, clock: times.Clock) -> Rec | None:
    """One object as a record; None where it has no time."""
    whole, p = item, plan(tuple(item))
    if p.time is None or isinstance(item[p.time], dict) or p.message is None or p.level is None:
        item = flat(item)
        p = plan(tuple(item))
    at = times.parse(item[p.time] if p.time else _dated(item), clock)
    if at is None:
        return None
    service = _service(item, p) or keys.service(whole) or default
    message = _message(item.get(p.message or ""))
    if p.message and item[p.message] is None and "__REALTIME_TIMESTAMP" in item:
        message = _LEFT_OUT
    said = item.get(p.code or "", "")
    code = str(said) if isinstance(said, int | str) and str(said).isdigit() else ""
    level = level_of(item.get(p.level or ""), kind, code, message)
    if p.level is None and not code and isinstance(said, str) and level == "unknown":
        level = levels.level(said)  # Datadog's `"status": "error"`
    if p.level is None and level == "unknown" and item.get("type") in ("Normal", "Warning"):
        level = levels.level(item["type"])  # events of Kubernetes
    if p.level is None and "@t" in item and level == "unknown":
        level = "info"  # CLEF writes no other level so (clef-json.org)
    if p.error and p.error != p.message and isinstance(item[p.error], str) and item[p.error]:
        message = f"{message}: {item[p.error]}" if message else item[p.error]
    return Rec(at, service, level, message, code, item)


def undated(item: dict[str, Any], kind: str, default: str, line: str) -> Rec | None:
    """An object that has a level or a message, and no time that can be read."""
    item = flat(item)
    p = plan(tuple(item))
    if p.message is None and p.level is None:
        return None
    message = _message(item.get(p.message or "")) or line
    level = level_of(item.get(p.level or ""), kind, "", message)
    return Rec(None, _service(item, p) or default, level, message, "", item)


def _service(item: dict[str, Any], p: Plan) -> str:
    if p.service is None:
        return keys.service(item)
    value = item[p.service]
    if isinstance(value, str) and value:
        return keys.owner(p.service, value)
    return keys.service(item)


def _message(value: Any) -> str:
    if isinstance(value, str):
        return colours.plain(value).rstrip("\r\n")
    if isinstance(value, list) and value and all(isinstance(v, int) for v in value):  # journald: bytes, no UTF-8
        return _message(bytes(v & 255 for v in value).decode("utf-8", "replace"))
    if isinstance(value, list) and value and all(isinstance(v, str | list) for v in value):  # a field given twice
        return "\n".join(map(_message, value))
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def level_of(value: Any, kind: str, code: str, message: str) -> str:
    if kind == "status":
        return levels.of_status(code)
    if kind == "text":
        match = levels.WORD.search(message, 0, 80)
        return levels.level(match.group(1)) if match else "unknown"
    if kind == "scale":
        return _SCALE.get(str(value), "unknown")
    if kind == "otel":
        number = levels.digits(str(value)) or 25
        return _OTEL[(number - 1) // 4] if number <= 24 else "unknown"
    if kind == "number":
        return levels.level(value) if isinstance(value, str | int | float) else "unknown"
    return _word(value)


def _word(value: Any) -> str:
    if isinstance(value, int | float):
        return _BUNYAN.get(value, "unknown")
    if not isinstance(value, str) or not (value.isdigit() or value.rstrip("+-0123456789").isalnum()):
        return "unknown"
    return _BUNYAN_TEXT.get(value, "unknown") if value.isdigit() else levels.level(value)


def errors(shape: str) -> Search | None:
    return levels.hits(_ERRORS) if shape == "field" else None


def alike(shape: str, line: bytes) -> re.Pattern[bytes] | None:
    """For objects of plain values: the same keys in the same order."""
    names = [] if shape == "text" else _names(line)
    known = [name.decode("utf-8", "replace") for name in names]
    p = plan(tuple(known))
    if p.time is None:
        return None
    values = {p.message: _TEXT, p.time: _TIME, p.level: _KEPT, p.code: _KEPT, p.service: _NAME}
    members = [
        b'"' + re.escape(raw) + rb'"[ \t]*+:[ \t]*+' + values.get(name, _VALUE)
        for raw, name in zip(names, known, strict=True)
    ]
    return re.compile(rb"\{[ \t]*+" + rb"[ \t]*+,[ \t]*+".join(members) + rb"[ \t]*+\}[ \t]*+")


def _names(line: bytes) -> list[bytes]:
    """The keys of an object of plain values, in order; [] where it is something else."""
    names, at = [], 1
    while line[:1] == b"{" and (member := _ONE.match(line, at)):
        names.append(member.group(1))
        if line[member.end() : member.end() + 1] == b"}":
            return names
        at = member.end() + 1
    return []


FORMAT = LogFormat("JSON-lines log", shape, parser, errors, alike, native=b'[" \t\r]:[ \t\r]*"?' + expressions.VALUE)

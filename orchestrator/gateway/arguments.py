"""Lenient reading of a tool call's argument text: quotes, commas, fences, reasoning, several objects in one string.

Lenient about form, never about content: text that was cut, or a key without a value, is a fault that goes back to the
model, because a guessed argument asks the wrong question of a real system. It knows no tool and no schema.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass

from orchestrator.contracts import Json, ToolCall

_THOUGHT = re.compile(r"<think>.*?</think>|^.*</think>", re.DOTALL)


def _number(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


# Raw line breaks inside strings are let through; NaN and what is too large for a number stand for nothing: no server
# reads them in a history.
_DECODER = json.JSONDecoder(strict=False, parse_float=_number, parse_constant=lambda name: None)
DEEPEST = 64  # objects and lists in each other; what stores and masks them goes down as far
_NOTHING = frozenset({"", "null", "None", "{}"})


@dataclass(frozen=True, slots=True)
class Reading:
    """The JSON objects in a text, or why it can't be read."""

    objects: tuple[dict[str, Json], ...] = ()
    fault: str = ""


def read_calls(id: str, name: str, raw: str) -> list[ToolCall]:
    """The call or calls that one argument text stands for; a second object gets the id `<id>-2` and so on."""
    reading = read(raw)
    if reading.fault:
        return [ToolCall(id, name, None, raw, reading.fault)]
    many = len(reading.objects) > 1
    return [
        ToolCall(id if i == 0 else f"{id}-{i + 1}", name, args, json.dumps(args, ensure_ascii=False) if many else raw)
        for i, args in enumerate(reading.objects)
    ]


def read(raw: str) -> Reading:
    """All top-level objects of `raw` in order; "" and null are one empty object."""
    try:
        reading = _read(raw)
    except (RecursionError, ValueError):  # the latter is the repairer's word for it
        reading = None
    if reading is None or any(_deep(found, DEEPEST) for found in reading.objects):
        return Reading(fault=f"the arguments are nested more than {DEEPEST} deep")
    return reading


def _read(raw: str) -> Reading:
    text = raw.strip()
    if text in _NOTHING:
        return Reading(({},))
    try:
        return _shaped(_DECODER.decode(text))
    except ValueError:
        return _search(_THOUGHT.sub("", text))


def _deep(value: Json, left: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return left == 0 or any(_deep(v, left - 1) for v in inner)


def _shaped(value: Json, depth: int = 0) -> Reading:
    if isinstance(value, dict):
        return Reading((value,))
    if isinstance(value, str) and depth == 0:  # encoded twice
        return read(value) if value.strip().startswith("{") else Reading(fault=_wanted(value))
    if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
        return Reading(tuple(value))
    return Reading(fault=_wanted(json.dumps(value, ensure_ascii=False)))


def _wanted(text: str) -> str:
    return f"the arguments must be one JSON object, not {_short(text)}"


def _short(text: str, limit: int = 60) -> str:
    return repr(text if len(text) <= limit else text[: limit // 2] + " … " + text[-limit // 2 :])


# ── objects inside a longer or sloppier text ──────────────────────────────────────────────────


def _search(text: str) -> Reading:
    objects: list[dict[str, Json]] = []
    at = text.find("{")
    if at < 0:
        return Reading(fault=_wanted(text))
    while at >= 0:
        end, fault = _end(text, at)
        if fault:
            return Reading(fault=fault)
        value = _load(text[at:end])
        if not isinstance(value, dict):
            return Reading(fault=f"this is no JSON object: {_short(text[at:end])}")
        objects.append(value)
        at = text.find("{", end)
    return Reading(tuple(objects))


def _load(text: str) -> Json:
    try:
        return _DECODER.decode(text)
    except ValueError:
        from json_repair import loads  # only sloppy text pays for it

        return loads(text, skip_json_loads=True)


def _end(text: str, start: int) -> tuple[int, str]:
    """The index after the object that opens at `start`; or the fault: it never ends, or a key has no value."""
    depth, quote, before, i = 0, "", "", start
    while i < len(text):
        c = text[i]
        if quote:
            i += c == "\\"  # the next character is escaped
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "{[":
            depth += 1
        elif c in "}],":
            if before == ":":
                return 0, f"a key has no value, before character {i} of {_short(text[start:])}"
            depth -= c != ","
            if depth == 0 and c != ",":
                return i + 1, ""
        before = c if not c.isspace() else before
        i += 1
    return 0, f"the arguments are cut off, they end with {_short(text[-30:])}; send the whole JSON object again"

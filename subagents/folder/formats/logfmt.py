"""Logs in logfmt: `key=value key="quoted value"` pairs, whatever their order. Lines without a time continue."""

from __future__ import annotations

import re

from subagents.folder import levels, times
from subagents.folder.formats.json_lines import record
from subagents.folder.records import Hints, LineParser, Literal, LogFormat, Rec

_PAIR = re.compile(r'([A-Za-z_@][\w.@/-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)')
_ERRORS = re.compile(rb"=\"?" + levels.ERROR_BYTES)


def pairs(line: str) -> dict[str, str]:
    """The pairs of a line that begins with one; {} where it doesn't."""
    if "=" not in line[:64] or not _PAIR.match(line):
        return {}
    out: dict[str, str] = {}
    for key, value in _PAIR.findall(line):
        out.setdefault(key, _plain(value))
    return out


def _plain(value: str) -> str:
    if value[:1] != '"':
        return value
    text = value[1:-1]
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\") if "\\" in text else text


def shape(lines: list[str]) -> str | None:
    found = sum(1 for line in lines if len(p := pairs(line)) >= 3 and _timed(p))
    return "field" if found and found * 20 >= len(lines) else None


def _timed(found: dict[str, str]) -> bool:
    rec = record(dict(found), "field", "", None)
    return rec is not None and times.parse(rec.at) is not None


def parser(hints: Hints) -> LineParser:
    default, near = hints.service, hints.near

    def read(line: str) -> Rec | None:
        found = pairs(line)
        return record(found, "field", default, near) if len(found) >= 2 else None

    return read


def errors(shape: str) -> Literal | None:
    return lambda block: _ERRORS


FORMAT = LogFormat("logfmt", shape, parser, errors)

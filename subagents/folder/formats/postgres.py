"""PostgreSQL's server log with a `log_line_prefix` that begins with a time: `TIME [PID] … LEVEL:  text`. DETAIL, HINT,
CONTEXT, STATEMENT and their like belong to the message before them. (postgresql.org/docs/16/runtime-config-logging)"""

from __future__ import annotations

import re

from subagents.folder import times
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_LEVELS = {"PANIC": "fatal", "FATAL": "fatal", "ERROR": "error", "WARNING": "warn", "NOTICE": "info", "LOG": "info",
           "INFO": "info"}  # fmt: skip
_WORDS = "|".join((*_LEVELS, r"DEBUG[1-5]?"))
_LINE = re.compile("(" + times.ISO + r")(.{0,120}?)\b(" + _WORDS + r"):  (.*)")
_REST = re.compile("(?:" + times.ISO + r").{0,120}?\b(?:DETAIL|HINT|CONTEXT|STATEMENT|QUERY|LOCATION|BACKTRACE):  ")


def level(word: str) -> str:
    """Of a severity's name; "" where it is none."""
    return _LEVELS.get(word, "debug" if word.startswith("DEBUG") else "")


def shape(lines: list[str]) -> str | None:
    found = sum(1 for line in lines if _LINE.match(line))
    rest = sum(1 for line in lines if _REST.match(line))
    dated = sum(1 for line in lines if re.match(times.ISO, line))
    return "stderr" if found and (found + rest) * 10 >= dated * 9 else None


def parser(hints: Hints) -> LineParser:
    def read(line: str) -> Rec | None:
        match = _LINE.match(line)
        if match is None or _REST.match(line):
            return None
        at, prefix, word, message = match.groups()
        fields = {"prefix": prefix.strip()} if prefix.strip() else None
        return Rec(times.parse(at, hints.clock), hints.service, level(word), message, "", fields)

    return read


FORMAT = LogFormat("PostgreSQL log", shape, parser)

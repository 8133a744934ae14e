"""Access logs in common and combined form, with fields before, between or after (Envoy, S3): a time in brackets, then a
quoted request and its status. 5xx is error, 4xx warn, the rest info.

Knows no virtual hosts: whose log it is comes from the hints.
"""

from __future__ import annotations

import re
from functools import lru_cache

from subagents.folder import layouts, levels, times
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search

_LINE = re.compile(
    r'([^\["]{0,200}(?:"[^"\[]{0,80}"[^\["]{0,80})?)\[(' + times.CLF + "|" + times.ISO + r')\] ([^\["]{0,400}?)'
    r'"((?:[^"\\]|\\.)*)" (\d{3}) (\d+|-|[A-Za-z][\w,]*)(?: |$)(.*)$',
    re.ASCII,
)
_ERRORS = re.compile(rb'" 5\d\d ')
_ALIKE = re.compile(
    rb"[ !#-Z\\-~]{0,200}\[(?:"
    + layouts.CLF
    + b"|"
    + layouts.ISO
    + rb')\] [ !#-Z\\-~]{0,400}?"(?:[^"\\]|\\.)*+" (\d{3})'
    rb" (?:\d+|-|[A-Za-z][\w,]*)(?:$| .*)",
    re.DOTALL,
)


_level = lru_cache(maxsize=1024)(levels.of_status)
_minute = lru_cache(maxsize=1024)(times.parse)  # many requests a minute
_SECONDS = slice(18, 20)  # of `29/Nov/2026:14:00:07 +0000`


def _time(at: str, clock: times.Clock) -> float | None:
    """The time in brackets; the minute of the usual form is read once."""
    if len(at) != 26 or at[2] != "/":
        return times.parse(at, clock)
    minute = _minute(f"{at[:18]}00{at[20:]}", clock)
    return None if minute is None else minute + int(at[_SECONDS])


def shape(lines: list[str]) -> str | None:
    found = sum(1 for line in lines if _LINE.match(line))
    return "combined" if found and found * 2 >= len(lines) else None


def parser(hints: Hints) -> LineParser:
    service, clock = hints.service, hints.clock

    def read(line: str) -> Rec | None:
        match = _LINE.match(line)
        if match is None:
            return None
        client, at, before, request, code, size, rest = match.groups()
        fields = {"client": (client or before).split(" ", 1)[0], "request": request, "size": size}
        rest = f" {rest}" if rest else ""
        return Rec(_time(at, clock), service, _level(code), f'"{request}" {code}{rest}', code, fields)

    return read


def errors(shape: str) -> Search | None:
    return levels.hits(_ERRORS)


def alike(shape: str, line: bytes) -> re.Pattern[bytes] | None:
    return _ALIKE


FORMAT = LogFormat("access log", shape, parser, errors, alike, native=b'" 5[0-9][0-9] ')

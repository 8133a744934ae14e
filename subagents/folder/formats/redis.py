"""Redis' own log: `PID:ROLE DAY MONTH YEAR TIME MARK text` (once without the year, once with `[PID]`); the mark is the
level (`.` debug, `-` verbose, `*` notice, `#` warning). (redis.io, redis.conf, loglevel)"""

from __future__ import annotations

import re

from subagents.folder import times
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_LINE = re.compile(r"(?:\d+:[XCSM]|\[\d+\]) (\d\d? [A-Z][a-z]{2} (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d+)?) ([.*#-]) (.*)")
_SIGNAL = re.compile(r"(\d+):(signal-handler) \((\d{9,10})\) (.*)")
_LEVELS = {".": "debug", "-": "debug", "*": "info", "#": "warn"}


def shape(lines: list[str]) -> str | None:
    found = sum(1 for line in lines if _LINE.match(line))
    return "server" if found and found * 4 >= len(lines) else None


def parser(hints: Hints) -> LineParser:
    def read(line: str) -> Rec | None:
        if match := _LINE.match(line):
            return Rec(times.parse(match[1], hints.clock), hints.service, _LEVELS[match[2]], match[3])
        if match := _SIGNAL.match(line):
            return Rec(times.parse(match[3]), hints.service, "info", match[4])
        return None

    return read


FORMAT = LogFormat("Redis log", shape, parser)

"""A shell's history with times: `#SECONDS` (bash, HISTTIMEFORMAT) or `#+SECONDS` (tcsh), the command below it."""

from __future__ import annotations

import re

from subagents.folder import times
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_LINE = re.compile(r"#\+?(\d{9,10})")


def shape(lines: list[str]) -> str | None:
    found = sum(1 for line in lines if _LINE.fullmatch(line))
    return "shell" if found and found * 4 >= len(lines) and _LINE.fullmatch(lines[0]) else None


def parser(hints: Hints) -> LineParser:
    def read(line: str) -> Rec | None:
        match = _LINE.fullmatch(line)
        return Rec(times.parse(match[1]), hints.service, "unknown", "") if match else None

    return read


FORMAT = LogFormat("shell history", shape, parser)

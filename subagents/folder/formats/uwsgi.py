"""uWSGI's request log: `[pid: N|app: N|req: N/N] CLIENT … [TIME] METHOD PATH => generated … (HTTP/1.1 200) …`."""

from __future__ import annotations

import re

from subagents.folder import levels, times
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search

_LINE = re.compile(
    r"\[pid: (\d+)\|app: [^\]]*\] (\S+) .{0,200}?\[(" + times.CTIME + r")\] (\S+ \S+) => (.*?\(HTTP/[\d.]+ (\d{3})\).*)"
)
_ERRORS = re.compile(rb"\(HTTP/[\d.]+ 5\d\d\)")


def shape(lines: list[str]) -> str | None:
    found = sum(1 for line in lines if _LINE.match(line))
    return "request" if found * 3 >= len(lines) and found else None


def parser(hints: Hints) -> LineParser:
    def read(line: str) -> Rec | None:
        match = _LINE.match(line)
        if match is None:
            return None
        pid, client, at, request, rest, code = match.groups()
        fields = {"pid": pid, "client": client, "request": request}
        message = f"{request} => {rest}"
        return Rec(times.parse(at, hints.clock), hints.service, levels.of_status(code), message, code, fields)

    return read


def errors(shape: str) -> Search | None:
    return levels.hits(_ERRORS)


FORMAT = LogFormat("uWSGI log", shape, parser, errors)

"""Linux' audit log, as auditd writes it: `type=TYPE msg=audit(SECONDS:SERIAL): name=value …`, or with `node=HOST`
first. A failed result is a warning. (man 8 auditd; the audit documentation project's field dictionary)"""

from __future__ import annotations

import re

from subagents.folder import times
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_LINE = re.compile(r"(?:node=(\S+) )?type=(\S+) msg=audit\((\d{9,10}\.\d{1,3}):(\d+)\): ?(.*)")
_FAILED = re.compile(r"\b(?:res|success)=(?:failed|no|0)\b")


def shape(lines: list[str]) -> str | None:
    found = sum(1 for line in lines if _LINE.match(line))
    return "audit" if found and found * 2 >= len(lines) else None


def parser(hints: Hints) -> LineParser:
    def read(line: str) -> Rec | None:
        match = _LINE.match(line)
        if match is None:
            return None
        host, kind, at, serial, rest = match.groups()
        level = "warn" if _FAILED.search(rest) else "info"
        fields = {"type": kind, "serial": serial, "host": host or ""}
        return Rec(times.parse(at), hints.service, level, f"{kind} {rest}", "", fields)

    return read


FORMAT = LogFormat("audit log", shape, parser)

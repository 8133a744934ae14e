"""PostgreSQL's csvlog: no header, 23 to 26 columns, of which the 12th is the severity and the 14th the message. A
statement in quotes may go over several lines. (postgresql.org/docs/16/runtime-config-logging, file-fdw's example)"""

from __future__ import annotations

import re

from subagents.folder import times
from subagents.folder.formats import csv_logs
from subagents.folder.formats.postgres import level
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_LINE = re.compile(f'{times.ISO},(?:"|,)')
_SEVERITY, _STATE, _MESSAGE = 11, 12, 13


def _cells(line: str) -> list[str]:
    cells = csv_logs.cells(line) if _LINE.match(line) else []
    return cells if len(cells) > _MESSAGE and level(cells[_SEVERITY]) and re.fullmatch(r"\w{5}", cells[_STATE]) else []


def shape(lines: list[str]) -> str | None:
    found = sum(1 for line in lines if _cells(line))
    return "csv" if found and found * 3 >= len(lines) else None


def parser(hints: Hints) -> LineParser:
    def read(line: str) -> Rec | None:
        cells = _cells(line)
        if not cells:
            return None
        fields = {
            "user": cells[1],
            "database": cells[2],
            "pid": cells[3],
            "state": cells[_STATE],
            "detail": cells[14:15],
        }
        at = times.parse(cells[0], hints.clock)
        return Rec(at, hints.service, level(cells[_SEVERITY]), cells[_MESSAGE], "", fields)

    return read


FORMAT = LogFormat("PostgreSQL CSV log", shape, parser)

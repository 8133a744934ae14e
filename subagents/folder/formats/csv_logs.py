"""Logs as CSV with a header that names a time and a message. The shape is the header line.

One record a line: a quoted newline inside a cell makes the rest of the cell continue the record.
"""

from __future__ import annotations

import csv
import re

from subagents.folder import keys
from subagents.folder.formats import json_lines
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search


def cells(line: str, delimiter: str = ",") -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def delimiter(top: str) -> str:
    """What parts a header's names."""
    return max(",;\t|", key=top.count)


def header(lines: list[str]) -> list[str]:
    """The names of the first line's columns where it looks like a header: two or more, none a number."""
    names = cells(lines[0].lstrip("\ufeff"), delimiter(lines[0])) if lines else []
    good = len(names) >= 2 and all(n.strip() and not re.fullmatch(r"[\d.eE+-]+", n) for n in names)
    return [n.strip() for n in names] if good and len(set(names)) == len(names) else []


def shape(lines: list[str]) -> str | None:
    names = header(lines)
    if not names:
        return None
    rows = [dict(zip(names, cells(line, delimiter(lines[0])), strict=False)) for line in lines[1:20]]
    good = [r for r in rows if len(r) == len(names) and _log(r)]
    return lines[0].lstrip("\ufeff") if good and len(good) * 2 >= len(rows) else None


def _log(cells: dict[str, str]) -> bool:
    row = _timed(cells)
    plan = json_lines.plan(tuple(row))
    return plan.message is not None and json_lines.is_log(row)


def _timed(row: dict[str, str]) -> dict[str, str]:
    """A date and a time in two columns are one."""
    by_norm = {keys.norm(name): name for name in row}
    if "date" not in by_norm or "time" not in by_norm:
        return row
    return {"timestamp": f"{row[by_norm['date']]} {row[by_norm['time']]}", **row}


def parser(hints: Hints) -> LineParser:
    mark = delimiter(hints.shape)
    names = [n.strip() for n in cells(hints.shape, mark)]
    level = json_lines.plan(tuple(names)).level
    kind = "field" if level else "text"

    def read(line: str) -> Rec | None:
        row = cells(line, mark)
        if len(row) != len(names) or row == names:
            return None
        rec = json_lines.record(_timed(dict(zip(names, row, strict=True))), kind, hints.service, hints.clock)
        return _unwrapped(rec) if rec else None

    return read


def _unwrapped(rec: Rec) -> Rec:
    """A container runtime's envelope ({"log": …, "stream": …}) inside the message is taken off."""
    inner = json_lines.decode(rec.message) if rec.message.startswith('{"') else None
    text = inner.get("log") if inner else None
    if not isinstance(text, str):
        return rec
    level = rec.level if rec.level != "unknown" else json_lines.level_of(None, "text", "", text)
    return rec._replace(message=text.rstrip("\n"), level=level)


def errors(shape: str) -> Search | None:
    return None


FORMAT = LogFormat("CSV log", shape, parser, errors)

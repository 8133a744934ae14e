"""Tables whose columns a `#Fields:` line names: W3C extended logs (IIS, Oracle Web Cache, CDNs) and Zeek's logs.

The names may change in the middle of a file. Times are UTC, as W3C's draft and Zeek say, unless the columns are local
ones. The HTTP status tells the level. (w3.org/TR/WD-logfile, docs.zeek.org)
"""

from __future__ import annotations

import re

from subagents.folder import keys, levels, times
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_FIELDS = re.compile(r"#Fields:?\s+(\S.*)", re.IGNORECASE)
_DATE = re.compile(r"#Date:\s+(\S+)", re.IGNORECASE)  # of columns that have only a time of day
_CELL = re.compile(r'"((?:[^"]|"")*)"|(\S+)')
_STATUS = ("scstatus", "statuscode", "status", "edgeresponsestatus", "csstatus")
_METHOD = ("csmethod", "method", "cscsmethod")
_PATH = ("csuristem", "csuri", "csurl", "uri", "csuripath")


def shape(lines: list[str]) -> str | None:
    named = next((line for line in lines[:40] if _FIELDS.match(line)), None)
    if named is None or _plan(named) is None:
        return None
    day = next((found[1] for line in lines[:40] if (found := _DATE.match(line))), "")
    return f"{day}\n{named}"


def _plan(named: str) -> tuple[list[str], bool] | None:
    """(normal names of the columns, whether tabs part them); None where no column is a time."""
    match = _FIELDS.match(named)
    if match is None:
        return None
    tabs = "\t" in match[1].strip()
    names = [keys.norm(name) for name in (match[1].strip().split("\t") if tabs else match[1].split())]
    timed = {"ts", "timestamp", "datetime", "date", "datelocal", "time", "timelocal"} & set(names)
    return (names, tabs) if timed else None


def parser(hints: Hints) -> LineParser:
    day, _, named = hints.shape.partition("\n")
    names, tabs = _plan(named) or ([], False)

    def read(line: str) -> Rec | None:
        nonlocal names, tabs, day
        if line.startswith("#"):
            names, tabs = _plan(line) or (names, tabs)
            day = found[1] if (found := _DATE.match(line)) else day
            return None
        cells = _cells(line, tabs)
        row = {"date": day, **dict(zip(names, cells, strict=False))}
        return _rec(row, line, hints) if len(cells) > 2 else None

    return read


def _cells(line: str, tabs: bool) -> list[str]:
    if tabs:
        return line.split("\t")
    return [m[1].replace('""', '"') if m[1] is not None else m[2] for m in _CELL.finditer(line)]


def _rec(row: dict[str, str], line: str, hints: Hints) -> Rec | None:
    local = "datelocal" in row or "timelocal" in row
    date = row.get("date") or row.get("datelocal") or ""
    hour = row.get("time") or row.get("timelocal") or ""
    stamp = f"{date} {hour}" if date else next((row[k] for k in ("ts", "timestamp", "datetime") if k in row), "")
    at = times.parse(stamp, hints.clock if local else times.Clock())
    if at is None:
        return None
    code = next((row[k] for k in _STATUS if re.fullmatch(r"\d{3}", row.get(k, ""))), "")
    method = next((row[k] for k in _METHOD if k in row), "")
    path = next((row[k] for k in _PATH if k in row), "")
    message = f"{method} {path} {code}".strip() if method and path else line
    return Rec(at, hints.service, levels.of_status(code), message, code, row)


def inner(line: str) -> str | None:
    return None if line.startswith("#") else line


FORMAT = LogFormat("W3C extended log", shape, parser, inner=inner)

"""Syslog, RFC 3164 (BSD) and RFC 5424, as files hold it, with or without `<PRI>`. Times without a year take the last
year that doesn't put them after the rest of the folder.

A line without PRI says no severity: its first words do, else it is info (what syslog daemons write by default).
"""

from __future__ import annotations

import re

from subagents.folder import levels, times
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search

_BSD = re.compile(
    r"^(?:\x1b\[[\d;]*[A-Za-z])*(?:<(\d{1,3})>)?(" + times.YEARLESS + "|" + times.ISO + r") "
    r"([\w.:-]+) ([\w./ ()-]{1,64}?)(?:\[(\d+)\])?: ?(.*)$"
)
_NEW = re.compile(r"^<(\d{1,3})>1 (\S+) (\S+) (\S+) (\S+) (\S+) ((?:\[(?:[^\]\"]|\"(?:[^\"\\]|\\.)*\")*\])+|-) ?(.*)$")
_ANSI = re.compile(r"\x1b\[[\d;]*[A-Za-z]")


def shape(lines: list[str]) -> str | None:
    if sum(1 for line in lines if _NEW.match(line)) * 2 >= len(lines):
        return "5424"
    found = sum(1 for line in lines if _BSD.match(_ANSI.sub("", line)))
    return "3164" if found and found * 3 >= len(lines) else None


def parser(hints: Hints) -> LineParser:
    default, near = hints.service, hints.near

    def read(line: str) -> Rec | None:
        if "\x1b" in line:
            line = _ANSI.sub("", line)
        return _new(line, default) or _bsd(line, default, near)

    return read


def _new(line: str, default: str) -> Rec | None:
    match = _NEW.match(line)
    if match is None:
        return None
    pri, at, host, app, pid, _, data, message = match.groups()
    fields = {"host": host, "pid": pid, "data": data}
    return Rec(times.parse(at), app if app != "-" else default, _severity(pri, message), _bom(message), "", fields)


def _bsd(line: str, default: str, near: float | None) -> Rec | None:
    match = _BSD.match(line)
    if match is None:
        return None
    pri, at, host, program, pid, message = match.groups()
    service = program.rsplit("/", 1)[-1].split(" ")[0] or default
    return Rec(times.parse(at, near), service, _severity(pri, message), message, "", {"host": host, "pid": pid or ""})


def _severity(pri: str | None, message: str) -> str:
    if pri:
        return levels.SYSLOG[int(pri) & 7]
    match = levels.WORD.search(message, 0, 60)
    return levels.level(match.group(1)) if match and _is_label(message, match) else "info"


def _is_label(message: str, match: re.Match[str]) -> bool:
    """`ERROR …`, `error: …`, `[warn] …` label a line; "no error found" does not."""
    word, after = match.group(1), message[match.end() : match.end() + 1]
    return word.isupper() or after in (":", "]", "=", ">") or match.start() == 0


def _bom(message: str) -> str:
    return message.removeprefix("\ufeff").removeprefix("BOM")


def errors(shape: str) -> Search | None:
    return None


FORMAT = LogFormat("syslog", shape, parser, errors)

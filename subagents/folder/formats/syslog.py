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
_BARE = re.compile(r"^(?:<(\d{1,3})>)?(" + times.YEARLESS + r") (.*)$")
_ESCAPED = re.compile(r"#(0[0-3][0-7])")
_ANSI = re.compile(r"\x1b\[[\d;]*[A-Za-z]")


def shape(lines: list[str]) -> str | None:
    if sum(1 for line in lines if _NEW.match(line)) * 2 >= len(lines):
        return "5424"
    plain = [_ANSI.sub("", line) for line in lines]
    found = sum(1 for line in plain if _BSD.match(line))
    dated = sum(1 for line in plain if _BARE.match(line) or _BSD.match(line))
    return "3164" if found and found * 2 >= dated and found * 20 >= len(lines) else None


def parser(hints: Hints) -> LineParser:
    default, clock = hints.service, hints.clock

    def read(line: str) -> Rec | None:
        if "\x1b" in line:
            line = _ANSI.sub("", line)
        return _new(line, default) or _bsd(line, default, clock)

    return read


def _new(line: str, default: str) -> Rec | None:
    match = _NEW.match(line)
    if match is None:
        return None
    pri, at, host, app, pid, _, data, message = match.groups()
    fields = {"host": host, "pid": pid, "data": data}
    return Rec(times.parse(at), app if app != "-" else default, _severity(pri, message), _text(message), "", fields)


def _bsd(line: str, default: str, clock: times.Clock) -> Rec | None:
    match = _BSD.match(line)
    if match is None:
        return _bare(line, default, clock)
    pri, at, host, program, pid, message = match.groups()
    service = program.rsplit("/", 1)[-1].split(" ")[0] or default
    fields = {"host": host, "pid": pid or ""}
    return Rec(times.parse(at, clock), service, _severity(pri, message), _text(message), "", fields)


def _bare(line: str, default: str, clock: times.Clock) -> Rec | None:
    """A line that has a time but names no program ("last message repeated 2 times")."""
    match = _BARE.match(line)
    if match is None:
        return None
    pri, at, message = match.groups()
    return Rec(times.parse(at, clock), default, _severity(pri, message), _text(message))


def _severity(pri: str | None, message: str) -> str:
    if pri:
        return levels.SYSLOG[int(pri) & 7]
    level = levels.labelled(message)
    return "info" if level == "unknown" else level


def _text(message: str) -> str:
    """Without the mark of RFC 5424 and with the control characters that rsyslog wrote as `#ooo`."""
    plain = message.removeprefix(" ").replace("\ufeff", "").removeprefix("BOM")
    return _ESCAPED.sub(lambda m: chr(int(m[1], 8)), plain) if "#0" in plain else plain


def errors(shape: str) -> Search | None:
    return None


FORMAT = LogFormat("syslog", shape, parser, errors)

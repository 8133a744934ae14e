"""Syslog, RFC 3164 (BSD) and RFC 5424, as files hold it, with or without `<PRI>`. Times without a year take the last
year that doesn't put them after the rest of the folder.

A line without PRI says no severity: its first words do, else it is info (what syslog daemons write by default).
"""

from __future__ import annotations

import re

from subagents.folder import colours, levels, spellings, times
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search

_COUNT = r"(?:\d{1,6} (?=<))?"  # octets, before each message on a TCP stream (RFC 6587)
_PRI = _COUNT + r"(?:<(\d{1,3})>)?"
_DATED = "|".join(
    (
        times.YEARLESS + r"(?: \d{4})?(?=[ :])",
        r"[A-Z][a-z]{2} [ \d]\d \d{4} \d\d:\d\d:\d\d",
        spellings.MONTH_FIRST,  # journalctl in other languages
        r"(?:[A-Z][a-z]{2} )?" + times.ISO,
        r"\d{10}\.\d{6}",  # journalctl's short-unix
    )
)
_BSD = re.compile(
    rf"^(?:{colours.ONE})*+" + _PRI + "(" + _DATED + r") ([\w.:-]+|[A-Z][a-z]\((\d{1,3})\)) "
    r"([\w./@()-](?:[\w./@ ()-]{0,62}?[\w./@()-])??)(?:\[(\d+)\]:|:(?!\d)) ?(.*)$"
)
_NEW = re.compile(
    "^" + _COUNT + r"<(\d{1,3})>1 (\S+) (\S+) (\S+) (\S+) (\S+) "
    r"((?:\[(?:[^\]\"]|\"(?:[^\"\\]|\\.)*\")*\])+|-) ?(.*)$"
)
_BARE = re.compile("^" + _PRI + r"(?:\d{1,9}: )?[*.]?(" + _DATED + r")(?: [A-Z]{3,4}(?=:))?:? (.*)$")
_DEVICE = re.compile(r"%(?:[A-Z0-9_]+-(?:[A-Z0-9_]+-)?|%\d\d\w+/)(\d)[-/]\w+")  # Cisco's and Huawei's message names
_ESCAPED = re.compile(r"#(0[0-3][0-7])")


def shape(lines: list[str]) -> str | None:
    if sum(1 for line in lines if _NEW.match(line)) * 2 >= len(lines):
        return "5424"
    plain = [colours.plain(line) for line in lines]
    heads = [head for line in plain if (head := _head(line))]
    devices = sum(1 for line in plain if (bare := _BARE.match(line)) and (bare[1] or _DEVICE.search(bare[3])))
    dated = sum(1 for line in plain if _BARE.match(line) or _BSD.match(line))
    found = max(len(heads), devices) if devices or any(map(_sure, heads)) else 0
    return "3164" if found and found * 2 >= dated and found * 20 >= len(lines) else None


def _head(line: str) -> re.Match[str] | None:
    """A date with a blank before the hour is many programs' own: only a program's number makes it syslog. What has a
    level where a host would stand is no syslog either."""
    match = _BSD.match(line)
    if match is None or match[6]:
        return match
    own = re.match(r"\d{4}.\d\d.\d\d ", match[2]) or (match[3].isupper() and levels.level(match[3]) != "unknown")
    return None if own else match


def _sure(head: re.Match[str]) -> bool:
    """Whether a line can hardly be but syslog: BSD's date, a priority, a program's number, or the kernel."""
    return bool(head[1] or head[4] or head[6] or head[5] == "kernel" or not head[2][:4].isdigit())


def parser(hints: Hints) -> LineParser:
    default, clock = hints.service, hints.clock

    def read(line: str) -> Rec | None:
        line = colours.plain(line)
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
    match = _head(line)
    if match is None:
        return _bare(line, default, clock)
    pri, at, host, esx, program, pid, message = match.groups()
    pri, host = (esx, "") if esx else (pri, host)  # ESXi 8 writes `In(182)` where the host stands elsewhere
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
    if named := _DEVICE.search(message, 0, 80):
        return levels.SYSLOG[int(named[1]) & 7]
    level = levels.labelled(message)
    return "info" if level == "unknown" else level


def _text(message: str) -> str:
    """Without the mark of RFC 5424 and with the control characters that rsyslog wrote as `#ooo`."""
    plain = message.removeprefix(" ").replace("\ufeff", "").removeprefix("BOM")
    return _ESCAPED.sub(lambda m: chr(int(m[1], 8)), plain) if "#0" in plain else plain


def errors(shape: str) -> Search | None:
    return None


FORMAT = LogFormat("syslog", shape, parser, errors)

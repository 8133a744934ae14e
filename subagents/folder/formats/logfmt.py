"""Logs in logfmt: `key=value key="quoted value"` pairs, whatever their order. Lines without a time continue."""

from __future__ import annotations

import re

from subagents.folder import expressions, layouts, levels, times
from subagents.folder.formats.json_lines import plan, record
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search

_PAIR = re.compile(  # sought where a run of a key's characters begins, not within one: that would take its square
    r'(?<![\w.@/-])[\d./-]*+([A-Za-z_@][\w.@/-]*+)=("[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s"]*+)', re.ASCII
)
_ERRORS = re.compile(rb"=\"?+" + levels.ERROR_VALUE)
_NAME = re.compile(rb'([A-Za-z_@][\w.@/-]*+)=(?:"(?:[^"\\]|\\.)*+"|[!#-~]*+)(?: |$)')
_VALUE = rb'(?:"(?:[^"\\]|\\.)*+"|[!#-~]*+)'
_KEPT = rb'("[^"\\]*+"|[!#-~]*+)'
_SERVICE = rb'("[^"\\]++"|[!#-~]++)'
_TIME = b'(?P<quote>")?+(?:' + layouts.ISO + b"|" + layouts.EPOCH + b')(?(quote)")'


def pairs(line: str) -> dict[str, str]:
    """The pairs of a line that begins with one; {} where it doesn't."""
    first = _PAIR.match(line) if "=" in line[:64] else None
    if first is None or first.start(1):
        return {}
    out: dict[str, str] = {}
    for key, value in _PAIR.findall(line):
        out.setdefault(key, _plain(value))
    return out


def _plain(value: str) -> str:
    if value[:1] != '"':
        return value
    text = value[1:-1]
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\") if "\\" in text else text


def shape(lines: list[str]) -> str | None:
    found = sum(1 for line in lines if len(p := pairs(line)) >= 3 and _timed(p))
    return "field" if found and found * 20 >= len(lines) else None


def _timed(found: dict[str, str]) -> bool:
    rec = record(dict(found), "field", "", times.Clock())
    return rec is not None and times.parse(rec.at) is not None


def parser(hints: Hints) -> LineParser:
    default, clock = hints.service, hints.clock

    def read(line: str) -> Rec | None:
        found = pairs(line)
        return record(found, "field", default, clock) if len(found) >= 2 else None

    return read


def errors(shape: str) -> Search | None:
    return levels.hits(_ERRORS)


def alike(shape: str, line: bytes) -> re.Pattern[bytes] | None:
    """The same keys in the same order, one space between the pairs."""
    raw = _names(line)
    names = [name.decode() for name in raw]
    p = plan(tuple(names))
    if p.time is None or len(names) < 2 or len(names[0]) > 60:
        return None
    values = {p.time: _TIME, p.level: _KEPT, p.code: _KEPT, p.service: _SERVICE}
    return re.compile(b" ".join(re.escape(f"{name}=".encode()) + values.get(name, _VALUE) for name in names))


def _names(line: bytes) -> list[bytes]:
    """The keys of a line of nothing but pairs; [] where it holds anything else."""
    names, at = [], 0
    while at < len(line):
        pair = _NAME.match(line, at)
        if pair is None:
            return []
        names.append(pair.group(1))
        at = pair.end()
    return names


FORMAT = LogFormat("logfmt", shape, parser, errors, alike, native=b'="?' + expressions.VALUE)

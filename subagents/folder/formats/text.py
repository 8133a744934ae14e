"""Log lines that begin with a timestamp (log4j, logback, Python's logging, nginx and Apache error logs, klog …).

At most a short prefix may stand before the time. Whatever follows without a time (stack traces, dumps) belongs to
the line before it. The shape is the number of tokens that stand before the time.
"""

from __future__ import annotations

import re

from subagents.folder import layouts, levels, times
from subagents.folder.formats.heads import Heads
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search

_STAMP = "|".join(
    (times.ISO, times.COMPACT, times.SHORT_YEAR, times.CLF, times.CTIME, times.RFC2822, times.YEARLESS, times.EPOCH)
)
_START = r"^(?:\x1b\[[\d;]*[A-Za-z])*[\[\"'<(]?"
_HEADS = [
    re.compile(_START + r"(?:[^\s]+[ \t]+){" + str(n) + r"}[\[\"'<(]?(" + _STAMP + r")[\]\"'>)]?[ \t:,|-]*(.*)$")
    for n in range(4)
]
_KLOG = re.compile(r"^([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d\.\d+) +(\d+) (\S+?)\] (.*)$")
_ANSI = re.compile(r"\x1b\[[\d;]*[A-Za-z]")
_LOGGER = re.compile(r"^\s*(?:\[[^\]]*\]\s*)*([A-Za-z_][\w$]*(?:[.#][\w$]+)+)\s*(?:[-:|]+|\[[^\]]*\]\s*[-:]?)\s")
_APP = re.compile(r"\b(?:service|app|svc)=([\w.-]+)")
_ALIKE = re.compile(
    rb"[\[\"'<(]?" + layouts.ISO + rb"(?!\d)([\t -<>-~]{0,40}?" + levels.WORD.pattern.encode() + rb")(?![\x80-\xff])"
    rb"(?:[^=\x1b]*+(?<!service)(?<!app)(?<!svc)=)*+[^=\x1b]*+"
)


def shape(lines: list[str]) -> str | None:
    if any(_KLOG.match(line) for line in lines[:5]):
        return "klog"
    counts = [sum(1 for line in lines if head.match(_ANSI.sub("", line))) for head in _HEADS]
    best = max(range(len(counts)), key=lambda n: counts[n])
    early = any(_HEADS[best].match(_ANSI.sub("", line)) for line in lines[:10])
    return str(best) if counts[best] and (early or counts[best] * 10 >= len(lines)) else None


def parser(hints: Hints) -> LineParser:
    default, near = hints.service, hints.near
    if hints.shape == "klog":
        return lambda line: _klog(line, default, near)
    head = _HEADS[int(hints.shape or "0")]

    def read(line: str) -> Rec | None:
        if "\x1b" in line:
            line = _ANSI.sub("", line)
        match = head.match(line)
        if match is None:
            return None
        rest = match.group(2)
        at = times.parse(match.group(1), near)
        word = levels.WORD.search(rest, 0, 64)
        level = levels.level(word.group(1)) if word else "unknown"
        if level == "unknown" and match.start(1) > 1:  # `ERROR 2026-11-29 …`
            before = levels.WORD.search(line, 0, match.start(1))
            level = levels.level(before.group(1)) if before else "unknown"
        app = _APP.search(rest, 0, 400)
        fields = {"logger": name.group(1)} if (name := _LOGGER.match(_after(rest, word))) else None
        return Rec(at, app.group(1) if app else default, level, _message(rest, word), "", fields)

    return read


def _after(rest: str, word: re.Match[str] | None) -> str:
    return rest[word.end() :].lstrip("]>):, \t") if word else rest


def _message(rest: str, word: re.Match[str] | None) -> str:
    """The text after the level where the level leads; a level in mid-sentence is part of the message."""
    return _after(rest, word) if word and word.start() <= 24 else rest


def _klog(line: str, default: str, near: float | None) -> Rec | None:
    match = _KLOG.match(line)
    if match is None:
        return None
    letter, month, day, hour, minute, second, _, where, message = match.groups()
    at = times.yearless(int(month), int(day), int(hour), int(minute), float(second), near)
    return Rec(at, default, levels.level(letter), message, "", {"where": where})


def errors(shape: str) -> Search | None:
    if shape == "klog":
        return None
    return Heads(_ALIKE) if shape == "0" else levels.error_words


def alike(shape: str, line: bytes) -> re.Pattern[bytes] | None:
    """Lines that begin with the time, with a level near it, that don't say whose they are."""
    return _ALIKE if shape == "0" and _ALIKE.fullmatch(line) else None


FORMAT = LogFormat("timestamped text", shape, parser, errors, alike)

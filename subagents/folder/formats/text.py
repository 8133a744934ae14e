"""Log lines that begin with a timestamp (log4j, logback, Python's logging, nginx and Apache error logs, klog …).

At most a short prefix may stand before the time. Whatever follows without a time (stack traces, dumps) belongs to
the line before it. The shape is the number of tokens before the time (4: they are parted by `::` or `|`), and "l"
where one letter tells the level.
"""

from __future__ import annotations

import re

from subagents.folder import layouts, levels, times
from subagents.folder.formats.heads import Heads
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search

_STAMP = "|".join(
    (
        times.ISO,
        times.COMPACT,
        times.TAI64,
        times.SHORT_YEAR,
        times.CLF,
        times.CTIME,
        times.RFC2822,
        times.YEARLESS,
        times.EPOCH,
    )
)
_START = r"^(?:\x1b\[[\d;]*[A-Za-z])*[\[\"'<(]?"
_HEADS = [
    re.compile(_START + r"(?:[^\s]+[ \t]+){" + str(n) + r"}[\[\"'<(]?(" + _STAMP + r")[\]\"'>)]?[ \t:,|-]*(.*)$")
    for n in range(4)
]
_HEADS.append(
    re.compile(_START + r"(?:[^\s:|]+(?:::|\|)){1,3}(" + _STAMP + r")(?:::|\|)?(.*)$")
)  # `main::INFO::TIME::`
_KLOG = re.compile(r"^([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d\.\d+) +(\d+) (\S+?)\] (.*)$")
_ANSI = re.compile(r"\x1b\[[\d;]*[A-Za-z]")
_LETTER = re.compile(r"\s*(?:[\[(]?[0-9A-Fa-f]{2,}[\])]?\s+){1,2}([IWEFDV])[\s/]")  # `4711 E tag`: Android, C++
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
    if not counts[best] or not (early or counts[best] * 10 >= len(lines)):
        return None
    matches = [match for line in lines if (match := _HEADS[best].match(_ANSI.sub("", line)))]
    return f"{best}l" if any(_LETTER.match(match.group(2)) for match in matches[:10]) else str(best)


def parser(hints: Hints) -> LineParser:
    default, clock = hints.service, hints.clock
    if hints.shape == "klog":
        return lambda line: _klog(line, default, clock)
    head, letters = _HEADS[int(hints.shape[:1] or "0")], hints.shape.endswith("l")

    def read(line: str) -> Rec | None:
        if "\x1b" in line:
            line = _ANSI.sub("", line)
        match = head.match(line)
        if match is None:
            return None
        rest = match.group(2)
        at = times.parse(match.group(1), clock)
        level, word = _level(line, rest, match.start(1), letters)
        app = _APP.search(rest, 0, 400)
        fields = {"logger": name.group(1)} if (name := _LOGGER.match(_after(rest, word))) else None
        return Rec(at, app.group(1) if app else default, level, _message(rest, word), "", fields)

    return read


def _level(line: str, rest: str, start: int, letters: bool) -> tuple[str, re.Match[str] | None]:
    """The level near the time, and the word after it that says so, if one does."""
    before = levels.WORD.search(line, 0, start) if start > 1 else None  # `ERROR 2026-11-29 …`
    word = levels.WORD.search(rest, 0, 64)
    if before and (word is None or not line[before.end() : start].strip(":|[ ")):
        return levels.level(before.group(1)), None
    if letters and (letter := _LETTER.match(rest)):
        return levels.level(letter.group(1)), None
    if word:
        return levels.level(word.group(1)), word
    return levels.paired(rest), None


def _after(rest: str, word: re.Match[str] | None) -> str:
    return rest[word.end() :].lstrip("]>):, \t") if word else rest


def _message(rest: str, word: re.Match[str] | None) -> str:
    """The text after the level where the level leads; a level in mid-sentence is part of the message."""
    return _after(rest, word) if word and word.start() <= 24 else rest


def _klog(line: str, default: str, clock: times.Clock) -> Rec | None:
    match = _KLOG.match(line)
    if match is None:
        return None
    letter, month, day, hour, minute, second, _, where, message = match.groups()
    at = times.yearless(int(month), int(day), int(hour), int(minute), float(second), clock)
    return Rec(at, default, levels.level(letter), message, "", {"where": where})


def errors(shape: str) -> Search | None:
    if shape == "klog" or shape.endswith("l"):
        return None
    return Heads(_ALIKE) if shape == "0" else levels.error_words


def alike(shape: str, line: bytes) -> re.Pattern[bytes] | None:
    """Lines that begin with the time, with a level near it, that don't say whose they are."""
    return _ALIKE if shape == "0" and _ALIKE.fullmatch(line) else None


FORMAT = LogFormat("timestamped text", shape, parser, errors, alike)

"""Log lines that begin with a timestamp (log4j, logback, Python's logging, nginx and Apache error logs, klog …).

At most a short prefix may stand before the time. Whatever follows without a time (stack traces, dumps) belongs to
the line before it. The shape is the number of tokens before the time ("p": they are parted by `::` or `|`), "l" where
one letter tells the level, and "d" or "m" where numeric dates have the day or the month first.
"""

from __future__ import annotations

import re

from subagents.folder import colours, expressions, layouts, levels, spellings, times
from subagents.folder.formats.heads import Heads
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search

_STAMP = "|".join(
    (times.ISO, times.TAI64, times.CLF, times.CTIME, times.RFC2822, times.YEARLESS, spellings.PATTERN, times.EPOCH)
)
_START = rf"^(?:{colours.ONE})*+(?:####)?[\[\"'<(]?"
_HEADS = {
    str(n): re.compile(_START + r"(?:\S++[ \t]++){" + str(n) + r"}[\[\"'<(]?(" + _STAMP + r")[\]\"'>)]?[ \t:,|-]*(.*)$")
    for n in range(5)
}
_HEADS["p"] = re.compile(  # `main::INFO::TIME::`
    _START + r"(?:[^\s:|]++(?:::|\|)){1,3}(" + _STAMP + r")(?:::|\|)?(.*)$"
)
_EVER = times.Clock(near=4e9)
_KLOG = re.compile(r"^([IWEF])(\d{4})?(\d\d)(\d\d) (\d\d):(\d\d):(\d\d\.\d+) +(\d+) (\S+?)\] (.*)$")
_LETTER = re.compile(r"\s*(?:[\[(]?[0-9A-Fa-f]{2,}[\])]?\s+){1,2}([IWEFDV])[\s/]")  # `4711 E tag`: Android, C++
_ALONE = re.compile(r"\s*(?:\[[^\]]*\] ?)?[\[(]?([IWEFDV])[\])]? ")  # `I NETWORK`, `[app] [I]`
_FIRST = re.compile(r"([IWEFDV])[ ,] ?\[?\d")  # cupsd
_UNSAID = re.compile(r"(?:\[[^\]]*+\]?+|<[^>]*+>?+|\([^)]*+\)?+|[\W\d_])*+")  # ids, threads: no words of a sentence
_LATE = re.compile(r": (?i:(panic|fatal|critical|error|warning))(?=: )")  # `… postfix/qmgr[7]: warning: …`
_ORDERS = {"d": "day", "m": "month"}
_LOGGER = re.compile(r"^\s*(?:\[[^\]]*\]\s*)*([A-Za-z_][\w$]*(?:[.#][\w$]+)+)\s*(?:[-:|]+|\[[^\]]*\]\s*[-:]?)\s")
_APP = re.compile(r"\b(?:service|app|svc)=([\w.-]+)")
_ALIKE = re.compile(
    rb"[\[\"'<(]?" + layouts.ISO + rb"(?!\d)([\t -<>-~]{0,40}?" + levels.WORD.pattern.encode() + rb")(?![\x80-\xff])"
    rb"(?:[^=\x1b]*+(?<!service)(?<!app)(?<!svc)=)*+[^=\x1b]*+"
)


def shape(lines: list[str]) -> str | None:
    if any(_KLOG.match(line) for line in lines[:10]):
        return "klog"
    plain = [colours.plain(line) for line in lines]
    found = {name: [m for line in plain if (m := _timed(head, line))] for name, head in _HEADS.items()}
    best = max(found, key=lambda name: len(found[name]))
    early = any(_timed(_HEADS[best], line) for line in plain[:10])
    if not found[best] or not (early or len(found[best]) * 10 >= len(lines)):
        return None
    order = spellings.order(m.group(1) for m in found[best])
    return best + ("l" if _lettered(found[best]) else "") + order[:1]


def _timed(head: re.Pattern[str], line: str) -> re.Match[str] | None:
    match = head.match(line)
    return match if match and times.parse(match.group(1), _EVER) is not None else None


def _lettered(heads: list[re.Match[str]]) -> bool:
    """Whether a letter tells the level: before the time, right after it in every line, or after ids in one."""
    if any(_LETTER.match(m.group(2)) for m in heads[:10]):
        return True
    alone = [_ALONE.match(m.group(2)) or _FIRST.match(m.string) for m in heads]
    return len(alone) > 1 and all(alone)


def parser(hints: Hints) -> LineParser:
    default, clock = hints.service, hints.clock
    if hints.shape == "klog":
        return lambda line: _klog(line, default, clock)
    head, letters = _HEADS[hints.shape[:1] or "0"], "l" in hints.shape[1:]
    clock = clock._replace(order=_ORDERS.get(hints.shape[-1:], "") if len(hints.shape) > 1 else "")

    def read(line: str) -> Rec | None:
        line = colours.plain(line)
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
    if letters and (letter := _LETTER.match(rest) or _ALONE.match(rest) or _FIRST.match(line)):
        return levels.level(letter.group(1)), None
    if word:
        return levels.level(word.group(1)), word
    late = _LATE.search(rest, 0, 200)
    return levels.level(late.group(1)) if late else levels.paired(rest), None


def _after(rest: str, word: re.Match[str] | None) -> str:
    return rest[word.end() :].lstrip("]>):, \t") if word else rest


def _message(rest: str, word: re.Match[str] | None) -> str:
    """The text after the level where the level leads; a level in mid-sentence is part of the message."""
    leads = word and word.start() <= 24 and (word.group(1).isupper() or _UNSAID.fullmatch(rest, 0, word.start()))
    return _after(rest, word) if leads else rest


def _klog(line: str, default: str, clock: times.Clock) -> Rec | None:
    match = _KLOG.match(line)
    if match is None:
        return None
    letter, year, month, day, hour, minute, second, _, where, message = match.groups()
    if year:
        at = times.parse(f"{year}-{month}-{day} {hour}:{minute}:{second}", clock)
    else:
        at = times.yearless(int(month), int(day), int(hour), int(minute), float(second), clock)
    return Rec(at, default, levels.level(letter), message, "", {"where": where})


def errors(shape: str) -> Search | None:
    if shape == "klog" or "l" in shape[1:]:
        return None
    return Heads(_ALIKE) if shape == "0" else levels.error_words


def alike(shape: str, line: bytes) -> re.Pattern[bytes] | None:
    """Lines that begin with the time, with a level near it, that don't say whose they are."""
    return _ALIKE if shape == "0" and _ALIKE.fullmatch(line) else None


FORMAT = LogFormat("timestamped text", shape, parser, errors, alike, native=expressions.WORDS)

"""Levels of every logging system as six: fatal, error, warn, info, debug, unknown.

Sources: syslog severities (RFC 5424 section 6.2.1), bunyan/pino numbers, OpenTelemetry severity numbers, klog letters.
"""

from __future__ import annotations

import re
from functools import lru_cache

from subagents.folder.records import Search

_WORDS = {
    "fatal": "fatal emerg emergency panic dpanic alert crit critical f c ftl 致命 严重 紧急",
    "error": "error err severe e failure failed fail errors erro 错误",
    "warn": "warn warning w wrn 警告 告警",
    "info": "info information informational notice note i inf log ok normal audit http 信息 通知 提示",
    "debug": "debug trace verbose fine finer finest d t v dbg vrb trc silly debug1 debug2 debug3 debug4 debug5 "
    "调试 跟踪",
}
_CHINESE = ("致命", "严重", "紧急", "错误")  # those of `_WORDS` that say error or fatal
_BY_WORD = {word: level for level, words in _WORDS.items() for word in words.split()}
_MONOLOG: dict[float, str] = {
    100: "debug", 200: "info", 250: "info", 300: "warn", 400: "error", 500: "fatal", 550: "fatal", 600: "fatal",
}  # fmt: skip
_DIGITS = 18
SYSLOG = ("fatal", "fatal", "fatal", "error", "warn", "info", "info", "debug")

WORD = re.compile(
    r"\b(TRACE|DEBUG\d?|FINEST|FINER|FINE|VERBOSE|INFO|INFORMATION|NOTICE|WARN|WARNING|ERROR|ERR|SEVERE|CRITICAL|CRIT"
    r"|ALERT|EMERG|EMERGENCY|FATAL|PANIC|Trace|Debug|Info|Information|Notice|Note|Warn|Warning|Error|Critical|Fatal"
    r"|INF|WRN|FTL|DBG|VRB|TRC|ERRO|错误|警告|信息|调试|严重|致命|紧急|告警|通知|提示"
    r"|trace|debug\d?|verbose|info|notice|warn|warning|error|err|crit|critical|alert|emerg|fatal|panic)\b"
)
_OFFSET = re.compile(r"[+-]\d+$")  # slog: `ERROR+2`
_PAIR = re.compile(r"\b(?:level|lvl|severity|loglevel)[=:] ?\"?([A-Za-z]+)\b")
# The beginning of every value of level error or fatal, in any case: for a byte search over whole files.
# (err severe fail fatal ftl emerg panic dpanic alert crit; the letters E F C; bunyan's and pino's 50 and 60; the
# Chinese words; JSON may escape any letter.)
ERROR_VALUE = (
    rb"(?:[EeFfSsPpDdAaCc56\\](?:[Rr][RrIi\\]|(?<=[FfPp])[Aa][TtIiNn\\]|[Ee][Vv\\]|[Mm][Ee\\]|[Ll][Ee\\]"
    rb"|(?<=[Ff])[Tt][Ll\\]|(?<=[Dd])[Pp][Aa\\]|\\|0?[\"\s,}.]|(?<=5)[eE])|" + "|".join(_CHINESE).encode() + b")"
)
# What every word of `WORD` that says error or fatal contains, without case.
ERROR_WORDS = (b"err", b"severe", b"crit", b"alert", b"emerg", b"fatal", b"panic", b"ftl")
ERROR_CHINESE = tuple(word.encode() for word in _CHINESE)
_COLOURS = re.compile(rb"(?:\x1b\[[\d;]*+[A-Za-z])++")


@lru_cache(maxsize=1024)
def level(value: str | int | float | None) -> str:
    """The level of a word or number; "unknown" where it says nothing."""
    if value is None or isinstance(value, bool):
        return "unknown"
    if isinstance(value, int | float):
        return _number(value)
    word = value.strip().strip("[]<>:()【】：").lower()
    if (said := digits(word)) is not None:
        return _number(said)
    return _BY_WORD.get(word) or _BY_WORD.get(_OFFSET.sub("", word), "unknown")


def digits(text: str) -> int | None:
    """The number that a few digits say; None for other text, and for so many that they are no level or status."""
    return int(text) if len(text) <= _DIGITS and text.isascii() and text.isdecimal() else None


def words(wanted: str) -> tuple[str, ...]:
    """The words of more than one letter that are read as this level."""
    return tuple(word for word, found in _BY_WORD.items() if found == wanted and len(word) > 1)


def _number(value: float) -> str:
    """0-7 syslog, 10-60 bunyan and pino. (OpenTelemetry's 1-24 come with a text beside them; 9-24 are told here.)"""
    if value < 8:
        return SYSLOG[int(value)] if value >= 0 else "unknown"
    if value in _MONOLOG:
        return _MONOLOG[value]
    if value in (10, 20, 30, 40, 50, 60):
        return {10: "debug", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal"}[int(value)]
    if value <= 24:
        return ("debug", "info", "warn", "error", "fatal")[min(4, max(0, (int(value) - 5) // 4))]
    return "unknown"


def hits(pattern: re.Pattern[bytes]) -> Search:
    """The search for a byte pattern."""
    return lambda block: [found.start() for found in pattern.finditer(block)]


def _split_words(block: bytes) -> list[int]:
    """Where colours stand between two letters: a word may be split by them."""
    found = (colour.span() for colour in _COLOURS.finditer(block))
    return [at for at, end in found if block[max(at - 1, 0) : at].isalpha() and block[end : end + 1].isalpha()]


def error_words(block: bytes) -> list[int]:
    """The first place in each line for each word that says error or fatal."""
    folded = block.lower()
    places = _split_words(block) if b"\x1b" in block else []
    for word in ERROR_WORDS if block.isascii() else (*ERROR_WORDS, *ERROR_CHINESE):
        at = folded.find(word)
        while at >= 0:
            places.append(at)
            at = folded.find(word, folded.find(b"\n", at))
    return sorted(places)


def labelled(message: str) -> str:
    """The level that a text's first words state: `ERROR …`, `error: …`, `[warn] …` do; "no error found" doesn't."""
    match = WORD.search(message, 0, 60)
    if match:
        word, after = match.group(1), message[match.end() : match.end() + 1]
        if (
            word.isupper()
            or after in (":", "]", "=", ">", "：", "】")
            or (match.start() == 0 and not word[0].isupper())
        ):
            return level(word)
    return paired(message)


def paired(message: str) -> str:
    """The level of a `level=…` among a text's first words."""
    pair = _PAIR.search(message, 0, 400)
    return level(pair.group(1)) if pair else "unknown"


def of_status(code: str) -> str:
    """The level of an HTTP status: 5xx error, 4xx warn, the rest info."""
    return {"5": "error", "4": "warn"}.get(code[:1], "info") if len(code) == 3 and code.isdigit() else "unknown"

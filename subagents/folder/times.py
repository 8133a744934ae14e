"""Timestamps of machines as seconds since 1970 UTC. A time without an offset is read as UTC.

Not for people's words ("yesterday"): that is `orchestrator/when.py`. Nothing here reads a clock; a year that a
timestamp lacks comes from `near`, the time that the record must lie close before.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: n for n, name in enumerate(_NAMES.split(" "), 1)}
_ZONES = {"": 0, "Z": 0, "z": 0, "UTC": 0, "GMT": 0, "CET": 3600, "CEST": 7200, "EST": -18000, "EDT": -14400,
          "CST": -21600, "CDT": -18000, "PST": -28800, "PDT": -25200}  # fmt: skip
_DAY = 86_400.0

ISO = (
    r"\d{4}[-/.]\d\d[-/.]\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    r"(?: ?(?:Z|z|UTC|GMT|CES?T|[ECP][SD]T)(?![A-Za-z])| ?[+-]\d\d:?\d\d(?!\d))?"
)
COMPACT = r"\d{8}[.T]\d{6}(?:[.,]\d{1,9})?Z?|\d{4}-\d{3}T\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
SHORT_YEAR = r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
CLF = r"\d\d?/[A-Z][a-z]{2}/\d{4}[: ]\d\d:\d\d:\d\d(?:\.\d+)?(?: ?[+-]\d{4})?"
CTIME = r"[A-Z][a-z]{2},? [A-Z][a-z]{2} +\d\d? \d\d:\d\d:\d\d(?:[.,]\d+)? (?:[A-Z]{3,4} )?\d{4}(?: [+-]\d{4})?"
RFC2822 = r"(?:[A-Z][a-z]{2}, )?\d\d? [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d(?:\.\d+)?(?: (?:[+-]\d{4}|GMT|UTC))?"
YEARLESS = r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
EPOCH = r"\d{10}(?:\.\d{1,9}|\d{3}(?:\d{3}(?:\d{3})?)?)?(?![\d.])"

_ISO = re.compile(
    r"(\d{4})[-/.](\d\d)[-/.](\d\d)(?:[T _](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?"
    r"(?: ?(Z|z|[A-Z]{3,4}(?![A-Za-z])|[+-]\d\d(?::?\d\d)?(?!\d)))?"
)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)[.T](\d\d)(\d\d)(\d\d)(?:[.,](\d{1,9}))?Z?")
_YDAY = re.compile(r"(\d{4})-(\d{3})T(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?")
_SHORT_YEAR = re.compile(r"(\d\d)/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?")
_NAMED = re.compile(
    r"(?:[A-Z][a-z]{2},? )?(?:(\d\d?)[ /]([A-Z][a-z]{2})|([A-Z][a-z]{2}) +(\d\d?))(?:[ /](\d{4}))?"
    r"[ :](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?: ([A-Z]{3,4}))?(?: (\d{4}))?(?: ?([+-]\d\d:?\d\d))?"
)
_EPOCH = re.compile(r"-?\d{9,19}(?:\.\d+)?(?:e\d+)?")


def parse(value: object, near: float | None = None) -> float | None:
    """Seconds since 1970 of a string or number in any usual spelling; None where it isn't a time."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _magnitude(float(value))
    if not isinstance(value, str):
        return None
    text = value.strip().strip("[]\"'")
    if match := _ISO.match(text):
        return _iso(match)
    if _EPOCH.fullmatch(text):
        return _magnitude(float(text))
    return _named(text, near) or _odd(text)


def _iso(match: re.Match[str]) -> float | None:
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    offset = _offset(zone or "")
    base = _minute(int(year), int(month), int(day), int(hour or 0), int(minute or 0))
    if base is None or offset is None:
        return None
    return base - offset + int(second or 0) + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)


@lru_cache(maxsize=8192)
def _minute(year: int, month: int, day: int, hour: int, minute: int) -> float | None:
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp()
    except ValueError:
        return None


@lru_cache(maxsize=256)
def _offset(zone: str) -> int | None:
    if zone[:1] in ("+", "-"):
        digits = zone[1:].replace(":", "").ljust(4, "0")
        seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
        return -seconds if zone[0] == "-" else seconds
    return _ZONES.get(zone, 0)


def _magnitude(number: float) -> float | None:
    """Seconds, milli-, micro- or nanoseconds, by size: 1990 … 2100 in each."""
    for unit in (1.0, 1e3, 1e6, 1e9):
        if 6.3e8 <= number / unit < 4.1e9:
            return number / unit
    return None


def _named(text: str, near: float | None) -> float | None:
    match = _NAMED.match(text)
    if match is None:
        return None
    day_a, month_a, month_b, day_b, year_a, hour, minute, second, fraction, zone, year_b, offset = match.groups()
    month = _MONTHS.get((month_a or month_b).lower())
    if month is None:
        return None
    rest = int(second) + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)
    rest -= (_offset(offset) if offset else _ZONES.get(zone or "", 0)) or 0
    year = year_a or year_b
    if year:
        base = _minute(int(year), month, int(day_a or day_b), int(hour), int(minute))
        return None if base is None else base + rest
    return yearless(month, int(day_a or day_b), int(hour), int(minute), rest, near)


def yearless(month: int, day: int, hour: int, minute: int, rest: float, near: float | None) -> float | None:
    """The last such time that isn't more than a day after `near`; None without `near`."""
    if near is None:
        return None
    year = _year(near)
    for candidate in range(year + 1, year - 9, -1):  # nine: 29 February may lie eight years back
        base = _minute(candidate, month, day, hour, minute)
        if base is not None and base + rest <= near + _DAY:
            return base + rest
    return None


@lru_cache(maxsize=64)
def _year(near: float) -> int:
    return datetime.fromtimestamp(near, UTC).year


def _odd(text: str) -> float | None:
    if match := _COMPACT.match(text):
        year, month, day, hour, minute, second, fraction = match.groups()
        base = _minute(int(year), int(month), int(day), int(hour), int(minute))
    elif match := _YDAY.match(text):
        year, yday, hour, minute, second, fraction = match.groups()
        first = _minute(int(year), 1, 1, int(hour), int(minute))
        base = None if first is None else first + timedelta(days=int(yday) - 1).total_seconds()
    elif match := _SHORT_YEAR.match(text):
        year, month, day, hour, minute, second, fraction = match.groups()
        base = _minute(2000 + int(year), int(month), int(day), int(hour), int(minute))
    else:
        return None
    return None if base is None else base + int(second) + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)


def aware(at: float) -> datetime:
    """An aware UTC datetime, exact to the microsecond."""
    return datetime.fromtimestamp(round(at, 6), UTC)


def iso(at: float) -> str:
    """`2026-11-29T14:02:10Z`; a fraction only where there is one."""
    return aware(at).isoformat().replace("+00:00", "Z")


def states_zone(text: str) -> bool:
    """Whether a timestamp says its offset (an epoch number does)."""
    return bool(re.search(r"(Z|UTC|GMT|[+-]\d\d:?\d\d)\W*$", text.strip())) or bool(_EPOCH.fullmatch(text.strip()))

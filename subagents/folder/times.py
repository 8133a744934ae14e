"""Timestamps of machines as seconds since 1970 UTC. What a timestamp lacks comes from a `Clock`: the zone of a time
without an offset (UTC where none is given), and the year, which is the last that isn't after the clock's `near`.

Not for people's words ("yesterday"): that is `orchestrator/when.py`. Nothing here reads a clock.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from subagents.folder import spellings
from subagents.folder.clocks import Clock as Clock
from subagents.folder.clocks import ahead, minute
from subagents.folder.clocks import yearless as yearless

_TAI = (1 << 62) + 10  # what multilog adds to the seconds since 1970 (libtai: no table of leap seconds)

ISO = (
    r"\d{4}[-/.]\d\d[-/.]\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d{1,9}|:\d{3}(?:\d{3})?(?!\d))?"
    r"(?: ?(?:Z|z|UTC|GMT|CES?T|[ECP][SD]T)(?![A-Za-z])| ?[+-]\d\d:?\d\d(?!\d))?"
)
CLF = r"\d\d?/[A-Z][a-z]{2}/\d{4}[: ]\d\d:\d\d:\d\d(?:\.\d+)?(?: ?[+-]\d{4})?"
CTIME = r"[A-Z][a-z]{2},? [A-Z][a-z]{2} +\d\d? \d\d:\d\d:\d\d(?:[.,]\d+)? (?:[A-Z]{3,4} )?\d{4}(?: [+-]\d{4})?"
RFC2822 = r"(?:[A-Z][a-z]{2}, )?\d\d? [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d(?:\.\d+)?(?: (?:[+-]\d{4}|GMT|UTC))?"
YEARLESS = r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
TAI64 = r"@4[0-9a-f]{15}(?:[0-9a-f]{8})?(?![0-9a-f])"
EPOCH = r"\d{10}(?:\.\d{1,9}|\d{3}(?:\d{3}(?:\d{3})?)?)?(?![\d.])"

_ISO = re.compile(
    r"(\d{4})[-/.](\d\d)[-/.](\d\d)"
    r"(?:[T _](\d\d):(\d\d)(?::(\d\d)(?:(?:[.,]|:(?=\d{3}))(\d{1,9}))?)?)?"
    r"(?: ?(Z|z|[A-Z]{3,4}(?![A-Za-z])|[+-]\d\d(?::?\d\d)?(?!\d)))?"
)
_NAMED = re.compile(
    r"(?:[A-Z][a-z]{2},? )?(?:(\d\d?)[ /]([A-Z][a-z]{2})|([A-Z][a-z]{2}) +(\d\d?))(?:[ /](\d{4}))?"
    r"[ :](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?: ([A-Z]{3,4}))?(?: (\d{4}))?(?: ?([+-]\d\d:?\d\d))?"
)
_TAI64 = re.compile(TAI64)
_HALVES = ("M", "m", ".")
_EPOCH = re.compile(r"-?\d{9,19}(?:\.\d+)?(?:e\d+)?")

_UTC = Clock()


def parse(value: object, clock: Clock = _UTC) -> float | None:
    """Seconds since 1970 of a string or number in any usual spelling; None where it isn't a time."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _magnitude(value)
    return _written(value.strip().strip("[]\"'"), clock) if isinstance(value, str) else None


def _written(text: str, clock: Clock) -> float | None:
    if text[-1:] in _HALVES or "午" in text:  # 12-hour clocks are in no other pattern
        return spellings.parse(text, clock)
    if match := _ISO.match(text):
        odd = match[4] is None and match.end() < len(text)  # a date, and then no usual time of day
        return spellings.parse(text, clock) if odd else _iso(match, clock.zone)
    if _EPOCH.fullmatch(text):
        return _magnitude(float(text))
    if text[:1] == "@" and _TAI64.fullmatch(text):
        return int(text[1:17], 16) - _TAI + (int(text[17:] or "0", 16) / 1e9)
    found = _named(text, clock)
    return spellings.parse(text, clock) if found is None else found


def _iso(match: re.Match[str], local: str) -> float | None:
    year, month, day, hour, minutes, second, fraction, zone = match.groups()
    base = minute(int(year), int(month), int(day), int(hour or 0), int(minutes or 0))
    if base is None:
        return None
    rest = int(second or 0) + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)
    return base - ahead(zone or "", local, base) + rest


def _magnitude(number: float) -> float | None:
    """Seconds, milli-, micro- or nanoseconds, by size: 1990 … 2100 in each."""
    for unit in (1.0, 1e3, 1e6, 1e9):
        if 6.3e8 * unit <= number < 4.1e9 * unit:
            return number / unit
    return None


def _named(text: str, clock: Clock) -> float | None:
    match = _NAMED.match(text)
    if match is None:
        return None
    day_a, month_a, month_b, day_b, year_a, hour, minutes, second, fraction, zone, year_b, offset = match.groups()
    month = spellings.MONTHS.get((month_a or month_b).lower())
    if month is None:
        return None
    rest = int(second) + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)
    stated, year = offset or zone or "", year_a or year_b
    if year:
        base = minute(int(year), month, int(day_a or day_b), int(hour), int(minutes))
        return None if base is None else base + rest - ahead(stated, clock.zone, base)
    return yearless(month, int(day_a or day_b), int(hour), int(minutes), rest, clock, stated)


def aware(at: float) -> datetime:
    """An aware UTC datetime, exact to the microsecond."""
    return datetime.fromtimestamp(round(at, 6), UTC)


def iso(at: float) -> str:
    """`2026-11-29T14:02:10Z`; a fraction only where there is one."""
    return aware(at).isoformat().replace("+00:00", "Z")

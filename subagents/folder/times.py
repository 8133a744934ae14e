"""Timestamps of machines as seconds since 1970 UTC. What a timestamp lacks comes from a `Clock`: the zone of a time
without an offset (UTC where none is given), and the year, which is the last that isn't after the clock's `near`.

Not for people's words ("yesterday"): that is `orchestrator/when.py`. Nothing here reads a clock.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: n for n, name in enumerate(_NAMES.split(" "), 1)}
_ZONES = {"": 0, "Z": 0, "z": 0, "UTC": 0, "GMT": 0, "CET": 3600, "CEST": 7200, "EST": -18000, "EDT": -14400,
          "CST": -21600, "CDT": -18000, "PST": -28800, "PDT": -25200}  # fmt: skip
_DAY = 86_400.0
_TAI = (1 << 62) + 10  # what multilog adds to the seconds since 1970 (libtai: no table of leap seconds)

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
TAI64 = r"@4[0-9a-f]{15}(?:[0-9a-f]{8})?(?![0-9a-f])"
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
_TAI64 = re.compile(TAI64)
_STATED = re.compile(r"(?:Z|UTC|GMT|CES?T|[ECP][SD]T|[+-]\d\d:?\d\d)\W*$")
_EPOCH = re.compile(r"-?\d{9,19}(?:\.\d+)?(?:e\d+)?")


class Clock(NamedTuple):
    """The clock that a file's times were written by. `near`: seconds since 1970 before which a date without a year
    lies (None: it can't be told); `zone`: IANA name of a time that states no offset ("" = UTC)."""

    near: float | None = None
    zone: str = ""


_UTC = Clock()


def parse(value: object, clock: Clock = _UTC) -> float | None:
    """Seconds since 1970 of a string or number in any usual spelling; None where it isn't a time."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _magnitude(float(value))
    return _written(value.strip().strip("[]\"'"), clock) if isinstance(value, str) else None


def _written(text: str, clock: Clock) -> float | None:
    if match := _ISO.match(text):
        return _iso(match, clock.zone)
    if _EPOCH.fullmatch(text):
        return _magnitude(float(text))
    if text[:1] == "@" and _TAI64.fullmatch(text):
        return int(text[1:17], 16) - _TAI + (int(text[17:] or "0", 16) / 1e9)
    found = _named(text, clock)
    return _odd(text, clock.zone) if found is None else found


def _iso(match: re.Match[str], local: str) -> float | None:
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    base = _minute(int(year), int(month), int(day), int(hour or 0), int(minute or 0))
    if base is None:
        return None
    rest = int(second or 0) + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)
    return base - _ahead(zone or "", local, base) + rest


def _ahead(stated: str, local: str, base: float) -> int:
    """Seconds by which a wall clock at `base` is ahead of UTC. A stated offset counts; the letters CST and their like
    mean what they mean in the source's own zone, where that uses them."""
    if not local or stated[:1] in ("+", "-") or stated in ("Z", "z", "UTC", "GMT"):
        return _offset(stated) or 0
    name, ahead = _local(local, base // 900 * 900)
    return ahead if stated in ("", name) else _ZONES.get(stated, ahead)


@lru_cache(maxsize=4096)
def _local(zone: str, base: float) -> tuple[str, int]:
    """(abbreviation, seconds ahead of UTC) of a zone's wall clock; in an hour that comes twice, the first one."""
    wall = datetime.fromtimestamp(base, UTC).replace(tzinfo=ZoneInfo(zone))
    return wall.tzname() or "", int((wall.utcoffset() or timedelta()).total_seconds())


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


def _named(text: str, clock: Clock) -> float | None:
    match = _NAMED.match(text)
    if match is None:
        return None
    day_a, month_a, month_b, day_b, year_a, hour, minute, second, fraction, zone, year_b, offset = match.groups()
    month = _MONTHS.get((month_a or month_b).lower())
    if month is None:
        return None
    rest = int(second) + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)
    stated, year = offset or zone or "", year_a or year_b
    if year:
        base = _minute(int(year), month, int(day_a or day_b), int(hour), int(minute))
        return None if base is None else base + rest - _ahead(stated, clock.zone, base)
    return yearless(month, int(day_a or day_b), int(hour), int(minute), rest, clock, stated)


def yearless(month: int, day: int, hour: int, minute: int, rest: float, clock: Clock, stated: str = "") -> float | None:
    """The last such time that isn't more than a day after the clock's `near`; None without one."""
    if clock.near is None:
        return None
    year = _year(clock.near)
    for candidate in range(year + 1, year - 9, -1):  # nine: 29 February may lie eight years back
        base = _minute(candidate, month, day, hour, minute)
        at = None if base is None else base + rest - _ahead(stated, clock.zone, base)
        if at is not None and at <= clock.near + _DAY:
            return at
    return None


@lru_cache(maxsize=64)
def _year(near: float) -> int:
    return datetime.fromtimestamp(near, UTC).year


def _odd(text: str, local: str) -> float | None:
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
    if base is None:
        return None
    ahead = 0 if text.endswith("Z") else _ahead("", local, base)
    return base - ahead + int(second) + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)


def aware(at: float) -> datetime:
    """An aware UTC datetime, exact to the microsecond."""
    return datetime.fromtimestamp(round(at, 6), UTC)


def iso(at: float) -> str:
    """`2026-11-29T14:02:10Z`; a fraction only where there is one."""
    return aware(at).isoformat().replace("+00:00", "Z")


def states_zone(text: str) -> bool:
    """Whether a timestamp says its offset (a number of seconds since an epoch does)."""
    stamp = text.strip()
    return bool(_STATED.search(stamp) or _EPOCH.fullmatch(stamp) or _TAI64.fullmatch(stamp))

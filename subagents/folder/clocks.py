"""The clock that a file's times were written by, and the calendar of one: wall clock and date → seconds since 1970 UTC.

It knows no spelling of a time (`times`, `spellings`) and reads no clock of this machine.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

_ZONES = {"": 0, "Z": 0, "z": 0, "UTC": 0, "GMT": 0, "CET": 3600, "CEST": 7200, "EST": -18000, "EDT": -14400,
          "CST": -21600, "CDT": -18000, "PST": -28800, "PDT": -25200}  # fmt: skip
_DAY = 86_400.0


class Clock(NamedTuple):
    """`near`: seconds since 1970 before which a date without a year lies (a date whose order can't be told, too);
    `zone`: IANA name, or offset (`+08:00`), of times that state none ("" = UTC); `order`: what comes first in
    `03/04/2026`, "day" or "month", "" where the file doesn't show it."""

    near: float | None = None
    zone: str = ""
    order: str = ""


@lru_cache(maxsize=8192)
def minute(year: int, month: int, day: int, hour: int, minutes: int) -> float | None:
    """Seconds since 1970 as if the wall clock showed UTC; None for a date that isn't in the calendar."""
    try:
        return datetime(year, month, day, hour, minutes, tzinfo=UTC).timestamp()
    except ValueError:
        return None


def ahead(stated: str, local: str, base: float) -> int:
    """Seconds by which a wall clock at `base` is ahead of UTC. A stated offset counts; the letters CST and their like
    mean what they mean in the source's own zone, where that uses them."""
    if not local or stated[:1] in ("+", "-") or stated in ("Z", "z", "UTC", "GMT"):
        return _offset(stated) or 0
    name, seconds = _local(local, base // 900 * 900)
    return seconds if stated in ("", name) else _ZONES.get(stated, seconds)


@lru_cache(maxsize=4096)
def _local(zone: str, base: float) -> tuple[str, int]:
    """(abbreviation, seconds ahead of UTC) of a zone's wall clock; in an hour that comes twice, the first one."""
    if zone[:1] in ("+", "-"):
        return "", _offset(zone) or 0
    wall = datetime.fromtimestamp(base, UTC).replace(tzinfo=ZoneInfo(zone))
    return wall.tzname() or "", int((wall.utcoffset() or timedelta()).total_seconds())


@lru_cache(maxsize=256)
def _offset(zone: str) -> int | None:
    if zone[:1] in ("+", "-"):
        digits = zone[1:].replace(":", "").ljust(4, "0")
        seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
        return -seconds if zone[0] == "-" else seconds
    return _ZONES.get(zone, 0)


def yearless(
    month: int, day: int, hour: int, minutes: int, rest: float, clock: Clock, stated: str = ""
) -> float | None:
    """The last such time that isn't more than a day after the clock's `near`; None without one."""
    if clock.near is None:
        return None
    year = _year(clock.near)
    for candidate in range(year + 1, year - 9, -1):  # nine: 29 February may lie eight years back
        base = minute(candidate, month, day, hour, minutes)
        at = None if base is None else base + rest - ahead(stated, clock.zone, base)
        if at is not None and at <= clock.near + _DAY:
            return at
    return None


def latest(found: list[float], clock: Clock) -> float | None:
    """Of a date that can be read in several ways: the last that isn't more than a day after `near`."""
    if len(found) < 2 or clock.near is None:
        return found[0] if len(found) == 1 else None
    return max((at for at in found if at <= clock.near + _DAY), default=None)


@lru_cache(maxsize=64)
def _year(near: float) -> int:
    return datetime.fromtimestamp(near, UTC).year

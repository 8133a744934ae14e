"""Mistakes in reckoning with dates: they sleep until the date changes. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from subagents.cause.values import CALENDAR

SOON = timedelta(minutes=10)  # after midnight
ASLEEP = timedelta(hours=25)
_ZONE = re.compile(r"\b[A-Z][a-z]{2,}/[A-Z]\w+\b")
ZONES = 5  # of those a text names, the first


def midnight(text: str, at: datetime, onset: datetime) -> datetime | None:
    """The midnight (of UTC, or of a zone that the text names) just before the onset, where it is the first since `at`
    and the text, lines of a change, reckons with dates."""
    if not CALENDAR.search(text):
        return None
    for zone in (UTC, *zones(text)):
        local = onset.astimezone(zone)
        night = local.replace(hour=0, minute=0, second=0, microsecond=0)
        if local - night <= SOON and at.astimezone(zone) < night and onset - at <= ASLEEP:
            return night.astimezone(UTC)
    return None


def zones(text: str) -> list[ZoneInfo]:
    """The time zones that a text names (`Europe/Berlin`)."""
    found = []
    for name in list(dict.fromkeys(_ZONE.findall(text)))[:ZONES]:
        try:
            found.append(ZoneInfo(name))
        except (ZoneInfoNotFoundError, ValueError):
            continue
    return found

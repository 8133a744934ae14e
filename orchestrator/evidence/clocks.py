"""Which dates and clock times stand in the evidence, the window or the question, in every zone that counts.

A time is known as it was written, in UTC and in the asker's zone. It deliberately doesn't read relative times:
`when.py` does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from orchestrator.contracts import Evidence, Window
from orchestrator.evidence.prose import MONTHS, NAMES

_STAMP = re.compile(
    r"(\d\d\d\d)[-/](\d\d)[-/](\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d++)?)?\s?(Z|UTC|[+-]\d\d:?\d\d)?)?"
)
_BARE = re.compile(r"(\d(?<![\d:T.+-].)(?:(?<=[0-2])\d)?):([0-5]\d)(?::([0-5]\d))?(?!\d|:\d)")
_PM = ("下午", "晚上", "晚", "傍晚", "昨晚", "今晚")
_LONG = 400  # days of a window whose dates are all known


def zone_of(window: Window | None) -> tzinfo:
    try:
        return ZoneInfo(window.zone) if window else UTC
    except (KeyError, ValueError, OSError):
        return UTC


def stamps(text: str, zone: tzinfo) -> set[datetime]:
    """The instants written out in a text; one without an offset is taken as UTC. Impossible ones are left out."""
    found = set()
    for y, mo, d, h, mi, s, offset in _STAMP.findall(text):
        written = f"{y}-{mo}-{d}T{h or '00'}:{mi or '00'}:{s or '00'}{'' if offset in ('Z', 'UTC', '') else offset}"
        try:
            at = datetime.fromisoformat(written)
            found.add(at if at.tzinfo else at.replace(tzinfo=UTC))
            at.astimezone(zone)
        except (ValueError, OverflowError):
            continue
    return found


def clock_of(m: re.Match[str], text: str) -> tuple[int, int, int | None, bool]:
    """Hour, minute, second and whether only the hour was said, of a `clock` match of `prose.NAMES`."""
    hour = int(m["h"] or m["h2"] or m["h3"])
    half = (m["ap"] or m["ap3"] or "").lower()
    before = text[max(0, m.start() - 3) : m.start()].rstrip()
    if (half == "p" or before.endswith(_PM)) and hour < 12:
        hour += 12
    minute = int(m["min"] or m["min2"] or (30 if m["half"] else 0))
    only_hour = not (m["min"] or m["min2"] or m["half"])
    return hour % 24, minute, int(m["s"]) if m["s"] else None, only_hour


def day_of(m: re.Match[str]) -> tuple[int, int] | None:
    """Month and day of a `date` match of `prose.NAMES`; None where only a year or a month was said."""
    month, day = next(((m[f"m{i}"], m[f"d{i}"]) for i in ("", 2, 3, 4, 5, 6) if m[f"m{i}"]), ("", ""))
    if not month:
        return None
    return (int(month) if month.isdecimal() else MONTHS.index(month[:3].lower()) + 1), int(day)


class Times:
    """All that is known: `clock(…)` and `date(…)` say whether a match of `prose.NAMES` is. What is `said` is read only
    as far as it is needed for that."""

    def __init__(self, said: Iterable[str], windows: Iterable[Window], window: Window | None, question: str) -> None:
        self._zone = zone_of(window)
        day = window.start.replace(tzinfo=None) if window else datetime(2000, 1, 1)
        self._shift = self._zone.utcoffset(day) or timedelta()
        self._clocks: set[tuple[int, int | None, int | None]] = set()
        self._days: set[tuple[int, int]] = set()
        for at in {at for w in (window, *windows) if w for at in (w.start, w.end)}:
            self._add(at)
        self._ask(question)
        self._add_span(window)
        self._unread = iter(said)

    def clock(self, m: re.Match[str], text: str) -> bool:
        hour, minute, second, only_hour = clock_of(m, text)
        sought = (hour, None, None) if only_hour else (hour, minute, second)
        return self._until(lambda: sought in self._clocks)

    def date(self, m: re.Match[str]) -> bool:
        """Known by month and day (a year alone always is)."""
        day = day_of(m)
        return day is None or self._until(lambda: day in self._days)

    def _until(self, known: Callable[[], bool]) -> bool:
        while not known():
            text = next(self._unread, None)
            if text is None:
                return False
            for at in stamps(text, self._zone):
                self._add(at)
            for h, mi, s in _BARE.findall(text):
                self._add_bare(int(h), int(mi), int(s) if s else None)
        return True

    def _add(self, at: datetime) -> None:
        self._days |= {(at.month, at.day)}
        for zone in (UTC, self._zone, at.tzinfo):
            try:
                local = at.astimezone(zone)
            except (OverflowError, ValueError):
                continue
            self._know(local.hour, local.minute, local.second)
            self._days.add((local.month, local.day))
            if (local.minute, local.second) == (0, 0):  # a bucket by the hour ends an hour later
                self._know((local.hour + 1) % 24, 0, 0)

    def _add_bare(self, hour: int, minute: int, second: int | None) -> None:
        """A time of day without a date: UTC or the asker's, nobody says which."""
        for by in (timedelta(), self._shift, -self._shift) if hour < 24 else ():
            local = datetime(2000, 1, 2, hour, minute, second or 0) + by
            self._know(local.hour, local.minute, second)

    def _ask(self, question: str) -> None:
        for m in NAMES.finditer(question):
            if m.lastgroup == "clock":
                hour, minute, second, _ = clock_of(m, question)
                self._add_bare(hour, minute, second)
            elif m.lastgroup and (day := day_of(m)):
                self._days.add(day)

    def _know(self, hour: int, minute: int, second: int | None) -> None:
        self._clocks |= {(hour, None, None), (hour, minute, None), (hour, minute, second or 0)}

    def _add_span(self, window: Window | None) -> None:
        if window and (window.end - window.start).days <= _LONG:
            first = window.start.astimezone(self._zone)
            for n in range((window.end - window.start).days + 2):
                day = min(first + timedelta(days=n), window.end.astimezone(self._zone))
                self._days.add((day.month, day.day))


def everything(e: Evidence) -> str:
    """All that one piece of evidence says, as text: result, query, arguments, data and the labels of its figures."""
    labels = [dict(f.labels) for f in e.result.figures]
    data = json.dumps([e.args, e.result.data, labels], ensure_ascii=False, default=str)  # ", ": "50,512" is a number
    return "\n".join((e.result.text, e.result.query, *e.result.gaps, data))

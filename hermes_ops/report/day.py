"""Which stretch of time a report is about, on the clock of its team: a local day, a week, a shift; and the hours in it.

A local day has 23 or 25 hours where the clock is changed. Pure: the caller says what time it is, and which days are
worked. It knows no source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hermes_ops.report.model import Kind
from orchestrator import when
from orchestrator.contracts import Window
from orchestrator.errors import ConfigError

IsWorkday = Callable[[date], bool]

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
LONGEST = timedelta(days=32)  # of a window that is asked for by words
LIKE = 14  # days that a like day is looked for in
_STEP = timedelta(minutes=15)  # no zone is shifted by less


def weekdays(day: date) -> bool:
    """Monday to Friday: the workdays of a team that lists none."""
    return day.weekday() < 5


def local_day(day: date, zone: str, said: str = "") -> Window:
    tz = ZoneInfo(zone)
    start, end = (datetime.combine(d, time(), tz).astimezone(UTC) for d in (day, day + DAY))
    return Window(start, end, zone, said)


def date_of(window: Window) -> date:
    """The local date it begins on."""
    return window.start.astimezone(ZoneInfo(window.zone)).date()


def week_of(day: date, zone: str, said: str = "") -> Window:
    """Monday to Sunday around `day`."""
    monday = day - timedelta(days=day.weekday())
    first, last = local_day(monday, zone), local_day(monday + 6 * DAY, zone)
    return Window(first.start, last.end, zone, said)


def days_of(window: Window) -> list[Window]:
    """Its local days, the last one perhaps cut short."""
    found = []
    day = date_of(window)
    while (whole := local_day(day, window.zone)).start < window.end:
        found.append(replace(whole, end=min(whole.end, window.end)))
        day += DAY
    return found


def shifted(window: Window, days: int) -> Window:
    """The same clock times so many local days before (`days` below 0) or after."""
    tz = ZoneInfo(window.zone)
    moved = [_moved(at.astimezone(tz), days, tz) for at in (window.start, window.end)]
    return Window(min(moved), max(moved), window.zone)


def _moved(at: datetime, days: int, tz: ZoneInfo) -> datetime:
    naive = at.replace(tzinfo=None) + timedelta(days=days)
    return naive.replace(tzinfo=tz, fold=at.fold).astimezone(UTC)


def like_day(window: Window, is_workday: IsWorkday) -> Window | None:
    """The latest earlier time to compare with: a workday with a workday, a day off with a day off. The day before is
    taken if it is alike, else the same weekday of last week, else the nearest of the last 14 days, else none."""
    day = date_of(window)
    worked = is_workday(day)
    for back in (1, 7, *range(2, LIKE + 1)):
        if is_workday(day - timedelta(days=back)) == worked:
            return shifted(window, -back)
    return None


def hour_start(at: datetime, tz: ZoneInfo) -> datetime:
    """Where the hour of the local clock began that `at` lies in, in UTC."""
    local = at.astimezone(tz)
    return (at - timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)).astimezone(UTC)


def hours_of(window: Window) -> tuple[datetime, ...]:
    """The hours of the local clock that it touches: 23, 24 or 25 of a day."""
    tz = ZoneInfo(window.zone)
    starts: list[datetime] = []
    at = window.start
    while at < window.end:
        start = hour_start(at, tz)
        if not starts or start > starts[-1]:
            starts.append(start)
        at += _STEP
    return tuple(starts)


def whole_hours(window: Window) -> bool:
    """Its hours begin with those of UTC, so that a source that groups by hours of UTC can count them."""
    return all(start.minute == 0 for start in hours_of(window))


# ── from words ────────────────────────────────────────────────────────────────────────────────


def asked(
    now: datetime, zone: str, date_said: str = "", window_said: str = "", week: bool = False
) -> tuple[Kind, Window]:
    """What `--date`, `--window` and `--week` mean. Nothing said: yesterday; a week: the last whole one, or that of
    `date_said`. What lies after `now` is cut off, said in `why`. Raises ConfigError."""
    today = now.astimezone(ZoneInfo(zone)).date()
    if window_said:
        return "shift", _past(_read(window_said, now, zone), now)
    day = _day(date_said, now, zone) if date_said else today - (7 if week else 1) * DAY
    window = week_of(day, zone, date_said) if week else local_day(day, zone, date_said)
    return ("week" if week else "day"), _past(window, now)


def _read(said: str, now: datetime, zone: str) -> Window:
    reading = when.resolve(said, now, zone)
    if reading.window is None or reading.unread:
        raise ConfigError(
            f"The time {said[:60]!r} can't be read: write it like 昨天, 2026-11-29 or 昨晚21:00到今早9:00."
        )
    window = reading.window
    if window.end - window.start > LONGEST:
        raise ConfigError(f"{said[:60]!r} is more than {LONGEST.days - 1} days: a report is about a month at most.")
    return Window(window.start.astimezone(UTC), window.end.astimezone(UTC), zone, said, window.why)


def _day(said: str, now: datetime, zone: str) -> date:
    window = _read(said, now, zone)
    day = date_of(window)
    if window.start != local_day(day, zone).start or window.end > local_day(day, zone).end:
        raise ConfigError(f"{said[:60]!r} is not one day: give a day with --date, or any other time with --window.")
    return day


def _past(window: Window, now: datetime) -> Window:
    if window.start >= now:
        raise ConfigError(f"{when.say(window)} has not begun yet: a report is about what has happened.")
    if window.end <= now:
        return window
    return replace(window, end=now, why="it is not over: up to now")

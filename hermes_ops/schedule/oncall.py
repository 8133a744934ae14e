"""Who is on call, by a static roster: people take turns from a date on, and single days may be swapped.

It knows no chat and no person beyond the names that the settings give.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from hermes_ops.report.model import OnCall
from hermes_ops.schedule.settings import OnCallSettings

DAY = timedelta(days=1)
LONGEST = 400  # days of one turn that are looked at


def on_call(roster: OnCallSettings, at: datetime, zone: str) -> OnCall | None:
    """Who has the shift at that time, and from when to when; None without a roster, or before it begins.

    A shift begins at the roster's clock time of a local day; before it the day belongs to who had the day before."""
    tz = ZoneInfo(zone)
    local = at.astimezone(tz)
    day = local.date() if local.time() >= roster.clock else local.date() - DAY
    who = _of(roster, day)
    if not who:
        return None
    first, last = day, day + DAY
    while (first - DAY).toordinal() > day.toordinal() - LONGEST and _of(roster, first - DAY) == who:
        first -= DAY
    while last.toordinal() < day.toordinal() + LONGEST and _of(roster, last) == who:
        last += DAY
    begins, ends = (datetime.combine(d, roster.clock, tz) for d in (first, last))
    return OnCall(who, roster.contacts.get(who, ""), begins, ends)


def shifts(roster: OnCallSettings, start: datetime, end: datetime, zone: str) -> tuple[OnCall, ...]:
    """All who have a shift inside the window, in order."""
    found: list[OnCall] = []
    at = start
    while at < end:
        shift = on_call(roster, at, zone)
        if shift and shift not in found:
            found.append(shift)
        at = shift.end if shift and shift.end and shift.end > at else at + DAY
    return tuple(found)


def _of(roster: OnCallSettings, day: date) -> str:
    if swapped := roster.swaps.get(day):
        return swapped
    if not roster.people or roster.since is None or day < roster.since:
        return ""
    return roster.people[(day - roster.since).days // roster.days % len(roster.people)]

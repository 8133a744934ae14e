"""The team's reports: whether its workdays can be read, when each schedule comes next, and what its report would be of.

Whether its chats can be reached is for their channel's checks.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hermes_ops.doctor.check import Check
from hermes_ops.schedule import cron
from hermes_ops.schedule.reporter import team_zone
from hermes_ops.schedule.timetable import teams, window_at
from hermes_ops.schedule.workdays import Workdays, load
from hermes_ops.settings import Settings
from orchestrator import when
from orchestrator.errors import ConfigError

PART = "team"


def checks(settings: Settings, now: datetime | None = None) -> Iterator[Check]:
    """None where neither schedules nor workdays are set."""
    now = now or datetime.now(UTC)
    try:
        days = load(settings.team.workdays)
    except ConfigError as e:
        yield Check(PART, "workdays", "fail", str(e), "Mend the file; docs/SCHEDULES.md shows how it is written.")
        return
    if settings.team.workdays is not None:
        yield _workdays(settings, days, now)
    counts = days.is_workday
    for timed in teams(settings):
        name = f"schedule {timed.name}"
        upcoming = cron.after(timed.cron, timed.zone, now, counts if timed.workdays else cron.every_day)
        if upcoming is None:
            do = f"Change schedules.{timed.name}.cron, or its workdays."
            yield Check(PART, name, "fail", f"{timed.cron!r} never comes", do)
            continue
        try:
            _, window = window_at(timed.work, upcoming, settings)
        except ConfigError as e:
            yield Check(PART, name, "fail", str(e), f"Change schedules.{timed.name}.window.")
            continue
        chats = timed.work.chats or settings.team.chats
        said = f"next {upcoming.astimezone(ZoneInfo(timed.zone)):%Y-%m-%d %H:%M} {timed.zone}, of {when.say(window)}"
        if not chats:
            yield Check(PART, name, "fail", f"{said}, for nobody", f"Set team.chats, or schedules.{timed.name}.chats.")
        else:
            yield Check(PART, name, "ok", f"{said}, for {len(chats)} chat{'' if len(chats) == 1 else 's'}")


def _workdays(settings: Settings, days: Workdays, now: datetime) -> Check:
    today = now.astimezone(ZoneInfo(team_zone(settings))).date()
    kind = "a workday" if days.is_workday(today) else "a day off"
    if days.last is None or days.last < today:
        named = f"the last day it names is {days.last}" if days.last else "it names no day"
        said = f"{named}; today is {kind} by its weekday"
        return Check(PART, "workdays", "warn", said, f"Add this year's holidays to {settings.team.workdays}.")
    return Check(PART, "workdays", "ok", f"{len(days.days)} days until {days.last}; today is {kind}")

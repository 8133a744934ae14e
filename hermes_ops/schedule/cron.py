"""Cron expressions in a time zone: whether one can be read, the slot before a time and the slot after it.

On the days of a clock change it goes as Debian's cron: a job at an hour that is skipped runs right after the gap, one
at an hour that comes twice runs at the first of the two; only what runs every hour or oftener follows the clock on the
wall. Slots are given in UTC. It knows no schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

FIELDS = "minute hour day month weekday"
FAR = timedelta(days=366 * 5)  # what doesn't come within it (the 29th of February does) never comes
Counts = Callable[[date], bool]


def every_day(day: date) -> bool:
    return True


def check(cron: str) -> str:
    """The expression with single blanks. Raises ValueError with a sentence."""
    bare = " ".join(cron.split())
    if len(bare.split(" ")) != len(FIELDS.split()):
        raise ValueError(f"must have five fields ({FIELDS}), such as 0 9 * * 1-5")
    try:
        found = next(CronSim(bare, datetime(2024, 1, 1, tzinfo=UTC)), None)
    except CronSimError as e:
        raise ValueError(f"can't be read ({e}); write five fields ({FIELDS}), such as 0 9 * * 1-5") from None
    if found is None:
        raise ValueError("never comes")
    return bare


def before(cron: str, zone: str, now: datetime, since: datetime, counts: Counts = every_day) -> datetime | None:
    """The latest slot at or before `now` and after `since`, on a day that counts in that zone; None without one."""
    tz = ZoneInfo(zone)
    start = now.astimezone(tz) + timedelta(minutes=1)  # the walk begins before it; a slot at this very minute counts
    for slot in CronSim(cron, start.replace(second=0, microsecond=0), reverse=True):
        at = slot.astimezone(UTC)
        if at <= since:
            return None
        if at <= now and counts(slot.date()):
            return at
    return None


def after(cron: str, zone: str, now: datetime, counts: Counts = every_day) -> datetime | None:
    """The first slot after `now` on a day that counts in that zone; None where there is none in years."""
    return next(following(cron, zone, now, counts), None)


def following(cron: str, zone: str, now: datetime, counts: Counts = every_day) -> Iterator[datetime]:
    """The slots after `now`, in order."""
    for slot in CronSim(cron, now.astimezone(ZoneInfo(zone))):
        at = slot.astimezone(UTC)
        if at - now > FAR:
            return
        if at > now and counts(slot.date()):
            yield at

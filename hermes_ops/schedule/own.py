"""People's own schedules in chat: made, listed and cancelled, each by its person; run as ordinary questions of theirs.

It knows no platform. Whether the person is answered there is asked again each time one is due.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

from hermes_ops.schedule import asked as reports
from hermes_ops.schedule import cron, phrases
from hermes_ops.schedule.clockwork import Timed
from hermes_ops.schedule.settings import TeamSettings
from hermes_ops.schedule.words import often, say, stamp
from hermes_ops.schedule.workdays import Calendar
from memory import Entry, Schedule, Schedules
from orchestrator import when
from orchestrator.contracts import Incoming, Json

LEAST = timedelta(minutes=30)  # between two slots of one schedule
WEEK = timedelta(days=7)
LOOKED_AT = 50  # slots that are looked at for that


class Own:
    """`days`: the team's workdays."""

    def __init__(self, store: Schedules, team: TeamSettings, days: Calendar) -> None:
        self._store, self._most, self._days = store, team.own_schedules, days

    async def obey(self, asked: Incoming, extra: Json, zone: str) -> str:
        """What the person is told. `zone`: the person's."""
        lang = "zh" if asked.locale.startswith("zh") else "en"
        match phrases.read(asked.text):
            case phrases.Wish() as wish:
                return await self._make(asked, extra, zone, wish, lang)
            case phrases.Cancel(number, every):
                return await self._cancel(asked, number, every, lang)
        return await self.listed(asked, lang)

    async def listed(self, asked: Incoming, lang: str) -> str:
        mine = await self._store.of(asked.tenant, asked.channel, asked.user)
        return "\n".join(self._line(s, lang) for s in mine) or say("empty", lang)

    def next(self, s: Schedule, now: datetime) -> datetime | None:
        return cron.after(s.cron, s.zone, now, self._days.is_workday if s.workdays else cron.every_day)

    async def _make(self, asked: Incoming, extra: Json, zone: str, wish: phrases.Wish, lang: str) -> str:
        if not self._most:
            return say("none_allowed", lang)
        if not wish.cron:
            return say(wish.why, lang, text=wish.text)
        if self._apart(wish.cron, zone) < LEAST:
            return say("often", lang, minutes=int(LEAST.total_seconds() // 60))
        where = (asked.tenant, asked.channel, asked.user, asked.chat, asked.thread or "", bool(extra.get("private")))
        now = self._store.clock()
        made = Schedule(*where, cron.check(wish.cron), zone, wish.workdays, asked.locale, wish.text, now)
        kept = await self._store.add(made, self._most)
        if kept is None:
            return say("full", lang, most=self._most)
        upcoming = stamp(self.next(kept, now), zone, lang)
        return say("made", lang, n=kept.number, when=often(kept, lang), text=kept.text, next=upcoming)

    def _apart(self, expression: str, zone: str) -> timedelta:
        """The shortest time between two of its slots."""
        slots = list(islice(cron.following(expression, zone, self._store.clock()), LOOKED_AT))
        return min((b - a for a, b in pairwise(slots)), default=LEAST)

    async def _cancel(self, asked: Incoming, number: int | None, every: bool, lang: str) -> str:
        mine = await self._store.of(asked.tenant, asked.channel, asked.user)
        if not mine:
            return say("empty", lang)
        if number is None and not every and len(mine) > 1:
            return "\n".join([say("which", lang, numbers=""), *(self._line(s, lang) for s in mine)])
        chosen = None if every else number if number is not None else mine[0].number
        gone = await self._store.cancel(asked.tenant, asked.channel, asked.user, chosen)
        if not gone:
            return "\n".join([say("unknown", lang, n=number, numbers=""), *(self._line(s, lang) for s in mine)])
        return "\n".join(say("gone", lang, n=s.number, text=s.text) for s in gone)

    def _line(self, s: Schedule, lang: str) -> str:
        upcoming = stamp(self.next(s, self._store.clock()), s.zone, lang)
        return say("line", lang, n=s.number, when=often(s, lang), text=s.text, next=upcoming)


def timed(s: Schedule) -> Timed:
    return Timed(s.name, s.cron, s.zone, s.workdays, s, s.made)


def question(s: Schedule, slot: datetime) -> tuple[str, Incoming, Json]:
    """What its person would have asked at that time: the message's id, the message, and what goes with it."""
    id = f"{s.name}.{slot.astimezone(UTC):%Y%m%dT%H%MZ}"
    asked = Incoming(
        id, _timed(s, slot), slot, s.zone, s.tenant, s.channel, s.chat, s.thread or None, s.user, s.locale, zoned=True
    )  # fmt: skip
    return id, asked, {"private": s.private, "schedule": s.id, "reply": ""}


def _timed(s: Schedule, slot: datetime) -> str:
    """The question with its time: where it names none it is about what was since the slot before, a week at most."""
    if reports.read(s.text) or when.resolve(s.text, slot, s.zone) != when.Reading():
        return s.text
    start = cron.before(s.cron, s.zone, slot - timedelta(minutes=1), slot - WEEK) or slot - WEEK
    minutes = round((slot - start).total_seconds() / 60)
    zh, en = (
        (f"{minutes // 60} 小时", f"{minutes // 60} hours")
        if minutes % 60 == 0
        else (f"{minutes} 分钟", f"{minutes} minutes")
    )
    return f"过去 {zh} {s.text}" if s.locale.startswith("zh") else f"{s.text} in the last {en}"


def of_schedule(entry: Entry) -> int:
    """The schedule that an entry comes from; 0: a person wrote it."""
    return int(entry.extra.get("schedule") or 0) if isinstance(entry.extra, dict) else 0

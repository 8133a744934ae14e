"""What `serve` does at fixed times: the team's reports into their chats, and people's own questions into the inbox.

It says what is due and does it; when, and that each slot is done once, is the clockwork's.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from hermes_ops.app import App, new_run
from hermes_ops.host import Host
from hermes_ops.report import day
from hermes_ops.report.model import Kind
from hermes_ops.schedule import cron, own
from hermes_ops.schedule.clockwork import Clockwork, Timed
from hermes_ops.schedule.reporter import team_zone
from hermes_ops.schedule.settings import ScheduleSettings, wanted
from hermes_ops.schedule.words import say, stamp
from hermes_ops.settings import Settings
from memory import Entry, Schedule
from orchestrator.contracts import Window

FAR = timedelta(days=8)  # the slot before is looked for so far back


def timetable(app: App, host: Host, alone: bool = True) -> Clockwork:
    table = Timetable(app, host)
    return Clockwork(app.memory.schedules, table.plan, table.work, table.alarm, host.workdays, alone)


def teams(settings: Settings) -> list[Timed]:
    """The settings' schedules."""
    zone = team_zone(settings)
    given = wanted(settings.team, settings.schedules)
    return [Timed(name, s.cron, s.zone or zone, s.workdays, s) for name, s in given.items()]


def window_at(s: ScheduleSettings, slot: datetime, settings: Settings) -> tuple[Kind, Window]:
    """What the report of that slot is about. Raises ConfigError for words that are no time."""
    zone = team_zone(settings)
    if s.window:
        return s.report, day.asked(slot, zone, "", s.window)[1]
    if s.report == "shift":
        before = cron.before(s.cron, s.zone or zone, slot - timedelta(minutes=1), slot - FAR)
        start = before or slot - timedelta(hours=12)
        return "shift", Window(start, slot, zone, "", "the shift that ends then")
    return day.asked(slot, zone, week=s.report == "week")


class Timetable:
    def __init__(self, app: App, host: Host) -> None:
        self._app, self._host, self._settings = app, host, app.settings

    async def plan(self) -> Sequence[Timed]:
        return [*teams(self._settings), *map(own.timed, await self._app.memory.schedules.all())]

    async def work(self, timed: Timed, slot: datetime) -> None:
        """Raises HermesError where it should be tried again."""
        if isinstance(timed.work, Schedule):
            return await self.ask(timed.work, slot)
        s: ScheduleSettings = timed.work
        kind, window = window_at(s, slot, self._settings)
        chats = s.chats or self._settings.team.chats
        await self._host.sender.send(kind, window, self._settings.team.language, chats)
        self._host.deliveries.nudge()

    async def alarm(self, timed: Timed, slot: datetime, reason: str) -> None:
        lang = self._settings.team.language
        text = say("failed", lang, name=timed.name, slot=stamp(slot, timed.zone, lang), reason=reason)
        await self._host.alarm(f"{timed.name}.{slot:%Y%m%dT%H%M}", text)

    async def ask(self, s: Schedule, slot: datetime) -> None:
        """As if its person had asked; an id that is there already is not asked again."""
        id, asked, extra = own.question(s, slot)
        session = self._app.recall.session(asked)
        now = self._app.memory.inbox.clock()
        await self._host.inbox.put(
            Entry(f"{id}.0", s.channel, session, "question", asked, extra, new_run(asked), now)
        )  # fmt: skip

"""A team's reports: the one path of the command line, the chat and the schedule, from an order to a finished report.

It asks the sources, lets the prose be written, and rolls weeks up from stored days. Storing a report is for the caller,
but for the days of a week that nobody had made: they are made once and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from hermes_ops.models import Models
from hermes_ops.report import figures, prose, template, week
from hermes_ops.report.attending import attention
from hermes_ops.report.build import Known, Order, build
from hermes_ops.report.day import DAY, date_of, days_of, local_day, shifted, week_of
from hermes_ops.report.explaining import amended
from hermes_ops.report.kept import read
from hermes_ops.report.model import Kind, Lang, OnCall, Prose, Report
from hermes_ops.report.reach import SLACK
from hermes_ops.report.view import card, digest, markdown, missing
from hermes_ops.schedule.oncall import on_call, shifts
from hermes_ops.schedule.reporter import Made, team_zone
from hermes_ops.schedule.workdays import Calendar
from hermes_ops.settings import Settings
from hermes_ops.sourcing.opener import Opener, Places
from memory import Memory, Stored
from orchestrator import scope
from orchestrator.contracts import Incoming, Scope, Window, to_json
from orchestrator.errors import ConfigError
from orchestrator.scope import Catalogue
from orchestrator.stop import Stop
from subagents.sources import Coverage
from subagents.topology import declared

if TYPE_CHECKING:
    from hermes_ops.app import App

CORE = "core"  # the tier of services whose availability is told
QUESTION = Incoming("report", "", datetime.min.replace(tzinfo=UTC))  # for whom sources are opened


class Maker:
    """`opener` opens what is configured; `models` words reports, or the template does. `keep`: reports are stored and
    found again; False for a folder of the moment."""

    def __init__(
        self,
        settings: Settings,
        memory: Memory,
        opener: Opener,
        models: Models,
        mask: Callable[[str], str],
        keep: bool = True,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings, self._memory, self._opener = settings, memory, opener
        self._models, self._mask, self._keep, self._clock = models, mask, keep, clock
        self._days = Calendar(settings.team.workdays)

    async def places(self, stop: Stop, zone: str = "", now: datetime | None = None) -> Places:
        """What reports are made from, opened. Raises ConfigError where nothing is set."""
        asked = replace(QUESTION, zone=zone or team_zone(self._settings), at=now or self._clock())
        return await self._opener.places(asked, "", stop)

    @classmethod
    def of(cls, app: App, keep: bool = True) -> Maker:
        return cls(app.settings, app.memory, app.opener, app.models, app.guard.mask, keep)

    @property
    def team(self) -> str:
        return self._settings.team.name

    async def __call__(
        self, kind: Kind, window: Window, lang: Lang, *, corrected: int = 0, stop: Stop | None = None
    ) -> Made:
        """As `hermes_ops.schedule.reporter.Reporter` has it."""
        report = await self.make(Order(kind, window, lang, corrected=corrected > 0), stop or Stop())
        return made(report)

    async def kept(self, kind: Kind, window: Window, lang: Lang, *, stop: Stop | None = None) -> Made:
        """The stored one of that window, else a new one, which is stored when its time is over."""
        order = Order(kind, window, lang)
        report = await self.stored(order)
        if report is None:
            report = await self.make(order, stop or Stop())
            await self.store(report)
        return made(report)

    async def make(self, order: Order, stop: Stop) -> Report:
        """A new report, not stored. Raises HermesError where there is nothing to make it of."""
        order = replace(order, team=self.team)
        report = await (self._week(order, stop) if order.kind == "week" else self._built(order, stop))
        return replace(report, prose=await prose.written(report, self._models.light))

    async def stored(self, order: Order) -> Report | None:
        """The last word on that window, with the causes that were confirmed since; None where there is none in that
        language, and for an order of some services only."""
        found = None if order.services else await self._find(order.kind, order.window)
        if found is None or found.lang != order.lang:
            return None
        confirmed = await self._memory.reports.confirmed(self.team)
        incidents = amended(found.incidents, confirmed)
        return found if incidents == found.incidents else self._reworded(replace(found, incidents=incidents))

    async def store(self, report: Report, force: bool = False) -> None:
        """Under its window, where it is one to keep: of all services, a whole day or week, its time over."""
        w = report.window
        if not self._keep or report.services or w.end > self._clock() or not _whole(report):
            return
        row = Stored(self.team, report.kind, w.start, w.end, w.zone, report.lang, to_json(report), report.made_at)
        await self._memory.reports.put(row, force)

    # ── one report ────────────────────────────────────────────────────────────────────────────

    async def _built(self, order: Order, stop: Stop) -> Report:
        shown = () if self._models.offline else self._models.names
        sources = await self._opener.sources(await self.places(stop), QUESTION, Scope(), shown, stop)
        known = await self._known(order)
        report: Report = await stop.race(build(order, sources, known, self._clock()))
        return report

    async def _known(self, order: Order) -> Known:
        catalogue = self._settings.catalogue()
        return Known(
            rules=self._settings.report,
            core=tuple(s.name for s in catalogue.services if s.tier.lower() == CORE),
            depends=declared({s.name: s.depends_on for s in catalogue.services}),
            is_workday=self._days.is_workday,
            mask=self._mask,
            find=self._find,
            confirmed=await self._memory.reports.confirmed(self.team),
            on_call=self._on_call(order),
        )

    def _on_call(self, order: Order) -> tuple[OnCall, ...]:
        """Of a week all who had a shift; else who has it now that the report is read."""
        roster, zone = self._settings.oncall, team_zone(self._settings)
        if order.kind == "week":
            return shifts(roster, order.window.start, order.window.end, zone)
        now = on_call(roster, self._clock(), zone)
        return (now,) if now else ()

    async def _find(self, kind: Kind, window: Window) -> Report | None:
        if not self._keep:
            return None
        found = await self._memory.reports.find(self.team, kind, window.start, window.end)
        return None if found is None else read(found)

    def _reworded(self, report: Report) -> Report:
        """Its words and what needs a person, after its causes changed."""
        todo = attention(
            report.window, report.lang, report.alerts, report.errors, report.availability, report.incidents,
            report.gaps, self._settings.report,
        )  # fmt: skip
        return replace(report, attention=todo, prose=Prose(template.sentences(report)))

    # ── a week ────────────────────────────────────────────────────────────────────────────────

    async def _week(self, order: Order, stop: Stop) -> Report:
        days = [(window, await self._day(order, window, stop)) for window in days_of(order.window)]
        if not any(report for _, report in days):
            raise ConfigError("No day of that week has a report, and no source holds anything of it.")
        found = [await self._find("day", day) for day in days_of(shifted(order.window, -7))]
        before = [r for r in found if r is not None]
        report = week.rolled_up(order, days, before, self._settings.report, self._clock())
        return replace(report, on_call=self._on_call(order))

    async def _day(self, order: Order, window: Window, stop: Stop) -> Report | None:
        """Stored, or made now, and kept if the day is over; None where nothing is known of it."""
        daily = replace(order, kind="day", window=window, corrected=False)
        if (there := await self.stored(daily)) is not None:
            return there
        report = await self._built(daily, stop)
        if not _knows(report):
            return None
        await self.store(replace(report, prose=Prose(template.sentences(report))))
        return report


def last_day(cover: Coverage, now: datetime, zone: str) -> date | None:
    """The last day that a folder holds, where its records end before yesterday; None where they reach so far."""
    if cover.until is None or cover.since is None or cover.until > local_day(_day(now, zone) - DAY, zone).start:
        return None
    last = _day(cover.until + SLACK, zone) - DAY
    return last if cover.since < local_day(last, zone).end else _day(cover.until, zone)


def _day(at: datetime, zone: str) -> date:
    return at.astimezone(ZoneInfo(zone)).date()


def named(names: Sequence[str], catalogue: Catalogue) -> tuple[str, ...]:
    """Services by the names people call them; a slip of the pen is refused, since a report of the wrong service looks
    like a right one. Raises ConfigError naming the nearest."""
    found: list[str] = []
    for name in names:
        known = scope.resolve(name, catalogue)
        if not known.scope.services or known.scope.why.startswith("no service"):
            near = get_close_matches(name, [s.name for s in catalogue.services], n=3, cutoff=0.4)
            hint = f"; nearest: {', '.join(near)}" if near else ""
            raise ConfigError(f"There is no service {name[:60]!r}{hint}.")
        found += known.scope.services
    return tuple(dict.fromkeys(found))


def _whole(report: Report) -> bool:
    """A day that was cut short by the time it was made is no day to find again."""
    w = report.window
    same = {"day": local_day(date_of(w), w.zone), "week": week_of(date_of(w), w.zone)}.get(report.kind)
    return same is None or (same.start, same.end) == (w.start, w.end)


def _knows(report: Report) -> bool:
    """More than its changes: a repository reaches back for years, and tells of no day how it was."""
    known = (report.alerts.fired, report.errors.total, *(a.percent for a in report.availability))
    return any(a.value is not None for a in known)


def made(report: Report) -> Made:
    """Ready for a chat and for storing."""
    return Made(
        kind=report.kind,
        team=report.team,
        window=report.window,
        lang=report.lang,
        title=digest.title(report),
        text=markdown.render(report, title=False),
        json=to_json(report),
        card=card.render(report),
        figures=figures.figures(report),
        gaps=tuple(missing.gap_lines(report)),
    )

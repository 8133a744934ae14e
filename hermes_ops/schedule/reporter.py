"""Reports for whoever asks for one: which window is meant, and what comes out, ready for a chat and for storing.

How figures are got and shown is `hermes_ops.report`'s business; here a report is a title, a text, a card and JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from hermes_ops.report import day
from hermes_ops.report.model import Kind, Lang
from hermes_ops.schedule.asked import AskedReport
from hermes_ops.schedule.settings import OnCallSettings
from hermes_ops.settings import Settings
from hermes_ops.zones import machine_zone
from orchestrator import when
from orchestrator.contracts import Figure, Json, Window
from orchestrator.errors import ConfigError
from orchestrator.stop import Stop

SOON = timedelta(hours=1)  # a shift that began so recently isn't the one that is handed over


@dataclass(frozen=True, slots=True)
class Made:
    """A finished report. `title`: the same for no other window, team or correction; `text`: Markdown, a phone screen;
    `card`: the chat platform's own form; `json`: all figures, by their schema; `figures`: those an answer may cite."""

    kind: Kind
    team: str
    window: Window
    lang: Lang
    title: str
    text: str
    json: Json
    card: Json = None
    figures: tuple[Figure, ...] = ()
    gaps: tuple[str, ...] = ()


class Reporter(Protocol):
    """Makes one report now. Raises HermesError where there is nothing to make it of."""

    async def __call__(
        self, kind: Kind, window: Window, lang: Lang, *, corrected: int = 0, stop: Stop | None = None
    ) -> Made: ...

    async def kept(self, kind: Kind, window: Window, lang: Lang, *, stop: Stop | None = None) -> Made:
        """The stored one of that window, else a new one."""


def team_zone(settings: Settings) -> str:
    return settings.team.zone or settings.zone or machine_zone()


def window_of(asked: AskedReport, now: datetime, zone: str, roster: OnCallSettings) -> tuple[Kind, Window]:
    """What the words mean at that time. Raises ConfigError for what is no day, no week or not over."""
    if asked.handover:
        return "shift", _shift(now, zone, roster) if not asked.time else day.asked(now, zone, "", asked.time)[1]
    if asked.week:
        return day.asked(now, zone, _first_day(asked.time, now, zone), week=True)
    try:
        return day.asked(now, zone, asked.time)
    except ConfigError:
        return day.asked(now, zone, "", asked.time)  # longer or shorter than a day


def _shift(now: datetime, zone: str, roster: OnCallSettings) -> Window:
    """Since the last hand-over, at the roster's clock time, to now."""
    tz = ZoneInfo(zone)
    local = (now - SOON).astimezone(tz)
    first = local.date() if local.time() >= roster.clock else local.date() - timedelta(days=1)
    start = datetime.combine(first, roster.clock, tz)
    end = now.replace(microsecond=0)
    return Window(start.astimezone(now.tzinfo), end, zone, "", f"since the hand-over at {roster.at}")


def _first_day(said: str, now: datetime, zone: str) -> str:
    """A day of the week that is meant; "" for the last whole one."""
    if not said:
        return ""
    window = when.resolve(said, now, zone).window
    return said if window is None else f"{window.start.astimezone(ZoneInfo(zone)).date()}"

"""Settings of the team (its zone, chats, workdays, who is on call) and of what it has sent at fixed times."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from pathlib import Path
from typing import Annotated, Literal, Protocol

from pydantic import AfterValidator, Field

from hermes_ops.report.model import Kind
from hermes_ops.schedule.cron import check
from hermes_ops.sections import Section, Zone

Cron = Annotated[str, AfterValidator(check)]
MORNING = "0 9 * * *"
DAILY = "daily"  # the schedule that is there by itself as soon as the team has a chat


class OnCallSettings(Section):
    """`people` take turns of `days` days from `since` on, changing at `at`; `swaps`: who has a day instead;
    `contacts`: how to reach somebody."""

    people: tuple[str, ...] = ()
    since: date | None = None
    days: Annotated[int, Field(gt=0)] = 7
    at: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")] = "09:00"
    swaps: dict[date, str] = Field(default_factory=dict)
    contacts: dict[str, str] = Field(default_factory=dict)

    @property
    def clock(self) -> time:
        return time.fromisoformat(self.at)


class TeamSettings(Section):
    """`zone` "": the settings' own; `chats`: where its reports go; `workdays`: a file of holidays and worked
    weekends; `own_schedules`: how many a person may make in chat; `operators`: who may confirm causes there, beside
    `feishu.owner`, "*": everybody who is answered."""

    name: str = ""
    zone: Zone = ""
    chats: tuple[str, ...] = ()
    workdays: Path | None = None
    language: Literal["zh", "en"] = "zh"
    own_schedules: Annotated[int, Field(ge=0)] = 10
    operators: tuple[str, ...] = ()


class ScheduleSettings(Section):
    """One report at fixed times, `[schedules.NAME]`. `report`: of the "day" or "week" before, or of the "shift" that
    ends then; `window`: words for its window; `chats` (): the team's; `workdays`: only on those."""

    cron: Cron = MORNING
    zone: Zone = ""
    report: Kind = "day"
    window: str = ""
    chats: tuple[str, ...] = ()
    workdays: bool = True
    on: bool = True


class Reporting(Protocol):
    """Of the settings, what says where reports go."""

    @property
    def team(self) -> TeamSettings: ...

    @property
    def schedules(self) -> Mapping[str, ScheduleSettings]: ...


def reported(settings: Reporting) -> tuple[str, ...]:
    """The chats that get reports."""
    given = wanted(settings.team, settings.schedules).values()
    return tuple(dict.fromkeys(chat for s in given for chat in s.chats or settings.team.chats))


def wanted(team: TeamSettings, given: Mapping[str, ScheduleSettings]) -> dict[str, ScheduleSettings]:
    """Those that are on, with the morning's daily report where the team has a chat and says nothing else."""
    usual = {DAILY: ScheduleSettings()} if team.chats else {}
    return {name: s for name, s in {**usual, **given}.items() if s.on}

"""What the doctor says of the team's reports: workdays, schedules, and the chats they go to."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.doctor import team
from hermes_ops.doctor.check import Check
from hermes_ops.schedule.settings import ScheduleSettings, TeamSettings
from hermes_ops.settings import Settings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def found(schedules: dict[str, ScheduleSettings] | None = None, **given: Any) -> dict[str, Check]:
    settings = Settings(team=TeamSettings(zone="UTC", **given), schedules=schedules or {})
    return {c.name: c for c in team.checks(settings, NOW)}


def test_nothing_set_is_nothing_to_check() -> None:
    assert found() == {}


def test_a_schedule_is_told_with_its_next_time_and_what_its_report_is_of() -> None:
    said = found(chats=("oc_a", "oc_b"))["schedule daily"]
    assert said.state == "ok"
    assert "2026-12-01 09:00 UTC, of 2026-11-30 00:00 – 2026-12-01 00:00" in said.says
    assert "2 chats" in said.says


@pytest.mark.parametrize(
    ("schedule", "word"),
    [
        (ScheduleSettings(window="明天"), "can't be read"),
        (ScheduleSettings(chats=()), "for nobody"),
    ],
)
def test_a_schedule_that_cant_work_fails_with_what_to_do(schedule: ScheduleSettings, word: str) -> None:
    said = found({"night": schedule})["schedule night"]
    assert (said.state, word in said.says) == ("fail", True)
    assert "schedules.night" in said.do


@pytest.mark.parametrize(
    ("text", "state", "word"),
    [
        ("2026-12-25 off\n", "ok", "until 2026-12-25; today is a workday"),
        ("2026-10-01 off\n", "warn", "2026-10-01"),
        ("", "warn", "names no day"),
        ("whenever\n", "fail", "line 1"),
    ],
)
def test_the_file_of_workdays(tmp_path: Path, text: str, state: str, word: str) -> None:
    (file := tmp_path / "days").write_text(text, encoding="utf-8")
    said = found(workdays=file)["workdays"]
    assert (said.state, word in said.says) == (state, True), said

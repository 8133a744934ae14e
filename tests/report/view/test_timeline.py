"""Columns of a window: on its own clock, few enough for a phone, the unknown apart from zero."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hermes_ops.report.model import AlertHour, ErrorHour, Report
from hermes_ops.report.view import timeline
from orchestrator.contracts import Window
from tests.report.samples import bad_day, blind_day, quiet_day


def with_hours(start: datetime, hours: int, zone: str, every: timedelta = timedelta(hours=1)) -> Report:
    window = Window(start, start + hours * every, zone)
    report = replace(bad_day(), window=window)
    found = tuple(AlertHour(start + n * every, {"critical": 1}) for n in range(hours))
    errors = tuple(ErrorHour(start + n * every, n, n) for n in range(hours))
    return replace(report, alerts=replace(report.alerts, hours=found), errors=replace(report.errors, hours=errors))


def test_a_day_is_shown_hour_by_hour_with_the_worst_severity_first() -> None:
    line = timeline.alerts(bad_day())
    assert (line.names, len(line.columns), line.step) == (("critical", "warning"), 24, 1)
    assert [c.tick for c in line.columns if c.tick] == ["00", "03", "06", "09", "12", "15", "18", "21"]
    assert (line.columns[22].said, line.columns[22].values) == ("22:00", (2, 1))
    peak = line.peak(timeline.total)
    assert peak is not None
    assert peak.said == "22:00"


@pytest.mark.parametrize(("start", "hours"), [((2026, 10, 24, 22), 25), ((2026, 3, 28, 23), 23)])
def test_a_day_of_another_length_keeps_each_of_its_hours(start: tuple[int, int, int, int], hours: int) -> None:
    line = timeline.alerts(with_hours(datetime(*start, tzinfo=UTC), hours, "Europe/Berlin"))
    said = [c.said for c in line.columns]
    assert len(said) == len(set(said)) == hours
    assert sum(line.sums()) == hours


def test_a_zone_at_a_quarter_keeps_its_own_hours() -> None:
    line = timeline.alerts(with_hours(datetime(2026, 11, 28, 18, 15, tzinfo=UTC), 24, "Asia/Kathmandu"))
    assert [line.columns[n].said for n in (0, 1, 23)] == ["00:00", "01:00", "23:00"]


@pytest.mark.parametrize(
    ("days", "columns", "step"), [(1, 24, 1), (2, 48, 1), (3, 36, 2), (4, 48, 2), (7, 7, 24), (31, 31, 24)]
)
def test_a_long_window_is_put_together_and_loses_nothing(days: int, columns: int, step: int) -> None:
    report = with_hours(datetime(2026, 11, 1, tzinfo=UTC), 24 * days, "UTC")
    alerts, errors = timeline.alerts(report), timeline.errors(report)
    assert (len(alerts.columns), alerts.step) == (columns, step)
    assert alerts.sums() == (24 * days,)
    assert errors.sums() == (sum(range(24 * days)),) * 2
    assert len([c for c in alerts.columns if c.tick]) <= 16


def test_unknown_hours_are_no_zeros() -> None:
    blind, quiet = timeline.errors(blind_day()), timeline.errors(quiet_day())
    assert blind.empty
    assert not quiet.empty
    assert timeline.alerts(blind_day()).columns == ()
    report = with_hours(datetime(2026, 11, 1, tzinfo=UTC), 72, "UTC")
    hours = tuple(replace(h, n=None) if i in (1, 4, 5) else h for i, h in enumerate(report.errors.hours))
    line = timeline.errors(replace(report, errors=replace(report.errors, hours=hours)))
    assert [(c.values[0], c.partial) for c in line.columns[:3]] == [(0, True), (5, False), (None, False)]


def test_many_severities_are_put_together() -> None:
    report = bad_day()
    hours = (AlertHour(report.window.start, {"info": 1, "page": 2, "critical": 3, "odd": 4, "warning": 5, "low": 6}),)
    line = timeline.alerts(replace(report, alerts=replace(report.alerts, hours=hours)))
    assert line.names[:2] == ("critical", "page")
    assert line.names[-1] == "其他"
    assert sum(line.sums()) == 21


def test_each_severity_looks_different() -> None:
    for names in (("critical", "page", "warning", "info"), ("warning",), ("info", "none"), ("a", "b", "c", "其他")):
        assert len(set(timeline.tones(names))) == len(names)
    assert timeline.tones(["warning", "info"]) == ["warn", "calm"]


def test_a_week_shows_each_of_its_days_and_a_missing_one_as_unknown() -> None:
    report = with_hours(datetime(2026, 11, 22, 16, tzinfo=UTC), 7 * 24, "Asia/Shanghai")
    there = [h for h in report.alerts.hours if not 24 <= (h.start - report.window.start).total_seconds() / 3600 < 48]
    days = [ErrorHour(report.window.start + timedelta(days=n), None if n == 1 else n) for n in range(7)]
    week = replace(
        report,
        alerts=replace(report.alerts, hours=tuple(there)),
        errors=replace(report.errors, hours=tuple(days)),
    )
    alerts, errors = timeline.alerts(week), timeline.errors(week)
    assert [c.said for c in alerts.columns] == [c.said for c in errors.columns] == [f"11-{n}" for n in range(23, 30)]
    assert [c.values for c in alerts.columns] == [(24,), (None,), *[(24,)] * 5]
    assert [c.values[0] for c in errors.columns] == [0, None, 2, 3, 4, 5, 6]
    assert (alerts.step, errors.step) == (24, 24)


def test_hours_that_no_row_tells_of_are_unknown() -> None:
    report = with_hours(datetime(2026, 11, 1, tzinfo=UTC), 24, "UTC")
    early = replace(report, alerts=replace(report.alerts, hours=report.alerts.hours[:10]))
    line = timeline.alerts(early)
    assert len(line.columns) == 24
    assert [timeline.blank(c) for c in line.columns] == [False] * 10 + [True] * 14

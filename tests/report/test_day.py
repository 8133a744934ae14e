"""Which window a report is about, its hours, and which earlier time is like it."""

from datetime import UTC, date, datetime, timedelta

import pytest

from hermes_ops.report import day
from orchestrator.errors import ConfigError

NOW = datetime(2026, 11, 30, 1, 5, tzinfo=UTC)  # a Monday, 09:05 in Shanghai


@pytest.mark.parametrize(
    ("zone", "of", "hours"),
    [
        ("Asia/Shanghai", date(2026, 11, 29), 24),
        ("America/New_York", date(2026, 3, 8), 23),
        ("America/New_York", date(2026, 11, 1), 25),
        ("Asia/Kathmandu", date(2026, 11, 29), 24),
        ("America/Santiago", date(2026, 9, 6), 23),  # the clock goes on at midnight
        ("Asia/Beirut", date(2026, 3, 29), 23),
    ],
)
def test_a_local_day_has_the_hours_that_its_clock_shows(zone, of, hours):
    window = day.local_day(of, zone)
    assert window.end - window.start == timedelta(hours=hours)
    assert len(day.hours_of(window)) == hours
    assert window.end == day.local_day(of + timedelta(days=1), zone).start


def test_hours_of_a_zone_at_a_quarter_begin_where_its_clock_says():
    window = day.local_day(date(2026, 11, 29), "Asia/Kathmandu")
    assert not day.whole_hours(window)
    assert {start.minute for start in day.hours_of(window)} == {15}


def test_days_weeks_and_shifts_are_read_from_words():
    kind, window = day.asked(NOW, "Asia/Shanghai")
    assert (kind, window.start.isoformat(), window.end.isoformat()) == (
        "day", "2026-11-28T16:00:00+00:00", "2026-11-29T16:00:00+00:00",
    )  # fmt: skip
    assert day.asked(NOW, "Asia/Shanghai", "昨天")[1].start == window.start
    assert day.asked(NOW, "Asia/Shanghai", "2026-11-29")[1].end == window.end
    kind, shift = day.asked(NOW, "Asia/Shanghai", "", "昨晚21:00到今早9:00")
    assert (kind, shift.end - shift.start) == ("shift", timedelta(hours=12))
    kind, week = day.asked(NOW, "Asia/Shanghai", week=True)
    assert (kind, week.end - week.start) == ("week", timedelta(days=7))
    assert week.end == window.end  # Monday to Sunday, the last whole one
    assert len(day.days_of(week)) == 7


def test_a_day_that_is_not_over_ends_now():
    window = day.asked(NOW, "Asia/Shanghai", "today")[1]
    assert window.end == NOW
    assert window.why


@pytest.mark.parametrize("said", ["上周", "明天", "blah", "2026-02-31"])
def test_what_is_no_day_is_refused_with_what_to_do(said):
    with pytest.raises(ConfigError):
        day.asked(NOW, "UTC", said)


def like(of: date, off: set[date]) -> date | None:
    found = day.like_day(day.local_day(of, "UTC"), lambda d: d not in off and d.weekday() < 5)
    return day.date_of(found) if found else None


def test_a_like_day_is_a_workday_for_a_workday():
    assert like(date(2026, 11, 25), set()) == date(2026, 11, 24)  # Wednesday: Tuesday
    assert like(date(2026, 11, 30), set()) == date(2026, 11, 23)  # Monday: last Monday, not Sunday
    assert like(date(2026, 11, 28), set()) == date(2026, 11, 21)  # Saturday: last Saturday, not Friday
    assert like(date(2026, 11, 30), {date(2026, 11, 23)}) == date(2026, 11, 27)  # that was a holiday: Friday
    assert day.like_day(day.local_day(date(2026, 11, 30), "UTC"), lambda d: d == date(2026, 11, 30)) is None


def test_a_like_day_has_the_same_clock_times_over_a_change_of_the_clock():
    before = day.shifted(day.local_day(date(2026, 3, 9), "America/New_York"), -1)
    assert before == day.local_day(date(2026, 3, 8), "America/New_York")

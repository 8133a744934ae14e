"""Cron in a time zone: neither twice nor never on the days of a clock change, forward and back."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from hermes_ops.schedule import cron

BERLIN, NEW_YORK, LORD_HOWE = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"
DAY = timedelta(days=1)


def local(zone: str, *at: int) -> datetime:
    return datetime(*at, tzinfo=ZoneInfo(zone)).astimezone(UTC)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        (BERLIN, date(2026, 3, 29)),  # 02:00 → 03:00
        (BERLIN, date(2026, 10, 25)),  # 03:00 → 02:00
        (NEW_YORK, date(2026, 3, 8)),
        (NEW_YORK, date(2026, 11, 1)),
        (LORD_HOWE, date(2026, 10, 4)),  # half an hour
        (LORD_HOWE, date(2026, 4, 5)),
    ],
)
@pytest.mark.parametrize("at", ["30 2 * * *", "0 2 * * *", "30 1 * * *", "15 1,2 * * *"])
def test_a_daily_job_runs_once_each_day_around_a_clock_change(zone: str, day: date, at: str) -> None:
    start = datetime.combine(day - 3 * DAY, datetime.min.time(), ZoneInfo(zone)).astimezone(UTC)
    times = 2 if "," in at else 1
    forward = list(islice(cron.following(at, zone, start - timedelta(seconds=1)), 6 * times))
    days = [slot.astimezone(ZoneInfo(zone)).date() for slot in forward]
    assert days == [day + n * DAY for n in range(-3, 3) for _ in range(times)]
    back, now = list[datetime](), forward[-1]
    while (slot := cron.before(at, zone, now, start - timedelta(seconds=1))) is not None:
        back.append(slot)
        now = slot - timedelta(seconds=1)
    assert back[::-1] == forward


def test_a_job_in_the_skipped_hour_runs_right_after_it_and_one_in_the_double_hour_at_the_first() -> None:
    assert cron.after("30 2 * * *", BERLIN, local(BERLIN, 2026, 3, 29)) == local(BERLIN, 2026, 3, 29, 3, 0)
    assert cron.after("30 2 * * *", BERLIN, local(BERLIN, 2026, 10, 25)) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    midnight = datetime(2026, 10, 24, 22, tzinfo=UTC)
    hours = list(islice(cron.following("0 * * * *", BERLIN, midnight - timedelta(seconds=1)), 26))
    assert hours == [midnight + timedelta(hours=n) for n in range(26)]  # 25 of them in that day


def test_before_counts_this_very_minute_and_not_the_next() -> None:
    nine = local(BERLIN, 2026, 11, 30, 9)
    since = nine - DAY
    assert cron.before("0 9 * * *", BERLIN, nine, since) == nine
    assert cron.before("0 9 * * *", BERLIN, nine + timedelta(seconds=59), since) == nine
    assert cron.before("0 9 * * *", BERLIN, nine - timedelta(seconds=1), since) is None
    assert cron.before("0 9 * * *", BERLIN, nine - timedelta(seconds=1), since - timedelta(seconds=1)) == nine - DAY


def test_only_days_that_count() -> None:
    friday = local("Asia/Shanghai", 2026, 11, 27, 12)
    weekday = lambda day: day.isoweekday() < 6  # noqa: E731
    assert cron.after("0 9 * * *", "Asia/Shanghai", friday, weekday) == local("Asia/Shanghai", 2026, 11, 30, 9)
    sunday = friday + 2 * DAY
    assert cron.before("0 9 * * *", "Asia/Shanghai", sunday, friday - DAY, weekday) == friday - timedelta(hours=3)


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "Pacific/Apia", "America/St_Johns", "UTC"])
def test_odd_zones(zone: str) -> None:
    slot = cron.after("45 5 * * *", zone, datetime(2026, 11, 29, tzinfo=UTC))
    assert slot is not None
    assert f"{slot.astimezone(ZoneInfo(zone)):%H:%M}" == "05:45"


@pytest.mark.parametrize("bad", ["", "0 9 * *", "0 25 * * *", "a b c d e", "0 0 31 2 *", "* * * * * *"])
def test_what_is_no_expression_is_refused_with_a_sentence(bad: str) -> None:
    with pytest.raises(ValueError, match=r"fields|never comes"):
        cron.check(bad)


def test_blanks_are_no_matter() -> None:
    assert cron.check("  0   9 * *  1-5 ") == "0 9 * * 1-5"

"""A week from stored days: sums, a day that is missing, and the week before."""

from dataclasses import replace
from datetime import date, timedelta

from hermes_ops.report.build import Order
from hermes_ops.report.day import days_of, week_of
from hermes_ops.report.model import Amount, Gap, Report
from hermes_ops.report.settings import ReportSettings
from hermes_ops.report.week import rolled_up, total
from orchestrator.contracts import from_json, to_json
from tests.report.samples import bad_day, quiet_day

WEEK = week_of(date(2026, 11, 25), "Asia/Shanghai")
ORDER = Order("week", WEEK, "zh", "shop")
MADE = WEEK.end + timedelta(hours=9)


def days(missing: int | None = None) -> list[tuple]:
    found = []
    for n, window in enumerate(days_of(WEEK)):
        made = bad_day() if n == 6 else quiet_day()
        found.append((window, None if n == missing else replace(made, window=window)))
    return found


def test_a_week_sums_its_days():
    found = rolled_up(ORDER, days(), [], ReportSettings(), MADE)
    one = bad_day()
    assert found.alerts.fired == one.alerts.fired
    assert found.errors.total.value == one.errors.total.value
    assert len(found.incidents) == 1
    assert [d.rating for d in found.days] == ["quiet"] * 6 + ["bad"]
    assert [h.n for h in found.errors.hours] == [0] * 6 + [565]
    checkout = next(a for a in found.availability if a.service == "checkout")
    assert round(checkout.percent.value, 4) == 98.0734
    assert found.verdict.rating == "bad"
    assert from_json(Report, to_json(found)) == found


def test_a_missing_day_is_a_gap_and_makes_sums_at_least():
    found = rolled_up(ORDER, days(missing=2), [], ReportSettings(), MADE)
    assert found.days[2].missing
    assert found.days[2].alerts.value is None
    assert found.alerts.fired.sure == "least"
    assert any("11-25" in g.what for g in found.gaps)
    assert found.errors.hours[2].n is None


def test_a_day_that_was_seen_in_part_makes_the_week_incomplete_and_names_no_hours_for_all_of_it():
    [(first, calm), *rest] = days()
    part = Amount(0, "least", "00:00–08:00 only")
    ended = replace(
        calm, alerts=replace(calm.alerts, fired=part), gaps=(Gap("folder logs", "its data ends at 08:00", "alerts"),)
    )
    found = rolled_up(ORDER, [(first, ended), *((w, calm) for w, _ in rest)], [], ReportSettings(), MADE)
    assert found.verdict.rating == "incomplete"
    assert [r.text for r in found.verdict.rules] == ["告警有的日子数据不全"]
    assert [g.what for g in found.gaps] == ["11-23 its data ends at 08:00"]


def test_the_week_before_is_compared():
    (bare,) = rolled_up(ORDER, days(), [], ReportSettings(), MADE).comparison
    assert (bare.window, bare.alerts.value) == (None, None)
    before = [r for _, r in days()]
    (found,) = rolled_up(ORDER, days(), before, ReportSettings(), MADE).comparison
    assert (found.against, found.alerts) == ("period_before", Amount(8))


def test_an_alert_of_several_days_is_one_row():
    two = [(w, replace(bad_day(), window=w)) for w in days_of(WEEK)[:2]]
    found = rolled_up(ORDER, two, [], ReportSettings(), MADE)
    rows = {r.name: r for r in found.alerts.rows}
    assert len(rows) == len(bad_day().alerts.rows)
    assert rows["InstanceDown"].fired == 6


def test_totals_are_unknown_only_where_nothing_is_known():
    no = Amount(None, "unknown", "down")
    assert total([no, no]).value is None
    assert total([Amount(2), no]) == Amount(2, "least", "down")
    assert total([Amount(2), Amount(3)]) == Amount(5)

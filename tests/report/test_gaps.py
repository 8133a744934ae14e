"""What a report says where a source is down, young, cut or crowded, and on days of odd clocks."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from hermes_ops.report.day import local_day
from hermes_ops.report.model import Amount, Report
from orchestrator.contracts import from_json, to_json
from subagents.sources import Ratio
from tests.report.samples import HOSTILE, LONG
from tests.report.staged import DAY, LONG_AGO, START, alert, at, lines, logs, report, sources


def where(found: Report) -> set[tuple[str, str]]:
    return {(g.source, g.where) for g in found.gaps}


@pytest.mark.parametrize("kind", ["alerts", "logs", "metrics", "changes"])
async def test_a_source_that_is_down_is_named_and_its_figures_are_unknown(kind):
    of = sources([alert("A", "cart", 2)], ratios=[Ratio("cart", 10, 0)])
    broken = replace(getattr(of, kind)[0], down="no route to host")
    found = await report(replace(of, **{kind: (broken,)}), core=("cart",))
    parts = {
        "alerts": found.alerts.fired, "logs": found.errors.total, "metrics": found.availability[0].percent,
        "changes": found.changes.total,
    }  # fmt: skip
    assert parts.pop(kind).value is None
    assert all(a.value is not None for a in parts.values())
    assert any(g.source == broken.name and "no route to host" in g.what for g in found.gaps)
    assert any(a.kind == "gap" for a in found.attention)
    assert kind not in ("alerts", "logs") or found.verdict.rating == "incomplete"  # not seen is not quiet


async def test_nothing_configured_is_unknown_and_nothing_at_all_is_zero():
    quiet = await report(sources())
    assert quiet.alerts.fired == Amount(0)
    assert quiet.errors.total == Amount(0)
    assert quiet.changes.total == Amount(0)
    assert (quiet.verdict.rating, quiet.gaps) == ("quiet", ())
    blind = await report(replace(sources(), alerts=(), logs=(), metrics=(), changes=()))
    assert {g.where for g in blind.gaps} == {"alerts", "errors", "availability", "changes"}
    assert blind.alerts.fired.value is None
    assert blind.errors.hours[3].n is None


async def test_a_store_younger_than_the_day_makes_its_counts_at_least():
    young = logs(lines("cart", 15, 5), since=at(12))
    found = await report(sources(errors=young))
    assert (found.errors.total.value, found.errors.total.sure) == (5, "least")
    assert [h.n for h in found.errors.hours][:13] == [None] * 12 + [0]
    assert ("loki", "errors") in where(found)
    assert found.comparison[0].errors.value is None


@pytest.mark.parametrize(
    ("staged", "sure", "gapped"), [({"cut": True}, "least", True), ({"about": True}, "approx", False)]
)
async def test_cut_answers_are_at_least_and_approximate_ones_about(staged, sure, gapped):
    found = await report(sources(errors=logs(lines("cart", 5, 5), lines("cart", 23.9, 1), **staged)))
    assert found.errors.total.sure == sure
    assert (("loki", "errors") in where(found)) == gapped


async def test_what_a_source_says_it_left_out_is_a_gap():
    found = await report(sources(errors=logs(lines("cart", 23.9, 5), gaps=("old chunks are not in it",))))
    assert any("old chunks" in g.what for g in found.gaps)


async def test_no_earlier_day_is_said_and_not_zero():
    late = replace(sources(), logs=(logs(lines("cart", 0, 9), lines("cart", 23.9, 1), since=START),))
    late = replace(late, alerts=(replace(late.alerts[0], since=START),),
                   metrics=(replace(late.metrics[0], since=START),))  # fmt: skip
    found = await report(late)
    assert all(c.window is None and c.alerts.value is None and c.why_not for c in found.comparison)
    assert found.errors.before.value is None
    assert not any(g.where == "comparison" for g in found.gaps)


async def test_earlier_days_are_compared_by_the_sources():
    rows = [alert("A", "cart", 2), alert("A", "cart", 3, day=-1), alert("A", "cart", 4, day=-7)]
    errors = logs(lines("cart", 5, 2), lines("cart", 5, 7, day=-1), lines("cart", 5, 9, day=-7))
    before, week = (await report(sources(rows, errors))).comparison
    assert (before.alerts, before.errors, before.like) == (Amount(1), Amount(7), True)
    assert (week.alerts, week.errors) == (Amount(1), Amount(9))


async def test_a_stored_report_spares_the_sources():
    earlier = await report(sources([alert("A", "cart", 2), alert("B", "cart", 3)]))

    async def find(kind, window):
        return replace(earlier, window=window)

    of = sources(since=LONG_AGO)
    found = await report(of, find=find)
    assert [c.alerts for c in found.comparison] == [Amount(2), Amount(2)]
    assert of.logs[0].asked
    assert all(q[0].window.start >= at(0, -1) for q in of.logs[0].asked if isinstance(q, tuple))


async def test_a_workday_beside_a_day_off_is_marked():
    found = await report(sources(), is_workday=lambda d: d != DAY - timedelta(days=1))
    assert [c.like for c in found.comparison] == [False, True]


@pytest.mark.parametrize(
    ("zone", "of", "hours"),
    [("America/New_York", date(2026, 3, 8), 23), ("America/New_York", date(2026, 11, 1), 25),
     ("Asia/Kathmandu", DAY, 24)],
)  # fmt: skip
async def test_days_of_odd_clocks_count_all_and_nothing_twice(zone, of, hours):
    window = local_day(of, zone)
    steps = int((window.end - window.start).total_seconds() // 600)
    off = (window.start - START).total_seconds() / 3600
    since = window.start - timedelta(days=9)
    rows = logs(*(lines("cart", off + n / 6, 1) for n in range(-6, steps + 6)), since=since)
    events = [alert("A", "cart", off + n / 6, 2) for n in range(-6, steps + 6)]
    found = await report(sources(events, rows, since=since), window=window)
    assert found.errors.total.value == steps
    assert found.alerts.fired.value == steps
    assert [h.n for h in found.errors.hours] == [6] * hours
    assert [sum(h.by.values()) for h in found.alerts.hours] == [6] * hours


@pytest.mark.parametrize("n", [2_000, pytest.param(50_000, marks=pytest.mark.slow)])
async def test_a_storm_of_alerts_of_four_hundred_services(n):
    rows = [alert(f"A{i % 300}", f"s{i % 400}", i * 23.9 / n, 1) for i in range(n)]
    found = await report(sources(rows))
    assert found.alerts.fired == Amount(n)
    assert len(found.alerts.by_service) == 400
    assert len(found.alerts.rows) <= 100
    assert len(found.attention) <= 20
    assert found.alerts.deserved.sure == "approx"


async def test_hostile_names_come_through_whole_and_round_trip():
    rows = [alert(LONG, HOSTILE[0], 3, severity="critical"), *(alert(f"x|{n}", n, 4) for n in HOSTILE)]
    found = await report(sources(rows, logs(*(lines(n, 5, 2, said="<b>|") for n in HOSTILE))))
    assert {r.name for r in found.alerts.rows} >= {LONG}
    assert set(found.alerts.by_service) == set(HOSTILE)
    assert from_json(Report, to_json(found)) == found


async def test_files_that_nobody_could_read_are_named_where_a_kind_of_data_is_missing():
    skipped = ({"path": "x.log", "why": "no known format"},)
    blind = replace(sources(), logs=(), skipped=skipped)
    assert any("x.log" in g.what for g in (await report(blind)).gaps)


async def test_an_earlier_day_of_which_little_is_known_is_not_compared_with():
    young = logs(lines("cart", 23.9, 5, day=-1), lines("cart", 3, 200), since=at(23.8, -1))
    found = await report(sources(errors=young), lang="zh")
    assert found.errors.total == Amount(200)
    assert found.errors.before.value is None
    assert "只有 0.2 小时的数据" in found.errors.why_not
    assert not any(p.new for p in found.errors.patterns)
    assert all(c.errors.value is None for c in found.comparison)


async def test_alerts_of_an_hour_that_no_source_reaches_are_unknown_not_zero():
    found = await report(sources([alert("A", "cart", 7)], since=at(6)))
    by = {h.start.hour: h.by for h in found.alerts.hours}
    assert (by[5], by[7]) == (None, {"warning": 1})
    assert by[8] == {}


async def test_an_error_budget_is_of_the_time_that_was_measured():
    """Eight hours of a day that are measured say the same of the budget as whole days like them would."""
    of = sources(ratios=[Ratio("cart", 1000, 1)])
    part = replace(of.metrics[0], since=at(16))
    found = await report(replace(of, metrics=(part,)), core=("cart",))
    [cart] = found.availability
    assert cart.budget_left.sure == "approx"
    assert cart.budget_left.value == pytest.approx(100 - 100 * 1 / (1000 * 90 * 0.001), abs=0.01)

"""From sources to a report: what is counted, what is an incident, and what is said where something can't be told."""

from dataclasses import replace

from hermes_ops.report.attending import attention
from hermes_ops.report.model import Amount, CauseSaid, Report
from hermes_ops.report.settings import ReportSettings
from memory.reports import Confirmed
from orchestrator.contracts import Window, to_json
from subagents.sources import Change, Ratio
from tests.report import samples
from tests.report.staged import MADE, START, alert, at, lines, logs, report, sources


def where(found: Report) -> set[tuple[str, str]]:
    return {(g.source, g.where) for g in found.gaps}


def rules(found: Report) -> set[str]:
    return {r.name for r in found.verdict.rules}


STORM = [
    alert("PoolExhausted", "payment", 14.0, 40),
    alert("PaymentErrors", "payment", 14.02, 42, "critical"),
    alert("CheckoutErrors", "checkout", 14.03, 42, "critical"),
]
BROKEN = (lines("payment", 14, 200, said="pool timeout"), lines("checkout", 14, 150, said="payment said 500"))
DEPLOY = Change("d1", "deploy", "payment", at(13.98), "smaller pool", "omar", version="2.4.1")


async def test_rising_edges_are_counted_and_what_was_quiet_stands_apart():
    found = await report(
        sources([
            alert("A", "cart", 2), alert("A", "cart", 5), alert("B", "cart", 6, severity="critical", minutes=90),
            alert("Old", "cart", -3, 60 * 4),  # fires on from the day before
            alert("Hushed", "cart", 7, suppressed=True, by="silenced by 1"),
            alert("Below", "cart", 8, suppressed=True, by="inhibited by 2"),
            alert("Tomorrow", "cart", 25),
        ])
    )  # fmt: skip
    a = found.alerts
    assert (a.fired, a.silenced, a.inhibited, a.carried) == (Amount(3), Amount(1), Amount(1), Amount(1))
    assert dict(a.by_severity) == {"critical": 1, "warning": 2}
    assert dict(a.by_service) == {"cart": 3}
    assert {h.start.hour: dict(h.by) for h in a.hours if h.by} == {
        2: {"warning": 1}, 5: {"warning": 1}, 6: {"critical": 1},
    }  # fmt: skip
    assert a.longest is not None
    assert (a.longest.name, a.longest.firing) == ("B", 5400.0)
    assert a.resolve_median == Amount(3000.0)


async def test_new_and_recurring_are_told_by_the_week_before():
    found = await report(sources([alert("Seen", "cart", 5, day=-3), alert("Seen", "cart", 5), alert("New", "cart", 9)]))
    assert (found.alerts.new, found.alerts.recurring) == (Amount(1), Amount(1))
    young = await report(sources([alert("New", "cart", 9)], since=START))
    assert young.alerts.new.value is None
    assert young.alerts.rows[0].recurring is None


async def test_flapping_and_open_alerts_need_a_person():
    flaps = [alert("Flap", "cart", 3 + n / 10, 3) for n in range(5)]
    found = await report(sources([*flaps, alert("Stuck", "cart", 20, None)]))
    rows = {r.name: r for r in found.alerts.rows}
    assert rows["Flap"].flapping
    assert rows["Stuck"].open
    assert not rows["Stuck"].flapping
    assert any("Stuck" in a.text for a in found.attention)
    assert found.alerts.still_open == Amount(1)
    assert "open" in rules(found)


async def test_an_incident_has_its_suspect_and_the_change_is_marked():
    known = {"calls": [("checkout", "payment")], "changes": [DEPLOY]}
    found = await report(sources(STORM, logs(*BROKEN), **known))
    (incident,) = found.incidents
    assert incident.services[:2] == ("payment", "checkout")
    assert len(incident.alerts) == 3
    assert incident.cause == CauseSaid(
        "undecided", "payment: smaller pool"
    )  # no diff: it comes nearest, and is no proof
    assert found.changes.rows[0].near == incident.key
    assert found.verdict.rating == "bad"
    assert "incident" in rules(found)


def test_a_cause_without_a_version_is_asked_about_by_its_title():
    day = samples.bad_day("zh")
    said = CauseSaid("change", "coupon.limit: 20 → 2", "f1", "coupon")
    incidents = [replace(i, cause=said) for i in day.incidents]
    needs = attention(day.window, "zh", day.alerts, day.errors, day.availability, incidents, day.gaps, ReportSettings())
    assert any("coupon.limit: 20 → 2" in n.text for n in needs)


async def test_an_incident_that_was_not_analysed_has_no_verdict():
    other = [
        alert("SearchErrors", "search", 20.0, 40, "critical"),
        alert("SearchSlow", "search", 20.05, 40, "critical"),
    ]
    found = await report(sources([*STORM, *other], logs(*BROKEN)), rules=ReportSettings(incidents=1))
    (second,) = [i for i in found.incidents if i.services == ("search",)]
    assert second.cause == CauseSaid("undecided")
    assert any(g.where == "incidents" for g in found.gaps)
    assert any("undecided" in a.text and a.service == "search" for a in found.attention)


async def test_a_confirmed_cause_stands_instead_of_the_suspect():
    told = Confirmed("the pool was too small", "ana", MADE)
    key = "payment@2026-11-25T14:00Z"
    found = await report(sources(STORM, logs(*BROKEN)), confirmed={key: told})
    (incident,) = found.incidents
    assert (incident.key, incident.cause.kind) == (key, "confirmed")
    assert (incident.cause.title, incident.cause.by) == ("the pool was too small", "ana")
    near = await report(sources(STORM, logs(*BROKEN)), confirmed={"checkout@2026-11-25T14:09Z": told})
    assert near.incidents[0].cause.kind == "confirmed"
    other = await report(sources(STORM, logs(*BROKEN)), confirmed={"checkout@2026-11-25T18:00Z": told})
    assert other.incidents[0].cause.kind != "confirmed"


async def test_unconnected_troubles_at_the_same_time_are_two_incidents():
    more = [alert("DiskFull", "backup", 14.01, 30, "critical")]
    calls = [("checkout", "payment"), ("backup", "store")]
    found = await report(sources([*STORM, *more], calls=calls))
    assert len(found.incidents) == 2
    assert {i.services[0] for i in found.incidents} == {"payment", "backup"}


async def test_a_lone_warning_is_no_incident():
    found = await report(sources([alert("Slow", "cart", 4)]))
    assert found.incidents == ()


async def test_a_burst_of_errors_without_an_alert_is_an_incident_that_says_so():
    found = await report(sources(errors=logs(lines("cart", 1, 2), lines("cart", 3, 2), lines("cart", 9, 400))))
    (incident,) = found.incidents
    assert incident.alerts == ()
    assert any("no alert fired" in a.text for a in found.attention)
    nightly = logs(lines("cart", 9, 400), lines("cart", 9, 380, day=-1))
    assert (await report(sources(errors=nightly))).incidents == ()


async def test_errors_are_counted_by_service_and_hour_beside_the_like_day():
    found = await report(sources(errors=logs(lines("cart", 2, 3), lines("pay", 2.5, 4), lines("cart", 2, 5, day=-1))))
    rows = {r.service: r for r in found.errors.rows}
    assert (rows["pay"].n, rows["pay"].before) == (Amount(4), Amount(0))
    assert (rows["cart"].n, rows["cart"].before) == (Amount(3), Amount(5))
    assert rows["pay"].hours[2] == 4
    assert [(h.n, h.before) for h in found.errors.hours][2] == (7, 5)
    assert (found.errors.total, found.errors.before) == (Amount(7), Amount(5))
    assert [p.new for p in found.errors.patterns] == [True, False]


async def test_availability_is_held_to_its_objective():
    ratios = [Ratio("cart", 10_000, 50), Ratio("pay", 10_000, 1), Ratio("half", 1000.5, 1.5, approx=True)]
    found = await report(sources(ratios=ratios), rules=ReportSettings(objectives={"cart": 99.9}))
    worst = found.availability[0]
    assert (worst.service, worst.percent, worst.bad) == ("cart", Amount(99.5), Amount(50))
    assert found.verdict.rating == "bad"
    assert {a.service: a.percent.sure for a in found.availability}["half"] == "approx"
    mild = await report(sources(ratios=ratios))
    assert mild.verdict.rating == "watch"  # nobody promised anything
    assert (await report(sources(), core=("cart",))).availability[0].percent.value is None


async def test_texts_from_sources_are_masked():
    found = await report(
        sources(errors=logs(lines("cart", 5, 3, said="password=hunter2"))),
        mask=lambda t: t.replace("hunter2", "<secret>"),
    )
    assert "hunter2" not in str(to_json(found))


async def test_narrowed_to_services_only_those_are_asked():
    of = sources([alert("A", "cart", 2), alert("B", "pay", 3)], logs(lines("cart", 2, 3), lines("pay", 2, 4)))
    found = await report(of, services=("pay",))
    assert (found.alerts.fired, found.errors.total) == (Amount(1), Amount(4))
    assert all(q.services == ("pay",) for q in of.alerts[0].asked if not isinstance(q, tuple))


async def test_counting_is_pushed_down():
    of = sources(errors=logs(lines("cart", 2, 3), lines("cart", 23.9, 1)))
    await report(of)
    asked = [q[1] for q in of.logs[0].asked if isinstance(q, tuple) and isinstance(q[1], tuple)]
    assert ("service", "hour") in asked
    assert not any(isinstance(q, str) for q in of.logs[0].asked)


async def test_a_handover_tells_what_is_open_quiet_and_under_way():
    window = Window(at(21, -1), at(9), "UTC")
    work = Change("CHG-1", "ticket", "db", at(8), "vacuum", until=at(11))
    rows = [
        alert("Stuck", "cart", 3, None),
        alert("Hushed", "cart", 4, None, suppressed=True, by="silenced by ana until 2026-11-25T18:00Z"),
        alert("Moved", "db", 5, None, suppressed=True, by="; ".join((
            "silenced by bo until 2026-11-25 10:00 UTC (换盘)", "silenced by wei until 2026-11-25 20:00 UTC"))),
        alert("Errors", "pay", 8, 30, "critical"),
    ]  # fmt: skip
    found = await report(sources(rows, changes=[work]), "shift", window)
    h = found.handover
    assert h is not None
    assert [r.name for r in h.open] == ["Stuck"]
    assert [(s.name, s.until) for s in h.silences] == [("Hushed", at(18)), ("Moved", at(20))]
    assert h.silences[1].by in ("被 bo 静默（换盘）；被 wei 静默", "silenced by bo (换盘); silenced by wei")
    assert [c.id for c in h.in_flight] == ["CHG-1"]
    assert any("pay" in w for w in h.watch)
    assert any("vacuum" in w for w in h.watch)


async def test_commits_that_a_deploy_carries_are_not_counted_twice():
    commit = Change("abc", "commit", "pay", at(3), "fix")
    deploy = Change("d1", "deploy", "pay", at(4), "fix", sha="abc", version="1.1")
    found = await report(sources(changes=[commit, deploy]))
    assert (found.changes.total, dict(found.changes.by_kind)) == (Amount(1), {"deploy": 1})


async def test_what_somebody_silenced_keeps_no_incident_open() -> None:
    """Nor does it give the incident its first name; its alerts tell of it all the same."""
    silenced = alert("TargetDown", "batch", 2.95, None, suppressed=True, by="silenced by ops")
    loud = [alert("Errors", "pay", 3, 20, "critical"), alert("Down", "pay", 3.1, 30, "critical")]
    for hidden in ([], [silenced]):
        [incident] = (await report(sources([*loud, *hidden]))).incidents
        assert incident.end == at(3.6)
        assert incident.services[0] == "pay"
        assert ("TargetDown/batch" in incident.alerts) == bool(hidden)
    counted = (await report(sources([*loud, silenced]))).alerts
    assert (counted.fired.value, counted.new.value, counted.distinct.value) == (2, 2, 3)

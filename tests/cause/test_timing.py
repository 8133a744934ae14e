"""When a change can have shown: code that slept, signs that are no chance yet, limits that calls now end by."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from orchestrator.contracts import Scope
from subagents.cause.analyse import judge
from subagents.cause.breaks import breaks
from subagents.cause.facts import Facts
from subagents.cause.model import Suspect
from subagents.cause.operational import hosts
from subagents.cause.relations import on_paper
from subagents.cause.shaped import shaped
from subagents.sources import Change, Pattern, Series, Span
from subagents.topology import Topology
from tests.subagents.changes.test_ranking import change
from tests.subagents.rig import at, window

FAILING = "duplicate key value violates unique constraint"


def gauge(service: str, name: str, *levels: tuple[str, float]) -> Series:
    """From each time on its level, a point a minute."""
    points = [(at("06:00") + timedelta(minutes=n)) for n in range(510)]
    value = [next(v for start, v in reversed(levels) if t >= at(start)) for t in points]
    return Series(name, service, "gauge", "", tuple(zip(points, value, strict=True)))


def suspects(changes: list[Change], series: list[Series], diffs: dict[str, str], **more: object) -> dict[str, Suspect]:
    said = Pattern(FAILING, "runner", "error", 900, 0, at("13:02"), at("14:00"), FAILING)
    facts = Facts(
        window("06:00"), series=tuple(series), patterns=(said,), changes=tuple(changes), diffs=diffs,
        topology=Topology([("shop", "runner")]),
    )  # fmt: skip
    found = judge(replace(facts, **more), Scope(), at("13:05"))  # type: ignore[arg-type]
    return {s.id: s for s in found.ranked}


def reason(suspect: Suspect, signal: str) -> tuple[str, float]:
    return next(((r.text, r.weight) for r in suspect.reasons if r.signal == signal), ("", 0.0))


@pytest.mark.parametrize(("usual", "slept"), [(0.0, True), (40.0, False)])
def test_a_change_of_what_had_nothing_to_do_until_the_onset_slept(usual: float, slept: bool):
    """A nightly job brings what was deployed in the afternoon before."""
    series = [
        gauge("runner", "jobs_started_per_min", ("06:00", usual), ("13:00", 200.0)),
        gauge("runner", "error_ratio", ("06:00", 0.01), ("13:02", 0.5)),
    ]
    text, weight = reason(suspects([change("deploy", "runner", "07:00")], series, {})["7"], "timing")
    assert ("nothing to do" in text) == slept
    assert (weight > 0) == slept


def test_a_change_between_the_first_signs_and_their_being_sure_isnt_later_than_the_trouble():
    ramp = Series(
        "cpu_utilization", "runner", "gauge", "",
        tuple((at("11:00") + timedelta(minutes=n), 0.4 + 0.001 * n + (0.4 if n >= 100 else 0)) for n in range(180)),
    )  # fmt: skip
    series = [ramp, gauge("runner", "error_ratio", ("06:00", 0.01), ("13:02", 0.5))]
    found = suspects([change("deploy", "runner", clock, clock) for clock in ("12:39", "12:58")], series, {})
    assert "under way" not in reason(found["12:39"], "timing")[0]
    assert "under way" in reason(found["12:58"], "timing")[0]


@pytest.mark.parametrize(("took", "ends"), [(0.25, True), (1.9, False)])
def test_calls_that_end_just_at_the_new_limit_tie_the_change_to_them(took: float, ends: bool):
    spans = tuple(
        Span(f"t{n}", "a", None, "runner", "call", at("13:03") + timedelta(seconds=n), took, "DeadlineExceeded")
        for n in range(9)
    )
    series = [gauge("runner", "error_ratio", ("06:00", 0.01), ("13:02", 0.5))]
    diff = "@@ client.go @@\n-PerTryTimeout: 2 * time.Second,\n+PerTryTimeout: 250 * time.Millisecond,"
    made = change("commit", "runner", "13:01", "a" * 40, has_diff=True)
    found = suspects([made], series, {made.id: diff}, spans=spans)[made.id]
    assert (reason(found, "effect")[1] >= 2.0) == ends


@pytest.mark.parametrize(("lines", "louder"), [(90_000, True), (900, False)])
def test_many_times_as_many_lines_are_what_a_lower_log_level_brings(lines: int, louder: bool):
    many = Pattern("scored doc <*>", "runner", "debug", lines, 30, at("13:01"), at("14:00"), "scored doc 7")
    slow = Pattern("slow answer", "runner", "error", 90, 0, at("13:02"), at("14:00"), "slow answer")
    series = [gauge("runner", "http_duration_p99_ms", ("06:00", 90.0), ("13:02", 900.0))]
    made = change("commit", "runner", "13:01", "a" * 40, has_diff=True)
    diff = {made.id: "@@ deploy/values.yaml @@\n-LogLevel: Warning\n+LogLevel: Debug"}
    found = suspects([made], series, diff, patterns=(many, slow))[made.id]
    assert ("logging" in reason(found, "effect")[0]) == louder


@pytest.mark.parametrize(("name", "seen"), [("container_oom_killed_total", True), ("cache_hits_total", False)])
def test_a_single_grave_event_counts_though_no_rate_shows_it(name: str, seen: bool):
    points = tuple((at("11:00") + timedelta(minutes=n), 3.0 if n == 100 else 0.0) for n in range(120))
    [read] = shaped([Series(name, "runner", "counter", "", points)])
    assert [b.at for b in breaks(read.points)] == ([at("12:40")] if seen else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("upstream unavailable http.route=/cart db.system=pg", set()),
        ("api.carrier.example answered 503", {"api.carrier.example"}),
    ],
)
def test_a_fields_key_is_no_machines_name(text: str, found: set[str]):
    assert hosts(text) == found


@pytest.mark.parametrize(
    ("kind", "title", "paper"),
    [
        ("deploy", "docs: explain the lag dashboard", True),
        ("release", "文档：如何扩容", True),
        ("deploy", "fix: docs of the pool", False),
        ("flag", "docs: on", False),
    ],
)
def test_a_deploy_that_says_of_itself_to_be_documents_is_paper(kind: str, title: str, paper: bool):
    assert on_paper(change(kind, "push", "13:01", title=title), ()) == paper


@pytest.mark.parametrize(
    ("title", "first"),
    [("白天重跑日终对账任务，关闭分批", True), ("re-run the nightly batch", True), ("new footer", False)],
)
def test_bulk_work_may_hurt_whom_it_shares_a_store_with(title: str, first: bool):
    said = Pattern("deadlock found when trying to get lock", "runner", "error", 900, 0, at("13:02"), at("14:00"), "x")
    series = [gauge("runner", "error_ratio", ("06:00", 0.01), ("13:02", 0.5))]
    rows = [change("ticket", "settle", "13:00", "CHG-5", title=title), change("deploy", "runner", "12:50", "CHG-4")]
    found = suspects(rows, series, {}, patterns=(said,))
    assert (found["CHG-5"].probability > found["CHG-4"].probability) == first

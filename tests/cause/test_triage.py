from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from subagents.cause.facts import Facts
from subagents.cause.model import Triaged
from subagents.cause.trend import trend
from subagents.cause.triage import triage
from subagents.sources import Change, Episode, Pattern, Series
from subagents.topology import Topology
from tests.subagents.rig import at, episode, window


def points(*values: float, start: str = "12:00") -> tuple[tuple[datetime, float], ...]:
    return tuple((at(start) + timedelta(minutes=10 * n), v) for n, v in enumerate(values))


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ((1, 1, 9, 12, 15, 19), "rising"),
        ((1, 1, 9, 1, 1, 1), "recovered"),
        ((1, 1, 9, 7, 5, 4.2), "draining"),
        ((1, 1, 9, 9.1, 9, 9.1), "plateau"),
        ((1, 6, 3, 9, 5, 12, 8), "ratchet"),
        ((9,), "unknown"),
    ],
)
def test_few_points_show_where_it_is_going(values: tuple[float, ...], wanted: str):
    assert trend(points(*values), at("12:20"), 4.0) == wanted


def test_where_less_is_worse_the_same_holds_upside_down():
    assert trend(points(42, 40, 3, 2, 0), at("12:20"), 10.0) == "rising"


def alert(id: str, service: str, start: str, end: str | None = None, severity: str = "sev2", **labels: str) -> Episode:
    return episode("High", service, start, end, severity, labels={"id": id, "metric": "errors", **labels})


def said(episodes: list[Episode], **more: Any) -> dict[str, Triaged]:
    return {t.id: t for t in triage(Facts(window(), episodes=tuple(episodes), **more))}


def rising(service: str) -> Series:
    return Series("errors", service, "gauge", "", points(1, 1, 9, 12, 15, 19))


NEW = Pattern("boom", "pay", "error", 900, 3, at("12:19"), None, "boom", "p-1")
DAILY = Pattern("pause", "pay", "unknown", 60, 58, None, None, "pause", "p-2")


def test_what_goes_on_rising_with_new_failing_lines_is_paged():
    got = said([alert("1", "pay", "12:20", threshold="4", pattern="p-1")], series=(rising("pay"),), patterns=(NEW,))
    assert got["1"].decision == "page"
    assert "goes on rising" in got["1"].reason


def test_what_healed_by_itself_with_the_usual_lines_is_not():
    got = said([alert("1", "pay", "12:20", "12:21", threshold="4", pattern="p-2", fired_count="16")], patterns=(DAILY,))
    assert got["1"].decision == "suppress"


def test_flapping_that_gets_worse_each_time_is_paged_all_the_same():
    worse = Series("errors", "pay", "gauge", "", points(1, 6, 3, 9, 5, 12, 8))
    flapping = alert("1", "pay", "12:20", "12:21", threshold="4", pattern="p-2", fired_count="16")
    assert said([flapping], series=(worse,), patterns=(DAILY,))["1"].decision == "page"


def test_one_alert_stands_for_those_with_the_same_failing_lines():
    both = [
        alert("1", "pay", "12:20", severity="sev1", pattern="p-1"),
        alert("2", "web", "12:21", severity="sev2", pattern="p-1"),
    ]
    got = said(both, series=(rising("pay"), rising("web")), patterns=(NEW,))
    assert [got[i].decision for i in "12"] == ["page", "suppress"]
    assert got["2"].group == "1"


def test_a_caller_of_what_is_paged_is_its_symptom():
    both = [alert("1", "pay", "12:20", severity="sev2"), alert("2", "web", "12:21", severity="sev1")]
    got = said(both, series=(rising("pay"), rising("web")), topology=Topology([("web", "pay")]))
    assert got["2"].decision == "suppress"
    assert got["2"].group == "1"


def test_what_is_worked_on_already_is_not_paged_again():
    record = episode("x", "pay", "12:00", None, labels={"incident_id": "INC-1", "metric": "errors", "owner": "me"})
    got = said([record, alert("1", "pay", "12:20", severity="sev1")], series=(rising("pay"),), patterns=(NEW,))
    assert got["1"].decision == "suppress"
    assert got["1"].group == "INC-1"
    assert len(got) == 1, "the record itself is no alert"


def test_planned_work_excuses_what_heals_but_not_what_goes_on():
    work = Change("CHG-1", "ticket", "pay", at("12:00"), "upgrade pay", until=at("14:00"))
    healed = alert("1", "pay", "12:20", "12:22", threshold="4", pattern="p-2")
    lasting = alert("2", "pay", "12:20", threshold="4", pattern="p-1", severity="sev1")
    got = said([healed, lasting], series=(rising("pay"),), patterns=(NEW, DAILY), changes=(work,))
    assert [got[i].decision for i in "12"] == ["suppress", "page"]


def test_test_environments_and_ignored_rules_are_suppressed():
    staging = alert("1", "pay staging", "12:20", severity="sev1")
    ignored = alert("2", "pay", "12:20", severity="sev1", monitor="[ignore] log volume")
    assert {t.decision for t in said([staging, ignored]).values()} == {"suppress"}


def test_an_earlier_sign_is_no_symptom_of_what_came_hours_later():
    early = alert("1", "db", "03:00", severity="warning")
    late = alert("2", "db", "12:00", severity="critical")
    found = said([early, late], series=(rising("db"),))
    assert {found["1"].decision, found["2"].decision} == {"page"}


@pytest.mark.parametrize("severity", ["critical", "P1", "严重", "紧急", "灾难"])
def test_a_severity_counts_in_any_teams_words(severity: str):
    found = said([alert("1", "db", "12:00", severity=severity), alert("2", "web", "12:00", severity="提示")])
    assert (found["1"].decision, f"severity {severity}" in found["1"].reason) == ("page", True)

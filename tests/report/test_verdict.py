"""The rules of the verdict, one by one, and how bad a severity is."""

from dataclasses import replace

import pytest

from hermes_ops.report.model import Amount, Report
from hermes_ops.report.settings import ReportSettings
from hermes_ops.report.verdict import verdict
from subagents.severity import rank, severe
from tests.report.samples import ROWS, bad_day, blind_day, quiet_day, row

QUIET = quiet_day("en")


def judged(made: Report, **rules) -> tuple[str, set[str]]:
    found = verdict(made.alerts, made.errors, made.availability, made.incidents, ReportSettings(**rules), made.lang)
    return found.rating, {r.name for r in found.rules}


def test_nothing_is_quiet_and_nothing_known_is_not():
    assert judged(QUIET) == ("quiet", {"quiet"})
    assert judged(blind_day()) == ("incomplete", {"blind"})


def test_an_incident_is_bad_by_the_severity_of_its_alerts():
    incidents = bad_day().incidents
    assert judged(replace(QUIET, incidents=incidents)) == ("bad", {"incident"})
    mild = tuple(replace(i, severity="warning") for i in incidents)
    assert judged(replace(QUIET, incidents=mild)) == ("watch", {"incident"})
    silent = tuple(replace(i, severity="", alerts=()) for i in incidents)
    assert judged(replace(QUIET, incidents=silent)) == ("watch", {"incident"})


@pytest.mark.parametrize(("severity", "rating", "rule"), [("P1", "bad", "critical_open"), ("warning", "watch", "open")])
def test_what_is_open_at_the_end(severity, rating, rule):
    still = (row("Disk", "db", severity, 20, None),)
    alerts = replace(QUIET.alerts, rows=still, still_open=Amount(1))
    assert judged(replace(QUIET, alerts=alerts)) == (rating, {rule})


def test_an_alert_that_deserves_a_person_outside_incidents():
    alerts = replace(QUIET.alerts, rows=(ROWS[0],))
    assert judged(replace(QUIET, alerts=alerts)) == ("watch", {"page"})
    both = replace(QUIET, alerts=alerts, incidents=bad_day().incidents)
    assert judged(both) == ("bad", {"incident"})


def test_an_objective_that_is_missed():
    made = replace(QUIET, availability=bad_day().availability)
    assert judged(made) == ("watch", {"objective"})
    assert judged(made, objectives={"checkout": 99.9}) == ("bad", {"objective"})


def test_errors_by_growth_and_by_new_patterns():
    errors = replace(QUIET.errors, total=Amount(300), before=Amount(100))
    assert judged(replace(QUIET, errors=errors)) == ("watch", {"errors"})
    assert judged(replace(QUIET, errors=errors), growth=4.0) == ("quiet", {"quiet"})
    assert judged(replace(QUIET, errors=errors), errors_worth=1000) == ("quiet", {"quiet"})
    fresh = replace(QUIET.errors, patterns=bad_day().errors.patterns)
    assert judged(replace(QUIET, errors=fresh)) == ("watch", {"pattern"})


def test_severities_in_the_words_of_several_tools():
    assert all(map(severe, ("critical", "Page", "sev1", "P0", "严重", "紧急", "high", "major")))
    assert not any(map(severe, ("warning", "sev3", "info", "一般", "", "whatever")))
    assert rank("critical") <= rank("high") < rank("warning") < rank("info")

"""What an answer says of a change and the cause it carries as data are one verdict."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from subagents.asking import Merged
from subagents.cause.model import Analysis, Cause, Place, Reason, Suspect
from subagents.changes.judged import judged, onset_of
from subagents.changes.ranking import CLEAR, Ranked, Symptom
from subagents.changes.shown import AGAINST, ranked
from subagents.topology import Topology
from tests.subagents.changes.test_ranking import change
from tests.subagents.rig import at, window

ONE = change("deploy", "pay", "13:02", "7", version="2.4.1")
TWO = change("deploy", "cart", "12:50", "8", version="1.1.0")
EVERY = list(product(["", *AGAINST], repeat=2))  # what closeness alone holds against either
PLACES = (Place("pay", 1.0, at("13:03"), (Reason("onset", "pay failed first"),)),)


def analysis(verdict: str, one: float, two: float, against: str = "") -> Analysis:
    """As likely as said; a verdict "change" names ONE."""
    rows = (
        Suspect("change", "7", "deploy", "pay", "", one, 2.0, ONE.at, ("7",), against),
        Suspect("change", "8", "deploy", "cart", "", two, 1.0, TWO.at, ("8",)),
    )
    blamed = "7" if verdict == "change" else ""
    cause = Cause(verdict, change=blamed, confidence=one, first_failing="pay", onset=at("13:03"))  # type: ignore[arg-type]
    return Analysis(cause, rows, PLACES, (), window(), ())  # type: ignore[arg-type]


def data(found: Analysis, closeness: tuple[str, str]) -> Any:
    rows = [Ranked(c, (), 0.0 if not_ else 1.0, not_) for c, not_ in zip((ONE, TWO), closeness, strict=True)]
    symptom = Symptom(onset_of(found, at("12:01")), ("pay",), Topology(()))
    looked = window("06:00", "15:00")
    got = ranked(Merged(rows=(ONE, TWO)), judged(rows, found), symptom, looked, found)
    return got.data


@pytest.mark.parametrize(("one", "two"), [(0.9, 0.02), (0.55, 0.4)])
def test_a_change_that_the_analysis_names_is_the_one_that_is_said(one: float, two: float):
    for closeness in EVERY:
        found = data(analysis("change", one, two), closeness)
        first, *others = found["suspects"]
        assert (first["id"], first["clear"], found["tied"]) == ("7", True, 1), closeness
        assert not any(row["clear"] for row in others), closeness
        assert "7" not in {row["id"] for row in found["rejected"]}, closeness
        assert found["cause"]["change"] == "7"


@pytest.mark.parametrize("verdict", ["unknown", "operational"])
def test_where_it_names_none_no_change_is_clear(verdict: str):
    for closeness in EVERY:
        found = data(analysis(verdict, 0.45, 0.3), closeness)
        assert all(row["score"] < CLEAR for row in found["suspects"]), closeness


def test_the_time_before_is_counted_from_the_onset_that_the_analysis_found():
    assert onset_of(analysis("change", 0.9, 0.0), at("12:01")) == at("13:03")
    found = data(analysis("change", 0.9, 0.0), ("", ""))
    assert found["suspects"][0]["lead"] == 60

"""Scores: each check passes for a right answer and fails for a wrong one; rates carry their uncertainty."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from hermes_ops.evals.case import Case, Span, Wanted, WantedCause
from hermes_ops.evals.rates import Outcome, Rate, rates
from hermes_ops.evals.score import Check, checks, named
from orchestrator.contracts import Answer, Asked, Evidence, Figure, Json, Scope, ToolResult, Window

AT = datetime(2026, 11, 29, 14, tzinfo=UTC)
SHA = "19bd9f4ceacf361908f98e2d8062b85d9a387c8d"
OTHER = "4929ab03a9c652a70ffb7d39e37ba362f7418dd9"


def evidence(*figures: Figure, data: Json = None) -> Evidence:
    return Evidence("L1", "logs", "count", {}, ToolResult("ok", "", data, figures))


def suspects(*shas: str, tied: int = 1) -> Json:
    return {"suspects": [{"sha": s, "id": f"id-{s[:4]}"} for s in shas], "tied": tied}


ANSWER = Answer(
    "r1",
    "ok",
    "payment 2.4.1 broke; 272 errors [L1]",
    window=Window(AT, AT.replace(hour=15)),
    scope=Scope(services=("cart", "checkout")),
    evidence=(
        evidence(
            Figure("errors", 272, "", {"service": "checkout"}),
            Figure("errors", 9, "", {"service": "checkout", "hour": "2026-11-29T14:00:00Z"}),
            data=suspects(SHA, OTHER),
        ),
    ),
    route=(Asked("logs", "", "", "", "ok", 1), Asked("alerts", "", "", "", "ok", 1)),
)


def verdicts(answer: Answer = ANSWER, **wanted: Any) -> dict[str, bool]:
    found = checks(Case("c", "why?", **wanted), answer)
    return {c.name: c.ok for c in found}


@pytest.mark.parametrize(
    ("wanted", "check", "ok"),
    [
        ({}, "answered", True),
        ({"status": ("needs_input",)}, "answered", False),
        ({"route": ("alerts", "logs")}, "route", True),
        ({"route": ("logs",)}, "route", False),
        ({"route": ()}, "route", False),
        ({"facts": ("PAYMENT 2.4.1",)}, "facts", True),
        ({"facts": (r"/\b27\d errors/",)}, "facts", True),
        ({"facts": (r"/\b28\d errors/",)}, "facts", False),
        ({"forbidden": ("catalog",)}, "forbidden", True),
        ({"forbidden": ("payment",)}, "forbidden", False),
        ({"figures": (Wanted("errors", 272, {"service": "checkout"}),)}, "figures", True),
        ({"figures": (Wanted("errors", 271, {"service": "checkout"}),)}, "figures", False),
        ({"figures": (Wanted("errors", 271, {"service": "checkout"}, tolerance=1),)}, "figures", True),
        ({"figures": (Wanted("errors", 9, {"service": "checkout"}),)}, "figures", False),
        ({"figures": (Wanted("errors", 272, {"service": "payment"}),)}, "figures", False),
        ({"figures": (Wanted("anything", 272),)}, "figures", True),
        ({"figures": (Wanted("anything", 27),)}, "figures", False),
        ({"window": Span(AT, AT.replace(hour=15))}, "window", True),
        ({"window": Span(AT, AT.replace(hour=16))}, "window", False),
        ({"window": "usual"}, "window", False),
        ({"window": "present", "now": AT.replace(hour=15, second=30)}, "window", True),
        ({"window": "present", "now": AT.replace(hour=16)}, "window", False),
        ({"services": ("checkout", "cart")}, "services", True),
        ({"services": ("cart",)}, "services", False),
        ({"services": ()}, "services", False),
        ({"verified": True}, "verified", True),
        ({"whole": True}, "whole", True),
    ],
)
def test_each_check(wanted: dict[str, Any], check: str, ok: bool) -> None:
    assert verdicts(**wanted)[check] is ok


def test_an_hour_is_the_same_hour_however_it_is_written() -> None:
    wanted = Wanted("errors", 9, {"service": "checkout", "hour": "2026-11-29T22:00:00+08:00"})
    assert verdicts(figures=(wanted,))["figures"]


def test_a_mark_in_the_answer_is_not_verified() -> None:
    assert not verdicts(replace(ANSWER, unverified=("7 %",)), verified=True)["verified"]


def test_a_file_left_unread_is_not_whole() -> None:
    assert not verdicts(replace(ANSWER, skipped=({"path": "x.bin", "why": "unknown"},)), whole=True)["whole"]


# ── the cause ─────────────────────────────────────────────────────────────────────────────────

CHANGE = WantedCause("change", (SHA, "9007"), decoys=(OTHER,))
NONE = WantedCause("operational", decoys=(OTHER,))


def blaming(*shas: str, tied: int = 1) -> Answer:
    return replace(ANSWER, evidence=(evidence(data=suspects(*shas, tied=tied)),))


@pytest.mark.parametrize(
    ("answer", "wanted", "cause", "precise", "no_decoy"),
    [
        (blaming(SHA, OTHER), CHANGE, True, True, True),
        (blaming(OTHER, SHA), CHANGE, False, False, False),
        (blaming(SHA, OTHER, tied=2), CHANGE, False, None, True),  # not decided: neither right nor blamed
        (blaming(), CHANGE, False, None, True),
        (blaming(), NONE, True, None, True),
        (blaming(SHA), NONE, False, False, True),
        (blaming(OTHER), NONE, False, False, False),
        (replace(ANSWER, evidence=()), NONE, True, None, True),
        (replace(ANSWER, cause={"verdict": "change", "change": SHA[:12]}), CHANGE, True, True, True),
        (replace(ANSWER, cause={"verdict": "change", "change": "9007"}), CHANGE, True, True, True),
        (replace(ANSWER, cause={"verdict": "unknown", "change": None}), NONE, True, None, True),
        (replace(ANSWER, cause={"verdict": "unknown", "change": None}), CHANGE, False, None, True),
    ],
)
def test_the_cause(answer: Answer, wanted: WantedCause, cause: bool, precise: bool | None, no_decoy: bool) -> None:
    found = verdicts(answer, cause=wanted)
    assert (found["cause"], found.get("precise"), found["no_decoy"]) == (cause, precise, no_decoy)


@pytest.mark.parametrize(
    ("told", "first", "radius"),
    [
        ({"first_failing": "db", "blast_radius": ["db", "cart", "web"]}, True, True),
        ({"first_failing": "web", "blast_radius": ["db", "cart", "web", "auth"]}, False, True),
        ({"first_failing": "db", "blast_radius": ["db", "cart"]}, True, False),
        (None, False, False),
    ],
)
def test_where_it_began_and_whom_it_reached(told: Json, first: bool, radius: bool) -> None:
    wanted = WantedCause("operational", first_failing="db", blast_radius=("web", "cart", "db"))
    found = verdicts(replace(ANSWER, cause=told), cause=wanted)
    assert (found["first"], found["radius"]) == (first, radius)


def test_a_window_that_was_not_asked_for_is_the_usual_one() -> None:
    window = Window(AT, AT.replace(hour=15), "UTC", "", "no time was named: the last hour")
    assert verdicts(replace(ANSWER, window=window), window="usual")["window"]
    assert verdicts(replace(ANSWER, window=None), window="usual")["window"]


def test_the_last_ranking_counts() -> None:
    answer = replace(ANSWER, evidence=(evidence(data=suspects(OTHER)), evidence(data=suspects(SHA))))
    assert named(answer).changes[0][0] == SHA


# ── rates ─────────────────────────────────────────────────────────────────────────────────────


def outcome(*oks: bool, asked: tuple[str, ...] = (), wanted: tuple[str, ...] | None = None, name: str = "a") -> Outcome:
    return Outcome("1", "q", tuple(Check(name, ok) for ok in oks), 0.1, asked=asked, wanted=wanted)


def test_a_case_passes_a_check_when_all_of_its_kind_hold() -> None:
    (rate,) = rates([outcome(True, True), outcome(True, False)], {})
    assert (rate.hits, rate.n) == (1, 2)


def test_precision_and_recall_are_over_all_sub_agents() -> None:
    done = [
        outcome(asked=("alerts", "logs"), wanted=("logs",)),
        outcome(asked=("logs",), wanted=("logs", "changes")),
        outcome(asked=(), wanted=()),
        outcome(asked=("logs",), wanted=()),
    ]
    found = {r.name: (r.hits, r.n) for r in rates(done, {})}
    assert found == {"precision": (2, 4), "recall": (2, 3), "quiet": (1, 2)}


def test_thresholds_hold_at_the_edge_and_never_over_nothing() -> None:
    done = [outcome(True)] * 9 + [outcome(False)]
    assert rates(done, {"a": 0.9})[0].reached
    assert not rates(done, {"a": 0.91})[0].reached
    assert [r.reached for r in rates(done, {"never checked": 0.0})] == [True, False]


@pytest.mark.parametrize(  # values of the score interval without continuity correction (Newcombe 1998, table I)
    ("hits", "n", "low", "high"), [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)]
)
def test_the_interval_is_wilsons(hits: int, n: int, low: float, high: float) -> None:
    assert Rate("a", hits, n).interval() == pytest.approx((low, high), abs=1e-4)

"""The built-in suites reach their thresholds: routing and time by their rules alone, the rest through the application;
and all of it in full length where slow tests run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hermes_ops.app import DOMAINS
from hermes_ops.evals import runner
from hermes_ops.evals.rates import Outcome, rates
from hermes_ops.evals.suite import Suite, builtin, load
from hermes_ops.settings import Settings
from orchestrator import when
from orchestrator.planner import choose
from subagents.plain.aims import aim
from subagents.sources import Sources

pytestmark = pytest.mark.slow


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path)


def failing(suite: Suite, outcomes: list[Outcome]) -> list[str]:
    missed = [f"{r.name} {r.hits}/{r.n}" for r in rates(outcomes, suite.thresholds) if r.n and not r.reached]
    return missed and [*missed, *(f"{o.id} {o.question}: {c.detail}" for o in outcomes for c in o.wrong)]


def test_the_suites_are_as_large_as_promised() -> None:
    assert set(builtin()) == {"cause", "demo", "figures", "followup", "routing", "time"}
    sizes = {name: len(load(name).cases) for name in builtin()}
    assert sizes["routing"] >= 60
    assert sizes["time"] >= 60
    assert sizes["demo"] >= 60
    assert sizes["cause"] >= 200
    assert sizes["followup"] >= 200
    routes = [c.route for c in load("routing").cases]
    assert sum(r == () for r in routes) >= 20
    for name in ("alerts", "logs", "changes"):
        assert sum(r == (name,) for r in routes) >= 10


def test_routing_reaches_its_thresholds_by_the_planners_rules() -> None:
    suite = load("routing")
    agents = tuple(make(Sources()) for make in DOMAINS)
    outcomes = []
    for case in suite.cases:
        names_service = "{" in case.question
        text = case.question.replace("{service}", "zeta").replace("{other}", "eta").replace("{edge}", "theta")
        asked = tuple(agent.name for agent, _ in choose(text, agents, names_service, aim(text)))
        outcomes.append(Outcome(case.id, text, (), 0.0, asked=asked, wanted=case.route))
    reached = {r.name: r for r in rates(outcomes, suite.thresholds) if r.n}
    assert {"precision", "recall", "quiet"} <= reached.keys()
    assert [f"{r.name} {r.hits}/{r.n}" for r in reached.values() if not r.reached] == []


def test_the_time_suite_reaches_its_threshold_by_the_grammar_alone() -> None:
    suite = load("time")
    wrong = []
    for case in suite.cases:
        assert case.now is not None
        found = when.resolve(case.question, case.now, case.zone).window
        want = case.window
        if (found and (found.start, found.end)) != (want and (want.start, want.end)):
            wrong.append(case.question)
    assert len(wrong) <= (1 - suite.thresholds["window"]) * len(suite.cases), wrong


def test_the_demo_and_the_figures_in_short(settings: Settings) -> None:
    whole = load("demo")
    short = replace(whole, cases=tuple(c for c in whole.cases if c.seed in (2, 3)))
    assert failing(short, runner.run(short.cases, settings, offline=True, workers=1)) == []
    figures = load("figures").first(4)
    assert failing(figures, runner.run(figures.cases, settings, offline=True, workers=1)) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["cause", "demo", "figures", "followup", "routing", "time"])
def test_a_suite_in_full(name: str, settings: Settings, nightly: bool) -> None:
    """`make nightly` runs them whole, CI some incidents of each kind of cause."""
    suite = load(name)
    if not nightly:
        suite = suite.first(4 if name == "cause" else 16)
    missed = failing(suite, runner.run(suite.cases, settings, offline=True))
    assert missed == []

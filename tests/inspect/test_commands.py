"""The commands of the inspector over one real run: what they print, and what they refuse in a sentence."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_ops.evals.suite import load
from orchestrator.errors import ConfigError, StoreError
from tests.e2e.place import folder
from tests.inspect.bench import Bench
from tests.trace.conftest import cli, faulty

__all__ = ["cli"]

pytestmark = pytest.mark.slow

Trace = Callable[..., str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, str, str]:
    """A run without a model, and one with a model that asks the logs only."""
    base = tmp_path_factory.mktemp("inspected")
    bench = Bench(base, folder(base / "incident"))

    async def ask() -> tuple[str, str]:
        return await bench.ask(), await bench.ask("why are there errors in checkout after 13:00 yesterday?", faulty)

    return (bench, *asyncio.run(ask()))


@pytest.fixture
def trace(cli: Trace, made: tuple[Bench, str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Trace:
    monkeypatch.chdir(tmp_path)
    return lambda *args: cli("trace", *args, data=made[0].home / "data")


def test_a_run_as_a_page_names_its_file(trace: Trace, made: tuple[Bench, str, str], tmp_path: Path) -> None:
    trace("html", made[2])
    text = (tmp_path / f"{made[2]}.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "why are there errors in checkout" in text
    assert trace("html", made[2], "-o", "-").startswith("<!doctype html>")


def test_the_route_in_every_format(trace: Trace, made: tuple[Bench, str, str]) -> None:
    assert "-.->" in trace("graph", made[2])
    assert "not asked" in trace("graph", made[2])
    assert trace("graph", made[1], "--format", "dot").startswith("digraph route {")
    assert "<graphml" in trace("graph", made[1], "--format", "graphml")
    assert "<svg" in trace("graph", made[1], "--format", "svg")


def test_a_replay_says_that_it_is_identical(trace: Trace, made: tuple[Bench, str, str]) -> None:
    told = json.loads(trace("replay", made[2], "--json"))
    assert (told["identical"], told["divergences"], told["of"]) == (True, [], made[2])
    assert "No decision differs." in trace("diff", made[2], told["run"])
    assert told["run"] in trace("list", "--replays")
    assert told["run"] not in trace("list")


def test_a_replay_without_the_model_and_the_difference(trace: Trace, made: tuple[Bench, str, str]) -> None:
    told = json.loads(trace("replay", made[2], "--model", "offline", "--json"))
    assert not told["identical"]
    assert any("it has no result here" in d["why"] for d in told["divergences"])
    shown = trace("diff", made[2], told["run"])
    assert ">> here they part first:" in shown
    assert re.search(r"≠ asked +logs +logs, alerts, changes", shown)


def test_a_fork_is_a_case_that_can_be_read_and_run(trace: Trace, made: tuple[Bench, str, str], tmp_path: Path) -> None:
    (tmp_path / "cases" / "night").mkdir(parents=True)
    trace("fork", made[2], "--route", "logs,changes", "--fact", 'say "27"', "-o", "cases/night/case.toml")
    written = tomllib.loads((tmp_path / "cases" / "night" / "case.toml").read_text(encoding="utf-8"))
    (case,) = load("cases").cases
    assert case.route == ("logs", "changes")
    assert case.facts == ('say "27"',)
    assert case.question == written["question"] == "why are there errors in checkout after 13:00 yesterday?"
    assert case.folder == str(made[0].place)
    assert case.window is not None
    assert case.window.start.isoformat() == "2026-11-29T13:00:00+00:00"


def test_exports(trace: Trace, made: tuple[Bench, str, str]) -> None:
    lines = [json.loads(line) for line in trace("export", made[1]).splitlines()]
    assert lines[0]["run"] == made[1]
    assert {"route", "tool", "checked"} <= {line["kind"] for line in lines[1:]}
    spans = json.loads(trace("export", "--format", "otlp"))["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert len({s["traceId"] for s in spans}) == 2


def test_statistics(trace: Trace) -> None:
    told = json.loads(trace("stats", "--json"))
    assert told["runs"] == 2
    assert {g["key"]: g["count"] for g in told["groups"]}["logs"] == 2
    assert trace("stats", "--by", "day").splitlines()[0].split()[:2] == ["day", "count"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("html", "nonsense"), "There is no run 'nonsense'"),
        (("graph", "last", "--format", "png"), "Valid: mermaid, dot, graphml, svg"),
        (("replay", "last", "--say", "x"), "--from N"),
        (("replay", "last", "--from", "9999"), "has no step 9999"),
        (("replay", "last", "--set", "limits"), "KEY=VALUE"),
        (("replay", "last", "--set", "limits.parallel=0"), "LIMITS"),
        (("replay", "last", "--prompt", "gone.md"), "gone.md can't be read"),
        (("replay", "last", "--prompt", "nobody=x.md"), "Valid: supervisor"),
        (("replay", "last", "--recorded", "--model", "m"), "--recorded"),
        (("fork", "last", "--route", "nobody"), "Valid: alerts, changes, logs"),
        (("stats", "--by", "moon"), "Valid: agent, user, day, model"),
        (("export", "--format", "xml"), "Valid: jsonl, otlp"),
    ],
)
def test_what_is_refused(trace: Trace, args: tuple[str, ...], words: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(words)):
        trace(*args)


def test_a_file_that_can_not_be_written_is_said(trace: Trace) -> None:
    with pytest.raises(StoreError, match="can't be written"):
        trace("html", "last", "-o", "no/such/place.html")

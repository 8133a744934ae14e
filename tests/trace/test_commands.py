"""`hermes-ops trace` over real runs: the list and its filters, the tree, single steps."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from hermes_ops.trace import tree
from hermes_ops.trace.finding import one
from hermes_ops.trace.listing import HEADS, row
from hermes_ops.trace.show import lines
from memory import RunInfo, open_memory
from orchestrator.contracts import Incoming
from orchestrator.errors import ConfigError
from tests.e2e.place import QUESTION
from tests.trace.conftest import SECRET, Runs

pytestmark = pytest.mark.slow

Cli = Callable[..., str]


@pytest.fixture
def trace(cli: Cli, runs: Runs) -> Cli:
    return lambda *args: cli("trace", *args, data=runs.data)


def listed(trace: Cli, *args: str) -> list[str]:
    return [run["run"] for run in json.loads(trace("list", "--json", *args) or "[]")]


def number(shown: str, words: str) -> str:
    """The number of the first line that has the words."""
    found = re.search(rf"^ *(\d+)  .*{re.escape(words)}", shown, re.MULTILINE)
    assert found, f"no line has {words!r}:\n{shown}"
    return found[1]


def test_the_list_is_newest_first_with_what_each_took(trace: Cli, runs: Runs) -> None:
    rows = json.loads(trace("list", "--json"))
    assert [r["run"] for r in rows] == [a.run_id for a in (runs.fallen, runs.faulty, runs.scripted, runs.offline)]
    by_run = {r["run"]: r for r in rows}
    scripted = by_run[runs.scripted.run_id]
    assert scripted["agents"] == ["alerts", "logs", "changes"]
    assert scripted["usage"]["model_calls"] == len(runs.requests) == runs.scripted.usage.model_calls
    assert scripted["usage"]["cost"] == pytest.approx(runs.scripted.usage.cost)
    assert runs.scripted.usage.cost == pytest.approx(14 * (100 * 2 + 20 * 10) / 1e6)
    assert by_run[runs.offline.run_id]["usage"]["model_calls"] == 0
    table = trace("list").splitlines()
    assert table[0].split() == ["started", "run", "status", "took", "asked", "tokens", "cost", "user", "question"]
    assert len(table) == 5


def test_filters(trace: Cli, runs: Runs) -> None:
    assert listed(trace, "--user", "li") == [runs.offline.run_id]
    assert listed(trace, "--failed") == [runs.fallen.run_id, runs.faulty.run_id]
    assert listed(trace, "--text", "告警") == [runs.fallen.run_id]
    assert listed(trace, "--text", "WHY ARE") == [runs.faulty.run_id]
    assert listed(trace, "--agent", "changes") == [runs.scripted.run_id, runs.offline.run_id]
    assert listed(trace, "--session", "s2") == [runs.scripted.run_id]
    assert len(listed(trace, "--limit", "2")) == 2
    assert listed(trace, "--session", "other") == []
    assert listed(trace, "--status", "failed", "--status", "interrupted") == []
    assert len(listed(trace, "--status", "done")) == 4
    assert len(listed(trace, "--since", "1h")) == 4
    assert listed(trace, "--until", "1h") == []
    assert listed(trace, "--since", "2200-01-01T00:00Z") == []
    assert listed(trace, "--text", "%") == []


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("list", "--status", "good"), "Valid: running, done"),
        (("list", "--since", "lately"), "no time"),
        (("list", "--zone", "Asia/Shangai"), "Asia/Shanghai"),
        (("show", "nonsense"), "trace list"),
        (("show", "2"), "Several runs begin with '2'"),
        (("step", "last", "9999"), "its steps are 1 to"),
    ],
)
def test_what_is_refused(trace: Cli, args: tuple[str, ...], words: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(words)):
        trace(*args)


def test_the_tree_says_who_was_asked_what_and_why_and_who_was_not(trace: Cli, runs: Runs) -> None:
    shown = trace("show", runs.faulty.run_id)
    assert "route, turn 1: asks logs" in shown
    assert "logs: count them · because: it is about errors" in shown
    assert re.search(r"not asked: alerts · \w", shown)
    assert re.search(r"not asked: changes · \w", shown)
    assert 'count_errors {"by": "colour"} · error [L1]' in shown
    assert "valid: level" in shown
    assert re.search(r'count_errors \{"services": \["checkout"\]\} · ok \[L2\] · \d+ of \d+ rows', shown)
    assert "Unverified  987654" in shown
    assert "read from “after 13:00 yesterday”" in shown
    assert re.search(r"Used +5 model calls, 500 \+ 100 tokens, cost 0\.0020", shown)


def test_a_run_without_a_model_shows_its_plan_and_the_rules_reasons(trace: Cli, runs: Runs) -> None:
    shown = trace("show", runs.offline.run_id[:-1])
    assert "plan of 3 parts: logs + alerts → changes" in shown
    assert "asks for a cause" in shown
    assert "no model calls" in shown
    assert SECRET not in shown


def test_who_was_not_asked_is_told_with_the_reason_in_the_tree_and_in_its_step(trace: Cli, runs: Runs) -> None:
    shown = trace("show", runs.faulty.run_id)
    line = next(x for x in shown.splitlines() if "not asked: " in x)
    assert re.search(r"not asked: alerts, changes · .*\w", line) or "not asked: alerts · " in line
    number = next(x for x in shown.splitlines() if "route, turn 1" in x).split()[0]
    whole = trace("step", runs.faulty.run_id, number)
    assert "Not asked" in whole
    assert "alerts" in whole.partition("Not asked")[2]


def test_a_run_whose_model_was_away_says_why(trace: Cli, runs: Runs) -> None:
    shown = trace("show", "last")
    assert "no model could be used: http://127.0.0.1:9/v1 can't be reached" in shown
    assert "without a model, by playbooks" in shown


def test_the_json_of_a_run_holds_the_same(trace: Cli, runs: Runs) -> None:
    whole = json.loads(trace("show", runs.scripted.run_id, "--json"))
    assert whole["question"] == QUESTION
    assert whole["text"] == runs.scripted.text
    steps: list[dict[str, Any]] = []
    waiting = list(whole["steps"])
    while waiting:
        step = waiting.pop(0)
        steps.append(step)
        waiting += step.get("steps", [])
    assert sorted(s["n"] for s in steps) == list(range(1, len(steps) + 1))
    asked = [s["asked"] for s in steps if "asked" in s]
    assert [(a["agent"], a["task"], a["status"]) for a in asked] == [
        (r.subagent, r.task, r.status) for r in runs.scripted.route
    ]
    assert all(a["window"] == "2026-11-29 14:00 – 2026-11-30 00:00 +00:00" for a in asked)
    evidence = [s["evidence"] for s in steps if s["kind"] == "tool"]
    assert evidence == [e.id for e in runs.scripted.evidence]


def test_every_model_step_shows_exactly_what_the_server_got(trace: Cli, runs: Runs) -> None:
    whole = json.loads(trace("show", runs.scripted.run_id, "--json"))
    numbers = [s["n"] for s in tree_of(whole["steps"]) if s["kind"] == "model"]
    seen = [json.loads(trace("step", runs.scripted.run_id, str(n), "--json")) for n in numbers]
    assert len(seen) == len(runs.requests)
    got = sorted(json.dumps(r["messages"], sort_keys=True, ensure_ascii=False) for r in runs.requests)
    told = sorted(json.dumps(s["messages"], sort_keys=True, ensure_ascii=False) for s in seen)
    assert told == got
    assert all(s["note"] == "" and s["cut"] == [] for s in seen)


def tree_of(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [found for s in steps for found in (s, *tree_of(s.get("steps", [])))]


def test_a_model_step_in_words(trace: Cli, runs: Runs) -> None:
    shown = trace("show", runs.faulty.run_id)
    step = trace("step", runs.faulty.run_id, number(shown, "model → ask_logs"))
    assert "── System prompt ──\nYou are" in step
    assert "→ ask_logs(" in step
    assert "it is about errors" in step
    last = trace("step", runs.faulty.run_id, number(shown, "model → answers"))
    assert "user, sent before" in last
    assert "valid: level" in last


def test_a_tool_step_has_query_text_figures_and_data(trace: Cli, runs: Runs) -> None:
    shown = trace("show", runs.scripted.run_id)
    step = trace("step", runs.scripted.run_id, number(shown, "list_alerts {}"))
    assert "evidence A1" in step
    assert '"query": "folder alerts' in step
    assert "CheckoutHighErrorRate" in step
    assert "episodes = 1" in step
    assert "── Data ──" in step


def test_other_steps_are_shown_whole(trace: Cli, runs: Runs) -> None:
    shown = trace("show", runs.offline.run_id)
    for words in ("window and scope", "supervisor begins", "route, turn 1", "investigate", "plan of", "answer · ok"):
        assert len(trace("step", runs.offline.run_id, number(shown, words)).splitlines()) > 3
    assert runs.offline.text.splitlines()[0] in trace("step", runs.offline.run_id, number(shown, "answer · ok"))


def test_a_loop_that_did_not_end_is_shown_as_such(runs: Runs, trace: Cli) -> None:
    info, events = found(runs, runs.scripted.run_id)
    cut = [e for e in events if not (e.kind == "branch" and e.body["step"] == "1.1.logs")]
    steps = tree.build(cut)
    shown = "\n".join(line.text for line in lines(info, cut, steps))
    assert "logs · didn't end" in shown
    assert "count_errors {}" in shown


def found(runs: Runs, run: str) -> Any:
    async def read() -> Any:
        memory = open_memory(f"sqlite:///{runs.data}/hermes-ops.db")
        try:
            return await one(memory, run)
        finally:
            await memory.close()

    return asyncio.run(read())


def test_a_reader_that_leaves_ends_it_quietly(runs: Runs) -> None:
    shell = f"{sys.executable} -u -m hermes_ops trace show {runs.scripted.run_id} | head -n 1; exit ${{PIPESTATUS[0]}}"
    env = {**os.environ, "HERMES_OPS_DATA_DIR": str(runs.data)}
    done = subprocess.run(["bash", "-c", shell], env=env, capture_output=True, text=True, check=False)
    assert done.stdout.startswith(f"Run {runs.scripted.run_id}")
    assert done.returncode == 141
    assert done.stderr == ""


def test_a_long_id_of_a_person_is_cut_in_the_list() -> None:
    def user(id: str) -> str:
        now = datetime(2026, 11, 30, 9, tzinfo=UTC)
        info = RunInfo("r1", Incoming("m", "why?", now, user=id), "s", "", "done", now, now)
        return row(info, (), "UTC")[HEADS.index("user")]

    assert user("li") == "li"
    assert user("ou_65172302b5b530d3d6f9a0662267bde0") == "ou_65172302b5b530d3…"

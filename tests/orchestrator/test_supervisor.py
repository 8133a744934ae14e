"""Supervisor: sub-agents as tools, plans in waves, failures named, evidence demanded, the route recorded."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from hermes_ops.runtime.sinks import MemorySink
from hermes_ops.testing.script import Step, calls, says
from hermes_ops.testing.scripted_model import ScriptedModel
from orchestrator.agent import Agent
from orchestrator.brain import ModelBrain
from orchestrator.context import Fitter, Past
from orchestrator.contracts import Answer, Figure, ToolResult
from orchestrator.errors import ModelError
from orchestrator.supervisor import Manner, Supervisor
from orchestrator.tool import Tool, tool
from tests.kit import DAY, context

active = {"now": 0, "most": 0}


@tool()
async def episodes(service: str = "checkout") -> ToolResult:
    """Lists alerts."""
    active["now"] += 1
    active["most"] = max(active["most"], active["now"])
    await asyncio.sleep(0.02)
    active["now"] -= 1
    data = {"onset": "2026-11-29T14:03:00+00:00", "services": ["payment"]}
    return ToolResult("ok", "CheckoutHighErrorRate since 14:03", data, (Figure("alerts", 1),), source="alertmanager")


@tool()
async def errors(service: str = "checkout") -> ToolResult:
    """Counts errors."""
    await asyncio.sleep(0.02)
    return ToolResult(
        "ok", "272 errors", figures=(Figure("errors", 272, labels={"service": "checkout"}),), source="loki"
    )


@tool()
async def broken() -> str:
    """Fails."""
    raise RuntimeError("loki: connection refused")


def sub(name: str, letter: str, *fns: Any) -> Agent:
    return Agent(name, f"Knows {name}: ask about {name} only.", f"You are {name}.", tuple(map(Tool.of, fns)), letter)


def desk(model: ScriptedModel, *agents: Agent, **manner: Any) -> Supervisor:
    return Supervisor(agents, "You are the supervisor.", lambda a: ModelBrain(model, Fitter()), manner=Manner(**manner))


ALERTS, LOGS = sub("alerts", "A", episodes), sub("logs", "L", errors)


def roles(**by: Any) -> ScriptedModel:
    """A script per role: who is asked is told by the system prompt."""

    def play(messages: Any, tools: Any) -> Step:
        role = messages[0]["content"].removeprefix("You are ").rstrip(".")
        return by[role].pop(0)

    return ScriptedModel.by(play)


async def ask(desk: Supervisor, sink: MemorySink | None = None, **more: Any) -> Answer:
    return await desk.answer(context(sink=sink, window=DAY, **more), Past())


async def test_sub_agents_run_in_parallel_and_come_back_as_cited_evidence() -> None:
    model = roles(
        **{"the supervisor": [
            calls(("ask_alerts", {"task": "t", "reason": "symptom"}), ("ask_logs", {"task": "t", "reason": "errors"})),
            says("Checkout returned 272 errors [L1]; 1 alert fired [A1]."),
        ]},
        alerts=[calls(("episodes", {})), says("1 alert since 14:03 [A1]")],
        logs=[calls(("errors", {})), says("272 errors [L1]")],
    )  # fmt: skip
    sink = MemorySink()
    answer = await ask(desk(model, ALERTS, LOGS), sink)
    assert answer.status == "ok"
    assert answer.unverified == ()
    assert [e.id for e in answer.evidence] == ["A1", "L1"]
    assert [(r.subagent, r.reason, r.status) for r in answer.route] == [
        ("alerts", "symptom", "ok"),
        ("logs", "errors", "ok"),
    ]
    assert answer.usage.model_calls == 6
    routes = [e.body for e in sink.events if e.kind == "route"]
    assert routes[0]["offered"] == ["alerts", "logs"]
    assert [c["agent"] for c in routes[0]["chosen"]] == ["alerts", "logs"]
    supervisor_saw = model.requests[-1][0][-1]["content"]
    assert "272" in supervisor_saw
    assert "L1" in supervisor_saw


async def test_not_chosen_is_recorded_too() -> None:
    sink = MemorySink()
    model = roles(**{"the supervisor": [says("Hello! Ask me about alerts or logs.")]})
    answer = await ask(desk(model, ALERTS, LOGS), sink)
    assert answer.status == "ok"
    assert answer.route == ()
    [route] = [e.body for e in sink.events if e.kind == "route"]
    assert (route["chosen"], route["not_chosen"]) == ([], ["alerts", "logs"])


async def test_a_failed_sub_agent_is_named_and_the_rest_answers() -> None:
    model = roles(
        **{"the supervisor": [
            calls(("ask_alerts", {"task": "t", "reason": "r"}), ("ask_logs", {"task": "t", "reason": "r"})),
            says("1 alert fired [A1]; I can't reach the logs."),
        ]},
        alerts=[calls(("episodes", {})), says("1 alert [A1]")],
        logs=[calls(("broken", {})), says("the logs can't be reached")],
    )  # fmt: skip
    answer = await ask(desk(model, ALERTS, sub("logs", "L", broken)))
    assert answer.status == "partial"
    assert [(r.subagent, r.status) for r in answer.route] == [("alerts", "ok"), ("logs", "failed")]
    told = model.requests[-1][0][-1]["content"]
    assert "logs failed" in told
    assert "connection refused" in told


async def test_a_model_that_dies_inside_a_sub_agent_costs_that_sub_agent_only() -> None:
    def play(messages: Any, tools: Any) -> Step:
        if "logs" in messages[0]["content"]:
            raise ModelError("the model refused this result (moderation)", "moderation")
        if "alerts" in messages[0]["content"]:
            return says("nothing")
        asked = [m for m in messages if m["role"] == "tool"]
        return says("logs are missing") if asked else calls(("ask_logs", {"task": "t", "reason": "r"}))

    answer = await ask(desk(ScriptedModel.by(play), ALERTS, LOGS))
    assert answer.route[0].status == "failed"
    assert answer.status == "failed"


async def test_a_plan_runs_in_waves_and_later_parts_see_earlier_findings() -> None:
    parts = [
        {"agent": "alerts", "task": "when did it begin", "reason": "onset"},
        {"agent": "logs", "task": "errors since then", "reason": "depends on onset", "after": [1]},
    ]
    model = roles(
        **{"the supervisor": [calls(("investigate", {"parts": parts})), says("272 errors [L1] since 14:03 [A1].")]},
        alerts=[calls(("episodes", {})), says("since 14:03 [A1]")],
        logs=[calls(("errors", {})), says("272 errors [L1]")],
    )
    sink = MemorySink()
    answer = await ask(desk(model, ALERTS, LOGS), sink)
    assert answer.unverified == ()
    logs_saw = next(m for m, _, _ in model.requests if m[0]["content"] == "You are logs.")[-1]["content"]
    assert 'Known from alerts: <data source="alerts">\nsince 14:03 [A1]' in logs_saw
    assert "onset: 2026-11-29T14:03:00" in logs_saw
    [plan] = [e.body for e in sink.events if e.kind == "plan"]
    assert plan["waves"] == [[0], [1]]


async def test_a_plan_may_name_a_sub_agent_as_its_tool_is_named() -> None:
    parts = [{"agent": "ask_logs", "task": "errors", "reason": "depends on nothing"}]
    model = roles(
        **{"the supervisor": [calls(("investigate", {"parts": parts})), says("272 errors [L1].")]},
        logs=[calls(("errors", {})), says("272 errors [L1]")],
    )
    sink = MemorySink()
    assert [r.subagent for r in (await ask(desk(model, ALERTS, LOGS), sink)).route] == ["logs"]
    [plan] = [e.body for e in sink.events if e.kind == "plan"]
    assert plan["parts"][0]["agent"] == "logs"
    routes = [e.body for e in sink.events if e.kind == "route"]
    assert [c["agent"] for c in routes[0]["chosen"]] == ["logs"]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([{"agent": "metrics", "task": "t"}], "valid: alerts, logs"),
        (
            [{"agent": "alerts", "task": "t", "after": [2]}, {"agent": "logs", "task": "t", "after": [1]}],
            "wait for each",
        ),
        ([{"agent": "alerts", "task": "t", "after": [7]}], "valid: 1 to 1"),
        ([], "1 to 8"),
    ],
)
async def test_a_wrong_plan_goes_back_with_what_to_mend(parts: Any, words: str) -> None:
    model = roles(**{"the supervisor": [calls(("investigate", {"parts": parts})), says("I could not plan that.")]})
    await ask(desk(model, ALERTS, LOGS))
    assert re.search(words, model.requests[-1][0][-1]["content"])


async def test_a_plan_of_which_nothing_answered_is_an_error() -> None:
    def play(messages: Any, tools: Any) -> Step:
        if "the supervisor" not in messages[0]["content"]:
            raise ModelError("the model is gone", "network")
        asked = [m for m in messages if m["role"] == "tool"]
        parts = [{"agent": name, "task": "t", "reason": "r"} for name in ("alerts", "logs")]
        return says("both are missing") if asked else calls(("investigate", {"parts": parts}))

    sink = MemorySink()
    answer = await ask(desk(ScriptedModel.by(play), ALERTS, LOGS), sink)
    assert answer.status == "failed"
    assert [r.status for r in answer.route] == ["failed", "failed"]


async def test_asked_twice_the_evidence_ids_stay_apart() -> None:
    model = roles(
        **{"the supervisor": [
            calls(("ask_logs", {"task": "checkout", "reason": "r"})),
            calls(("ask_logs", {"task": "payment", "reason": "r"})),
            says("272 errors [L1], and 272 errors [L101]."),
        ]},
        logs=[calls(("errors", {})), says("[L1]"), calls(("errors", {"service": "payment"})), says("[L101]")],
    )  # fmt: skip
    answer = await ask(desk(model, LOGS))
    assert [e.id for e in answer.evidence] == ["L1", "L101"]


async def test_a_wrong_window_goes_back_to_the_model() -> None:
    model = roles(
        **{"the supervisor": [
            calls(("ask_logs", {"task": "t", "reason": "r", "window": "2026-11-28T00:00Z/2026-11-28T01:00Z"})),
            calls(("ask_logs", {"task": "t", "reason": "r", "window": "14:00-15:00"})),
            says("272 errors [L101]"),
        ]},
        logs=[calls(("errors", {})), says("272 errors [L101]")],
    )  # fmt: skip
    answer = await ask(desk(model, LOGS))
    assert answer.route[-1].window.startswith("2026-11-29 14:00")
    assert any(
        "outside" in m["content"] or "window" in m["content"] for m in model.requests[1][0] if m["role"] == "tool"
    )


async def test_an_answer_without_evidence_is_sent_back_once_then_marked() -> None:
    model = roles(
        **{"the supervisor": [says("Checkout had 5,000 errors because of the release."), says("It was 5,000.")]}
    )
    answer = await ask(desk(model, ALERTS, LOGS))
    assert "cites no evidence" in model.requests[1][0][-1]["content"]
    assert answer.unverified
    assert answer.text != "It was 5,000."
    marked = roles(**{"the supervisor": [says("Checkout had 5,000 errors.")]})
    assert (await ask(desk(marked, ALERTS, LOGS, uncited="mark"))).unverified


async def test_ask_user_ends_with_the_question() -> None:
    model = roles(**{"the supervisor": [calls(("ask_user", {"question": "Which environment?"}))]})
    answer = await ask(desk(model, ALERTS))
    assert (answer.status, answer.text) == ("needs_input", "Which environment?")


def test_the_topology_is_a_star() -> None:
    inner = desk(ScriptedModel([]), ALERTS)
    tangled = Agent("logs", "d", "p", tuple(t for t in inner.agent.tools if t.branch), "L")
    with pytest.raises(ValueError, match="ask nobody"):
        desk(ScriptedModel([]), tangled)


async def test_no_more_than_three_sub_agents_at_a_time() -> None:
    active["most"] = 0
    many = [sub(f"alerts{i}", chr(65 + i), episodes) for i in range(6)]
    script: dict[str, list[Step]] = {a.name: [calls(("episodes", {})), says("x")] for a in many}
    wanted = calls(*((f"ask_{a.name}", {"task": "t", "reason": "r"}) for a in many))
    script["the supervisor"] = [wanted, says("1 alert [A1]")]
    answer = await ask(desk(roles(**script), *many))
    assert len(answer.route) == 6
    assert active["most"] == 3

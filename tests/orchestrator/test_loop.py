"""The loop's ends, its feedback to the model, and the order of results."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from hermes_ops.runtime.sinks import MemorySink
from hermes_ops.testing.script import Step, calls, says
from hermes_ops.testing.scripted_model import ScriptedModel
from orchestrator.agent import Outcome
from orchestrator.contracts import Reply, ToolCall, ToolResult
from orchestrator.errors import ContextTooLong, Fatal, ModelError
from orchestrator.loop import run
from orchestrator.stop import Stop
from orchestrator.tool import tool
from tests.kit import agent, brain, context


@tool()
async def count(service: str, minutes: int = 60) -> ToolResult:
    """Counts errors.

    Args:
        service: The service.
    """
    return ToolResult("ok", f"{service}: 412 errors in {minutes} min", source="logs")


@tool()
async def down() -> str:
    """Always fails."""
    raise RuntimeError("connection refused")


def opening() -> list[dict[str, Any]]:
    return [{"role": "system", "content": "You are logs."}, {"role": "user", "content": "how many?"}]


async def go(model: ScriptedModel, *fns: Any, steps: int = 10, **more: Any) -> tuple[Outcome, list[dict[str, Any]]]:
    messages = opening()
    outcome = await run(agent(*fns, steps=steps), messages, context(**more), brain(model))
    return outcome, messages


async def test_ends_when_the_model_answers() -> None:
    model = ScriptedModel([calls(("count", {"service": "checkout"})), says("412 errors [L1]")])
    outcome, messages = await go(model, count)
    model.done()
    assert outcome.text == "412 errors [L1]"
    assert outcome.stopped is None
    assert [t.id for t in outcome.taken] == ["L1"]
    tool_message = messages[3]
    assert tool_message["content"].startswith("[L1] ok")
    assert "412 errors in 60 min" in tool_message["content"]


async def test_results_come_in_call_order_whatever_ends_first() -> None:
    @tool()
    async def wait(ms: int) -> str:
        """Waits."""
        await asyncio.sleep(ms / 1000)
        return f"waited {ms}"

    model = ScriptedModel([calls(("wait", {"ms": 60}), ("wait", {"ms": 1}), ("wait", {"ms": 30})), says("done")])
    outcome, messages = await go(model, wait)
    assert [t.call.args for t in outcome.taken] == [{"ms": 60}, {"ms": 1}, {"ms": 30}]
    assert [("60" in m["content"], "waited 1" in m["content"]) for m in messages if m["role"] == "tool"][1] == (
        False,
        True,
    )


async def test_last_step_forbids_calls_and_a_runaway_ends_with_a_summary_of_its_work() -> None:
    def runaway(messages: Any, tools: Any) -> Step:
        return calls(("count", {"service": "checkout", "minutes": len(messages)}))

    model = ScriptedModel.by(runaway)
    outcome, _ = await go(model, count, steps=3)
    assert outcome.stopped == "steps"
    assert "412 errors" in outcome.text
    assert "[L1]" in outcome.text
    assert [choice for _, _, choice in model.requests] == ["auto", "auto", "none"]


async def test_unknown_tool_and_wrong_arguments_go_back_with_the_reason() -> None:
    model = ScriptedModel(
        [
            calls(("list_alarms", {"service": "checkout"})),
            calls(("count", {"service": "checkout", "minutes": "an hour"})),
            calls(("count", '{"service": "checkout", "min')),
            says("gave up"),
        ]
    )
    _, messages = await go(model, count)
    told = [m["content"] for m in messages if m["role"] == "tool"]
    assert "list_alarms" in told[0]
    assert "count" in told[0]
    assert "minutes" in told[1]
    assert "integer" in told[1]
    assert "could not be read" in told[2]


async def test_an_unreadable_call_goes_back_twice_then_its_raw_text_is_the_answer() -> None:
    model = ScriptedModel([calls(("count", '{"service": "chec'))] * 3)
    outcome, _ = await go(model, count)
    model.done()
    assert outcome.stopped == "unreadable"
    assert '{"service": "chec' in outcome.text


async def test_a_tool_failing_a_third_time_is_out() -> None:
    ran = []

    @tool()
    async def flaky(n: int) -> str:
        """Fails."""
        ran.append(n)
        raise RuntimeError("connection refused")

    model = ScriptedModel([*(calls(("flaky", {"n": n})) for n in range(5)), says("the logs can't be reached")])
    outcome, messages = await go(model, flaky)
    assert ran == [0, 1, 2]
    assert "not tried again" in messages[-2]["content"]
    assert "connection refused" in messages[-2]["content"]
    assert outcome.text == "the logs can't be reached"


async def test_repeated_calls_are_answered_from_the_first_result_and_end_the_loop() -> None:
    ran = []

    @tool()
    async def once(a: int) -> str:
        """Runs."""
        ran.append(a)
        return f"value {a}"

    def alternating(messages: Any, tools: Any) -> Reply:
        turn = sum(m["role"] == "assistant" for m in messages)
        if len(messages) > 30:
            raise AssertionError("it went on for ever")
        return Reply("", (ToolCall(f"c{turn}", "once", {"a": turn % 2}),)) if tools else Reply("1 and 2 [L1]")

    outcome, messages = await go(ScriptedModel.by(alternating), once, steps=20)
    assert ran == [0, 1]
    assert outcome.stopped == "repeating"
    assert "same call as before" in messages[7]["content"]


async def test_of_identical_calls_in_one_reply_one_is_run() -> None:
    ran = []

    @tool()
    async def once(a: int) -> str:
        """Runs."""
        ran.append(a)
        return f"value {a}"

    model = ScriptedModel([calls(("once", {"a": 1}), ("once", {"a": 2}), ("once", {"a": 1})), says("[L1] [L2]")])
    outcome, messages = await go(model, once)
    assert ran == [1, 2]
    assert [t.id for t in outcome.taken] == ["L1", "L2", "L1"]
    assert "value 1" in messages[5]["content"]
    assert "same call as before" in messages[5]["content"]
    assert outcome.stopped is None


async def test_a_request_too_long_is_recorded_and_not_made_again() -> None:
    def full(messages: Any, tools: Any) -> Step:
        raise ContextTooLong("9,000 tokens of 8,000")

    sink = MemorySink()
    with pytest.raises(ContextTooLong):  # twice: as it is, and shorter
        await go(ScriptedModel.by(full), count, sink=sink)
    assert [e.body["too_long"] for e in sink.events if e.kind == "model"] == ["9,000 tokens of 8,000"] * 2
    model = ScriptedModel([])
    with pytest.raises(ContextTooLong):
        await go(model, count, sink=MemorySink(), recorded=sink.load("r1"))
    assert model.requests == []


async def test_fatal_ends_with_its_sentence() -> None:
    @tool()
    async def gone() -> str:
        """Fails for good."""
        raise Fatal("the folder was removed")

    outcome, _ = await go(ScriptedModel([calls(("gone", {}))]), gone)
    assert (outcome.stopped, outcome.text) == ("fatal", "the folder was removed")


async def test_a_model_that_dies_leaves_what_was_gathered() -> None:
    def dies(messages: Any, tools: Any) -> Step:
        if len(messages) > 2:
            raise ModelError("the model is gone", "network")
        return calls(("count", {"service": "checkout"}))

    outcome, _ = await go(ScriptedModel.by(dies), count)
    assert outcome.stopped == "model"
    assert "412 errors" in outcome.text
    with pytest.raises(ModelError):
        await go(ScriptedModel.by(lambda m, t: dies([*m, {}, {}], t)), count)


async def test_cancel_and_deadline_return_what_there_is_within_a_second() -> None:
    for reason in ("cancelled", "deadline"):
        stop = Stop(hard=0.15) if reason == "deadline" else Stop()
        if reason == "cancelled":
            asyncio.get_running_loop().call_later(0.1, stop.cancel)

        @tool(timeout=60)
        async def hang() -> str:
            """Hangs."""
            await asyncio.sleep(60)
            return ""

        model = ScriptedModel([calls(("count", {"service": "checkout"})), calls(("hang", {}))])
        began = time.monotonic()
        outcome, _ = await go(model, count, hang, stop=stop)
        assert time.monotonic() - began < 1.2
        assert outcome.stopped == reason
        assert "412 errors" in outcome.text
        assert len(asyncio.all_tasks()) == 1  # nothing is left running


async def test_every_step_is_an_event_and_a_recorded_run_repeats_nothing() -> None:
    sink = MemorySink()
    script = [calls(("count", {"service": "checkout"}), ("down", {})), says("412 [L1]")]
    first, _ = await go(ScriptedModel(list(script)), count, down, sink=sink)
    kinds = [e.kind for e in sink.events]
    assert kinds == ["agent", "model", "tool", "tool", "model"]
    tool_event = sink.events[2]
    assert tool_event.body["args"] == {"service": "checkout"}
    assert tool_event.body["status"] == "ok"
    again = MemorySink()
    second, _ = await go(ScriptedModel([]), count, down, sink=again, recorded=sink.load("r1"))
    assert second.text == first.text
    assert [(e.path, e.n, e.kind) for e in again.events] == [(e.path, e.n, e.kind) for e in sink.events]

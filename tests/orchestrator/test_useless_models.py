"""Models whose every call fails: who answers then."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_ops.testing.script import Step, calls, says
from hermes_ops.testing.scripted_model import ScriptedModel
from orchestrator.brain import ModelBrain
from orchestrator.context import Fitter
from orchestrator.errors import ModelError
from orchestrator.supervisor import Supervisor
from orchestrator.tool import Tool, tool
from tests.orchestrator.test_supervisor import ALERTS, LOGS, ask


@tool()
async def note(what: str) -> str:
    """A house tool."""
    raise ValueError(f"there is no note of {what}")


def only_failing(last: Step) -> Supervisor:
    """Its model plans for a stranger, then asks for a note that isn't there, until it is told to end: then `last`."""

    def play(messages: Any, tools: Any) -> Step:
        n = sum(m["role"] == "assistant" for m in messages)
        if n == 0:
            return calls(("investigate", {"parts": [{"agent": "metrics", "task": "t"}]}))
        return calls(("note", {"what": str(n)})) if n < 5 else last

    model = ScriptedModel.by(play)
    house = (Tool.of(note),)
    return Supervisor((ALERTS, LOGS), "You are the supervisor.", lambda a: ModelBrain(model, Fitter()), house, steps=6)


@pytest.mark.parametrize("last", [says(""), calls(("note", {"what": "x"}))])
async def test_a_model_that_only_makes_calls_that_fail_is_one_that_can_not_be_used(last: Step) -> None:
    with pytest.raises(ModelError) as raised:
        await ask(only_failing(last))
    assert "valid: alerts, logs" in str(raised.value)
    assert "not tried again" not in str(raised.value)  # what was given up says nothing new


async def test_what_a_model_says_after_failing_calls_is_the_answer() -> None:
    assert "no note of that" in (await ask(only_failing(says("I have no note of that.")))).text


async def test_of_a_model_that_repeats_itself_without_a_word_the_sub_agents_words_are_the_answer() -> None:
    def play(messages: Any, tools: Any) -> Step:
        if "ask_alerts" in {t["function"]["name"] for t in tools}:
            return calls(("ask_alerts", {"task": "t", "reason": "r"}))
        return says("Two alerts fired for checkout.")

    model = ScriptedModel.by(play)
    supervisor = Supervisor((ALERTS, LOGS), "You are the supervisor.", lambda a: ModelBrain(model, Fitter()), steps=6)
    answer = await ask(supervisor)
    assert (answer.status, answer.text) == ("partial", "Two alerts fired for checkout.")

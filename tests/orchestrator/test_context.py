"""The three tiers: within the budget, prefix stable, nothing lost from the record."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from hermes_ops.testing.script import Fault, Step, says
from hermes_ops.testing.scripted_model import ScriptedModel
from orchestrator.context import UNSUPPORTED, Fitter, Past, Tiers, opening, tokens
from orchestrator.guard import AllowAll
from tests.kit import context


def run_of(n: int, size: int = 3000) -> list[dict[str, Any]]:
    messages = opening("You are logs.", Past(), "how many?")
    for i in range(n):
        call = {"id": f"c{i}", "type": "function", "function": {"name": "count", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        status = "no_data" if i == 5 else "ok"
        messages.append({"role": "tool", "tool_call_id": f"c{i}", "content": f"[L{i}] {status}\n" + "x" * size})
    return messages


def size(view: list[dict[str, Any]]) -> int:
    return sum(map(tokens, view))


async def test_under_the_budget_nothing_changes() -> None:
    messages = run_of(3)
    assert await Fitter(Tiers(budget=100_000)).view(messages, context()) == messages


async def test_slim_then_drop_keep_the_newest_whole_and_the_record_untouched() -> None:
    messages = run_of(12)
    before = [dict(m) for m in messages]
    view = await Fitter(Tiers(budget=8_000, drop=False, summarise=False)).view(messages, context())
    assert size(view) <= 8_000
    assert view[-1] == messages[-1]
    assert view[3]["content"].endswith("(slimmed)")
    dropped = await Fitter(Tiers(budget=2_500, slim=False, summarise=False)).view(messages, context())
    kept = [i for i, m in enumerate(dropped) if m["role"] == "tool" and "(dropped)" not in m["content"]]
    assert kept[-3:] == [len(messages) - 5, len(messages) - 3, len(messages) - 1]
    assert "[L5] no_data" in dropped[13]["content"]  # its id and status stay
    assert messages == before


async def test_what_was_cut_stays_cut_and_the_prefix_is_stable() -> None:
    messages = run_of(12)
    fitter = Fitter(Tiers(budget=8_000, summarise=False))
    first = await fitter.view(messages, context())
    messages.append({"role": "user", "content": "and now?"})
    second = await fitter.view(messages, context())
    assert second[: len(first)] == first


async def test_the_light_model_sums_up_what_is_oldest() -> None:
    messages = run_of(30, 400)
    light = ScriptedModel([says("30 counts so far; L3 was 412")])
    ctx = context()
    view = await Fitter(Tiers(budget=1_600, slim=False, drop=False), light).view(messages, ctx)
    light.done()
    assert view[0] == messages[0]
    assert "L3 was 412" in view[1]["content"]
    assert view[-5:] == messages[-5:]
    assert view[2]["role"] == "assistant"  # no result without its call
    assert size(view) < size(messages) / 4


async def test_shrink_halves_after_a_server_said_too_much() -> None:
    messages = run_of(12)
    fitter = Fitter(Tiers(budget=100_000, summarise=False))
    full = size(await fitter.view(messages, context()))
    assert size(await fitter.shrink(messages, context())) <= full / 2 + 200


async def test_a_light_model_that_fails_may_be_asked_again_in_the_same_turn() -> None:
    """The main model says "too long" right after the light one failed: the same messages are summed up once more."""
    messages, ctx = run_of(30, 400), context()
    down = Step(fault=Fault.SERVER_ERROR)
    light = ScriptedModel([down, down, says("30 counts")])
    fitter = Fitter(Tiers(budget=1_600, slim=False, drop=False), light)
    assert await fitter.view(messages, ctx) == messages
    assert await fitter.shrink(messages, ctx) == messages
    assert "30 counts" in str(await fitter.view(messages, ctx))
    light.done()


async def test_several_results_of_one_reply_end_the_summary_at_the_same_place_on_two_turns() -> None:
    messages, ctx = run_of(6, 400), context()
    results = [m for m in messages if m["role"] == "tool"]
    messages += [{"role": "assistant", "content": "", "tool_calls": []}, *results]
    light = ScriptedModel([Step(fault=Fault.SERVER_ERROR), says("6 counts")])
    fitter = Fitter(Tiers(budget=400, slim=False, drop=False), light)
    await fitter.view(messages, ctx)
    assert "6 counts" in str(await fitter.view([*messages, results[0]], ctx))
    light.done()


ASKED = "why is checkout slow?\n(window: 2026-11-29 14:00–15:00 +00:00; scope: checkout)"


@pytest.mark.parametrize("turns", [(), (("is payment up?", "Yes."), ("and cart?", "Yes."))])
async def test_the_question_is_never_summed_up(turns: tuple[tuple[str, str], ...]) -> None:
    messages = [*opening("You lead.", Past(turns=turns), ASKED), *run_of(12, 400)[2:]]
    messages += [{"role": "assistant", "content": "I am done."}, {"role": "user", "content": UNSUPPORTED}]
    light = ScriptedModel([says("first part"), says("both parts")])
    fitter, ctx = Fitter(Tiers(budget=1_200, slim=False, drop=False), light), context()
    for summary, more in (("first part", 0), ("both parts", 12)):
        messages += run_of(more, 400)[2:]
        view = await fitter.view(messages, ctx)
        assert view[1]["content"].startswith(ASKED)
        assert summary in view[1]["content"]
        assert str(view).count("why is checkout slow?") == 1
        assert [m["role"] for m in view[:3]] == ["system", "user", "assistant"]
    light.done()


async def test_a_question_alone_is_nothing_to_sum_up() -> None:
    light = ScriptedModel([])
    messages = run_of(3, 3000)
    assert await Fitter(Tiers(budget=100, slim=False, drop=False), light).view(messages, context()) == messages


async def test_dropping_again_changes_nothing_and_no_fence_stays_open() -> None:
    """The prefix that a provider has cached stays the same, turn after turn over the budget."""
    fence = AllowAll().fence
    messages = run_of(12)
    for i, m in enumerate(messages):
        if m["role"] == "tool":
            text = fence(m["content"] * (i % 4 > 0), "logs")
            m["content"] = (f"error: {text}", text, f"[L{i}] ok\n{text}")[i % 3]
    fitter, views = Fitter(Tiers(budget=1_000, summarise=False)), []
    for i in range(4):
        views.append(await fitter.view(messages, context()))
        messages.append({"role": "tool", "tool_call_id": f"d{i}", "content": "x" * 900})
    settled = len(views[0]) - 7
    assert all(view[:settled] == views[0][:settled] for view in views)
    for m in views[-1]:
        text = m["content"]
        assert text.count("(dropped)") <= 1
        assert text.count("<data") == text.count("</data>")
    assert any("(dropped)\n</data>" in m["content"] for m in views[-1])


async def test_cutting_never_makes_a_short_result_longer() -> None:
    messages = [*run_of(0), *({"role": "tool", "tool_call_id": str(i), "content": f"[L{i}] ok\n3"} for i in range(9))]
    assert await Fitter(Tiers(budget=10, summarise=False)).view(messages, context()) == messages


@pytest.mark.parametrize("past", range(4))
@pytest.mark.parametrize("together", [1, 2, 3])
async def test_whatever_is_summed_up_the_roles_take_turns_and_no_call_loses_its_result(
    past: int, together: int
) -> None:
    turns = tuple((f"before {n} " + "q" * 300, "a" * 300) for n in range(past))
    messages = opening("You are logs.", Past(turns=turns), "THE QUESTION")
    fitter = Fitter(Tiers(budget=400), ScriptedModel.by(lambda messages, tools: says("so far")))
    ctx = context()
    for turn in range(8):
        view = await fitter.view(messages, ctx)
        asked = [c["id"] for m in view for c in m.get("tool_calls") or ()]
        assert asked == [m["tool_call_id"] for m in view if m["role"] == "tool"]
        roles = [m["role"] for m in view]
        assert ("user", "user") not in pairwise(roles)
        assert "THE QUESTION" in str(view)
        function = {"name": "count", "arguments": "{}"}
        calls = [{"id": f"c{turn}.{n}", "type": "function", "function": function} for n in range(together)]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": c["id"], "content": "[L1] ok\n" + "x" * 900} for c in calls]

"""The three tiers: within the budget, prefix stable, nothing lost from the record."""

from __future__ import annotations

from typing import Any

from hermes_ops.testing.script import says
from hermes_ops.testing.scripted_model import ScriptedModel
from orchestrator.context import Fitter, Past, Tiers, opening, tokens
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

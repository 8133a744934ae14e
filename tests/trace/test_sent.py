"""What `trace step` says a model was sent is what the server got, also where the context had been cut before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.settings import Settings
from hermes_ops.testing.script import Step, calls, says
from hermes_ops.testing.scripted_server import ScriptedServer
from hermes_ops.trace import sent, tree
from hermes_ops.trace.finding import one
from hermes_ops.trace.step import loop_of
from memory import open_memory
from orchestrator.contracts import Json, Message
from tests.e2e.place import QUESTION, folder, role, turn
from tests.trace.conftest import ask

pytestmark = pytest.mark.slow

WORDS = ("pool", "charge", "failed", "exhausted", "ok", "e", "a", "o")


def talkative(messages: Sequence[Message], tools: Sequence[Json]) -> Step:
    """Searches the logs again and again, so that results pile up."""
    if not tools:
        return says("Summary: many errors [L1].")
    n = turn(messages)
    if role(tools, messages) == "supervisor":
        return calls(("ask_logs", {"task": "search", "reason": "r"})) if n == 1 else says("Errors [L1].")
    asked = sum("→" in str(m) for m in messages)
    step = {"text": WORDS[n % len(WORDS)], "window": "13:00-14:30", "limit": 20 + n + asked}
    return calls(("search_logs", step)) if n <= len(WORDS) else says("done [L1]")


async def recorded(tmp_path: Path, budget: int) -> tuple[list[Json], Sequence[tree.Step]]:
    place = folder(tmp_path / "incident")
    async with ScriptedServer(talkative) as server:
        limits = {"history_tokens": budget}
        given = {"data_dir": tmp_path, "model": {"model": "m", "base_url": server.url}, "limits": limits}
        answer = await ask(Settings.model_validate(given), place, QUESTION.replace("14:00", "13:00"), "s")
    memory = open_memory(f"sqlite:///{tmp_path}/hermes-ops.db")
    _, events = await one(memory, answer.run_id)
    await memory.close()
    return server.requests, tree.build(events)


def same(messages: Sequence[Message]) -> str:
    return json.dumps(list(messages), sort_keys=True, ensure_ascii=False)


def seen(steps: Sequence[tree.Step], budget: int) -> list[sent.Sent]:
    loops = [(s, loop_of(s, steps)) for s in tree.walk(steps) if s.kind == "model" and "agent" in s.body]
    return [sent.messages(s, loop, budget) for s, loop in loops]


def test_a_context_that_was_slimmed_is_shown_as_it_was_sent(tmp_path: Path) -> None:
    requests, steps = asyncio.run(recorded(tmp_path, 3_000))
    assert any(s.kind == "compacted" for s in tree.walk(steps)), "nothing was cut: the test shows nothing"
    told = seen(steps, 3_000)
    assert sorted(same(s.messages) for s in told) == sorted(same(r["messages"]) for r in requests if r.get("tools"))
    cut = [s for s in told if s.cut]
    assert cut
    assert all("slimmed" in str(s.messages[i]) or "dropped" in str(s.messages[i]) for s in cut for i in s.cut)
    assert all(s.note == "" for s in told)


def test_with_another_budget_in_the_settings_it_says_what_it_cannot_know(tmp_path: Path) -> None:
    _, steps = asyncio.run(recorded(tmp_path, 3_000))
    told = seen(steps, 60_000)
    assert any("how isn't known" in s.note for s in told)
    assert not any(s.cut for s in told)


def test_a_summary_is_shown_where_it_stood_or_said_to_be_unknown(tmp_path: Path) -> None:
    requests, steps = asyncio.run(recorded(tmp_path, 1_200))
    assert any("summary" in str(s.body.get("step")) for s in tree.walk(steps)), "nothing was summed up"
    got = {same(r["messages"]) for r in requests}
    told = seen(steps, 1_200)
    known = [one_ for one_ in told if "how isn't known" not in one_.note]
    assert any("replaced by a summary" in one_.note for one_ in known)
    assert all(same(one_.messages) in got for one_ in known)


def test_a_summary_s_own_call_shows_its_reply(tmp_path: Path) -> None:
    _, steps = asyncio.run(recorded(tmp_path, 1_200))
    call: Any = next(s for s in tree.walk(steps) if str(s.body.get("step")).startswith("model summary"))
    assert sent.messages(call, loop_of(call, steps), 1_200).note
    reply = sent.reply(call)
    assert reply is not None
    assert reply.text.startswith("Summary:")

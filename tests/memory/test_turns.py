"""Letting go of turns: by age and by size, never what a conversation goes on from."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from memory import Memory, Summary, Trace
from memory import turns as place
from orchestrator.contracts import Incoming

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
OLD = NOW - timedelta(days=100)


async def said(memory: Memory, session: str, count: int, at: datetime, text: str = "q", user: str = "u") -> None:
    have = len(await memory.turns.last(session, 10_000))
    for n in range(have, have + count):
        await memory.turns.add(session, f"{session}-{n}", text, "a", "ok", at + timedelta(seconds=n), user)


async def left(memory: Memory, session: str) -> list[str]:
    return [turn.run for turn in await memory.turns.last(session, 10_000)]


async def test_old_turns_go_but_the_last_of_each_session_and_its_summary_stay(memory: Memory) -> None:
    await said(memory, "rested", 12, OLD)
    await said(memory, "short", 3, OLD)
    await said(memory, "going", 12, OLD)
    await said(memory, "going", 12, NOW)
    await memory.turns.sum_up("rested", "long ago", 7, OLD)
    gone = await memory.turns.prune(10, NOW - timedelta(days=30))
    assert gone == 2 + 12
    assert await left(memory, "rested") == [f"rested-{n}" for n in range(2, 12)]
    assert len(await left(memory, "short")) == 3
    assert await left(memory, "going") == [f"going-{n}" for n in range(12, 24)]  # young ones beyond the last ten too
    assert await memory.turns.summary("rested") == Summary("long ago", 7)
    assert await memory.turns.prune(10, NOW - timedelta(days=30)) == 0
    assert await memory.turns.prune(10) == 0


async def test_parts_are_looked_at_one_after_the_other(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "SCANNED", 5)
    await said(memory, "a", 12, OLD)
    await said(memory, "b", 12, OLD)
    await said(memory, "a", 4, NOW)
    assert await memory.turns.prune(3, NOW - timedelta(days=1)) == 12 + 9
    assert len(await left(memory, "a")) == 4
    assert await memory.turns.prune(1, None, 0) > 0
    assert await left(memory, "a") == await left(memory, "b") == []


async def test_the_oldest_go_until_the_rest_is_small_enough(memory: Memory) -> None:
    text = "界" * 333  # 999 bytes; the answer is one more
    await said(memory, "rested", 5, OLD, text)
    await said(memory, "going", 20, NOW, text)
    await memory.turns.sum_up("rested", "old", 1, OLD)
    await memory.turns.sum_up("going", "new", 1, NOW)
    assert await memory.turns.prune(10, None, 25_000) == 0
    assert await memory.turns.prune(10, None, 20_000) == 5
    assert len(await left(memory, "rested")) == 5  # such as nobody needs go first
    assert await memory.turns.prune(10, None, 12_000) == 10
    assert await left(memory, "rested") == []  # then what rested longest, and as a whole
    assert await memory.turns.summary("rested") == Summary()
    assert len(await left(memory, "going")) == 10
    assert await memory.turns.summary("going") == Summary("new", 1)


async def test_forgetting_reaches_turns_whose_runs_are_gone(memory: Memory) -> None:
    asked = Incoming("m", "call me Zaphod", NOW, user="ana")
    await memory.runs.create("r", asked, session="s")
    await memory.turns.add("s", "r", "call me Zaphod", "ok, Zaphod", "ok", NOW, "ana", {"asked": ["call me Zaphod"]})
    await memory.turns.add("s", "r2", "why, Zaphod?", "no", "ok", NOW, "bob")
    await memory.turns.add("other", "r3", "Zaphod is a name", "no", "ok", NOW, "bob")
    await memory.turns.sum_up("s", "Zaphod asked", 1, NOW)
    await memory.traces.remove(["r"])
    await memory.eraser.erase("", "ana", [Trace(("r",), ("Zaphod",), (), "")])
    kept = [*(await memory.turns.last("s", 9)), await memory.turns.summary("s")]
    assert "Zaphod" not in json.dumps([repr(one) for one in kept])
    assert (await memory.turns.last("other", 1))[0].question == "Zaphod is a name"  # no session of hers

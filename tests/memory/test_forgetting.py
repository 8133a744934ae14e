"""Forgetting with many runs: nobody else's words change, its queries grow with the runs and not faster, and others
write in between."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from memory import Entry, Feedback, Memory, Parcel, Post, Trace, erasing
from memory.erasing import GONE
from orchestrator.contracts import BlobRef, Event, Incoming

AT = datetime(2026, 11, 29, 6, tzinfo=UTC)
SECRET = [Trace(("r0",), ("zephyr",))]


async def asked(memory: Memory, run: str, text: str) -> None:
    question = Incoming(run, text, AT, user="ana")
    await memory.runs.create(run, question, "s")
    memory.events.emit(Event(run, "supervisor", 0, "model", AT, {}, (BlobRef.of(f"{run}: {text}"),)))
    await memory.inbox.put(Entry(f"{run}.0", "f", "s", "question", question, {}, run, AT), 1000)
    await memory.events.commit()
    await memory.posts.save(Post(f"{run}.0", "f", "chat", f"om_{run}", run, {"text": text}, AT))
    await memory.outbox.put([Parcel(f"{run}.0.finish", "f", "finish", "chat", {}, {"text": text})])


async def shown(memory: Memory, run: str) -> str:
    post = await memory.posts.get(f"{run}.0")
    assert post is not None
    return str(post.state["text"])


async def test_what_a_person_said_of_other_answers_stays_as_it_was(memory: Memory) -> None:
    for run, said in (("r0", "zephyr is mine"), ("r1", "the cause is DNS")):
        await asked(memory, run, "why?")
        await memory.posts.rate(Feedback(run, "ana", "bad", "cause", said, AT))
    await memory.eraser.erase("", "ana", SECRET)
    assert [one.text for one in await memory.posts.ratings("r0")] == [f"{GONE} is mine"]
    assert [one.text for one in await memory.posts.ratings("r1")] == ["the cause is DNS"]


async def test_each_run_loses_its_own_and_no_other(memory: Memory) -> None:
    for n in range(5):
        await asked(memory, f"r{n}", "zephyr" if n % 2 == 0 else "innocent")
    assert await memory.eraser.erase("", "ana", SECRET) == 3
    for n in range(5):
        parcel = await memory.outbox.find(f"r{n}.0.finish")
        assert parcel is not None
        wanted = GONE if n % 2 == 0 else "innocent"
        assert (await shown(memory, f"r{n}"), parcel.payload["text"]) == (wanted, wanted)


async def test_its_queries_grow_with_the_runs_and_no_faster(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "TOGETHER", 4)
    asked_for: list[str] = []

    def hook(_c: Any, _d: Any, statement: str, *_: Any) -> None:
        asked_for.append(statement)

    for n in range(12):
        await asked(memory, f"r{n}", "innocent")
    sa.event.listen(memory.db._engine, "before_cursor_execute", hook)
    await memory.eraser.erase("", "ana", SECRET)
    for table in ("posts", "outbox", "turns"):  # where nothing leads from a run to its rows each query reads them all
        reads = [s for s in asked_for if s.startswith("SELECT") and f"FROM {table} " in s.replace("\n", " ")]
        assert len(reads) <= 3 * 3, (table, len(reads))


async def test_who_writes_meanwhile_waits_for_a_few_runs_only(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "TOGETHER", 1)
    for n in range(20):
        await asked(memory, f"r{n}", json.dumps("zephyr"))
    erases = asyncio.create_task(memory.eraser.erase("", "ana", SECRET))
    while GONE not in await shown(memory, "r0"):
        pass
    await memory.runs.note("r19", model="m")
    assert GONE not in await shown(memory, "r19")
    await erases
    assert GONE in await shown(memory, "r19")


async def test_a_large_file_is_not_rewritten_and_holds_nothing_of_it(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "LARGE", 0)
    for n in range(30):
        await asked(memory, f"r{n}", ("zephyr " if n % 3 == 0 else "") + "x" * 300 * n)
    rewritten: list[str] = []
    sa.event.listen(memory.db._engine, "connect", lambda c, _: c.set_trace_callback(rewritten.append), insert=True)
    await memory.eraser.erase("", "ana", SECRET)
    assert "VACUUM" not in rewritten
    assert any("wal_checkpoint" in s for s in rewritten) == (memory.db.dialect == "sqlite")
    assert [path.name for path in tmp_path.iterdir() if b"zephyr" in path.read_bytes()] == []

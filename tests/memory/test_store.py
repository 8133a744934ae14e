"""Events and texts survive as they were emitted, in order, once."""

from __future__ import annotations

import asyncio
import threading
from datetime import datetime, timedelta, timezone

import pytest
import sqlalchemy as sa

from memory import Memory, open_memory
from memory.engine import make_engine
from orchestrator.contracts import BlobRef, Event, Incoming
from orchestrator.errors import StoreError

AT = datetime(2026, 11, 29, 14, 2, 3, 456789, tzinfo=timezone(timedelta(hours=8)))


def event(n: int, *texts: str, run: str = "r", path: str = "supervisor", body: object = "x") -> Event:
    return Event(run, path, n, "tool", AT, {"said": body}, tuple(BlobRef.of(t) for t in texts))


async def started(memory: Memory, *runs: str) -> None:
    for run in runs or ("r",):
        await memory.runs.create(run, Incoming("m1", "为什么?", AT))


async def test_events_come_back_as_they_were(memory: Memory) -> None:
    await started(memory)
    long = "支付 502 上游超时\n" * 4000
    emitted = [event(0, "short", long, body="结算"), event(1), event(0, "", path="supervisor/1.0.logs")]
    for e in emitted:
        memory.events.emit(e)
    await memory.events.commit()
    assert await memory.events.events("r") == emitted
    loaded = await memory.events.load("r")
    assert [blob.text for blob in loaded["supervisor"][0].blobs] == ["short", long]
    assert loaded["supervisor/1.0.logs"][0].blobs[0].text == ""
    assert loaded["supervisor"][0].at.tzinfo is not None
    assert await memory.events.blob(BlobRef.of(long).hash) == long
    assert await memory.events.blob("0" * 40) is None
    assert await memory.events.load("other") == {}


async def test_another_process_sees_what_was_committed(memory: Memory, url: str) -> None:
    await started(memory)
    memory.events.emit(event(0, "text"))
    await memory.events.commit()
    other = open_memory(url)
    assert (await other.events.events("r"))[0].blobs[0].text == "text"
    await other.close()


async def test_an_event_is_written_soon_without_a_commit(memory: Memory, url: str) -> None:
    await started(memory)
    memory.events.emit(event(0))
    other = open_memory(url)
    async with asyncio.timeout(5):
        while not await other.events.events("r"):
            await asyncio.sleep(0.02)
    await other.close()


async def test_a_key_is_written_once_and_the_first_stays(memory: Memory) -> None:
    await started(memory)
    memory.events.emit(event(0, "first"))
    memory.events.emit(event(0, "second"))
    await memory.events.commit()
    memory.events.emit(event(0, "third"))
    memory.events.emit(event(1, "first"))
    await memory.events.commit()
    assert [(e.n, e.blobs[0].text) for e in await memory.events.events("r")] == [(0, "first"), (1, "first")]


@pytest.mark.parametrize("odd", ["a\0b", "lone \ud800 surrogate", "😀 ok", "\u2028"])
async def test_odd_characters_break_nothing(memory: Memory, odd: str) -> None:
    await started(memory)
    memory.events.emit(event(0, odd, body=odd))
    await memory.events.commit()
    (found,) = await memory.events.events("r")
    assert found.body == {"said": odd}
    assert found.blobs[0].text == odd
    await memory.turns.add("s", "r", odd, odd, "ok", AT)
    (turn,) = await memory.turns.last("s", 1)
    assert len(turn.question) == len(odd)


async def test_long_texts_are_kept_small(memory: Memory, url: str) -> None:
    await started(memory)
    memory.events.emit(event(0, '{"level": "error", "service": "checkout"}\n' * 1000))
    await memory.events.commit()
    engine = make_engine(url)
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT length(data) FROM blobs")) < 4000
    engine.dispose()


async def test_many_runs_at_once_share_the_desk(memory: Memory) -> None:
    names = [f"r{k}" for k in range(8)]
    await started(memory, *names)

    async def one(run: str) -> None:
        for n in range(20):
            memory.events.emit(event(n, f"{run} {n}", run=run))
            await memory.events.commit()

    await asyncio.gather(*(one(name) for name in names))
    for name in names:
        assert [e.blobs[0].text for e in await memory.events.events(name)] == [f"{name} {n}" for n in range(20)]


async def test_what_can_not_be_written_is_told_and_costs_others_nothing(memory: Memory) -> None:
    await started(memory)
    memory.events.emit(event(0, run="nobody created this run"))
    with pytest.raises(StoreError):
        await memory.events.commit()
    memory.events.emit(event(0, "good"))
    await memory.events.commit()
    assert [e.n for e in await memory.events.events("r")] == [0]


async def test_a_lost_event_is_told_to_its_own_run_only(memory: Memory) -> None:
    await started(memory)
    bad, good = memory.events.of("nobody created this run"), memory.events.of("r")
    bad.emit(event(0, run="nobody created this run"))
    good.emit(event(0, "good"))
    await memory.events.events("r")  # both were handed over
    await good.commit()
    with pytest.raises(StoreError):
        await bad.commit()
    await bad.commit()  # told once
    assert [e.n for e in await memory.events.events("r")] == [0]


async def test_what_was_written_after_all_is_not_told(memory: Memory) -> None:
    await started(memory)
    away = [True]

    def write(connection: sa.Connection) -> None:
        if away.pop():
            away.append(False)
            raise StoreError("away")
        away.append(False)
        connection.execute(sa.text("UPDATE runs SET model = 'late' WHERE id = 'r'"))

    memory.db.post(write, "r")
    await memory.runs.get("r")  # the write was tried, and lost for now
    await memory.events.commit("other")  # tries it again
    await memory.events.commit("r")
    found = await memory.runs.get("r")
    assert found is not None
    assert found.model == "late"


async def test_a_failed_write_leaves_nothing_half_written(memory: Memory) -> None:
    await started(memory)

    def half(connection: sa.Connection) -> None:
        connection.execute(sa.text("DELETE FROM runs"))
        raise ValueError("in the middle")

    with pytest.raises(StoreError, match="in the middle"):
        await memory.db.write(half)
    assert await memory.runs.get("r") is not None


async def test_close_writes_what_waits_and_ends_the_thread(url: str) -> None:
    before = threading.active_count()
    memory = open_memory(url)
    await started(memory)
    memory.events.emit(event(0, "last words"))
    await memory.close()
    assert [t.name for t in threading.enumerate() if t.name == "hermes-store"] == []
    assert threading.active_count() <= before + 1  # asyncio's own helper thread
    with pytest.raises(StoreError):
        await memory.events.commit()
    again = open_memory(url)
    assert len(await again.events.events("r")) == 1
    await again.close()


async def test_the_loop_does_not_wait_for_the_database(memory: Memory) -> None:
    await started(memory)
    gate = threading.Event()
    held = asyncio.create_task(memory.db.write(lambda connection: gate.wait(5) and None))
    await asyncio.sleep(0)
    memory.events.emit(event(0))
    commit = asyncio.create_task(memory.events.commit())
    await asyncio.sleep(0.02)
    assert not commit.done()
    gate.set()
    await asyncio.gather(held, commit)
    assert len(await memory.events.events("r")) == 1

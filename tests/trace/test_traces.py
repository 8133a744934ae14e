"""Finding and pruning runs, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from hermes_ops.settings import Settings, TraceSettings
from hermes_ops.trace.retention import DAY, once_a_day, prune
from memory import Memory, Pruned, Wanted, open_memory
from memory.runs import Runs
from memory.traces import Traces
from orchestrator.contracts import BlobRef, Event, Incoming
from tests.memory.conftest import memory, postgres, url

pytestmark = pytest.mark.slow

__all__ = ["memory", "postgres", "url"]

NOW = datetime.now(UTC)
SHARED = "the same prompt for all"


async def run(memory: Memory, name: str, days: float = 0.0, text: str = "", end: bool = True) -> None:
    """A run that began so many days ago, with an own text and one that all share."""
    at = NOW - timedelta(days=days)
    runs = Runs(memory.db, memory.events, clock=lambda: at)
    await runs.create(name, Incoming(name, f"question {name}", at, user=name[:1]), session=name[-1:])
    for n, body in enumerate((SHARED, text or f"text of {name}")):
        memory.events.emit(Event(name, "supervisor", n, "agent", at, {}, (BlobRef.of(body),)))
    if end:
        await runs.finish(name, "done")
    await memory.events.commit()


async def texts(memory: Memory) -> int:
    count = sa.text("SELECT count(*) FROM blobs")
    return int(await memory.db.read(lambda c: c.scalar(count)) or 0)


ALL = Wanted()


async def names(memory: Memory, wanted: Wanted = ALL, limit: int = 100, skip: int = 0) -> list[str]:
    return [info.id for info in await memory.traces.find(wanted, limit, skip)]


async def test_finding(memory: Memory) -> None:
    for n, name in enumerate(("a-1", "b-1", "c-2", "c-3")):
        await run(memory, name, days=n)
    assert await names(memory) == ["a-1", "b-1", "c-2", "c-3"]
    assert await names(memory, limit=2, skip=1) == ["b-1", "c-2"]
    assert await names(memory, Wanted(session="1")) == ["a-1", "b-1"]
    assert await names(memory, Wanted(user="c")) == ["c-2", "c-3"]
    assert await names(memory, Wanted(text="QUESTION C")) == ["c-2", "c-3"]
    assert await names(memory, Wanted(text="_-1")) == []
    assert await names(memory, Wanted(since=NOW - timedelta(days=1), until=NOW)) == ["b-1"]
    assert await names(memory, Wanted(kind="notes")) == []
    assert await memory.traces.named("c-") == ["c-2", "c-3"]
    assert await memory.traces.named("_") == []
    events = await memory.traces.events(["a-1", "b-1", "nobody"])
    assert [len(found) for found in events.values()] == [2, 2, 0]
    assert events["a-1"][0].blobs[0].text is None


async def test_old_runs_go_with_their_texts_and_shared_ones_stay(memory: Memory) -> None:
    for n in range(6):
        await run(memory, f"r-{n}", days=n)
    done = await memory.traces.prune(before=NOW - timedelta(days=2.5))
    assert (done.runs, done.texts) == (3, 3)
    assert await names(memory) == ["r-0", "r-1", "r-2"]
    assert await texts(memory) == 4
    (first, second) = await memory.events.events("r-0")
    assert (first.blobs[0].text, second.blobs[0].text) == (SHARED, "text of r-0")
    assert await memory.traces.prune(before=NOW - timedelta(days=2.5)) == Pruned(0, 0, done.bytes)
    last = await memory.traces.prune(before=NOW + timedelta(days=1))
    assert (last.runs, last.texts, last.bytes) == (3, 4, 0)
    assert await texts(memory) == 0


async def test_the_oldest_go_until_the_size_fits(memory: Memory) -> None:
    for n in range(10):
        await run(memory, f"r-{n}", days=n + 1, text=os.urandom(10_000).hex())
    before = (await memory.traces.prune()).bytes
    done = await memory.traces.prune(keep_bytes=before // 2)
    left = await names(memory)
    assert done.bytes <= before // 2
    assert 3 <= len(left) <= 5
    assert left == [f"r-{n}" for n in range(len(left))]


async def test_what_runs_or_could_be_resumed_stays(memory: Memory) -> None:
    await run(memory, "alive", days=9, end=False)
    await run(memory, "fresh")
    assert (await memory.traces.prune(before=NOW, keep_bytes=0)).runs == 0
    assert set(await names(memory)) == {"alive", "fresh"}


async def test_a_bounded_prune_takes_the_oldest(memory: Memory) -> None:
    for n in range(5):
        await run(memory, f"r-{n}", days=n + 1)
    assert (await memory.traces.prune(before=NOW, most=2)).runs == 2
    assert await names(memory) == ["r-0", "r-1", "r-2"]


async def test_a_text_that_is_written_again_meanwhile_is_not_lost(memory: Memory, url: str) -> None:
    """Other processes write while one prunes."""
    other = open_memory(url)
    for n in range(30):
        await run(memory, f"old-{n}", days=9, text=f"text {n}")

    async def write() -> None:
        for n in range(30):
            await run(other, f"new-{n}", text=f"text {n}")

    await asyncio.gather(write(), memory.traces.prune(before=NOW - timedelta(days=1)))
    await other.close()
    for n in range(30):
        events = await memory.events.events(f"new-{n}")
        assert [e.blobs[0].text for e in events] == [SHARED, f"text {n}"]


async def test_a_prune_that_is_broken_off_leaves_no_text_behind(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.traces.RUNS_AT_ONCE", 1)
    for n in range(8):
        await run(memory, f"r-{n}", days=9, text=f"text {n // 2}")
    task = asyncio.create_task(memory.traces.prune(before=NOW))
    while len(await names(memory)) == 8:
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    left = await names(memory)
    for name in left:
        assert all(e.blobs[0].text is not None for e in await memory.events.events(name))
    await memory.traces.prune(before=NOW)
    assert (await names(memory), await texts(memory)) == ([], 0)


async def test_turns_and_notes_are_no_trace(memory: Memory) -> None:
    await run(memory, "r-1", days=9)
    await memory.turns.add("s", "r-1", "q", "a", "ok", NOW)
    await memory.traces.prune(before=NOW)
    assert len(await memory.turns.last("s", 10)) == 1


@pytest.mark.slow
async def test_pruning_a_large_store_lets_others_in_between(memory: Memory, nightly: bool) -> None:
    runs = 3_000 if nightly else 300
    for n in range(runs):
        await run(memory, f"r-{n}", days=5 if n % 2 else 0)
    waits: list[float] = []

    async def others() -> None:
        while True:
            begun = time.perf_counter()
            await memory.runs.get("r-0")
            waits.append(time.perf_counter() - begun)
            await asyncio.sleep(0.001)

    task = asyncio.create_task(others())
    done = await memory.traces.prune(before=NOW - timedelta(days=1))
    task.cancel()
    assert done.runs == runs // 2
    assert max(waits) < 2.0


# ── settings ──────────────────────────────────────────────────────────────────────────────────


async def test_days_and_megabytes_of_the_settings(memory: Memory) -> None:
    await run(memory, "r-1", days=31)
    await run(memory, "r-2", days=29)
    assert (await prune(memory, TraceSettings(keep_days=0, keep_mb=0))).runs == 0
    assert (await prune(memory, TraceSettings())).runs == 1
    assert await names(memory) == ["r-2"]


async def test_it_is_looked_after_once_a_day_beside_the_work(memory: Memory, tmp_path: Path) -> None:
    async def day() -> list[str]:
        async with once_a_day(memory, Settings(data_dir=tmp_path)):
            pass
        return await names(memory)

    await run(memory, "r-1", days=40)
    assert await day() == []
    await run(memory, "r-2", days=40)
    assert await day() == ["r-2"]
    yesterday = time.time() - DAY - 1
    left = tmp_path / "pastes" / "of-a-killed-chat"
    left.mkdir(parents=True)
    for path in (tmp_path / "trace-pruned", left):
        os.utime(path, (yesterday, yesterday))
    assert await day() == []
    assert not left.exists()


async def test_a_directory_that_cannot_be_written_is_nobodys_trouble(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with once_a_day(memory, Settings(data_dir=tmp_path / "file")):
        pass


async def test_the_oldest_part_is_enough(memory: Memory) -> None:
    assert await Traces(memory.db, memory.runs).prune(keep_bytes=10**9) == Pruned(0, 0, 0)

"""What the runtime costs under load: questions a second and what it adds to each step, beside a plain asyncio loop.

    python bench/load.py [--at 1,20,100,500] [--questions 400] [--url URL] [--soak 20000]

A question makes twelve model calls, nine of them in three branches, and each call answers at once: all that is measured
is ours. "plain" is the same with nothing recorded; "journal" records each step durably (a SQLite file, or the database
of --url); "served" comes through the inbox and leaves through the outbox as well. A step's time is how long its loop
stands still for it: what the runtime adds is the difference from "plain". --soak asks so many questions and shows the
memory on the way. The figures that matter are ratios and differences within one run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from hermes_ops.runtime.inbox import Inbox
from hermes_ops.runtime.jobs import Bounds, Hands, Outcome
from hermes_ops.runtime.local import LocalRuntime
from hermes_ops.runtime.outbox import Deliveries
from memory import Entry, Memory, Parcel, open_memory
from orchestrator.contracts import Incoming, Json
from orchestrator.ports import Call, Runtime

BRANCHES = ("alerts", "logs", "changes")
TEXT = "412 errors between 14:02 and 14:31, most of them pool exhausted. " * 30  # about 2 KB, as a call's result has


async def call(what: Json) -> Json:
    await asyncio.sleep(0)
    return {"of": what, "text": TEXT}


class Steps:
    """A question's twelve steps, and the seconds that each takes."""

    def __init__(self) -> None:
        self.took: list[float] = []

    async def timed(self, work: Awaitable[Json]) -> None:
        begun = time.perf_counter()
        await work
        self.took.append(time.perf_counter() - begun)

    async def recorded(self, rt: Runtime) -> None:
        await self.timed(rt.step("model 1", call, 1))
        await rt.steps([Call(f"1.{name}", self.branch, (), branch=True) for name in BRANCHES])
        await self.timed(rt.step("model 2", call, 2))
        await self.timed(rt.step("model 3", call, 3))

    async def branch(self, rt: Runtime) -> Json:
        for n in range(3):
            await self.timed(rt.step(f"model {n}", call, n))
        return {}

    async def bare(self) -> None:
        """What a loop without a runtime does."""

        async def plain(n: int) -> Json:
            return json.dumps(await call(n))

        async def three() -> None:
            for n in range(3):
                await self.timed(plain(n))

        await self.timed(plain(1))
        await asyncio.gather(*(three() for _ in BRANCHES))
        await self.timed(plain(2))
        await self.timed(plain(3))


def incoming(n: int) -> Incoming:
    return Incoming(f"m{n}", "why did checkout fail?", datetime.now(UTC), chat=f"c{n % 200}", channel="bench", user="u")


async def journaled(memory: Memory, n: int, steps: Steps) -> None:
    run = f"run-{n}"
    await memory.runs.create(run, incoming(n))
    await steps.recorded(LocalRuntime(run, "supervisor", memory.events.of(run)))
    await memory.runs.finish(run, "done")


async def served(memory: Memory, first: int, questions: int, at: int, steps: Steps) -> list[float]:
    """Seconds of each question, from its message to its delivered answer."""
    answered = {f"m{n}": asyncio.Event() for n in range(first, first + questions)}

    async def work(entry: Entry) -> Outcome:
        await journaled(memory, int(entry.question.id[1:]), steps)
        return Outcome(parcels=(Parcel(f"{entry.id}.finish", "bench", "finish", entry.conversation, {}, {}),))

    async def deliver(parcel: Parcel) -> str:
        answered[parcel.key.partition(".")[0]].set()
        return parcel.key

    deliveries = Deliveries(memory.outbox, deliver)
    refusal = Parcel("", "bench", "send", "", {}, {})
    hands = Hands(work, lambda e: None, lambda e, s, r: (), lambda e, t: refusal, ended=lambda e: deliveries.nudge())
    inbox = Inbox(memory.inbox, hands, Bounds(at, 2, 10**6))
    tasks = [asyncio.create_task(inbox.run()), asyncio.create_task(deliveries.run())]

    async def one(n: int) -> None:
        asked = incoming(n)
        await inbox.put(Entry(f"{asked.id}.0", "bench", f"c{n}", "question", asked, {}, f"run-{n}", asked.at))
        await answered[asked.id].wait()

    took = await together(one, first, questions, at)
    await inbox.close()
    await deliveries.close()
    await asyncio.gather(*tasks)
    return took


async def together(work: Callable[[int], Awaitable[Any]], first: int, questions: int, at: int) -> list[float]:
    gate = asyncio.Semaphore(at)
    took: list[float] = []

    async def one(n: int) -> None:
        async with gate:
            begun = time.perf_counter()
            await work(n)
            took.append(time.perf_counter() - begun)

    await asyncio.gather(*(one(n) for n in range(first, first + questions)))
    return took


def spread(took: list[float]) -> str:
    """Median and 99th of a hundred, in milliseconds."""
    p50, p99 = (sorted(took)[min(len(took) - 1, int(len(took) * q))] * 1000 for q in (0.5, 0.99))
    return f"p50 {p50:8.2f} p99 {p99:8.2f} ms"


def row(name: str, at: int, took: list[float], steps: list[float], wall: float, cpu: float) -> None:
    print(
        f"{name:8} {at:5} at once {len(took) / wall:7,.0f} questions/s  {spread(took)}  a step {spread(steps)}  "
        f"CPU {cpu * 1000 / len(took):6.2f} ms  RSS {rss() / 1000:5.0f} MB",
        flush=True,
    )


def rss() -> float:
    """KB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1000


async def measure(memory: Memory, levels: list[int], questions: int) -> None:
    first = 0
    for at in levels:
        count = max(questions // (8 if at == 1 else 1), 20)
        for name in ("plain", "journal", "served"):
            wall, cpu, steps = time.perf_counter(), time.process_time(), Steps()
            if name == "served":
                took = await served(memory, first, count, at, steps)
            else:
                work = partial(plain, steps) if name == "plain" else partial(journaled, memory, steps=steps)
                took = await together(work, first, count, at)
            row(name, at, took, steps.took, time.perf_counter() - wall, time.process_time() - cpu)
            first += count


async def plain(steps: Steps, n: int) -> None:
    await steps.bare()


async def waiting(memory: Memory, questions: int) -> float:
    """KB that a question costs while it waits for a model."""
    go, started = asyncio.Event(), 0

    async def slow(what: Json) -> Json:
        nonlocal started
        started += 1
        await go.wait()
        return {}

    async def one(n: int) -> None:
        run = f"waiting-{questions}-{n}"
        await memory.runs.create(run, incoming(n))
        await LocalRuntime(run, "supervisor", memory.events.of(run)).step("model 1", slow, 1)

    before = rss()
    tasks = [asyncio.create_task(one(n)) for n in range(questions)]
    while started < questions:
        await asyncio.sleep(0.1)
    grown = rss() - before
    go.set()
    await asyncio.gather(*tasks)
    return grown / questions


async def soak(memory: Memory, questions: int) -> None:
    part = max(questions // 10, 1)
    for first in range(0, questions, part):
        wall, cpu, steps = time.perf_counter(), time.process_time(), Steps()
        took = await served(memory, 10**6 + first, part, 100, steps)
        row("soak", 100, took, steps.took, time.perf_counter() - wall, time.process_time() - cpu)


async def main(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as place:
        memory = open_memory(options.url or f"sqlite:///{place}/bench.db")
        try:
            if options.soak:
                await soak(memory, options.soak)
            else:
                await measure(memory, [int(n) for n in options.at.split(",")], options.questions)
                for n in (500, 2000):
                    print(f"{n} questions that wait for a model: {await waiting(memory, n):.1f} KB each")
        finally:
            await memory.close()


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--at", default="1,20,100,500")
    given.add_argument("--questions", type=int, default=400)
    given.add_argument("--url", default="")
    given.add_argument("--soak", type=int, default=0)
    asyncio.run(main(given.parse_args()))

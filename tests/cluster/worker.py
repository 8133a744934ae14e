"""A process that serves an inbox with the real runtime, and questions that only tell what happens to them.

python -m tests.cluster.worker local|cluster URL DIRECTORY [MILLISECONDS]

Each question makes twelve calls, nine of them in three branches; a call takes up to so many milliseconds. What happens
is written to DIRECTORY/log as it happens, a line each; DIRECTORY/platform is the chat platform.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hermes_ops.runtime import cluster
from hermes_ops.runtime.alone import Alone
from hermes_ops.runtime.cluster import Replica
from hermes_ops.runtime.inbox import Inbox
from hermes_ops.runtime.jobs import Bounds, Hands, Outcome
from hermes_ops.runtime.local import LocalRuntime
from hermes_ops.runtime.outbox import Deliveries
from memory import Entry, Memory, Parcel, open_memory
from memory.hold import hold
from orchestrator.contracts import Json
from orchestrator.ports import Call, Runtime

BRANCHES = ("alerts", "logs", "changes")
CALLS = 12  # of a question
QUESTIONS = 16  # at once in a process


class Log:
    """Whole lines, whoever else writes, and there when it returns."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def __call__(self, what: str, **said: Any) -> None:
        os.write(self._file, (json.dumps({"what": what, "pid": os.getpid(), **said}) + "\n").encode())


class Worker:
    def __init__(self, memory: Memory, place: Path, seconds: float) -> None:
        self._memory, self._place, self._seconds = memory, place, seconds
        self._log = Log(place / "log")

    async def work(self, entry: Entry) -> Outcome:
        runs, run = self._memory.runs, entry.run
        if await runs.get(run):
            await runs.claim(run, mine=True)
        else:
            await runs.create(run, entry.question)
        recorded = await self._memory.events.load(run)
        await self._question(LocalRuntime(run, "supervisor", self._memory.events.of(run), recorded))
        await runs.finish(run, "done")
        parcel = Parcel(f"{entry.id}.finish", "test", "finish", entry.conversation, {}, {"text": f"answer to {run}"})
        return Outcome(parcels=(parcel,))

    async def _question(self, rt: Runtime) -> None:
        await self._step(rt, "model 1")
        await rt.steps([Call(f"1.{name}", self._branch, (), branch=True) for name in BRANCHES])
        await self._step(rt, "model 2")
        await self._step(rt, "model 3")

    async def _branch(self, rt: Runtime) -> Json:
        for n in range(3):
            await self._step(rt, f"model {n}")
        return {}

    async def _step(self, rt: Runtime, name: str) -> None:
        mine = f"{rt.run} {rt.path}/{name}"
        value = await rt.step(name, self._call, mine)
        self._log("used", call=mine, wrong=value["of"] != mine)

    async def _call(self, mine: Json) -> Json:
        await asyncio.sleep(random.random() * self._seconds)
        self._log("answered", call=mine)
        return {"of": mine, "text": "x" * 500}

    async def deliver(self, parcel: Parcel) -> str:
        self._log("handed", key=parcel.key)
        with open(self._place / "platform", "a") as platform:
            platform.write(f"{parcel.key}\n")
        return parcel.key


def jumping() -> datetime:
    """A machine's clock that somebody sets to and fro."""
    return datetime.now(UTC) + timedelta(hours=random.choice((-3, 0, 0, 3)))


async def main(mode: str, url: str, place: Path, seconds: float) -> None:
    memory = open_memory(url)
    if os.environ.get("CLOCK") == "jumps":
        memory.inbox.clock = memory.outbox.clock = jumping
    cluster.HANGS = float(os.environ.get("HANGS", cluster.HANGS))
    lock = hold(url, "inbox", "Taken.", mode == "cluster")
    member = Replica(memory.replicas, lock, "test") if mode == "cluster" else Alone(lock)
    await member.enter()
    worker = Worker(memory, place, seconds)
    hands = Hands(
        worker.work,
        lambda entry: None,
        lambda entry, state, reason: [Parcel(f"{entry.id}.{state}", "test", "send", "", {}, {"text": reason})],
        lambda entry, at: Parcel(f"{entry.id}.busy", "test", "send", "", {}, {}),
    )
    inbox = Inbox(memory.inbox, hands, Bounds(QUESTIONS, 2, 1_000_000), member.id, member.others)
    deliveries = Deliveries(memory.outbox, worker.deliver, member.id)

    async def lost(owner: str) -> None:
        await inbox.lost(owner)
        await deliveries.lost(owner)

    member.lost = lost
    tasks = [asyncio.create_task(work()) for work in (member.run, inbox.run, deliveries.run)]
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    print("serves", flush=True)
    done, _ = await asyncio.wait({asyncio.create_task(ended.wait()), *tasks}, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        await task
    await inbox.close(0.5)
    await deliveries.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await member.leave()
    await memory.close()
    lock.release()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(process)d %(message)s")
    milliseconds = float(sys.argv[4]) if len(sys.argv) > 4 else 100.0
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), milliseconds / 1000))

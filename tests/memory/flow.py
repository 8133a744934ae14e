"""A small question for the kill tests: twelve calls, three branches, run by a process of its own until it is killed.

Every call writes a line to a log when it starts and one when its result was handed out, so that the test sees what
was done twice.
"""

from __future__ import annotations

import asyncio
import os
import random
from datetime import UTC, datetime

from hermes_ops.runtime.local import LocalRuntime
from memory import Memory, RunInfo, open_memory
from orchestrator.contracts import Incoming, Json
from orchestrator.ports import Call

BRANCHES = ("alerts", "logs", "changes")
SECONDS = 0.02  # a call's longest time


class Flow:
    """One asked question. `log`: a file that every process of it appends to."""

    def __init__(self, log: str) -> None:
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(self, *words: str) -> None:
        os.write(self._log, (" ".join(words) + "\n").encode())

    async def call(self, where: str) -> Json:
        self.note("start", where)
        await asyncio.sleep(random.random() * SECONDS)
        return {"from": where, "note": {"where": where}}

    async def step(self, runtime: LocalRuntime, name: str) -> str:
        where = f"{runtime.path}:{name}".replace(" ", "_")
        result = await runtime.step(name, self.call, where)
        self.note("used" if result["from"] == where else "WRONG", where)
        said: str = result["from"]
        return said

    async def branch(self, runtime: LocalRuntime, name: str) -> Json:
        self.note("start", runtime.path)
        runtime.emit("chosen", {"name": name}, name)
        said = [await self.step(runtime, f"model {n}") for n in range(3)]
        return {"said": said}

    async def answer(self, runtime: LocalRuntime) -> str:
        said = [await self.step(runtime, "model 0"), await self.step(runtime, "model 1")]
        calls = [Call(f"0.{name}", self.branch, (name,), branch=True) for name in BRANCHES]
        for result in await runtime.steps(calls):
            said += result["said"]
        said.append(await self.step(runtime, "model 2"))
        return " ".join(said)


def run(url: str, question: str, log: str) -> None:
    """What a process does: takes up the interrupted run of this question, or begins one, and answers it. Where it was
    answered already and only killed before it ended, there is nothing left to do."""
    asyncio.run(_run(url, Incoming(question, question, datetime.now(UTC)), log))


async def _run(url: str, question: Incoming, log: str) -> None:
    memory = open_memory(url)
    taken = await memory.runs.find_interrupted(question)
    answered = [r for r in await memory.runs.list(1000) if r.status == "done" and r.question.text == question.text]
    if taken or not answered:
        await _answer(memory, question, taken, Flow(log))
    await memory.close()


async def _answer(memory: Memory, question: Incoming, taken: RunInfo | None, flow: Flow) -> None:
    run = taken.id if taken else os.urandom(8).hex()
    if not taken:
        await memory.runs.create(run, question)
    recorded = await memory.events.load(run)
    answer = await flow.answer(LocalRuntime(run, "supervisor", memory.events, recorded))
    await memory.events.commit()
    flow.note("answer", run, *answer.split())
    await memory.runs.finish(run, "done")

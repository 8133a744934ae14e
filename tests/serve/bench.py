"""An inbox with work that a test steers: each question waits until the test lets it go, fails, or is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from hermes_ops.runtime.inbox import Inbox
from hermes_ops.runtime.jobs import Bounds, Hands, Outcome
from memory import Entry, Memory, Parcel
from orchestrator.contracts import Incoming


def entry(id: str, text: str = "q", chat: str = "c1", kind: str = "question", **more: Any) -> Entry:
    now = datetime.now(UTC)
    question = Incoming(id, text, now, chat=chat, channel="test", user="u1")
    given: dict[str, Any] = {"extra": {"n": 1}, "run": f"run-{id}", "received": now, **more}
    return Entry(f"{id}.0", "test", chat, kind, question, **given)  # type: ignore[arg-type]


def parcel(key: str, text: str, lane: str = "c1") -> Parcel:
    return Parcel(key, "test", "send", lane, {"chat": lane}, {"text": text})


@dataclass
class Work:
    """`begun`: in order; `over`: told that it has ended for good; `go[id]` ends one; `fails[id]` is raised as often as
    it lies there."""

    begun: list[str] = field(default_factory=list)
    now: set[str] = field(default_factory=set)
    most: int = 0
    go: dict[str, asyncio.Event] = field(default_factory=dict)
    fails: dict[str, list[Exception]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)
    over: list[str] = field(default_factory=list)
    stubborn: bool = False  # doesn't come back when it is stopped

    def let(self, *ids: str) -> None:
        for id in ids:
            self.go.setdefault(id, asyncio.Event()).set()

    async def work(self, e: Entry) -> Outcome:
        id = e.question.id
        self.begun.append(id)
        self.now.add(id)
        self.most = max(self.most, len(self.now))
        try:
            if self.fails.get(id):
                raise self.fails[id].pop(0)
            if e.kind == "question":
                await self.go.setdefault(id, asyncio.Event()).wait()
            state: Literal["done", "cancelled"] = "cancelled" if id in self.stopped else "done"
            return Outcome(state, parcels=(parcel(f"{e.id}.finish", f"answer to {id}", e.conversation),))
        finally:
            self.now.discard(id)

    def stop(self, e: Entry) -> None:
        if not self.stubborn:
            self.stopped.add(e.question.id)
            self.let(e.question.id)

    def hands(self) -> Hands:
        def told(e: Entry, state: str, reason: str) -> Sequence[Parcel]:
            return [parcel(f"{e.id}.{state}", reason, e.conversation)]

        async def queued(e: Entry, place: int) -> None:
            self.places[e.question.id] = place

        return Hands(
            self.work,
            self.stop,
            told,
            lambda e, at: parcel(f"{e.id}.busy", f"busy until {at.isoformat()}", e.conversation),
            lambda e: e.question.text.startswith("and "),
            queued,
            lambda e: self.over.append(e.question.id),
        )


@asynccontextmanager
async def working(memory: Memory, work: Work, **bounds: int) -> AsyncIterator[Inbox]:
    inbox = Inbox(memory.inbox, work.hands(), Bounds(**bounds))
    task = asyncio.create_task(inbox.run())
    try:
        yield inbox
    finally:
        await inbox.close(grace=0)
        await task


async def until(true: Callable[[], Any], seconds: float = 30.0) -> None:
    end = asyncio.get_running_loop().time() + seconds
    while not true():
        assert asyncio.get_running_loop().time() < end, "it did not happen"
        await asyncio.sleep(0.01)


async def states(memory: Memory) -> dict[str, str]:
    return {e.question.id: e.state for e in await memory.inbox.list()}


async def until_state(memory: Memory, id: str, state: str, seconds: float = 30.0) -> Entry:
    end = asyncio.get_running_loop().time() + seconds
    while True:
        found = await memory.inbox.find(f"{id}.0")
        if found and found.state == state:
            return found
        assert asyncio.get_running_loop().time() < end, f"{id} is {found and found.state}, not {state}"
        await asyncio.sleep(0.02)

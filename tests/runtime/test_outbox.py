"""A lane of the outbox goes on whatever fails beside the delivery, and delivers nothing twice when the store fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime
from typing import Any

import pytest

from hermes_ops.runtime import insisting
from hermes_ops.runtime.outbox import Deliveries, Undeliverable
from memory import Parcel
from orchestrator.errors import StoreError


class Kept:
    """In the place of `memory.Outbox`: rows in order; a verb in `failing` fails so many times."""

    def __init__(self, *keys: str, **failing: int) -> None:
        self.rows = {key: Parcel(key, "c", "send", "chat", {}, {}, seq=n) for n, key in enumerate(keys, 1)}
        self.states: dict[str, str] = {}
        self.failing = failing
        self.asked, self.go = asyncio.Event(), asyncio.Event()
        self.go.set()

    def clock(self) -> datetime:
        return datetime.now(UTC)

    async def claim(self, owner: str, known: Collection[int]) -> list[Parcel]:
        self.asked.set()
        await self.go.wait()
        return [p for p in self.rows.values() if p.key not in self.states and p.seq not in known]

    async def _set(self, verb: str, key: str, state: str) -> None:
        if self.failing.get(verb, 0):
            self.failing[verb] -= 1
            raise StoreError("The database is away.")
        self.states[key] = state

    async def sent(self, key: str, id: str) -> None:
        await self._set("sent", key, "sent")

    async def failed(self, key: str, reason: str) -> None:
        await self._set("failed", key, "failed")

    async def rest(self, owner: str) -> None:
        """Nobody else is there."""


async def delivered(kept: Kept, troubled: Callable[..., Awaitable[None]] | None = None) -> list[str]:
    """All that was given to the channel until each row has ended. What is called "gone" can't be delivered."""
    given: list[str] = []

    async def deliver(parcel: Parcel) -> str:
        given.append(parcel.key)
        if parcel.key == "gone":
            raise Undeliverable("the chat is gone")
        return "id"

    more: dict[str, Any] = {"troubled": troubled} if troubled else {}
    deliveries = Deliveries(kept, deliver, **more)  # type: ignore[arg-type]
    running = asyncio.create_task(deliveries.run())
    async with asyncio.timeout(20):
        while len(kept.states) < len(kept.rows):
            await asyncio.sleep(0.001)
    await deliveries.close()
    await running
    return given


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insisting, "AGAIN", 0.001)


@pytest.mark.parametrize("verb", ["failed", "sent"])
async def test_a_store_that_is_away_stops_no_lane_and_brings_nothing_twice(verb: str) -> None:
    kept = Kept("gone", "next", "last", **{verb: 2})
    assert await delivered(kept) == ["gone", "next", "last"]
    assert kept.states == {"gone": "failed", "next": "sent", "last": "sent"}


@pytest.mark.parametrize("error", [StoreError("away"), RuntimeError("a fault"), ValueError()])
async def test_who_hears_of_trouble_stops_no_lane(error: Exception) -> None:
    async def troubled(parcel: Parcel, reason: str, tries: int, over: bool) -> None:
        raise error

    kept = Kept("gone", "next")
    assert await delivered(kept, troubled) == ["gone", "next"]
    assert kept.states == {"gone": "failed", "next": "sent"}


async def test_who_is_held_for_dead_in_the_middle_of_a_look_delivers_nothing_of_it() -> None:
    kept, given = Kept("a"), list[str]()
    kept.go.clear()

    async def deliver(parcel: Parcel) -> str:
        given.append(parcel.key)
        return "id"

    deliveries = Deliveries(kept, deliver, "old")  # type: ignore[arg-type]
    running = asyncio.create_task(deliveries.run())
    await kept.asked.wait()
    await deliveries.lost("new")
    kept.asked.clear()
    kept.go.set()
    await kept.asked.wait()  # the first look is over, and the next one has begun
    first = list(given)
    await deliveries.close()
    await running
    assert first == []

"""What fires again shortly after it was looked at: its card is red while it fires, green when it is over, each time."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from memory import Memory
from tests.hooks.place import Place
from tests.hooks.test_look_steps import Away, looking, turned


class Chat:
    """The place, one look at it, and what its cards say, in order."""

    def __init__(self, place: Place, memory: Memory) -> None:
        self.place, self.memory, self.host = place, memory, Away(memory)
        self.turns = looking(place, memory, self.host)

    async def told(self, minutes: float, over: bool = False, turn: bool = True) -> datetime:
        """After so many minutes that the alert fires anew, or is over."""
        self.place.clock.now += timedelta(minutes=minutes)
        at = self.place.clock.now
        given = {"status": "resolved", "endsAt": at.isoformat()} if over else {"startsAt": at.isoformat()}
        await self.place.tell(**({"startsAt": self.began.isoformat()} if over else {}), **given)
        self.began = self.began if over else at
        await self.turns.hear(self.place.heard[-1])
        if turn:
            await turned(self.turns)
        return at

    began: datetime

    async def cards(self) -> list[tuple[str, bool]]:
        """Tone of each parcel, and whether it stands in place of the first."""
        parcels = await self.memory.outbox.waiting()
        first = parcels[0].key
        return [(p.payload["tone"], p.payload.get("instead") == first) for p in parcels]

    def close(self) -> None:
        for task in self.turns._asking:
            task.cancel()


@pytest.mark.parametrize("minutes", [10, 20])  # an end that was stored stays for a quarter of an hour
async def test_its_card_is_red_again_says_so_and_turns_green_again(
    place: Place, memory: Memory, minutes: float
) -> None:
    chat = Chat(place, memory)
    await chat.told(0)
    await chat.told(6, over=True)
    for _ in range(2):
        again = await chat.told(minutes)
        _, *rest = await memory.outbox.waiting()
        assert (rest[-1].payload["tone"], "again" in rest[-1].payload["text"]) == ("bad", True)
        assert f"{again:%H:%M}" in rest[-1].payload["text"]
        await turned(chat.turns)  # nothing new
        await chat.told(3, over=True)
        assert "after 3 min" in (await memory.outbox.waiting())[-1].payload["text"]
    assert await chat.cards() == [("bad", False), *[("good", True), ("bad", True)] * 2, ("good", True)]
    assert len(chat.turns._asking) == 1  # one question
    assert chat.turns.counted == {"looked": 1, "rested": 2}
    chat.close()


async def test_what_rested_long_enough_has_a_card_of_its_own(place: Place, memory: Memory) -> None:
    chat = Chat(place, memory)
    await chat.told(0)
    await chat.told(6, over=True)
    await chat.told(70)
    assert await chat.cards() == [("bad", False), ("good", True), ("bad", False)]
    chat.close()

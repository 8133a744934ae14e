"""First looks whose steps fail: what was begun is finished by the next turn, and nothing is done twice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from hermes_ops.channels.base import Address
from hermes_ops.hooks.look import words
from hermes_ops.hooks.look.groups import Firing, grouped
from hermes_ops.hooks.look.looking import FirstLook
from hermes_ops.hooks.settings import HookSettings, LookRule, LookSettings
from memory import Entry, Memory, Parcel, Record
from memory.records import Records
from orchestrator.contracts import to_json
from orchestrator.errors import StoreError
from tests.hooks.place import START, Place


class Away:
    """A host whose steps may fail, each as often as `fails` says."""

    def __init__(self, memory: Memory, **fails: int) -> None:
        self.fails, self.asked = fails, list[str]()
        self._memory = memory
        self.inbox = SimpleNamespace(put=self._put)

    def _step(self, name: str) -> None:
        if self.fails.get(name, 0):
            self.fails[name] -= 1
            raise StoreError("the store is away")

    async def push(self, channel: str, to: Address, doc: Any, key: str) -> None:
        self._step("over" if key.endswith(".over") else "push")
        await self._memory.outbox.put([Parcel(key, channel, "send", to.chat, to_json(to), to_json(doc))])

    async def _put(self, entry: Entry) -> None:
        self._step("ask")
        self.asked.append(entry.id)


def looking(place: Place, memory: Memory, host: Any) -> FirstLook:
    hooks = HookSettings(look=LookSettings(on=True, rules=(LookRule(chat="oc_1", severities=("critical",)),)))
    kept = SimpleNamespace(records=place.records, outbox=memory.outbox, inbox=memory.inbox)
    team = SimpleNamespace(language="en", zone="UTC")
    app: Any = SimpleNamespace(
        settings=SimpleNamespace(hooks=hooks, team=team, zone="UTC"),
        memory=kept,
        recall=SimpleNamespace(session=lambda asked: "s"),
    )
    return FirstLook(app, host, "feishu")


async def turned(turns: FirstLook, failing: bool = False) -> None:
    if failing:
        with pytest.raises(StoreError):
            await turns.turn()
    else:
        await turns.turn()


async def parcels(memory: Memory) -> list[str]:
    return [p.key.rpartition("T")[2][6:] for p in await memory.outbox.waiting()]


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_card_that_was_not_stored_is_stored_by_the_next_turn(
    place: Place, memory: Memory, restarted: bool
) -> None:
    """Its record was: without that next turn nobody would ever look at the alert."""
    host = Away(memory, push=1, ask=1)
    turns = looking(place, memory, host)
    await place.tell()
    await turns.hear(place.heard[0])
    await turned(turns, failing=True)
    turns = looking(place, memory, host) if restarted else turns
    await turned(turns)
    (card,) = await memory.outbox.waiting()
    await memory.outbox.sent(card.key, "om_1")
    (task,) = turns._asking
    await task  # it fails to store its question
    assert host.asked == []
    assert turns._heard.is_set()
    await turned(turns)
    (task,) = turns._asking
    await task
    assert host.asked == [f"{card.key}.0"]
    assert await parcels(memory) == []


async def test_a_card_that_did_not_turn_green_does_so_in_the_next_turn(place: Place, memory: Memory) -> None:
    host = Away(memory, over=1)
    turns = looking(place, memory, host)
    await place.tell()
    await turns.hear(place.heard[0])
    await turned(turns)
    await place.tell(status="resolved", endsAt=place.clock.now.isoformat())
    await turned(turns, failing=True)
    await turned(turns)
    await turned(turns)
    assert await parcels(memory) == ["", ".over"]
    for task in turns._asking:
        task.cancel()


class Paged(Records):
    """A store that holds far more than it gives at once."""

    def find(self, *args: Any, **given: Any) -> Any:
        return super().find(*args, **given, limit=2)

    def every(self, *args: Any, **given: Any) -> AsyncIterator[Record]:
        return super().every(*args, **given, page=2)


async def test_a_card_stays_red_while_its_group_fires_however_many_others_do(place: Place, memory: Memory) -> None:
    turns = looking(place, memory, Away(memory))
    await place.tell()
    await turns.hear(place.heard[0])
    await turned(turns)
    place.records = Paged(memory.db, place.clock)
    restarted = looking(place, memory, Away(memory))
    for n in range(7):
        place.clock.now += timedelta(seconds=60)
        labels = {"alertname": f"Other{n}", "service": "cart", "severity": "warning"}
        await place.tell(labels=labels, fingerprint=f"o{n}", startsAt=place.clock.now.isoformat())
        await turned(restarted)
    assert await parcels(memory) == [""]
    ended = place.clock.now - timedelta(minutes=3)
    await place.tell(status="resolved", endsAt=ended.isoformat())
    await turned(restarted)
    (_, over) = await memory.outbox.waiting()
    assert over.key.endswith(".over")
    assert f"{ended:%H:%M}" in over.payload["text"]
    for task in (*turns._asking, *restarted._asking):
        task.cancel()


async def test_what_is_over_before_its_card_came_to_be_gets_none(place: Place, memory: Memory) -> None:
    turns = looking(place, memory, Away(memory, push=1))
    await place.tell()
    await turns.hear(place.heard[0])
    await turned(turns, failing=True)
    await place.tell(status="resolved", endsAt=place.clock.now.isoformat())
    await turned(turns)
    await turned(turns)
    assert await parcels(memory) == []


@pytest.mark.parametrize(
    ("n", "head"),
    [
        (1, "Errors · cart · critical"),
        (2, "Errors · cart, pay · critical"),
        (5, "Errors · cart and others, 5 services · critical"),
    ],
)
def test_a_card_is_titled_with_all_services_of_its_alert(n: int, head: str) -> None:
    names = ("cart", "pay", "shop", "tax", "zoo")[:n]
    fires = [Firing("am", s, "Errors", s, "critical", START, group="g") for s in names]
    lesser = Firing("am", "x", "Slow", "other", "warning", START, group="g")
    assert words.title(grouped([*fires, lesser]), "en") == head

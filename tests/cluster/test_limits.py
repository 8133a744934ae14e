"""Limits hold across processes: calls a minute, cooling after a 429, tokens a day; and they say when to come back."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa

from hermes_ops.budget import Budget, Busy, Turns
from hermes_ops.budget_settings import BudgetSettings, TeamBudget
from memory import Memory, RunInfo, open_memory
from memory.engine import make_engine
from orchestrator.contracts import Event, Incoming
from tests.memory.conftest import memory, url

__all__ = ["memory", "url"]

pytestmark = pytest.mark.slow
AT = datetime(2026, 11, 30, 15, 30, tzinfo=UTC)  # half past eleven at night in Shanghai


@pytest.fixture
async def other(url: str, memory: Memory) -> AsyncIterator[Memory]:
    """Another process on the same database."""
    opened = open_memory(url)
    yield opened
    await opened.close()


# ── calls a minute ────────────────────────────────────────────────────────────────────────────


async def test_so_many_calls_a_minute_whoever_makes_them(memory: Memory, other: Memory) -> None:
    takes = [m.quotas.take("model", 10) for _ in range(15) for m in (memory, other)]
    waits = await asyncio.gather(*takes)
    assert sum(wait == 0 for wait in waits) == 10
    assert all(50 < wait <= 61 for wait in waits if wait)
    assert await other.quotas.take("another", 10) == 0


async def test_a_minute_later_there_is_room_again(memory: Memory, url: str) -> None:
    assert [bool(await memory.quotas.take("model", 2)) for _ in range(3)] == [False, False, True]
    engine = make_engine(url)
    with engine.begin() as connection:  # as if a minute had passed
        made = f'{{"{int(time.time()) - 62}": 2}}'
        connection.execute(sa.text("UPDATE rates SET made = :made"), {"made": made})
    engine.dispose()
    assert [bool(await memory.quotas.take("model", 2)) for _ in range(3)] == [False, False, True]


async def test_a_429_cools_everybody_and_halves_the_rate_for_a_while(memory: Memory, other: Memory) -> None:
    memory.quotas.cool("model", 0.4)
    assert await memory.quotas.take("model", 4) > 0
    assert 0 < await other.quotas.take("model", None) <= 0.4
    while await other.quotas.take("model", None):
        await asyncio.sleep(0.05)
    assert [bool(await m.quotas.take("model", 4)) for m in (memory, other, other)] == [False, False, True]


async def test_a_clock_that_was_ahead_holds_nobody_up_for_long(memory: Memory, url: str) -> None:
    await memory.quotas.take("model", 5)
    engine = make_engine(url)
    with engine.begin() as connection:
        made = f'{{"{int(time.time()) + 9000}": 5}}'
        connection.execute(sa.text("UPDATE rates SET made = :made, cool = :cool"), {"made": made, "cool": 4e9})
    engine.dispose()
    assert 0 < await memory.quotas.take("model", 5) <= 121


async def test_calls_wait_until_a_429_is_over_here_and_elsewhere(memory: Memory, other: Memory) -> None:
    here, elsewhere = Turns(memory.quotas, None), Turns(other.quotas, None)
    await here.acquire("m", 1)
    here.cool(0.5)
    begun = time.monotonic()
    await memory.quotas.take("another", None)  # by now it is written
    await asyncio.gather(here.acquire("m", 1), elsewhere.acquire("m", 1))
    assert time.monotonic() - begun >= 0.4


async def test_calls_in_a_process_are_first_come_first_served(memory: Memory) -> None:
    turns, order = Turns(memory.quotas, 100), list[int]()

    async def call(n: int) -> None:
        await turns.acquire("m", 1)
        order.append(n)

    await asyncio.gather(*map(call, range(8)))
    assert order == list(range(8))


async def test_whoever_is_cancelled_while_waiting_uses_nothing_up(memory: Memory) -> None:
    turns = Turns(memory.quotas, 1)
    await turns.acquire("m", 1)
    waiting = asyncio.create_task(turns.acquire("m", 1))
    await asyncio.sleep(0.1)
    waiting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await waiting
    assert await memory.quotas.take("model", 2) == 0


# ── tokens a day ──────────────────────────────────────────────────────────────────────────────


def asked(user: str = "u1", chat: str = "c1", tenant: str = "") -> Incoming:
    return Incoming("m1", "q", AT, chat=chat, user=user, tenant=tenant, channel="test")


async def used(memory: Memory, budget: Budget, run: str, question: Incoming, *tokens: int) -> RunInfo:
    """A run whose model calls used so many tokens each."""
    info = RunInfo(run, question, "s", "", "done", AT)
    if await memory.runs.get(run) is None:
        await memory.runs.create(run, question)
    for n, spent in enumerate(tokens):
        usage: dict[str, Any] = {"model_calls": 1, "prompt_tokens": spent - 10, "completion_tokens": 10}
        memory.events.emit(Event(run, "supervisor", n, "model", AT, {"step": f"model {n}", "usage": usage}))
    await memory.events.commit()
    await budget.count(info)
    return info


def budget(memory: Memory, zone: str = "Asia/Shanghai", at: datetime = AT, **given: Any) -> Budget:
    teams = given.pop("teams", {})
    return Budget(memory.quotas, BudgetSettings(**given), teams, zone, lambda: at)


async def test_a_persons_budget_is_used_up_by_all_calls_once_and_renewed_at_midnight(memory: Memory) -> None:
    mine = budget(memory, user=1000)
    await used(memory, mine, "r1", asked(), 400, 500)
    await mine.check(asked())
    await used(memory, mine, "r1", asked(), 400, 500, 200)  # the same run, resumed: only what is new
    assert await mine.today() == {"all": 1100}
    with pytest.raises(Busy, match=r"budget of 1,000 tokens of this person .* after 2026-12-01 00:00"):
        await mine.check(asked())
    await mine.check(asked("u2"))
    await mine.check(asked(tenant="another"))
    await budget(memory, at=datetime(2026, 11, 30, 16, 1, tzinfo=UTC), user=1000).check(asked())


async def test_everybodys_and_a_teams(memory: Memory, other: Memory) -> None:
    teams = {"pay": TeamBudget(users=("u1",), chats=("c9",)), "web": TeamBudget(chats=("c2",), tokens=0)}
    mine = budget(memory, day=2000, team=500, teams=teams)
    theirs = budget(other, day=2000, team=500, teams=teams)
    await used(memory, mine, "r1", asked("u1"), 600)
    for person, chat in (("u1", "c1"), ("u7", "c9")):
        with pytest.raises(Busy, match="team pay"):
            await theirs.check(asked(person, chat))
    await used(memory, mine, "r2", asked("u7", "c2"), 1500)
    with pytest.raises(Busy, match="2,000 tokens of everybody"):
        await theirs.check(asked("u7", "c2"))
    assert await theirs.today() == {"all": 2100, "pay": 600, "web": 1500}
    await mine.prune()
    assert await theirs.today() == {"all": 2100, "pay": 600, "web": 1500}


async def test_without_a_bound_nobody_is_held_up(memory: Memory) -> None:
    mine = budget(memory)
    await used(memory, mine, "r1", asked(), 10**9)
    await mine.check(asked())

"""How much the models may be used, by all processes on one database: calls a minute, and tokens a day.

Calls wait for their turn; a question that finds a day's budget used up isn't begun, and is told when to ask again. One
that is under way is never broken off: a budget may be overdrawn by what was begun before it was used up. What is used
up is kept by `memory.limits`.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hermes_ops.budget_settings import BudgetSettings, TeamBudget
from memory import Quotas, RunInfo
from memory.limits import Counter
from orchestrator.contracts import Incoming
from orchestrator.errors import ModelError

NAME = "model"  # of the row that all calls are counted in
LOOK = 1.0  # seconds between looks whether somebody else met a 429, where calls aren't counted
LONGEST = 5.0  # seconds of one sleep: somebody may have given up a turn, or the limit was raised


class Busy(ModelError):
    """A budget is used up. `until`: when the next day begins."""

    def __init__(self, message: str, until: datetime) -> None:
        super().__init__(message, kind="budget")
        self.until = until


class Turns:
    """`orchestrator.ports.Limiter` for all processes on a database. `per_minute` None: calls aren't counted, and wait
    only while somebody's 429 cools everybody down. First come, first served within a process."""

    def __init__(
        self,
        quotas: Quotas,
        per_minute: int | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._quotas, self._most = quotas, per_minute
        self._clock, self._sleep = clock, sleep
        self._mine = asyncio.Lock()
        self._looked = -LOOK
        self._cool = 0.0  # by our clock: what was met here counts before it is written

    async def acquire(self, model: str, tokens: int) -> None:
        """Raises StoreError."""
        async with self._mine:
            while (wait := await self._wait()) > 0:
                await self._sleep(min(wait, LONGEST) + random.random() * 0.01)

    def cool(self, seconds: float) -> None:
        self._cool = max(self._cool, self._clock() + seconds)
        self._quotas.cool(NAME, seconds)

    async def _wait(self) -> float:
        now = self._clock()
        if self._cool > now:
            return self._cool - now
        if self._most is None and now - self._looked < LOOK:
            return 0.0
        wait = await self._quotas.take(NAME, self._most)
        self._looked = now if not wait else self._looked
        return wait


class Budget:
    """`zone`: where a day begins at midnight; `teams` by name."""

    def __init__(
        self,
        quotas: Quotas,
        settings: BudgetSettings,
        teams: Mapping[str, TeamBudget],
        zone: str,
        clock: Callable[[], datetime],
    ) -> None:
        self._quotas, self._settings, self._teams = quotas, settings, teams
        self._zone, self._clock = ZoneInfo(zone), clock

    async def check(self, asked: Incoming) -> None:
        """Before a question is begun. Raises Busy, StoreError."""
        bounds = self._bounds(asked)
        held = {counter: most for counter, most in bounds.items() if most}
        used = await self._quotas.used(self._day(), list(held)) if held else {}
        for (kind, name), most in held.items():
            if used.get((kind, name), 0) >= most:
                whose = {"day": "everybody", "user": "this person", "team": f"team {name}"}[kind]
                until = self._tomorrow()
                when = f"ask again after {until:%Y-%m-%d %H:%M}"
                raise Busy(f"The day's budget of {most:,} tokens of {whose} is used up; {when}.", until)

    async def count(self, info: RunInfo) -> None:
        """What a run's models have used, whatever became of it; a second time only what came in addition."""
        await self._quotas.spend(info.id, self._day(), list(self._bounds(info.question)))

    async def today(self) -> dict[str, int]:
        """Tokens used so far today, of all, and by team: for figures."""
        used = await self._quotas.spent(self._day())
        return {name or "all": tokens for (kind, name), tokens in used.items() if kind != "user"}

    async def prune(self) -> None:
        """Lets go of days that no budget looks at any more."""
        await self._quotas.prune(f"{self._now() - timedelta(days=90):%Y-%m-%d}")

    def _bounds(self, asked: Incoming) -> dict[Counter, int]:
        s = self._settings
        person = " ".join(filter(None, (asked.tenant, asked.user)))
        bounds: dict[Counter, int] = {("day", ""): s.day}
        if person:
            bounds["user", person] = s.user
        for name, team in self._teams.items():
            if asked.user in team.users or asked.chat in team.chats:
                bounds["team", name] = s.team if team.tokens is None else team.tokens
        return bounds

    def _now(self) -> datetime:
        return self._clock().astimezone(self._zone)

    def _day(self) -> str:
        return f"{self._now():%Y-%m-%d}"

    def _tomorrow(self) -> datetime:
        day = self._now().date() + timedelta(days=1)
        return datetime(day.year, day.month, day.day, tzinfo=self._zone)

"""What is due is begun: each slot once, the latest missed one when it is younger than a day, whatever the clock does.

A slot is claimed as a row in the database before its work begins, so that neither a second process nor a restart does
it again; work whose process died is begun anew, so it has to be harmless twice. A clock that is put back finds its
slots taken; one that jumps ahead does the latest slot it passed and no other. It doesn't know what the work is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hermes_ops.schedule import cron
from hermes_ops.schedule.workdays import Calendar
from memory import Schedules
from orchestrator.errors import HermesError, StoreError

LOOK = 2.0  # seconds between looks: what people add or cancel, and how the clock is
YOUNG = timedelta(days=1)  # a missed slot that is older is left out
BACK = timedelta(seconds=1)  # a clock that went back so far was set back
AGAIN = (5.0, 30.0, 120.0)  # seconds before work that failed is tried once more
STALE = timedelta(minutes=15)  # a slot that another process took so long ago and didn't end is taken over

log = logging.getLogger("hermes_ops.schedule")


@dataclass(frozen=True, slots=True)
class Timed:
    """One schedule. `since`: slots at or before it don't count, None: from when it was first seen; `work`: what it is
    for, for whoever does it."""

    name: str
    cron: str
    zone: str
    workdays: bool
    work: Any
    since: datetime | None = None


Plan = Callable[[], Awaitable[Sequence[Timed]]]
Work = Callable[[Timed, datetime], Awaitable[None]]
Alarm = Callable[[Timed, datetime, str], Awaitable[None]]


class Clockwork:
    """`work` raises HermesError or anything else for "try again"; `alarm`: it was given up, once a slot; `alone`: no
    other process works on this database, so what was begun and not ended is nobody's."""

    def __init__(
        self, store: Schedules, plan: Plan, work: Work, alarm: Alarm, days: Calendar, alone: bool = True
    ) -> None:
        self._store, self._plan, self._do, self._alarm, self._days = store, plan, work, alarm, days
        self._orphan = timedelta(0) if alone else STALE
        self._mine: set[tuple[str, datetime]] = set()
        self._next: dict[tuple[str, str, str, bool], datetime] = {}
        self._then: datetime | None = None
        self._version = 0  # of the days, with which `_next` was found
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    @property
    def figures(self) -> dict[str, int | str]:
        """For a health page."""
        soonest = min(self._next.values(), default=None)
        upcoming = soonest.isoformat() if soonest else ""
        return {"schedules": len(self._next), "running": len(self._tasks), "next": upcoming}

    async def run(self) -> None:
        """Until `close()`. What a former process had begun and not ended is begun again."""
        while not self._closing.is_set():
            try:
                await self.resume()
                await self.look()
            except StoreError as e:
                log.error("schedule: %s", e)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), LOOK)

    async def close(self, grace: float = 3.0) -> None:
        """What isn't done within `grace` seconds is begun again by the next process."""
        self._closing.set()
        if tasks := set(self._tasks):
            await asyncio.wait(tasks, timeout=grace)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def look(self) -> None:
        """Begins what is due now. Raises StoreError."""
        now, plan = self._store.clock(), await self._plan()
        if self._then is not None and now < self._then - BACK:
            log.warning("schedule: the clock was set back from %s to %s", self._then, now)
            self._next.clear()
        self._then = now
        if (version := self._days.version) != self._version:
            self._version = version
            self._next.clear()
        keys = {(t.name, t.cron, t.zone, t.workdays): t for t in plan}
        self._next = {key: at for key, at in self._next.items() if key in keys}
        for key, timed in keys.items():
            if key in self._next and now < self._next[key]:
                continue
            if (slot := await self.due(timed, now)) and await self._store.take(timed.name, slot):
                self._begin(timed, slot)
            if upcoming := cron.after(timed.cron, timed.zone, now, self._counts(timed)):
                self._next[key] = upcoming

    async def due(self, timed: Timed, now: datetime) -> datetime | None:
        """The slot that has come and that nobody took; of several missed ones the latest."""
        last = await self._store.last(timed.name, now)
        if last is None and timed.since is None and await self._unknown(timed.name, now):
            return None
        since = max(now - YOUNG, timed.since) if timed.since else now - YOUNG
        slot = cron.before(timed.cron, timed.zone, now, since, self._counts(timed))
        return None if slot is None or (last and last.slot >= slot) else slot

    async def _unknown(self, name: str, now: datetime) -> bool:
        """What came before a schedule was known wasn't missed; a clock that was far ahead then counts for nothing."""
        first = await self._store.first(name)
        if first is None:
            await self._store.take(name, now, "known")
        return first is None or first.slot - now < YOUNG

    def _counts(self, timed: Timed) -> cron.Counts:
        return self._days.is_workday if timed.workdays else cron.every_day

    async def resume(self) -> None:
        """Raises StoreError."""
        now = self._store.clock()
        left = [s for s in await self._store.left(now - YOUNG) if (s.name, s.slot) not in self._mine]
        if not left:
            return
        by_name = {t.name: t for t in await self._plan()}
        for slot in left:
            if slot.name not in by_name:
                await self._store.settle(slot.name, slot.slot, "failed", "its schedule is gone")
            elif (now - slot.at >= self._orphan or slot.at > now) and await self._store.take_over(slot):
                self._begin(by_name[slot.name], slot.slot)

    def _begin(self, timed: Timed, slot: datetime) -> None:
        self._mine.add((timed.name, slot))
        task = asyncio.create_task(self._work(timed, slot), name=f"schedule {timed.name}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, timed: Timed, slot: datetime) -> None:
        reason = ""
        for pause in (*AGAIN, None):
            try:
                await self._do(timed, slot)
                return await self._settle(timed, slot, "done", "")
            except Exception as e:
                reason = str(e) if isinstance(e, HermesError) else f"{type(e).__name__} inside hermes-ops"
                unexpected = not isinstance(e, HermesError)
                log.warning("schedule: %s of %s failed: %s", timed.name, slot, reason, exc_info=unexpected)
            if pause is not None:
                await asyncio.sleep(pause)
        with suppress(StoreError):
            await self._alarm(timed, slot, reason)
        await self._settle(timed, slot, "failed", reason)

    async def _settle(self, timed: Timed, slot: datetime, state: Any, reason: str) -> None:
        """A row that stays as it is only costs that the work is done once more after a restart."""
        with suppress(StoreError):
            await self._store.settle(timed.name, slot, state, reason)
        self._mine.discard((timed.name, slot))

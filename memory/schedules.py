"""Schedules: which slot was taken, each once whoever asks, and what people have asked for at fixed times.

A slot is a row under its schedule's name and its time. It knows no cron expression and no clock but for its stamps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa

from memory.database import Database
from memory.store import insert_new
from memory.tables import schedules, slots

SlotState = Literal["known", "taken", "done", "failed"]


@dataclass(frozen=True, slots=True)
class Slot:
    """`known`: from then on the schedule is known, and nothing was done; `at`: when its state was set."""

    name: str
    slot: datetime
    state: SlotState
    at: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A question that a person has asked at fixed times. `number`: what the person calls it, from 1; `private`: the
    chat is theirs and the bot's alone; `workdays`: only on those."""

    tenant: str
    channel: str
    user: str
    chat: str
    thread: str
    private: bool
    cron: str
    zone: str
    workdays: bool
    locale: str
    text: str
    made: datetime
    number: int = 0
    id: int = 0

    @property
    def name(self) -> str:
        """As its slots have it; the settings' names have no dot."""
        return f"own.{self.id}"


class Schedules:
    """Every method raises StoreError where the database fails."""

    def __init__(self, db: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._db, self.clock = db, clock

    # ── slots ─────────────────────────────────────────────────────────────────────────────────

    async def take(self, name: str, slot: datetime, state: SlotState = "taken") -> bool:
        """Whether the slot is ours: nobody has it, or had it."""
        insert = insert_new(self._db.dialect, slots).on_conflict_do_nothing().returning(slots.c.name)
        row = {"name": name, "slot": slot, "state": state, "at": self.clock(), "reason": ""}
        return bool(await self._db.write(lambda c: c.execute(insert, row).first() is not None))

    async def settle(self, name: str, slot: datetime, state: SlotState, reason: str = "") -> None:
        """How it ended."""
        query = slots.update().where(slots.c.name == name, slots.c.slot == slot)
        values = {"state": state, "at": self.clock(), "reason": reason}
        await self._db.write(lambda c: c.execute(query.values(values)) and None)

    async def last(self, name: str, upto: datetime) -> Slot | None:
        """The latest at or before a time; what a clock that was wrong put into the future counts for nothing."""
        query = sa.select(slots).where(slots.c.name == name, slots.c.slot <= upto).order_by(slots.c.slot.desc())
        return await self._db.read(lambda c: _slot(c.execute(query.limit(1)).first()))

    async def first(self, name: str) -> Slot | None:
        """The earliest; None: the schedule isn't known."""
        query = sa.select(slots).where(slots.c.name == name).order_by(slots.c.slot).limit(1)
        return await self._db.read(lambda c: _slot(c.execute(query).first()))

    async def take_over(self, slot: Slot) -> bool:
        """A slot whose process died, where nobody else was faster."""
        mine = sa.and_(slots.c.name == slot.name, slots.c.slot == slot.slot, slots.c.at == slot.at)
        query = slots.update().where(mine, slots.c.state == "taken").values(at=self.clock())
        return bool(await self._db.write(lambda c: c.execute(query).rowcount))

    async def left(self, since: datetime) -> list[Slot]:
        """Slots since then that were taken and never ended: their process died."""
        query = sa.select(slots).where(slots.c.state == "taken", slots.c.slot >= since).order_by(slots.c.slot)
        rows = await self._db.read(lambda c: c.execute(query).all())
        return [slot for row in rows if (slot := _slot(row))]

    # ── people's own ──────────────────────────────────────────────────────────────────────────

    async def add(self, wanted: Schedule, most: int) -> Schedule | None:
        """With its number; None where the person has as many as may be."""
        mine = _of(wanted.tenant, wanted.channel, wanted.user)

        def write(connection: sa.Connection) -> Schedule | None:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext('hermes-ops schedules'))"))
            numbers = set(connection.execute(sa.select(schedules.c.number).where(mine)).scalars())
            if len(numbers) >= most:
                return None
            number = next(n for n in range(1, most + 1) if n not in numbers)
            row = {k: getattr(wanted, k) for k in Schedule.__dataclass_fields__ if k != "id"} | {"number": number}
            id = connection.execute(schedules.insert().values(row).returning(schedules.c.id)).scalar_one()
            return replace(wanted, number=number, id=int(id))

        return await self._db.write(write)

    async def of(self, tenant: str, channel: str, user: str) -> list[Schedule]:
        return await self._list(_of(tenant, channel, user))

    async def all(self) -> list[Schedule]:
        return await self._list(sa.true())

    async def get(self, id: int) -> Schedule | None:
        """None: it was cancelled."""
        return next(iter(await self._list(schedules.c.id == id)), None)

    async def cancel(self, tenant: str, channel: str, user: str, number: int | None = None) -> list[Schedule]:
        """Takes back one, or all of a person's; what went."""
        wanted = sa.and_(_of(tenant, channel, user), sa.true() if number is None else schedules.c.number == number)

        def write(connection: sa.Connection) -> list[Schedule]:
            gone = [_schedule(row) for row in connection.execute(sa.select(schedules).where(wanted))]
            connection.execute(schedules.delete().where(wanted))
            connection.execute(slots.delete().where(slots.c.name.in_([s.name for s in gone])))
            return gone

        return await self._db.write(write)

    async def _list(self, wanted: sa.ColumnElement[bool]) -> list[Schedule]:
        query = sa.select(schedules).where(wanted).order_by(schedules.c.user, schedules.c.number)
        return [_schedule(row) for row in await self._db.read(lambda c: c.execute(query).all())]


def _of(tenant: str, channel: str, user: str) -> sa.ColumnElement[bool]:
    return sa.and_(schedules.c.tenant == tenant, schedules.c.channel == channel, schedules.c.user == user)


def _slot(row: Any) -> Slot | None:
    return None if row is None else Slot(**row._mapping)


def _schedule(row: Any) -> Schedule:
    return Schedule(**row._mapping)

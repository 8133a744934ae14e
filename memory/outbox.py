"""What must reach a chat, stored until it has: each parcel under a key of its own, delivered in the order of its lane.

Of several processes one delivers a lane at a time; what it has taken carries its name (`owner`). It doesn't know how a
parcel is delivered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa

from memory.claims import batches, locked
from memory.database import Database
from memory.store import insert_new
from memory.tables import outbox
from orchestrator.contracts import Json

ParcelKind = Literal["finish", "send", "report", "alarm"]
WAITING = outbox.c.state == "waiting"
LANES = 500  # taken at once


@dataclass(frozen=True, slots=True)
class Parcel:
    """`kind`: "finish" an answer that was begun under `address`'s message, or a document: a "report", an "alarm" to the
    owner, "send" any other; `lane`: parcels of one lane keep their order; `at`: when it was given."""

    key: str
    channel: str
    kind: ParcelKind
    lane: str
    address: Json
    payload: Json
    tries: int = 0
    reason: str = ""
    seq: int = 0
    state: str = "waiting"
    sent: str = ""
    at: datetime | None = None
    due: datetime | None = None
    ended: datetime | None = None
    owner: str = ""


class Outbox:
    """The outbox of one database. Every method raises StoreError where the database fails."""

    def __init__(self, db: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._db, self.clock = db, clock

    async def put(self, parcels: Sequence[Parcel]) -> None:
        """Durable when it returns; a key that is there already is ignored."""
        await self._db.write(lambda connection: store(connection, parcels, self.clock()))

    async def waiting(self) -> list[Parcel]:
        """In order of arrival."""
        query = sa.select(outbox).where(WAITING).order_by(outbox.c.seq)
        return [_parcel(row) for row in await self._db.read(lambda c: c.execute(query).all())]

    async def claim(self, owner: str, known: Collection[int]) -> list[Parcel]:
        """Those that are `owner`'s to deliver, beside the rows `known`; what nobody has is taken, by whole lanes that
        nobody else delivers."""
        query = sa.select(outbox.c.seq, outbox.c.owner).where(WAITING, outbox.c.owner.in_(("", owner)))
        seen = await self._db.read(lambda connection: connection.execute(query).all())
        if any(row.owner == "" for row in seen):
            await self._db.write(lambda connection: _take(connection, owner))
        elif all(row.seq in known for row in seen):
            return []
        mine = sa.select(outbox).where(WAITING, outbox.c.owner == owner).order_by(outbox.c.seq)
        rows = await self._db.read(lambda connection: connection.execute(mine).all())
        return [_parcel(row) for row in rows if row.seq not in known]

    async def rest(self, owner: str) -> None:
        """What `owner` has and didn't deliver is free for others."""
        query = outbox.update().where(WAITING, outbox.c.owner == owner).values(owner="")
        await self._db.write(lambda connection: connection.execute(query) and None)

    async def find(self, key: str) -> Parcel | None:
        row = await self._db.read(lambda c: c.execute(sa.select(outbox).where(outbox.c.key == key)).first())
        return None if row is None else _parcel(row)

    async def sent(self, key: str, id: str) -> None:
        """Delivered; its payload isn't needed any more and goes."""
        await self._update(key, {"state": "sent", "sent": id, "ended": self.clock(), "payload": "null"})

    async def again(self, key: str, reason: str, due: datetime) -> None:
        """A try failed; what somebody else has delivered meanwhile stays delivered."""
        await self._update(key, {"reason": reason, "due": due, "tries": outbox.c.tries + 1}, WAITING)

    async def failed(self, key: str, reason: str) -> None:
        """Given up; kept with its reason."""
        values = {"state": "failed", "reason": reason, "ended": self.clock(), "tries": outbox.c.tries + 1}
        await self._update(key, values, WAITING)

    async def revive(self, key: str) -> None:
        """What was given up is tried anew; anything else stays as it is."""
        query = outbox.update().where(outbox.c.key == key, outbox.c.state == "failed")
        values = {"state": "waiting", "tries": 0, "at": self.clock(), "due": self.clock(), "ended": None, "owner": ""}
        await self._db.write(lambda connection: connection.execute(query.values(values)) and None)

    async def _update(self, key: str, values: dict[str, Any], which: sa.ColumnElement[bool] | None = None) -> None:
        query = outbox.update().where(outbox.c.key == key, sa.true() if which is None else which).values(values)
        await self._db.write(lambda connection: connection.execute(query) and None)


def store(connection: sa.Connection, parcels: Sequence[Parcel], now: datetime, owner: str = "") -> None:
    """Inside the transaction of whoever has them delivered. An answer is finished by the `owner` who began it."""
    fixed = {"state": "waiting", "tries": 0, "reason": "", "sent": "", "at": now, "due": now}
    rows = [
        {
            **{name: getattr(p, name) for name in ("key", "channel", "kind", "lane")},
            "address": json.dumps(p.address, ensure_ascii=False),
            "payload": json.dumps(p.payload, ensure_ascii=False),
            **fixed,
            "owner": owner if p.kind == "finish" else "",
        }
        for p in parcels
    ]
    if rows:
        connection.execute(insert_new(connection.dialect.name, outbox).on_conflict_do_nothing(), rows)


def _parcel(row: Any) -> Parcel:
    given = dict(row._mapping)
    address, payload = json.loads(given.pop("address")), json.loads(given.pop("payload"))
    return Parcel(address=address, payload=payload, **given)


def _take(connection: sa.Connection, owner: str) -> None:
    other = outbox.alias()
    lane = _lane(outbox)
    elsewhere = sa.select(_lane(other)).where(other.c.state == "waiting", other.c.owner.not_in(("", owner)))
    free = sa.and_(WAITING, outbox.c.owner == "", lane.not_in(elsewhere))
    query = sa.select(lane).where(free).group_by(lane).order_by(sa.func.min(outbox.c.seq)).limit(LANES)
    for names in batches(list(connection.scalars(query))):
        mine = lane.in_(locked(connection, names))  # `free` once more: as it is under the lock
        connection.execute(outbox.update().where(free, mine).values(owner=owner))


def _lane(table: Any) -> Any:
    return sa.literal("outbox ") + table.c.channel + " " + table.c.lane

"""What must reach a chat, stored until it has: each parcel under a key of its own, delivered in the order of its lane.

It doesn't know how a parcel is delivered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa

from memory.desk import Desk
from memory.store import insert_new
from memory.tables import outbox
from orchestrator.contracts import Json

ParcelKind = Literal["finish", "send"]


@dataclass(frozen=True, slots=True)
class Parcel:
    """`kind`: "finish" an answer that was begun under `address`'s message, or "send" a document; `lane`: parcels of one
    lane keep their order; `at`: when it was given."""

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


class Outbox:
    """The outbox of one database. Every method raises StoreError where the database fails."""

    def __init__(self, desk: Desk, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._desk, self.clock = desk, clock

    async def put(self, parcels: Sequence[Parcel]) -> None:
        """Durable when it returns; a key that is there already is ignored."""
        await self._desk.write(lambda connection: store(connection, parcels, self.clock()))

    async def waiting(self, after: int = 0) -> list[Parcel]:
        """In order of arrival."""
        query = sa.select(outbox).where(outbox.c.state == "waiting", outbox.c.seq > after).order_by(outbox.c.seq)
        return [_parcel(row) for row in await self._desk.read(lambda c: c.execute(query).all())]

    async def find(self, key: str) -> Parcel | None:
        row = await self._desk.read(lambda c: c.execute(sa.select(outbox).where(outbox.c.key == key)).first())
        return None if row is None else _parcel(row)

    async def sent(self, key: str, id: str) -> None:
        """Delivered; its payload isn't needed any more and goes."""
        await self._update(key, {"state": "sent", "sent": id, "ended": self.clock(), "payload": "null"})

    async def again(self, key: str, reason: str, due: datetime) -> None:
        await self._update(key, {"reason": reason, "due": due, "tries": outbox.c.tries + 1})

    async def failed(self, key: str, reason: str) -> None:
        """Given up; kept with its reason."""
        values = {"state": "failed", "reason": reason, "ended": self.clock(), "tries": outbox.c.tries + 1}
        await self._update(key, values)

    async def _update(self, key: str, values: dict[str, Any]) -> None:
        query = outbox.update().where(outbox.c.key == key).values(values)
        await self._desk.write(lambda connection: connection.execute(query) and None)


def store(connection: sa.Connection, parcels: Sequence[Parcel], now: datetime) -> None:
    """Inside the transaction of whoever has them delivered."""
    fixed = {"state": "waiting", "tries": 0, "reason": "", "sent": "", "at": now, "due": now}
    rows = [
        {
            **{name: getattr(p, name) for name in ("key", "channel", "kind", "lane")},
            "address": json.dumps(p.address, ensure_ascii=False),
            "payload": json.dumps(p.payload, ensure_ascii=False),
            **fixed,
        }
        for p in parcels
    ]
    if rows:
        connection.execute(insert_new(connection.dialect.name, outbox).on_conflict_do_nothing(), rows)


def _parcel(row: Any) -> Parcel:
    given = dict(row._mapping)
    address, payload = json.loads(given.pop("address")), json.loads(given.pop("payload"))
    return Parcel(address=address, payload=payload, **given)

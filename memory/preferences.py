"""What persons want to be kept: notes under a key, one value each, with what stood there before for an undo.

A note belongs to one person of one tenant and is never found by another. Which keys there are, what may be kept and
when a note is too old is not known here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from memory.database import Database
from memory.tables import notes

KEPT_FORMER = 5  # values before the present one that can be gone back to


@dataclass(frozen=True, slots=True)
class Note:
    """`said`: the person's own words; `run`: where they stood; `used`: when it last mattered; `told`: whether it was
    shown that it is kept; `former`: (value, said, run, ISO time) before it, the newest last. Times are UTC."""

    key: str
    value: str
    said: str
    run: str
    at: datetime
    used: datetime
    told: bool = False
    former: tuple[tuple[str, str, str, str], ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        return (self.value, *(f[0] for f in self.former))

    @property
    def sayings(self) -> tuple[str, ...]:
        return (self.said, *(f[1] for f in self.former))


class Preferences:
    """The notes of one database. Every method raises StoreError."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def of(self, tenant: str, user: str) -> list[Note]:
        """In the order they were said."""
        query = sa.select(notes).where(*_whose(tenant, user)).order_by(notes.c.at, notes.c.key)
        return [_note(row) for row in await self._db.read(lambda c: c.execute(query).all())]

    async def keep(self, tenant: str, user: str, key: str, value: str, said: str, run: str, at: datetime) -> bool:
        """Stores or replaces the value; False where it is what is kept already (it then counts as used)."""

        def put(connection: sa.Connection) -> bool:
            row = connection.execute(sa.select(notes).where(*_whose(tenant, user, key)).with_for_update()).first()
            if row is not None and row.value == value:
                connection.execute(notes.update().where(*_whose(tenant, user, key)).values(used=at))
                return False
            new: dict[str, Any] = {"value": value, "said": said, "run": run, "at": at, "used": at, "told": False}
            if row is None:
                connection.execute(notes.insert(), {"tenant": tenant, "user": user, "key": key, "former": "[]", **new})
                return True
            before = [row.value, row.said, row.run, row.at.isoformat()]
            new["former"] = _dumped([*json.loads(row.former), before][-KEPT_FORMER:])
            connection.execute(notes.update().where(*_whose(tenant, user, key)).values(new))
            return True

        return await self._db.write(put)

    async def undo(self, tenant: str, user: str, key: str, at: datetime) -> Note | None:
        """Takes the change of a note at that time back: the former value stands again, or none. What was taken back;
        None where that isn't its last change (any more)."""

        def back(connection: sa.Connection) -> Note | None:
            row = connection.execute(sa.select(notes).where(*_whose(tenant, user, key)).with_for_update()).first()
            if row is None or row.at != at:
                return None
            former = json.loads(row.former)
            if not former:
                connection.execute(notes.delete().where(*_whose(tenant, user, key)))
                return _note(row)
            value, said, run, then = former[-1]
            again = {"value": value, "said": said, "run": run, "at": datetime.fromisoformat(then), "told": True}
            again["former"] = _dumped(former[:-1])
            connection.execute(notes.update().where(*_whose(tenant, user, key)).values(again))
            return _note(row)

        return await self._db.write(back)

    async def mark(self, tenant: str, user: str, keys: Sequence[str], **values: Any) -> None:
        """Sets `used` (a time) or `told` of some notes."""
        if keys:
            query = notes.update().where(*_whose(tenant, user), notes.c.key.in_(keys)).values(values)
            await self._db.write(lambda connection: connection.execute(query) and None)

    async def remove(self, tenant: str, user: str, keys: Sequence[str] | None = None) -> list[Note]:
        """Deletes the notes of these keys, all for None, and returns them. Their traces stay: see `memory.erasing`."""
        whose = _whose(tenant, user) if keys is None else (*_whose(tenant, user), notes.c.key.in_(keys))

        def delete(connection: sa.Connection) -> list[Note]:
            gone = [_note(row) for row in connection.execute(sa.select(notes).where(*whose)).all()]
            connection.execute(notes.delete().where(*whose))
            return gone

        return await self._db.write(delete)


def _whose(tenant: str, user: str, key: str | None = None) -> tuple[sa.ColumnElement[bool], ...]:
    found = (notes.c.tenant == tenant, notes.c.user == user)
    return found if key is None else (*found, notes.c.key == key)


def _note(row: Any) -> Note:
    former = tuple((str(v), str(s), str(r), str(t)) for v, s, r, t in json.loads(row.former))
    return Note(row.key, row.value, row.said, row.run, row.at, row.used, bool(row.told), former)


def _dumped(former: Sequence[Sequence[str]]) -> str:
    return json.dumps(former, ensure_ascii=False)

"""The processes that share one database, and how the living take over what the dead had.

Each holds a lock of the server under its id for as long as its session lives; who can take that lock knows that its
owner is gone, and no clock has a say. Only PostgreSQL has such locks. What is done with the work isn't known here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa

from memory import claims
from memory.database import Database
from memory.hold import key
from memory.sharing import facts, replicas
from memory.store import insert_new
from memory.tables import inbox, outbox

AT_ONCE = 8  # others that one look asks after: enough for a few, and not too much among a thousand


@dataclass(frozen=True, slots=True)
class Live:
    """One process. `beats`: grows while it lives; `taken`: questions of dead ones that it gave back to the queue."""

    id: str
    host: str
    pid: int
    version: str
    backend: int
    beats: int
    started: datetime
    taken: int


def lock_name(id: str) -> str:
    return f"replica {id}"


class Replicas:
    """Every method raises StoreError where the database fails."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def enter(self, id: str, host: str, pid: int, version: str, backend: int) -> None:
        """It serves; its lock must be held already."""
        row = {"id": id, "host": host, "pid": pid, "version": version, "backend": backend}
        row |= {"beats": 0, "started": datetime.now(UTC), "taken": 0}
        await self._db.write(lambda c: c.execute(replicas.insert(), row) and None)

    async def beat(self, id: str, backend: int) -> bool:
        """It lives. False: it was held for dead, and its work taken over."""
        query = replicas.update().where(replicas.c.id == id).values(beats=replicas.c.beats + 1, backend=backend)
        return bool(await self._db.write(lambda connection: connection.execute(query).rowcount))

    async def leave(self, id: str) -> None:
        await self._db.write(lambda c: c.execute(replicas.delete().where(replicas.c.id == id)) and None)

    async def list(self) -> list[Live]:
        query = sa.select(replicas).order_by(replicas.c.started, replicas.c.id)
        return [Live(**row._mapping) for row in await self._db.read(lambda c: c.execute(query).all())]

    async def bury(self, me: str) -> dict[str, int]:
        """Gives back to the queue what dead ones had: id → questions that it was in the middle of."""

        def write(connection: sa.Connection) -> dict[str, int]:
            dead = [id for id in _others(connection, me) if _gone(connection, id)]
            found = {id: claims.requeue(connection, id) for id in dead}
            connection.execute(replicas.delete().where(replicas.c.id.in_(dead)))
            if taken := sum(found.values()):
                mine = replicas.update().where(replicas.c.id == me)
                connection.execute(mine.values(taken=replicas.c.taken + taken))
            return found

        return await self._db.write(write)

    async def agree(self, name: str, value: str) -> str:
        """What all on this database go by under a name: the first one's value."""
        put = insert_new(self._db.dialect, facts).on_conflict_do_nothing()

        def write(connection: sa.Connection) -> str:
            connection.execute(put, {"name": name, "value": value})
            kept: str = connection.execute(sa.select(facts.c.value).where(facts.c.name == name)).scalar_one()
            return kept

        return await self._db.write(write)

    async def cut_off(self, ids: Collection[str]) -> None:
        """Ends the sessions of those that hang: their locks are free, and what they still write of it is refused."""
        held = sa.text(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = :pid"
        )

        def write(connection: sa.Connection) -> None:
            for pid in connection.scalars(sa.select(replicas.c.backend).where(replicas.c.id.in_(ids))).all():
                connection.execute(held, {"pid": pid})

        await self._db.write(write)


# ── on the database's thread ──────────────────────────────────────────────────────────────────


def _others(connection: sa.Connection, me: str) -> list[str]:
    """Some of those that have something; a name without a row is of a process that never served with others."""
    named = sa.union(
        sa.select(replicas.c.id.label("owner")),
        sa.select(inbox.c.owner).where(claims.UNDONE),
        sa.select(outbox.c.owner).where(outbox.c.state == "waiting"),
    ).subquery()
    query = sa.select(named.c.owner).where(named.c.owner.not_in(("", me))).order_by(sa.func.random()).limit(AT_ONCE)
    return list(connection.scalars(query))


def _gone(connection: sa.Connection, id: str) -> bool:
    """Whether nobody holds its lock; then it is ours until this transaction ends."""
    return bool(connection.scalar(sa.select(sa.func.pg_try_advisory_xact_lock(key(lock_name(id))))))

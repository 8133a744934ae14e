"""What is used up by all processes on one database: model calls of the last minute, tokens of the day.

Each is a row that is changed in one transaction. Rates go by the server's clock, or this machine's where the database
is a file; a clock that jumps costs at most one minute's calls. What a limit is and who is held to it is not known here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from memory.database import Database
from memory.sharing import rates, spent
from memory.store import insert_new
from memory.tables import events, runs

MINUTE = 60
SLOWED = 120.0  # seconds after a cooling in which only half of the calls are let through
ASKING = ("model", "recall")  # kinds of events that tell a usage

Counter = tuple[str, str]  # kind and name: ("user", "ou_…")


class Quotas:
    """Every method raises StoreError where the database fails."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._put = insert_new(db.dialect, rates).on_conflict_do_nothing()

    async def take(self, name: str, per_minute: int | None) -> float:
        """Counts one call, if there have been less than `per_minute` (None: any number) in the last 60 seconds and
        nobody cools down. Seconds until another try may do; 0.0: it may be made."""

        def write(connection: sa.Connection) -> float:
            now, made, cool = self._row(connection, name)
            if cool > now:
                return cool - now
            most = per_minute if per_minute is None or now - cool > SLOWED else max(1, per_minute // 2)
            if most is not None and sum(made.values()) >= most:
                return _free(made, most, now)
            if most is not None:
                made[str(int(now))] = made.get(str(int(now)), 0) + 1
                self._save(connection, name, {"made": json.dumps(made)})
            return 0.0

        return await self._db.write(write)

    def cool(self, name: str, seconds: float) -> None:
        """Nobody calls for so long, and only at half the rate for a while after; written soon."""

        def write(connection: sa.Connection) -> None:
            now, _, cool = self._row(connection, name)
            self._save(connection, name, {"cool": max(cool, now + seconds)})

        self._db.post(write)

    async def spend(self, run: str, day: str, counters: Sequence[Counter]) -> None:
        """Counts what a run's model calls have used so far; a second time only what came in addition."""
        more = insert_new(self._db.dialect, spent)
        put = more.on_conflict_do_update(
            index_elements=[spent.c.day, spent.c.kind, spent.c.name],
            set_={"tokens": spent.c.tokens + more.excluded.tokens},
        )

        def write(connection: sa.Connection) -> None:
            before = connection.scalar(sa.select(runs.c.tokens).where(runs.c.id == run).with_for_update())
            tokens = _used(connection, run)
            if before is None or tokens <= before:
                return
            connection.execute(runs.update().where(runs.c.id == run).values(tokens=tokens))
            rows = [{"day": day, "kind": k, "name": n, "tokens": tokens - before} for k, n in sorted(counters)]
            connection.execute(put, rows)

        await self._db.write(write)

    async def spent(self, day: str) -> Mapping[Counter, int]:
        """All that was counted on a day."""
        query = sa.select(spent).where(spent.c.day == day)
        rows = await self._db.read(lambda connection: connection.execute(query).all())
        return {(row.kind, row.name): row.tokens for row in rows}

    async def used(self, day: str, counters: Sequence[Counter]) -> Mapping[Counter, int]:
        """Of these."""
        names = sa.tuple_(spent.c.kind, spent.c.name).in_(list(counters))
        query = sa.select(spent).where(spent.c.day == day, names)
        rows = await self._db.read(lambda connection: connection.execute(query).all())
        return {(row.kind, row.name): row.tokens for row in rows}

    async def prune(self, before: str) -> None:
        """Lets go of the days before one."""
        query = spent.delete().where(spent.c.day < before)
        await self._db.write(lambda connection: connection.execute(query) and None)

    def _row(self, connection: sa.Connection, name: str) -> tuple[float, dict[str, int], float]:
        """Now, calls by second of the last minute, the end of cooling; the row is ours until the transaction ends."""
        query = sa.select(rates.c.made, rates.c.cool, _now(self._db.dialect)).where(rates.c.name == name)
        row: Any = connection.execute(query.with_for_update()).first()
        if row is None:
            connection.execute(self._put, {"name": name, "made": "{}", "cool": 0.0})
            row = connection.execute(query.with_for_update()).one()
        now = time.time() if row.now is None else float(row.now)
        cool = min(row.cool, now + 2 * MINUTE)  # the clock went back meanwhile
        recent = {s: n for s, n in json.loads(row.made).items() if now - MINUTE - 1 < int(s) <= now}
        return now, recent, cool

    def _save(self, connection: sa.Connection, name: str, values: dict[str, Any]) -> None:
        connection.execute(rates.update().where(rates.c.name == name).values(values))


def _used(connection: sa.Connection, run: str) -> int:
    bodies = connection.scalars(sa.select(events.c.body).where(events.c.run == run, events.c.kind.in_(ASKING)))
    said = [json.loads(body).get("usage") or {} for body in bodies]
    return sum(int(u.get("prompt_tokens", 0)) + int(u.get("completion_tokens", 0)) for u in said)


def _now(dialect: str) -> sa.ColumnElement[Any]:
    if dialect == "postgresql":
        return sa.extract("epoch", sa.func.clock_timestamp()).label("now")
    return sa.null().label("now")


def _free(made: Mapping[str, int], most: int, now: float) -> float:
    """Seconds until so many of them are older than a minute that one more fits."""
    over = sum(made.values()) - most + 1
    for second in sorted(made, key=int):
        over -= made[second]
        if over <= 0:
            return max(int(second) + MINUTE + 1 - now, 0.01)
    return 1.0

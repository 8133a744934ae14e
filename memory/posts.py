"""What this program has in chats: the message under which each answer was begun, what people thought of answers, and
how many calls of a platform a month took. What a post's `state` means is its channel's business.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa

from memory.database import Database
from memory.store import insert_new
from memory.tables import feedback, posts, tallies
from orchestrator.contracts import Json


@dataclass(frozen=True, slots=True)
class Post:
    """`key`: the question's message and attempt; `message`: the platform's id of what was posted, "" before it is."""

    key: str
    channel: str
    chat: str
    message: str
    run: str
    state: Json
    at: datetime


@dataclass(frozen=True, slots=True)
class Feedback:
    """What one person thought of one run's answer. `about`: what was wrong: cause, figures, scope or other."""

    run: str
    user: str
    mark: Literal["good", "bad"]
    about: str
    text: str
    at: datetime


class Posts:
    """Every method raises StoreError where the database fails."""

    def __init__(self, db: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._db, self.clock = db, clock

    async def save(self, post: Post) -> None:
        row = {**asdict(post), "state": json.dumps(post.state, ensure_ascii=False)}
        put = insert_new(self._db.dialect, posts)
        put = put.on_conflict_do_update(index_elements=[posts.c.key], set_={k: v for k, v in row.items() if k != "key"})
        await self._db.write(lambda connection: connection.execute(put, row) and None)

    async def get(self, key: str) -> Post | None:
        return await self._one(posts.c.key == key)

    async def by_message(self, message: str) -> Post | None:
        return await self._one(posts.c.message == message)

    async def rate(self, given: Feedback) -> None:
        """A person's later word replaces the earlier one."""
        await self._db.write(lambda connection: _rate(connection, self._db.dialect, given))

    async def ratings(self, run: str) -> list[Feedback]:
        query = sa.select(feedback).where(feedback.c.run == run).order_by(feedback.c.at)
        return [Feedback(**row._mapping) for row in await self._db.read(lambda c: c.execute(query).all())]

    async def complaints(self, limit: int, skip: int = 0) -> list[Feedback]:
        """What people thought bad, the newest first."""
        query = sa.select(feedback).where(feedback.c.mark == "bad")
        query = query.order_by(feedback.c.at.desc(), feedback.c.run, feedback.c.user).limit(limit).offset(skip)
        return [Feedback(**row._mapping) for row in await self._db.read(lambda c: c.execute(query).all())]

    async def rated(self, ids: Sequence[str]) -> dict[str, set[str]]:
        """The marks that these runs have been given; those without any aren't in it."""
        query = sa.select(feedback.c.run, feedback.c.mark).where(feedback.c.run.in_(ids))
        found: dict[str, set[str]] = {}
        for run, mark in await self._db.read(lambda c: c.execute(query).all()):
            found.setdefault(run, set()).add(mark)
        return found

    async def count(self, name: str, calls: int) -> int:
        """Adds calls to this month's; returns how many it has now."""
        row = {"name": name, "month": f"{self.clock():%Y-%m}", "count": calls}
        more = {"count": tallies.c.count + calls}
        keys = [tallies.c.name, tallies.c.month]
        put = insert_new(self._db.dialect, tallies).on_conflict_do_update(index_elements=keys, set_=more)
        wanted = sa.select(tallies.c.count).where(tallies.c.name == name, tallies.c.month == row["month"])

        def write(connection: sa.Connection) -> int:
            connection.execute(put, row)
            return int(connection.scalar(wanted) or 0)

        return await self._db.write(write)

    async def _one(self, wanted: sa.ColumnElement[bool]) -> Post | None:
        return await self._db.read(lambda connection: _find(connection, wanted))


def _find(connection: sa.Connection, wanted: sa.ColumnElement[bool]) -> Post | None:
    row: Any = connection.execute(sa.select(posts).where(wanted).order_by(posts.c.at.desc())).first()
    return None if row is None else Post(**{**row._mapping, "state": json.loads(row.state)})


def _rate(connection: sa.Connection, dialect: str, given: Feedback) -> None:
    row = asdict(given)
    keys = [feedback.c.run, feedback.c.user]
    said = {k: v for k, v in row.items() if k not in ("run", "user")}
    connection.execute(insert_new(dialect, feedback).on_conflict_do_update(index_elements=keys, set_=said), row)

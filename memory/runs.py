"""The runs: one row a question, whose process owns it, and how it went. A run without its process is interrupted.

What happened inside a run is in the event store.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa

from memory.database import Database
from memory.owner import Owner
from memory.sharing import replicas
from memory.store import EventStore
from memory.tables import runs
from orchestrator.contracts import Incoming, Json, from_json, to_json
from orchestrator.errors import StoreError

RunStatus = Literal["running", "done", "failed", "cancelled", "interrupted"]
RESUME_SECONDS = 3600.0
BELIEVED = timedelta(minutes=15)  # so long after its start another host may be at work on a run without serving


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run. `status` is "interrupted" where the row says "running" and its process is gone.

    `window` and `scope` are JSON, once known; times are UTC.
    """

    id: str
    question: Incoming
    session: str
    folder: str
    status: RunStatus
    started: datetime
    ended: datetime | None = None
    window: Json = None
    scope: Json = None
    model: str = ""
    kind: str = "question"


class Runs:
    """The runs of one database. Every method raises StoreError where the database fails."""

    def __init__(
        self, db: Database, events: EventStore, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._db = db
        self._events = events
        self._clock = clock

    async def create(
        self, run: str, question: Incoming, session: str = "", folder: str = "", kind: str = "question"
    ) -> None:
        """A new run, owned by this process. `kind`: what it is for, "question" or work of our own."""
        row = {
            "id": run,
            "question": json.dumps(to_json(question), ensure_ascii=False),
            "text": question.text,
            "session": session,
            "folder": folder,
            "user": question.user,
            "kind": kind,
            "started": self._clock(),
            **_mine(),
        }
        await self._db.write(lambda connection: connection.execute(runs.insert(), row) and None)

    async def note(self, run: str, *, window: Json = None, scope: Json = None, model: str = "") -> None:
        """What became known about a run on its way; for lists of runs."""
        said = {"window": _dumped(window), "scope": _dumped(scope), "model": model or None}
        await self._update(run, {key: value for key, value in said.items() if value is not None})

    async def finish(self, run: str, status: RunStatus) -> None:
        """Ends the run, after all its events are durable."""
        self._events.flush()
        await self._update(run, {"status": status, "ended": self._clock()})

    async def get(self, run: str) -> RunInfo | None:
        row = await self._db.read(lambda c: c.execute(sa.select(runs).where(runs.c.id == run)).first())
        return None if row is None else _info(row)

    async def many(self, ids: Sequence[str]) -> dict[str, RunInfo]:
        """Those of these runs that there are. `ids`: some hundreds at most."""
        query = sa.select(runs).where(runs.c.id.in_(ids))
        return {row.id: _info(row) for row in await self._db.read(lambda c: c.execute(query).all())}

    async def list(self, limit: int = 50, session: str | None = None) -> list[RunInfo]:
        """The newest first."""
        query = sa.select(runs).order_by(runs.c.started.desc(), runs.c.id.desc()).limit(limit)
        if session is not None:
            query = query.where(runs.c.session == session)
        return [_info(row) for row in await self._db.read(lambda c: c.execute(query).all())]

    async def find_interrupted(
        self, question: Incoming, session: str = "", folder: str = "", younger_than: float = RESUME_SECONDS
    ) -> RunInfo | None:
        """The newest interrupted run of the same person's same question, taken over by this process.

        `younger_than`: seconds since its start. A run whose process lives is never taken.
        """
        query = (
            sa.select(runs)
            .where(runs.c.status.in_(("running", "interrupted")))
            .where(runs.c.started > self._clock() - timedelta(seconds=younger_than), runs.c.kind == "question")
            .where(runs.c.text == question.text, runs.c.user == question.user)
            .where(runs.c.session == session, runs.c.folder == folder)
            .order_by(runs.c.started.desc())
            .with_for_update()
        )

        def same(other: Incoming) -> bool:
            """A time or a zone set by hand is part of the question."""
            return other.anchored == question.anchored and (
                not question.anchored or (other.at, other.zone) == (question.at, question.zone)
            )

        return await self._db.write(lambda connection: _take_first(connection, query, self._clock(), same))

    async def find_left(self, kind: str, younger_than: float = RESUME_SECONDS) -> RunInfo | None:
        """The oldest run of a kind that its process left unfinished, taken over by this process."""
        query = (
            sa.select(runs)
            .where(runs.c.status.in_(("running", "interrupted")), runs.c.kind == kind)
            .where(runs.c.started > self._clock() - timedelta(seconds=younger_than))
            .order_by(runs.c.started)
            .with_for_update()
        )
        return await self._db.write(lambda connection: _take_first(connection, query, self._clock()))

    async def claim(self, run: str, mine: bool = False) -> RunInfo:
        """A run by its id, taken over by this process, however it ended; `mine`: the caller knows that nobody else has
        it. Raises StoreError for an unknown id, and for a run whose process lives."""

        def take(connection: sa.Connection) -> RunInfo:
            row = connection.execute(sa.select(runs).where(runs.c.id == run).with_for_update()).first()
            if row is None:
                raise StoreError(f"There is no run {run} in this database. Check the id, and the data directory.")
            if not mine and _worked_on(connection, row, self._clock()):
                raise StoreError(f"Run {run} is still being worked on by process {row.pid} on {row.host}. Wait for it.")
            return _take(connection, row)

        return await self._db.write(take)

    async def _update(self, run: str, values: dict[str, Any]) -> None:
        if values:
            query = runs.update().where(runs.c.id == run).values(values)
            await self._db.write(lambda connection: connection.execute(query) and None, owner=run)


def _mine() -> dict[str, Any]:
    owner = Owner.this()
    return {"status": "running", "ended": None, "host": owner.host, "pid": owner.pid, "born": owner.born}


def _alive(row: Any) -> bool:
    return row.status == "running" and Owner(row.host, row.pid, row.born).alive


def _worked_on(connection: sa.Connection, row: Any, now: datetime) -> bool:
    """A process of another host can't be seen from here: it lives if it serves, and is believed for a while if not."""
    if not _alive(row) or row.host == platform.node() or now - row.started < BELIEVED:
        return _alive(row)
    serves = sa.select(replicas.c.id).where(replicas.c.host == row.host, replicas.c.pid == row.pid)
    return connection.execute(serves).first() is not None


def _take_first(
    connection: sa.Connection,
    query: sa.Select[Any],
    now: datetime,
    same: Callable[[Incoming], bool] = lambda other: True,
) -> RunInfo | None:
    dead = (row for row in connection.execute(query).all() if not _worked_on(connection, row, now))
    row = next((row for row in dead if same(_info(row).question)), None)
    return None if row is None else _take(connection, row)


def _take(connection: sa.Connection, row: Any) -> RunInfo:
    connection.execute(runs.update().where(runs.c.id == row.id).values(_mine()))
    return _info(row)


def _info(row: Any) -> RunInfo:
    gone = row.status == "running" and not _alive(row)
    return RunInfo(
        row.id,
        from_json(Incoming, json.loads(row.question)),
        row.session,
        row.folder,
        "interrupted" if gone else row.status,
        row.started,
        row.ended,
        row.window and json.loads(row.window),
        row.scope and json.loads(row.scope),
        row.model or "",
        row.kind,
    )


def _dumped(value: Json) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)

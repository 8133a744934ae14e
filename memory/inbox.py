"""The stored half of the inbox: messages that wait, are worked on, and ended. One row a message and attempt.

It knows states and times. Who works on what, and in which order, is decided elsewhere (`hermes_ops.runtime.inbox`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa

from memory.desk import Desk
from memory.outbox import Parcel, store
from memory.store import insert_new
from memory.tables import inbox, outbox, posts
from orchestrator.contracts import Incoming, Json, from_json, to_json

State = Literal["queued", "running", "done", "failed", "cancelled", "refused"]
Kind = Literal["question", "command"]
DIED = "The process ended while it worked on this"


@dataclass(frozen=True, slots=True)
class Entry:
    """One message and attempt. `extra`: JSON of its channel's own; `ran`: seconds of work so far; `tries`: how often
    the work failed; `deaths`: how often its process died meanwhile; `cancel`: who wants it ended; times are UTC."""

    id: str
    channel: str
    conversation: str
    kind: Kind
    question: Incoming
    extra: Json
    run: str
    received: datetime
    state: State = "queued"
    tries: int = 0
    deaths: int = 0
    ran: float = 0.0
    reason: str = ""
    cancel: str = ""
    due: datetime | None = None
    started: datetime | None = None
    ended: datetime | None = None
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a message. `waiting`: questions before it that aren't done."""

    state: Literal["accepted", "duplicate", "busy"]
    entry: Entry
    waiting: int = 0


Write = Callable[[sa.Connection], Stored]


class InboxStore:
    """The inbox's rows in one database. Every method raises StoreError where the database fails."""

    def __init__(self, desk: Desk, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._desk, self.clock = desk, clock

    async def put(self, entry: Entry, limit: int, refusal: Parcel | None = None) -> Stored:
        """Durable when it returns; a message that is there already is a duplicate, whatever became of it. With `limit`
        questions not done it is refused, for good, and `refusal` is what its chat is told, once."""
        return await self._desk.write(self._putting(entry, limit, refusal))

    def put_waiting(self, entry: Entry, limit: int, refusal: Parcel | None, seconds: float) -> Stored:
        """The same from another thread, which waits. Raises StoreError also where it takes longer than `seconds`."""
        return self._desk.write_waiting(self._putting(entry, limit, refusal), seconds)

    async def start(self, id: str) -> None:
        await self._update(id, {"state": "running", "started": self.clock()})

    async def beat(self, ran: Mapping[str, float]) -> None:
        """How long each has been worked on by now, so that a death of the process doesn't lose it."""
        rows = [{"which": id, "seconds": seconds} for id, seconds in ran.items()]
        query = inbox.update().where(inbox.c.id == sa.bindparam("which")).values(ran=sa.bindparam("seconds"))
        if rows:
            await self._desk.write(lambda connection: connection.execute(query, rows) and None)

    async def end(
        self, id: str, state: State, reason: str = "", parcels: Sequence[Parcel] = (), ran: float = 0
    ) -> None:
        """Ends it, and gives the outbox what its chat has to see, in one transaction."""

        def write(connection: sa.Connection) -> None:
            values = {"state": state, "reason": reason, "ended": self.clock(), "ran": ran}
            connection.execute(inbox.update().where(inbox.c.id == id).values(values))
            store(connection, parcels, self.clock())

        await self._desk.write(write)

    async def again(self, id: str, reason: str, due: datetime, ran: float) -> None:
        """Puts it back after the work failed."""
        await self._update(
            id, {"state": "queued", "reason": reason, "due": due, "ran": ran, "tries": inbox.c.tries + 1}
        )

    async def recover(self) -> list[Entry]:
        """What a former process left running is queued again, in its place. Returns all that waits, in order."""
        left = {"state": "queued", "reason": DIED, "deaths": inbox.c.deaths + 1}

        def write(connection: sa.Connection) -> list[Entry]:
            connection.execute(inbox.update().where(inbox.c.state == "running").values(left))
            return _read(connection, inbox.c.state == "queued")

        return await self._desk.write(write)

    async def rest(self, ran: Mapping[str, float]) -> None:
        """What was begun is queued again, in its place: the process ends cleanly."""
        await self.beat(ran)
        query = inbox.update().where(inbox.c.id.in_(sorted(ran)), inbox.c.state == "running").values(state="queued")
        await self._desk.write(lambda connection: connection.execute(query) and None)

    async def news(self, known: Collection[int]) -> tuple[list[Entry], list[Entry]]:
        """What other processes did: what is queued beside the rows `known`, and what is to be cancelled."""
        fresh = sa.and_(inbox.c.state == "queued", inbox.c.seq.not_in(sorted(known)))
        ending = sa.and_(inbox.c.cancel != "", inbox.c.state.in_(("queued", "running")))
        rows = await self._desk.read(lambda connection: _read(connection, sa.or_(fresh, ending)))
        return [e for e in rows if e.seq not in known and e.state == "queued"], [e for e in rows if e.cancel]

    async def prune(self, before: datetime) -> None:
        """Lets go of what ended before; until then a message that comes again is known."""
        gone = [t.delete().where(t.c.ended < before) for t in (inbox, outbox)]
        gone.append(posts.delete().where(posts.c.at < before))
        await self._desk.write(lambda connection: [connection.execute(query) for query in gone] and None)

    async def ask_cancel(self, id: str, by: str) -> bool:
        """Asks whoever works on it to end it. False where it has ended, or isn't there."""
        query = (
            inbox.update()
            .where(sa.or_(inbox.c.id == id, inbox.c.run == id), inbox.c.state.in_(("queued", "running")))
            .values(cancel=by or "somebody")
        )
        return bool(await self._desk.write(lambda connection: connection.execute(query).rowcount))

    async def find(self, id: str) -> Entry | None:
        """By its own id or its run's; of several attempts the newest."""
        wanted = sa.or_(inbox.c.id == id, inbox.c.run == id)
        rows = await self._desk.read(lambda connection: _read(connection, wanted))
        return rows[-1] if rows else None

    async def list(self, states: Sequence[str] = (), limit: int = 50) -> list[Entry]:
        """The newest first."""
        wanted = inbox.c.state.in_(states) if states else sa.true()
        return await self._desk.read(lambda connection: _read(connection, wanted, newest=limit))

    async def _update(self, id: str, values: dict[str, Any]) -> None:
        query = inbox.update().where(inbox.c.id == id).values(values)
        await self._desk.write(lambda connection: connection.execute(query) and None)

    def _putting(self, entry: Entry, limit: int, refusal: Parcel | None) -> Write:
        row = _row(entry)
        insert = insert_new(self._desk.dialect, inbox).on_conflict_do_nothing().returning(inbox.c.seq)

        def write(connection: sa.Connection) -> Stored:
            waiting = _undone(connection) if entry.kind == "question" else 0
            full = refusal is not None and waiting >= limit
            ended = {"state": "refused", "ended": entry.received} if full else {}
            if connection.execute(insert, row | ended).first() is None:
                return Stored("duplicate", entry)
            kept = _read(connection, inbox.c.id == entry.id)[0]
            if full and refusal is not None:
                store(connection, [refusal], entry.received)
            return Stored("busy" if full else "accepted", kept, waiting)

        return write


# ── on the desk's thread ──────────────────────────────────────────────────────────────────────


def _undone(connection: sa.Connection) -> int:
    undone = inbox.c.state.in_(("queued", "running"))
    query = sa.select(sa.func.count()).where(undone, inbox.c.kind == "question")
    return int(connection.scalar(query) or 0)


def _row(e: Entry) -> dict[str, Any]:
    names = ("id", "channel", "conversation", "kind", "run", "received", "state", "tries", "deaths", "ran", "reason")
    question, extra = (json.dumps(v, ensure_ascii=False) for v in (to_json(e.question), e.extra))
    row = {name: getattr(e, name) for name in names}
    return {**row, "question": question, "extra": extra, "cancel": e.cancel, "due": e.due or e.received, "ended": None}


def _read(connection: sa.Connection, wanted: sa.ColumnElement[bool], newest: int | None = None) -> list[Entry]:
    query = sa.select(inbox).where(wanted).order_by(inbox.c.seq if newest is None else inbox.c.seq.desc())
    return [_entry(row) for row in connection.execute(query.limit(newest))]


def _entry(row: Any) -> Entry:
    given = dict(row._mapping)
    question = from_json(Incoming, json.loads(given.pop("question")))
    return Entry(question=question, extra=json.loads(given.pop("extra")), **given)

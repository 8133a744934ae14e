"""The stored half of the inbox: messages that wait, are worked on, and ended. One row a message and attempt.

Several processes may take from it at once: what one has taken carries its name (`owner`), and only the owner ends it.
It knows states and times. Which are taken, and in which order, is decided elsewhere (`hermes_ops.runtime.picking`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

import sqlalchemy as sa

from memory import claims
from memory.claims import UNDONE
from memory.database import Database
from memory.outbox import Parcel, store
from memory.store import insert_new
from memory.tables import inbox, outbox, posts
from orchestrator.contracts import Incoming, Json, from_json, to_json

State = Literal["queued", "running", "done", "failed", "cancelled", "refused"]
Kind = Literal["question", "command"]


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
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a message."""

    state: Literal["accepted", "duplicate", "busy"]
    entry: Entry


@dataclass(frozen=True, slots=True)
class News:
    """`waiting`: so many could be taken; `ending`: to be ended, those that wait and the asker's own."""

    waiting: int
    ending: tuple[Entry, ...]


class Picks(Protocol):
    """Who decides what is begun. `free`: questions that may still be; `each`: at once in a conversation."""

    free: int
    each: int

    def pick(self, undone: Sequence[Entry]) -> Sequence[Entry]:
        """Those to begin now, of all that isn't done in some conversations, in order. Called on another thread."""


Write = Callable[[sa.Connection], Stored]


class InboxStore:
    """The inbox's rows in one database. Every method raises StoreError where the database fails."""

    def __init__(self, db: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._db, self.clock = db, clock

    async def put(self, entry: Entry, limit: int, refusal: Parcel | None = None) -> Stored:
        """Durable when it returns; a message that is there already is a duplicate, whatever became of it. With `limit`
        questions not done it is refused, for good, and `refusal` is what its chat is told, once."""
        return await self._db.write(self._putting(entry, limit, refusal))

    async def claim(self, owner: str, picks: Picks) -> list[Entry]:
        """What `picks` chose is running now, and `owner`'s. A conversation that another process just looks at is left
        out; it is looked at again soon."""

        def write(connection: sa.Connection) -> list[Entry]:
            taken: list[Entry] = []
            for names in claims.batches(claims.candidates(connection, picks.free, picks.each)):
                mine = sa.and_(UNDONE, inbox.c.conversation.in_(claims.locked(connection, names)))
                taken += picks.pick(_read(connection, mine))
                if picks.free <= 0:
                    break
            begun = inbox.update().where(inbox.c.seq.in_([e.seq for e in taken]))
            if taken:
                connection.execute(begun.values(state="running", owner=owner, started=self.clock()))
            return [replace(e, state="running", owner=owner) for e in taken]

        return await self._db.write(write)

    async def release(self, ids: Sequence[str], owner: str) -> None:
        """What `owner` reserved when it was put is free for everybody."""
        query = inbox.update().where(inbox.c.id.in_(ids), inbox.c.state == "queued", inbox.c.owner == owner)
        await self._db.write(lambda connection: connection.execute(query.values(owner="")) and None)

    async def places(self, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Of those that still wait: how many aren't done before each in its conversation, how many wait before it."""
        other = inbox.alias()
        before = sa.select(sa.func.count()).where(other.c.seq < inbox.c.seq)
        mine = before.where(other.c.conversation == inbox.c.conversation, other.c.state.in_(("queued", "running")))
        ahead = before.where(other.c.state == "queued")
        query = sa.select(inbox.c.id, mine.scalar_subquery(), ahead.scalar_subquery())
        query = query.where(inbox.c.id.in_(ids), inbox.c.state == "queued")
        rows = await self._db.read(lambda connection: connection.execute(query).all())
        return {id: (before, waiting) for id, before, waiting in rows}

    async def undone(self, conversation: str) -> list[Entry]:
        """In order."""
        return await self._db.read(lambda c: _read(c, sa.and_(UNDONE, inbox.c.conversation == conversation)))

    async def beat(self, owner: str, ran: Mapping[str, float]) -> None:
        """How long each of `owner`'s has been worked on by now, so that a death of the process doesn't lose it."""
        rows = [{"which": id, "seconds": seconds} for id, seconds in ran.items()]
        mine = sa.and_(inbox.c.id == sa.bindparam("which"), inbox.c.owner == owner)
        query = inbox.update().where(mine).values(ran=sa.bindparam("seconds"))
        if rows:
            await self._db.write(lambda connection: connection.execute(query, rows) and None)

    async def end(
        self, id: str, state: State, reason: str = "", parcels: Sequence[Parcel] = (), ran: float = 0, owner: str = ""
    ) -> bool:
        """Ends what is `owner`'s, and gives the outbox what its chat has to see, in one transaction. False, and
        nothing is done, where it isn't any more: it was taken over, or has ended."""
        return await self._end(sa.and_(inbox.c.id == id, inbox.c.owner == owner), state, reason, parcels, ran, owner)

    async def drop(self, id: str, reason: str, parcels: Sequence[Parcel], ran: float = 0) -> bool:
        """Ends what still waits as cancelled. False where it doesn't wait."""
        waits = sa.and_(inbox.c.id == id, inbox.c.state == "queued")
        return await self._end(waits, "cancelled", reason, parcels, ran, "")

    async def again(self, id: str, reason: str, due: datetime, ran: float, owner: str = "") -> None:
        """Puts it back after the work failed."""
        values = {"state": "queued", "owner": "", "reason": reason, "due": due, "ran": ran, "tries": inbox.c.tries + 1}
        await self._update(sa.and_(inbox.c.id == id, inbox.c.owner == owner), values)

    async def rerun(self, id: str, run: str, owner: str) -> None:
        """What is `owner`'s goes on under another run: the one begun can't be gone on with."""
        await self._update(sa.and_(inbox.c.id == id, inbox.c.owner == owner), {"run": run})

    async def recover(self) -> None:
        """For the only process of a database: what a former one left is queued again, in its place, and free."""
        await self._db.write(lambda connection: claims.requeue(connection) and None)

    async def rest(self, owner: str, ran: Mapping[str, float]) -> None:
        """What `owner` has is queued again, in its place: the process ends cleanly."""
        await self.beat(owner, ran)
        left = sa.and_(UNDONE, inbox.c.owner == owner)
        await self._update(left, {"state": "queued", "owner": ""})

    async def news(self, owner: str) -> News:
        """What other processes did."""
        free = sa.and_(inbox.c.state == "queued", inbox.c.owner.in_(("", owner)))
        count = sa.select(sa.func.count()).where(free)
        mine = sa.or_(inbox.c.state == "queued", sa.and_(inbox.c.state == "running", inbox.c.owner == owner))
        ending = sa.and_(UNDONE, inbox.c.cancel != "", mine)

        def read(connection: sa.Connection) -> News:
            return News(int(connection.scalar(count) or 0), tuple(_read(connection, ending)))

        return await self._db.read(read)

    async def prune(self, before: datetime) -> None:
        """Lets go of what ended before; until then a message that comes again is known."""
        gone = [t.delete().where(t.c.ended < before) for t in (inbox, outbox)]
        gone.append(posts.delete().where(posts.c.at < before))
        await self._db.write(lambda connection: [connection.execute(query) for query in gone] and None)

    async def ask_cancel(self, id: str, by: str) -> bool:
        """Asks whoever works on it to end it. False where it has ended, or isn't there."""
        query = (
            inbox.update()
            .where(sa.or_(inbox.c.id == id, inbox.c.run == id), inbox.c.state.in_(("queued", "running")))
            .values(cancel=by or "somebody")
        )
        return bool(await self._db.write(lambda connection: connection.execute(query).rowcount))

    async def find(self, id: str) -> Entry | None:
        """By its own id or its run's; of several attempts the newest."""
        wanted = sa.or_(inbox.c.id == id, inbox.c.run == id)
        rows = await self._db.read(lambda connection: _read(connection, wanted))
        return rows[-1] if rows else None

    async def list(self, states: Sequence[str] = (), limit: int = 50) -> list[Entry]:
        """The newest first."""
        wanted = inbox.c.state.in_(states) if states else sa.true()
        return await self._db.read(lambda connection: _read(connection, wanted, newest=limit))

    async def _end(
        self,
        which: sa.ColumnElement[bool],
        state: State,
        reason: str,
        parcels: Sequence[Parcel],
        ran: float,
        owner: str,
    ) -> bool:
        def write(connection: sa.Connection) -> bool:
            values = {"state": state, "reason": reason, "ended": self.clock(), "ran": ran, "owner": ""}
            ended = connection.execute(inbox.update().where(which, UNDONE).values(values)).rowcount == 1
            if ended:
                store(connection, parcels, self.clock(), owner)
            return ended

        return await self._db.write(write)

    async def _update(self, which: sa.ColumnElement[bool], values: dict[str, Any]) -> None:
        query = inbox.update().where(which).values(values)
        await self._db.write(lambda connection: connection.execute(query) and None)

    def _putting(self, entry: Entry, limit: int, refusal: Parcel | None) -> Write:
        row = _row(entry)
        insert = insert_new(self._db.dialect, inbox).on_conflict_do_nothing().returning(inbox.c.seq)

        def write(connection: sa.Connection) -> Stored:
            full = refusal is not None and entry.kind == "question" and _undone(connection) >= limit
            ended = {"state": "refused", "ended": entry.received, "owner": ""} if full else {}
            if connection.execute(insert, row | ended).first() is None:
                return Stored("duplicate", entry)
            kept = _read(connection, inbox.c.id == entry.id)[0]
            if full and refusal is not None:
                store(connection, [refusal], entry.received)
            return Stored("busy" if full else "accepted", kept)

        return write


# ── on the database's thread ──────────────────────────────────────────────────────────────────


def _undone(connection: sa.Connection) -> int:
    query = sa.select(sa.func.count()).where(UNDONE, inbox.c.kind == "question")
    return int(connection.scalar(query) or 0)


def _row(e: Entry) -> dict[str, Any]:
    names = ("id", "channel", "conversation", "kind", "run", "received", "state", "tries", "deaths", "ran", "reason")
    question, extra = (json.dumps(v, ensure_ascii=False) for v in (to_json(e.question), e.extra))
    row = {name: getattr(e, name) for name in names}
    row |= {"question": question, "extra": extra, "cancel": e.cancel, "due": e.due or e.received, "ended": None}
    return {**row, "owner": e.owner if e.state == "queued" else ""}


def _read(connection: sa.Connection, wanted: sa.ColumnElement[bool], newest: int | None = None) -> list[Entry]:
    query = sa.select(inbox).where(wanted).order_by(inbox.c.seq if newest is None else inbox.c.seq.desc())
    return [_entry(row) for row in connection.execute(query.limit(newest))]


def _entry(row: Any) -> Entry:
    given = dict(row._mapping)
    question = from_json(Incoming, json.loads(given.pop("question")))
    return Entry(question=question, extra=json.loads(given.pop("extra")), **given)

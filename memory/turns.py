"""The turns of a conversation in the order they were finished, and the summary of those that are too old to be given;
and letting go of old ones, by age and by size.

How a summary is made, and what a turn's `about` means, is not known here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from memory.database import Database
from memory.store import insert_new
from memory.tables import summaries, turns
from orchestrator.contracts import Json

SCANNED = 20_000  # turns looked at in one job, so that whoever waits for the database gets in between
SESSIONS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Turn:
    """`status`: an AnswerStatus; `at`: when the question was asked; `about`: JSON that a follow-up may refer to, None
    where nothing was kept; `seq`: its place, which only grows."""

    session: str
    run: str
    question: str
    answer: str
    status: str
    at: datetime
    user: str = ""
    about: Json = None
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """`upto`: the last turn (its `seq`) that is in the text; 0 where there is none yet."""

    text: str = ""
    upto: int = 0


class Turns:
    """Several processes may add to one session: nothing is lost. Every method raises StoreError."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(
        self,
        session: str,
        run: str,
        question: str,
        answer: str,
        status: str,
        at: datetime,
        user: str = "",
        about: Json = None,
    ) -> None:
        """One run is one turn: a resumed run that adds it again replaces it, in its place."""
        said = {"answer": answer, "status": status, "about": _dumped(about)}
        row = {"session": session, "run": run, "question": question, "at": at, "user": user, **said}
        put = insert_new(self._db.dialect, turns).on_conflict_do_update(index_elements=[turns.c.run], set_=said)
        await self._db.write(lambda connection: connection.execute(put, row) and None)

    async def last(self, session: str, n: int) -> list[Turn]:
        """The session's last `n` turns, the oldest of them first."""
        query = sa.select(turns).where(turns.c.session == session).order_by(turns.c.seq.desc()).limit(n)
        rows = await self._db.read(lambda connection: connection.execute(query).all())
        return [
            Turn(
                r.session, r.run, r.question, r.answer, r.status, r.at, r.user, json.loads(r.about or "null"), r.seq
            )
            for r in reversed(rows)
        ]  # fmt: skip

    async def summary(self, session: str) -> Summary:
        query = sa.select(summaries).where(summaries.c.session == session)
        row = await self._db.read(lambda connection: connection.execute(query).first())
        return Summary(row.text, row.upto) if row else Summary()

    async def sum_up(self, session: str, text: str, upto: int, at: datetime) -> None:
        """Replaces the summary, unless another process has summed up further already."""
        new = {"text": text, "upto": upto, "at": at}
        put = insert_new(self._db.dialect, summaries).on_conflict_do_update(
            index_elements=[summaries.c.session], set_=new, where=summaries.c.upto < upto
        )
        await self._db.write(lambda connection: connection.execute(put, {"session": session, **new}) and None)

    async def prune(self, last: int, before: datetime | None = None, keep_bytes: int | None = None) -> int:
        """Lets go of turns asked before `before`, but of no session's last `last` ones nor of its summary; then, until
        at most `keep_bytes` are stored, of the oldest such turns whatever their age, and in the end of whole sessions,
        those that rested longest first. The number of turns that went.

        Turns lie in the order they were finished: it ends at the first part in which all are young enough."""
        gone, seen = 0, 0
        while before is not None:
            part = await self._part(seen, last)
            old = [row.seq for row in part if row.old and row.at < before]
            gone += await self._drop(old)
            if not part or min(row.at for row in part) >= before:
                break
            seen = part[-1].seq
        return gone if keep_bytes is None else gone + await self._shrink(last, keep_bytes)

    async def _shrink(self, last: int, keep_bytes: int) -> int:
        over, seen = -keep_bytes, 0
        while part := await self._part(seen, last):
            over, seen = over + sum(row.size for row in part), part[-1].seq
        gone, seen = 0, 0
        while over > 0 and (part := await self._part(seen, last)):
            seen = part[-1].seq
            going = _enough([row for row in part if row.old], over)
            over -= sum(row.size for row in going)
            gone += await self._drop([row.seq for row in going])
        while over > 0 and (rested := await self._db.read(_rested)):
            going = _enough(rested, over)
            over -= sum(row.size for row in going)
            gone += await self._db.write(lambda c, s=[row.session for row in going]: _drop_sessions(c, s))  # type: ignore[misc]
        return gone

    async def _part(self, seen: int, last: int) -> Sequence[sa.Row[Any]]:
        query = _sized(self._db.dialect, seen, last)
        return await self._db.read(lambda connection: connection.execute(query).all())

    async def _drop(self, gone: Sequence[int]) -> int:
        for start in range(0, len(gone), 400):
            query = turns.delete().where(turns.c.seq.in_(gone[start : start + 400]))
            await self._db.write(lambda connection, q=query: connection.execute(q) and None)  # type: ignore[misc]
        return len(gone)


def _enough(rows: Sequence[sa.Row[Any]], size: int) -> list[sa.Row[Any]]:
    """The first of them that hold so much together."""
    taken: list[sa.Row[Any]] = []
    for row in rows:
        if size <= 0:
            break
        taken.append(row)
        size -= row.size
    return taken


def _size(dialect: str) -> sa.ColumnElement[int]:
    columns = (turns.c.question, turns.c.answer, turns.c.about)
    if dialect == "postgresql":
        return sum((sa.func.octet_length(column) for column in columns), sa.literal(0))
    return sum((sa.func.length(sa.cast(column, sa.LargeBinary)) for column in columns), sa.literal(0))


def _sized(dialect: str, seen: int, last: int) -> sa.Select[Any]:
    """The next turns: place, time, size in bytes, and whether at least `last` of the session come after each."""
    later = turns.alias()
    newer = sa.select(later.c.seq).where(later.c.session == turns.c.session)
    oldest_kept = newer.order_by(later.c.seq.desc()).offset(last - 1).limit(1).scalar_subquery()
    old = sa.func.coalesce(turns.c.seq < oldest_kept, sa.false()).label("old")
    columns = (turns.c.seq, turns.c.at, _size(dialect).label("size"), old)
    return sa.select(*columns).where(turns.c.seq > seen).order_by(turns.c.seq).limit(SCANNED)


# ── on the database's thread ──────────────────────────────────────────────────────────────────


def _rested(connection: sa.Connection) -> Sequence[sa.Row[Any]]:
    size = sa.func.sum(_size(connection.dialect.name)).label("size")
    query = sa.select(turns.c.session, size).group_by(turns.c.session).order_by(sa.func.max(turns.c.seq))
    return connection.execute(query.limit(SESSIONS_AT_ONCE)).all()


def _drop_sessions(connection: sa.Connection, sessions: Sequence[str]) -> int:
    connection.execute(summaries.delete().where(summaries.c.session.in_(sessions)))
    return connection.execute(turns.delete().where(turns.c.session.in_(sessions))).rowcount


def _dumped(about: Json) -> str:
    return "" if about is None else json.dumps(about, ensure_ascii=False)

"""What other systems told by web hook: alerts from their start to their end, and changes.

Each is a row that later words about the same thing mend, in whatever order they come. Which product told it, and what
stands in a body, is not known here. What is too old goes, and so does the oldest of too many; from when on nothing is
missing is kept beside it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Literal

import sqlalchemy as sa

from memory.database import Database
from memory.store import insert_new
from memory.tables import AnyText, Serial, UtcTime, metadata
from orchestrator.contracts import Json, Window

RecordKind = Literal["alert", "change", "look"]
Became = Literal["new", "known", "ended", "reopened", "changed", "unmatched"]
LATE = timedelta(minutes=15)  # a word from before an end comes no later than this after it; then it began again

records = sa.Table(
    "records",
    metadata,
    sa.Column("seq", Serial, primary_key=True, autoincrement=True),
    sa.Column("kind", sa.Text, nullable=False),  # alert | change | look: what was made of alerts
    sa.Column("source", sa.Text, nullable=False),  # the hook it came by
    sa.Column("key", AnyText, nullable=False),
    sa.Column("series", AnyText, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("until", UtcTime),
    sa.Column("service", AnyText, nullable=False),
    sa.Column("body", AnyText, nullable=False),  # JSON
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("told", UtcTime, nullable=False),  # when its body was said, by whoever said it
    sa.Column("received", UtcTime, nullable=False),  # the first word of it
    sa.Column("seen", UtcTime, nullable=False),  # the last one
    sa.Column("closed", UtcTime),  # the last one that told an end
    sa.UniqueConstraint("kind", "source", "key", name="records_key"),
    sa.Index("records_at", "kind", "at"),
    sa.Index("records_until", "kind", "until"),
    sa.Index("records_series", "kind", "source", "series", "at"),
    sa.Index("records_seen", "seen"),
)

hearing = sa.Table(  # from when on a hook's records are whole
    "hearing",
    metadata,
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("source", sa.Text, primary_key=True),
    sa.Column("since", UtcTime, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Record:
    """One word about something. `series`: which alert or change it is of all that the hook tells; `at` None: the word
    doesn't say, it is of the one that is open, or begins now; `until`: its end, where it is over. A word of higher
    `rank`, or said later at the same, replaces the body (and a change's time)."""

    kind: RecordKind
    source: str
    series: str
    at: datetime | None
    until: datetime | None
    service: str
    body: Json
    told: datetime
    rank: int = 0
    seen: datetime | None = None  # of what was found: when it was last told

    @property
    def key(self) -> str:
        """An alert fires more than once; a change happens once."""
        return f"{self.series} {self.at:%Y-%m-%dT%H:%M:%S.%f}" if self.kind == "alert" else self.series


@dataclass(frozen=True, slots=True)
class Page:
    """Oldest first. `total`: of all that fit; the rows may be fewer, then they are the newest."""

    rows: tuple[Record, ...]
    total: int


class Records:
    """Every method raises StoreError where the database fails."""

    def __init__(self, db: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._db, self.clock = db, clock

    async def put(self, told: Sequence[Record]) -> list[Became]:
        """Stores the words of one delivery together; what became of each. The same a second time changes nothing."""
        now = self.clock()
        return await self._db.write(lambda connection: [_put(connection, r, now) for r in told])

    async def find(
        self,
        kind: RecordKind,
        window: Window,
        services: Sequence[str] = (),
        sources: Sequence[str] = (),
        limit: int = 10_000,
    ) -> Page:
        """Alerts that overlap the window, changes whose time is in it. `services`, `sources` () = all."""
        wanted = (*_within(kind, window), _among(records.c.service, services), _among(records.c.source, sources))
        query = sa.select(records).where(*wanted).order_by(records.c.at.desc(), records.c.seq.desc()).limit(limit)
        count = sa.select(sa.func.count()).select_from(records).where(*wanted)

        def read(connection: sa.Connection) -> Page:
            rows = tuple(_record(row) for row in connection.execute(query))[::-1]
            return Page(rows, len(rows) if len(rows) < limit else int(connection.scalar(count) or 0))

        return await self._db.read(read)

    async def every(self, kind: RecordKind, window: Window, page: int = 10_000) -> AsyncIterator[Record]:
        """All that `find` looks for, however many, in the order they came; so many are read at once."""
        last = 0
        while True:
            query = sa.select(records).where(*_within(kind, window), records.c.seq > last)
            query = query.order_by(records.c.seq).limit(page)
            rows = await self._db.read(partial(_rows, query))
            for row in rows:
                yield _record(row)
            if len(rows) < page:
                return
            last = rows[-1].seq

    async def one(self, kind: RecordKind, series: str) -> Record | None:
        """The newest of a series."""
        query = sa.select(records).where(records.c.kind == kind, records.c.series == series)
        row = await self._db.read(lambda c: c.execute(query.order_by(records.c.at.desc()).limit(1)).first())
        return None if row is None else _record(row)

    async def services(self, kind: RecordKind, sources: Sequence[str] = (), limit: int = 2000) -> list[str]:
        named = sa.and_(records.c.kind == kind, records.c.service != "", _among(records.c.source, sources))
        query = sa.select(records.c.service).where(named).distinct().order_by(records.c.service).limit(limit)
        return [row.service for row in await self._db.read(lambda c: c.execute(query).all())]

    async def listen(self, kind: RecordKind, source: str) -> None:
        """From now on this hook is heard, if it wasn't before."""
        row = {"kind": kind, "source": source, "since": self.clock()}
        put = insert_new(self._db.dialect, hearing).on_conflict_do_nothing()
        await self._db.write(lambda connection: connection.execute(put, row) and None)

    async def since(self, kind: RecordKind, sources: Sequence[str] = ()) -> dict[str, datetime]:
        """Hook → from when on nothing is missing that it was sent."""
        query = sa.select(hearing).where(hearing.c.kind == kind, _among(hearing.c.source, sources))
        return {row.source: row.since for row in await self._db.read(lambda c: c.execute(query).all())}

    async def prune(self, before: datetime, most: int) -> int:
        """Lets go of what was last told before, and of the oldest beyond `most`. How many went."""

        def write(connection: sa.Connection) -> int:
            kept = sa.select(records.c.seq).order_by(records.c.seen.desc(), records.c.seq.desc())
            over = [row.seq for row in connection.execute(kept.offset(most))]
            gone = _prune(connection, records.c.seen < before)
            for start in range(0, len(over), 500):
                gone += _prune(connection, records.c.seq.in_(over[start : start + 500]))
            return gone

        return await self._db.write(write)


# ── on the database's thread ──────────────────────────────────────────────────────────────────


def _within(kind: RecordKind, window: Window) -> tuple[sa.ColumnElement[bool], ...]:
    after = records.c.at >= window.start
    if kind == "alert":
        after = sa.or_(after, records.c.until.is_(None), records.c.until > window.start)
    return (records.c.kind == kind, records.c.at < window.end, after)


def _rows(query: sa.Select[Any], connection: sa.Connection) -> Sequence[sa.Row[Any]]:
    return connection.execute(query).all()


def _put(connection: sa.Connection, told: Record, now: datetime) -> Became:
    if told.at is None:
        same = (records.c.kind == told.kind, records.c.source == told.source, records.c.series == told.series)
        open_ = sa.select(records).where(*same, records.c.until.is_(None)).order_by(records.c.at.desc()).limit(1)
        if (row := connection.execute(open_.with_for_update()).first()) is not None:
            return _mend(connection, row, told, now)
        if told.until is not None:
            return "unmatched"
        told = Record(**{**_fields(told), "at": now})
    insert = insert_new(connection.dialect.name, records).on_conflict_do_nothing().returning(records.c.seq)
    if connection.execute(insert, _row(told, now)).first() is not None:
        return "new"
    same = (records.c.kind == told.kind, records.c.source == told.source, records.c.key == told.key)
    row = connection.execute(sa.select(records).where(*same).with_for_update()).one()
    return _mend(connection, row, told, now)


def _mend(connection: sa.Connection, row: Any, told: Record, now: datetime) -> Became:
    """An end that was told stays, whatever came late; of several the latest."""
    values: dict[str, Any] = {"seen": now}
    became: Became = "known"
    if (told.rank, told.told) > (row.rank, row.told):
        values |= {"service": told.service, "body": _json(told.body), "rank": told.rank, "told": told.told}
        if told.kind == "change":
            values |= {"at": told.at} if told.at else {}
            became = "changed" if values["body"] != row.body else "known"
    if told.until is not None:
        values |= {"until": max(told.until, row.until or told.until), "closed": now}
        became = "ended" if row.until is None else became
    elif row.closed is not None and row.until is not None and now - row.closed > LATE:
        values |= {"until": None, "closed": None}
        became = "reopened"
    connection.execute(records.update().where(records.c.seq == row.seq).values(values))
    return became


def _prune(connection: sa.Connection, which: sa.ColumnElement[bool]) -> int:
    """What goes moves the time from which on nothing is missing."""
    last = sa.select(records.c.kind, records.c.source, sa.func.max(records.c.at).label("at")).where(which)
    for row in connection.execute(last.group_by(records.c.kind, records.c.source)).all():
        mine = sa.and_(hearing.c.kind == row.kind, hearing.c.source == row.source, hearing.c.since < row.at)
        connection.execute(hearing.update().where(mine).values(since=row.at))
    return int(connection.execute(records.delete().where(which)).rowcount)


def _among(column: sa.Column[Any], values: Sequence[str]) -> sa.ColumnElement[bool]:
    return column.in_(values) if values else sa.true()


def _json(body: Json) -> str:
    return json.dumps(body, ensure_ascii=False)


def _fields(r: Record) -> dict[str, Any]:
    return {name: getattr(r, name) for name in Record.__dataclass_fields__}


def _row(r: Record, now: datetime) -> dict[str, Any]:
    closed = None if r.until is None else now
    return {**_fields(r), "key": r.key, "body": _json(r.body), "received": now, "seen": now, "closed": closed}


def _record(row: Any) -> Record:
    given = {name: getattr(row, name) for name in Record.__dataclass_fields__}
    return Record(**{**given, "body": json.loads(row.body)})

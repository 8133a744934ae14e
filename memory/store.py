"""The event store: events under their key, texts once under their hash. It is the kernel's durable `Sink`.

Events wait until somebody asks for durability, or for a moment, and are then written together. Which events there
are and what they mean it doesn't know; runs are in `memory.runs`.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from memory.database import Database
from memory.tables import blobs, events
from orchestrator.contracts import BlobRef, Event, dumps

LINGER_SECONDS = 0.05  # how long an event waits for others when nobody asks for durability
COMPRESS_BYTES = 4096  # below that a database page is no fuller, and compressing cost half of all the time
HASHES_AT_ONCE = 500

Insert = sqlite.Insert | postgresql.Insert


class EventStore:
    """`orchestrator.ports.Sink` on a database. A run is created (`Runs.create`) before its first event.

    `emit` and `commit` belong to the event loop's thread.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._inserts = tuple(insert_new(db.dialect, t).on_conflict_do_nothing() for t in (blobs, events))
        self._pending: list[Event] = []
        self._timer: asyncio.TimerHandle | None = None

    def emit(self, e: Event) -> None:
        self._pending.append(e)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LINGER_SECONDS, self.flush)

    async def commit(self, run: str = "") -> None:
        """Raises StoreError where what was emitted before, of this run or of any, could not be written."""
        self.flush()
        await self._db.write(_nothing if run else self._db.tell, run)

    def of(self, run: str) -> OneRun:
        """The sink of one run, which hears of its own lost events only."""
        return OneRun(self, run)

    def tick(self, path: str, text: str) -> None:
        """Progress isn't stored."""

    async def load(self, run: str) -> dict[str, dict[int, Event]]:
        """What the run left behind, for `LocalRuntime`: path → n → event with its texts."""
        recorded: dict[str, dict[int, Event]] = {}
        for e in await self.events(run):
            recorded.setdefault(e.path, {})[e.n] = e
        return recorded

    async def events(self, run: str) -> list[Event]:
        """All events of a run in order of arrival, with their texts (None where one was removed)."""
        self.flush()
        return await self._db.read(lambda connection: _read_events(connection, run))

    async def blob(self, hash: str) -> str | None:
        """A text by its hash; None if it isn't there (any more)."""
        self.flush()
        return (await self._db.read(lambda connection: read_texts(connection, [hash]))).get(hash)

    def flush(self) -> None:
        """Hands over what waits, without waiting for it to be written."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        pending, self._pending = self._pending, []
        batches: dict[str, list[Event]] = {}
        for e in pending:
            batches.setdefault(e.run, []).append(e)
        for run, batch in batches.items():  # each on its own: what befalls one is not another's
            write = partial(_write_events, batch=batch, put_blobs=self._inserts[0], put_events=self._inserts[1])
            self._db.post(write, run)


class OneRun:
    """`Sink` of one run in the store."""

    def __init__(self, store: EventStore, run: str) -> None:
        self._store, self._run = store, run
        self.emit, self.tick = store.emit, store.tick

    async def commit(self) -> None:
        """Raises StoreError where anything of the run emitted before could not be written."""
        await self._store.commit(self._run)


def insert_new(dialect: str, table: sa.Table) -> Insert:
    """An insert that can say what a conflict means; both databases spell it alike."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


# ── on the database's thread ──────────────────────────────────────────────────────────────────


def _nothing(_connection: sa.Connection) -> None:
    return None


def _write_events(connection: sa.Connection, batch: Sequence[Event], put_blobs: Insert, put_events: Insert) -> None:
    texts = {ref.hash: ref.text for e in batch for ref in e.blobs if ref.text is not None}
    if texts:
        connection.execute(put_blobs, [_blob_row(*item) for item in sorted(texts.items())])  # in order: no deadlock
    connection.execute(put_events, [_event_row(e) for e in batch])


def _event_row(e: Event) -> dict[str, Any]:
    return {
        "run": e.run,
        "path": e.path,
        "n": e.n,
        "kind": e.kind,
        "at": e.at,
        "body": _dumped(e.body),
        "blobs": " ".join(f"{ref.hash}:{ref.size}" for ref in e.blobs),
        "v": e.v,
    }


def _dumped(body: dict[str, Any]) -> str:
    text = dumps(body)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which databases refuse
        return json.dumps(body)
    return text


def _blob_row(hash: str, text: str) -> dict[str, Any]:
    raw = text.encode("utf-8", "surrogatepass")
    packed = zlib.compress(raw, 1) if len(raw) >= COMPRESS_BYTES else raw
    if len(packed) < len(raw):
        return {"hash": hash, "coding": "zlib", "data": packed}
    return {"hash": hash, "coding": "", "data": raw}


def _read_events(connection: sa.Connection, run: str) -> list[Event]:
    rows = connection.execute(sa.select(events).where(events.c.run == run).order_by(events.c.seq)).all()
    refs = {row.seq: [part.partition(":") for part in row.blobs.split()] for row in rows}
    texts = read_texts(connection, {hash for parts in refs.values() for hash, _, _ in parts})
    return [
        Event(
            row.run,
            row.path,
            row.n,
            row.kind,
            row.at,
            json.loads(row.body),
            tuple(BlobRef(hash, int(size), texts.get(hash)) for hash, _, size in refs[row.seq]),
            row.v,
        )
        for row in rows
    ]


def read_texts(connection: sa.Connection, hashes: Iterable[str]) -> dict[str, str]:
    wanted = sorted(hashes)
    texts: dict[str, str] = {}
    for start in range(0, len(wanted), HASHES_AT_ONCE):
        part = wanted[start : start + HASHES_AT_ONCE]
        for row in connection.execute(sa.select(blobs).where(blobs.c.hash.in_(part))):
            raw = zlib.decompress(row.data) if row.coding == "zlib" else bytes(row.data)
            texts[row.hash] = raw.decode("utf-8", "surrogatepass")
    return texts

"""Looking through what was recorded, and letting go of it: runs by what happened in them, and pruning by age and size.

Events are read here without their texts, which `EventStore` gives. A pruned run is gone with its events; a text goes
with the last event that refers to it. Turns and notes stay: they are memory, not trace. What an event means is not
known here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from memory.database import Database
from memory.digests import Digests
from memory.runs import RESUME_SECONDS, RunInfo, Runs
from memory.tables import blobs, events, runs
from orchestrator.contracts import BlobRef, Event

AT_ONCE = 400  # keys in one query
RUNS_AT_ONCE = 100  # in one transaction
SCANNED = 20_000  # events looked at in one job, so that whoever waits for the database gets in between
ROUNDS = 20  # of pruning by size: each takes what seems to be enough


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs. "" and None: no matter; `since` <= started < `until`; `text`: stands in the question, case aside.

    `statuses`: of the run or of its answer; `agent` was asked; `wrong`: something failed. Of a run that has no digest
    yet `agent` and `wrong` aren't known: it may fit. `before`: those that come after that run (when it began, its id)
    in a list whose newest stands first.
    """

    session: str = ""
    user: str = ""
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    kind: str = "question"
    statuses: tuple[str, ...] = ()
    agent: str = ""
    wrong: bool = False
    before: tuple[datetime, str] | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What one run took, by its digest."""

    run: str
    calls: int
    tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went: `runs`, `texts`; `bytes`: what is left of events and texts, as stored."""

    runs: int = 0
    texts: int = 0
    bytes: int = 0


class Traces:
    """Every method raises StoreError where the database fails."""

    def __init__(self, db: Database, runs: Runs) -> None:
        self._db = db
        self._runs = runs
        self.digests = Digests(db)

    async def find(self, wanted: Wanted, limit: int, skip: int = 0) -> list[RunInfo]:
        """The newest first."""
        query = (
            _query(wanted, self._db.dialect).order_by(runs.c.started.desc(), runs.c.id.desc()).limit(limit).offset(skip)
        )
        return await self._infos(await self._ids(query))

    async def dearest(self, wanted: Wanted, limit: int) -> list[Spent]:
        """The runs that cost most, and where no price is known took most tokens; ended ones only."""
        tokens = runs.c.prompt_tokens + runs.c.completion_tokens
        order = (sa.func.coalesce(runs.c.cost, 0).desc(), tokens.desc(), runs.c.id)
        query = sa.select(runs.c.id, runs.c.calls, tokens, runs.c.cost).where(*conditions(wanted, self._db.dialect))
        query = query.where(runs.c.calls > 0).order_by(*order).limit(limit)
        return [Spent(*row) for row in await self._db.read(lambda c: c.execute(query).all())]

    async def named(self, prefix: str, most: int = 6) -> list[str]:
        """The ids that begin so, the newest first."""
        query = sa.select(runs.c.id).where(runs.c.id.startswith(prefix, autoescape=True))
        return await self._ids(query.order_by(runs.c.started.desc(), runs.c.id.desc()).limit(most))

    async def events(self, ids: Sequence[str]) -> dict[str, list[Event]]:
        """The events of several runs in order of arrival, without texts."""
        found: dict[str, list[Event]] = {run: [] for run in ids}
        for part in _parts(ids):
            query = sa.select(events).where(events.c.run.in_(part)).order_by(events.c.seq)
            for row in await self._db.read(lambda c, q=query: c.execute(q).all()):  # type: ignore[misc]
                found[row.run].append(_event(row))
        return found

    async def prune(
        self,
        before: datetime | None = None,
        keep_bytes: int | None = None,
        most: int = 100_000,
        now: datetime | None = None,
    ) -> Pruned:
        """Lets go of runs that began before `before`, then of the oldest until at most `keep_bytes` are stored.

        At most `most` runs go. What is still being worked on, or could still be resumed, stays.
        """
        gone: list[str] = []
        texts = 0
        if before is not None:
            gone = await self._oldest(most, before)
            texts = await self.remove(gone)
        left = await self._db.read(_stored)
        resumable = (now or datetime.now(UTC)) - timedelta(seconds=RESUME_SECONDS)
        for _ in range(ROUNDS):
            if keep_bytes is None or left <= keep_bytes or len(gone) >= most:
                break
            part = await self._enough(left - keep_bytes, await self._oldest(most - len(gone), resumable))
            if not part:
                break
            texts += await self.remove(part)
            gone += part
            left = await self._db.read(_stored)
        return Pruned(len(gone), texts, left)

    async def _ids(self, query: sa.Select[Any]) -> list[str]:
        return list(await self._db.read(lambda connection: connection.execute(query).scalars().all()))

    async def _infos(self, ids: Sequence[str]) -> list[RunInfo]:
        found: dict[str, RunInfo] = {}
        for part in _parts(ids):
            found |= await self._runs.many(part)
        return [found[run] for run in ids if run in found]

    async def _oldest(self, most: int, before: datetime) -> list[str]:
        query = sa.select(runs.c.id).where(runs.c.started < before).order_by(runs.c.started, runs.c.id).limit(most)
        return [info.id for info in await self._infos(await self._ids(query)) if info.status != "running"]

    async def _enough(self, bytes: int, ids: Sequence[str]) -> list[str]:
        """As many of the runs as hold so much text, before packing: more is never let go of than has to be."""
        taken: list[str] = []
        for part in _parts(ids):
            found = await self.events(part)
            for run in part:
                if bytes <= 0:
                    return taken
                bytes -= sum(ref.size for e in found[run] for ref in e.blobs) + 1
                taken.append(run)
        return taken

    async def remove(self, ids: Sequence[str]) -> int:
        """Removes the runs, and the texts that no other run refers to. Gives the number of texts.

        It may be broken off: each part of the runs goes together with its texts, those that several parts share with
        the last one.
        """
        parts, going, loose = _parts(ids, RUNS_AT_ONCE), frozenset(ids), dict[str, int]()
        for place, part in enumerate(parts):
            hashes = await self._db.read(lambda c, p=part: _texts_of(c, p))  # type: ignore[misc]
            loose |= dict.fromkeys(hashes, place)
        seen, more = 0, bool(loose)
        while more:
            kept, last = await self._db.read(lambda c, s=seen: _referred(c, s, going, SCANNED))  # type: ignore[misc]
            loose = {hash: place for hash, place in loose.items() if hash not in kept}
            seen, more = last, last > seen
        texts = 0
        for place, part in enumerate(parts):
            own = {hash for hash, at in loose.items() if at == place}
            texts += await self._db.write(lambda c, p=part, o=own: _drop(c, p, o, seen, going))  # type: ignore[misc]
        return texts


def _query(wanted: Wanted, dialect: str) -> sa.Select[Any]:
    return sa.select(runs.c.id).where(*conditions(wanted, dialect))


def _says(text: str, dialect: str) -> sa.ColumnElement[bool]:
    """Case aside. SQLite's own LIKE is that for Latin letters, and three times as fast as over lower()."""
    if (dialect == "sqlite" and text.isascii()) or text.lower() == text.upper():
        return runs.c.text.contains(text, autoescape=True)
    return runs.c.text.icontains(text, autoescape=True)


def conditions(wanted: Wanted, dialect: str) -> list[sa.ColumnElement[bool]]:
    """What `wanted` says of the table of runs."""
    found: list[sa.ColumnElement[bool]] = []
    for column, value in ((runs.c.session, wanted.session), (runs.c.user, wanted.user), (runs.c.kind, wanted.kind)):
        found += [column == value] if value else []
    found += [runs.c.started >= wanted.since] if wanted.since else []
    found += [runs.c.started < wanted.until] if wanted.until else []
    found += [_says(wanted.text, dialect)] if wanted.text else []
    if wanted.before:
        at, run = wanted.before
        found += [runs.c.started <= at, sa.or_(runs.c.started < at, runs.c.id < run)]
    running = runs.c.ms.is_(None)
    if wanted.agent:
        found.append(sa.or_(runs.c.asked.contains(f" {wanted.agent} ", autoescape=True), running))
    found += [sa.or_(runs.c.wrong.is_(True), running)] if wanted.wrong else []
    if wanted.statuses:  # a dead process's run still says "running" in its row
        states = [*wanted.statuses, *(["running"] if "interrupted" in wanted.statuses else [])]
        found.append(sa.or_(runs.c.status.in_(states), runs.c.answer.in_(wanted.statuses)))
    return found


def _event(row: Any) -> Event:
    refs = (part.partition(":") for part in row.blobs.split())
    texts = tuple(BlobRef(hash, int(size)) for hash, _, size in refs)
    return Event(row.run, row.path, row.n, row.kind, row.at, json.loads(row.body), texts, row.v)


def _parts(keys: Sequence[str], most: int = AT_ONCE) -> list[Sequence[str]]:
    return [keys[start : start + most] for start in range(0, len(keys), most)]


# ── on the database's thread ──────────────────────────────────────────────────────────────────


def _stored(connection: sa.Connection) -> int:
    texts = connection.scalar(sa.select(sa.func.sum(sa.func.length(blobs.c.data)))) or 0
    bodies = connection.scalar(sa.select(sa.func.sum(sa.func.length(events.c.body)))) or 0
    return int(texts) + int(bodies)


def _texts_of(connection: sa.Connection, ids: Sequence[str]) -> set[str]:
    lines = connection.execute(sa.select(events.c.blobs).where(events.c.run.in_(ids), events.c.blobs != "")).scalars()
    return {ref.partition(":")[0] for line in lines for ref in line.split()}


def _referred(
    connection: sa.Connection, seen: int, going: frozenset[str], most: int | None = None
) -> tuple[set[str], int]:
    """The hashes that events after `seen` refer to, of runs that stay, and the last of those events."""
    columns = (events.c.seq, events.c.run, events.c.blobs)
    rows = connection.execute(sa.select(*columns).where(events.c.seq > seen).order_by(events.c.seq).limit(most)).all()
    kept = {ref.partition(":")[0] for row in rows if row.run not in going for ref in row.blobs.split()}
    return kept, rows[-1].seq if rows else seen


def _drop(connection: sa.Connection, ids: Sequence[str], loose: set[str], seen: int, going: frozenset[str]) -> int:
    """What was written meanwhile counts too: a text may have been referred to again."""
    if connection.dialect.name == "postgresql":  # SQLite has one writer; here others may be in the middle of it
        connection.execute(sa.text("LOCK TABLE blobs IN SHARE ROW EXCLUSIVE MODE"))
    left = sorted(loose - _referred(connection, seen, going)[0])
    connection.execute(runs.delete().where(runs.c.id.in_(ids)))  # its events go with it
    for part in _parts(left):
        connection.execute(blobs.delete().where(blobs.c.hash.in_(part)))
    return len(left)

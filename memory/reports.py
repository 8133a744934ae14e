"""Reports that were made, by team, kind and window, and the causes of incidents that people confirmed.

A report's figures are JSON here; what they mean is not known. One window has one report; what replaces it is stored
beside it, numbered.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from memory.database import Database
from memory.store import insert_new
from memory.tables import causes, reports, slots
from orchestrator.contracts import Json


@dataclass(frozen=True, slots=True)
class Stored:
    """A report. `start`, `end`: its window; `corrected`: 0 for the first of its window, else the how manieth after."""

    team: str
    kind: str
    start: datetime
    end: datetime
    zone: str
    lang: str
    figures: Json
    made_at: datetime
    corrected: int = 0


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What an operator says an incident's cause was."""

    text: str
    by: str
    at: datetime


class Reports:
    """Every method raises StoreError where the database fails."""

    def __init__(self, db: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._db, self.clock = db, clock

    async def put(self, report: Stored, force: bool = False) -> tuple[Stored, bool]:
        """The report that stands for its window, and whether it is this one. Where there is one already it stays,
        unless `force`: then this is stored as its correction."""

        def write(connection: sa.Connection) -> tuple[Stored, bool]:
            if connection.dialect.name == "postgresql" and force:  # two corrections at once get two numbers
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext('hermes-ops reports'))"))
            there = _newest(connection, _same(report.team, report.kind, report.start, report.end))
            number = there.corrected + 1 if there and force else 0
            made = replace(report, corrected=number)
            insert = insert_new(connection.dialect.name, reports).on_conflict_do_nothing().returning(reports.c.seq)
            if connection.execute(insert, _row(made)).first() is not None:
                return made, True
            kept = _newest(connection, _same(report.team, report.kind, report.start, report.end))
            return kept or made, False

        return await self._db.write(write)

    async def find(self, team: str, kind: str, start: datetime, end: datetime) -> Stored | None:
        """The last word on a window: its newest correction, or the report itself."""
        return await self._db.read(lambda c: _newest(c, _same(team, kind, start, end)))

    async def latest(self, team: str, kind: str = "") -> Stored | None:
        """The one that was made last."""
        wanted = sa.and_(reports.c.team == team, reports.c.kind == kind if kind else sa.true())
        return await self._db.read(lambda c: _newest(c, wanted))

    async def within(self, team: str, kind: str, start: datetime, end: datetime) -> list[Stored]:
        """Those whose window lies inside, in its order; of each window the last word."""
        inside = sa.and_(reports.c.start >= start, reports.c.end <= end)
        wanted = sa.and_(reports.c.team == team, reports.c.kind == kind, inside)
        query = sa.select(reports).where(wanted).order_by(reports.c.start, reports.c.corrected)
        rows = [_stored(row) for row in await self._db.read(lambda c: c.execute(query).all())]
        return list({(r.start, r.end): r for r in rows}.values())

    async def confirm(self, team: str, incident: str, text: str, by: str) -> None:
        """Sets an incident's cause; a later word replaces an earlier one, and "" takes it back."""
        row = {"team": team, "incident": incident, "text": text, "by": by, "at": self.clock()}
        put = insert_new(self._db.dialect, causes).on_conflict_do_update(
            index_elements=[causes.c.team, causes.c.incident], set_={k: row[k] for k in ("text", "by", "at")}
        )
        gone = causes.delete().where(causes.c.team == team, causes.c.incident == incident)
        await self._db.write(lambda c: (c.execute(put, row) if text else c.execute(gone)) and None)

    async def confirmed(self, team: str) -> dict[str, Confirmed]:
        """Incident → its cause."""
        query = sa.select(causes).where(causes.c.team == team)
        rows = await self._db.read(lambda c: c.execute(query).all())
        return {row.incident: Confirmed(row.text, row.by, row.at) for row in rows}

    async def prune(self, before: datetime) -> int:
        """Lets go of the reports of windows that ended before, of slots as old, and of older causes. How many reports
        went."""
        old = [causes.delete().where(causes.c.at < before), slots.delete().where(_settled(before))]

        def write(connection: sa.Connection) -> int:
            for query in old:
                connection.execute(query)
            return int(connection.execute(reports.delete().where(reports.c.end < before)).rowcount)

        return await self._db.write(write)


def _settled(before: datetime) -> sa.ColumnElement[bool]:
    """Slots that nobody needs any more; the newest of each schedule stays, which tells that it was known."""
    other = slots.alias("other")
    newest = sa.select(sa.func.max(other.c.slot)).where(other.c.name == slots.c.name).scalar_subquery()
    return sa.and_(slots.c.slot < before, slots.c.slot < newest)


def _same(team: str, kind: str, start: datetime, end: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(reports.c.team == team, reports.c.kind == kind, reports.c.start == start, reports.c.end == end)


def _newest(connection: sa.Connection, wanted: sa.ColumnElement[bool]) -> Stored | None:
    query = sa.select(reports).where(wanted).order_by(reports.c.made_at.desc(), reports.c.seq.desc()).limit(1)
    row = connection.execute(query).first()
    return None if row is None else _stored(row)


def _row(r: Stored) -> dict[str, Any]:
    names = ("team", "kind", "start", "end", "zone", "lang", "made_at", "corrected")
    return {**{name: getattr(r, name) for name in names}, "figures": json.dumps(r.figures, ensure_ascii=False)}


def _stored(row: Any) -> Stored:
    given = dict(row._mapping)
    given.pop("seq")
    return Stored(figures=json.loads(given.pop("figures")), **given)

"""What came of each run, in columns beside it, and of each loop in it: what lists and statistics are made of.

What an event means isn't known here; who knows makes the digest of a run when it has ended.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa

from memory.database import Database
from memory.store import insert_new
from memory.tables import AnyText, UtcTime, metadata, runs
from orchestrator.contracts import Usage

ROOT = "supervisor"  # path and agent of the loop that every run has
WIDTH = 1.05  # of a slot of time: a share of the runs is known that exactly
LEFT = timedelta(hours=1)  # a run that says "running" for longer has lost its process
USED = ("calls", "prompt_tokens", "completion_tokens", "cached_tokens")
ADDED = (*USED, "tools", "errors", "failed", "empty")
By = Literal["agent", "user", "day", "model"]

loops = sa.Table(  # each sub-agent's, with what it took, and one of the whole run under ROOT; narrow, for counting
    "loops",
    metadata,
    sa.Column("run", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("path", AnyText, primary_key=True),
    sa.Column("agent", AnyText, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # the run's, like the next four
    sa.Column("user", AnyText, nullable=False),
    sa.Column("model", AnyText, nullable=False),
    sa.Column("day", sa.Text, nullable=False),  # UTC
    sa.Column("started", UtcTime, nullable=False),
    sa.Column("status", sa.Text, nullable=False),  # ok | partial | failed | "" where it isn't known
    sa.Column("empty", sa.Boolean, nullable=False),  # its tools found nothing
    sa.Column("slot", sa.Integer, nullable=False),  # of its time: see `slot`
    sa.Column("calls", sa.Integer, nullable=False),
    sa.Column("prompt_tokens", sa.Integer, nullable=False),
    sa.Column("completion_tokens", sa.Integer, nullable=False),
    sa.Column("cached_tokens", sa.Integer, nullable=False),
    sa.Column("cost", sa.Float),
    sa.Column("tools", sa.Integer, nullable=False),
    sa.Column("errors", sa.Integer, nullable=False),
    sa.Index("loops_started", "started"),
)


@dataclass(frozen=True, slots=True)
class Loop:
    """`status`: ok | partial | failed | ""; `empty`: its tools found nothing; `errors`: of its `tools` calls."""

    path: str
    agent: str
    status: str = ""
    empty: bool = False
    ms: int = 0
    usage: Usage = Usage()
    tools: int = 0
    errors: int = 0


@dataclass(frozen=True, slots=True)
class Digest:
    """`answer`: its status, "" where there is none; `wrong`: something in it failed; `ms`: from begin to end."""

    answer: str = ""
    wrong: bool = False
    ms: int = 0
    asked: tuple[str, ...] = ()
    loops: tuple[Loop, ...] = ()

    @property
    def usage(self) -> Usage:
        return sum((loop.usage for loop in self.loops), Usage())

    @property
    def whole(self) -> tuple[Loop, ...]:
        """The loops, that of the run itself among them with the run's own time and outcome."""
        own = next((loop for loop in self.loops if loop.path == ROOT), Loop(ROOT, ROOT))
        status = "failed" if self.wrong else "ok"
        root = replace(own, status=status, empty=self.answer == "no_evidence", ms=self.ms)
        return (root, *(loop for loop in self.loops if loop.path != ROOT))


@dataclass(frozen=True, slots=True)
class Counted:
    """Which runs are counted. "" and None: no matter; `since` <= started < `until`."""

    user: str = ""
    since: datetime | None = None
    until: datetime | None = None
    kind: str = "question"


@dataclass(frozen=True, slots=True)
class Tally:
    """Of one group. `count`: runs, or loops where it is by agent; `p50`, `p95`: ms within which so many ended."""

    key: str
    count: int = 0
    failed: int = 0
    empty: int = 0
    tools: int = 0
    errors: int = 0
    usage: Usage = Usage()
    p50: int = 0
    p95: int = 0


class Digests:
    """Every method raises StoreError where the database fails."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def missing(self, most: int, now: datetime | None = None) -> list[str]:
        """Runs that have ended, or lost their process, and have no digest."""
        ended = sa.or_(runs.c.status != "running", runs.c.started < (now or datetime.now(UTC)) - LEFT)
        query = sa.select(runs.c.id).where(runs.c.ms.is_(None), ended).order_by(runs.c.started.desc()).limit(most)
        return list(await self._db.read(lambda c: c.execute(query).scalars().all()))

    async def put(self, digests: dict[str, Digest]) -> None:
        """In the place of those that were there."""
        await self._db.write(lambda c: _put(c, digests))

    async def tally(self, wanted: Counted, by: By) -> list[Tally]:
        """Runs, or by agent their loops, counted by group; those without a digest don't count."""
        groups: dict[str, list[Any]] = {}
        for row in await self._db.read(lambda c: c.execute(_sums(wanted, by)).all()):
            groups.setdefault(row.key, []).append(row)
        return [_tally(key, rows) for key, rows in groups.items()]


def slot(ms: float) -> int:
    """Times within 5 % of each other have one slot, so that they can be counted together."""
    return round(math.log(max(0.0, ms) + 1, WIDTH))


def _tally(key: str, rows: Sequence[Any]) -> Tally:
    """`rows`: the group's sums, one row a slot; loops that count for nothing but their cost are in the slot -1."""
    whole = {name: sum(getattr(row, name) for row in rows) for name in ADDED}
    costs = [row.cost for row in rows if row.cost is not None]
    calls, sent, said, cached = (whole[name] for name in USED)
    used = Usage(calls, sent, said, cached, sum(costs) if costs else None)
    times = sorted((row.slot, row.number) for row in rows if row.slot >= 0)
    return Tally(
        key,
        sum(n for _, n in times),
        whole["failed"],
        whole["empty"],
        whole["tools"],
        whole["errors"],
        used,
        _within(times, 0.5),
        _within(times, 0.95),
    )


def _within(times: Sequence[tuple[int, int]], share: float) -> int:
    left = share * sum(n for _, n in times)
    for place, n in times:
        left -= n
        if left <= 0:
            return round(WIDTH**place - 1)
    return 0


# ── on the database's thread ──────────────────────────────────────────────────────────────────


def _put(connection: sa.Connection, digests: dict[str, Digest]) -> None:
    columns = (runs.c.id, runs.c.started, runs.c.kind, runs.c.user, runs.c.model)
    known = connection.execute(sa.select(*columns).where(runs.c.id.in_(digests))).all()
    put = insert_new(connection.dialect.name, loops)
    kept = {c.name: put.excluded[c.name] for c in loops.columns if not c.primary_key}
    upsert = put.on_conflict_do_update(index_elements=["run", "path"], set_=kept)
    for row in known:
        digest = digests[row.id]
        said = {"answer": digest.answer, "asked": f" {' '.join(digest.asked)} ", "wrong": digest.wrong}
        values = {**said, "ms": digest.ms, **_spent(digest.usage)}
        connection.execute(runs.update().where(runs.c.id == row.id).values(values))
        connection.execute(upsert, [_row(row, loop) for loop in digest.whole])


def _row(run: Any, loop: Loop) -> dict[str, Any]:
    of = {"run": run.id, "kind": run.kind, "user": run.user, "model": run.model or "", "started": run.started}
    told = {"path": loop.path, "agent": loop.agent, "status": loop.status, "empty": loop.empty}
    day = f"{run.started.astimezone(UTC):%Y-%m-%d}"
    return {**of, **told, "day": day, "slot": slot(loop.ms), "tools": loop.tools, "errors": loop.errors,
            **_spent(loop.usage)}  # fmt: skip


def _spent(used: Usage) -> dict[str, Any]:
    return {"calls": used.model_calls, "prompt_tokens": used.prompt_tokens, "cost": used.cost,
            "completion_tokens": used.completion_tokens, "cached_tokens": used.cached_tokens}  # fmt: skip


def _counted(wanted: Counted) -> list[sa.ColumnElement[bool]]:
    found = [loops.c.kind == wanted.kind]
    found += [loops.c.user == wanted.user] if wanted.user else []
    found += [loops.c.started >= wanted.since] if wanted.since else []
    return found + ([loops.c.started < wanted.until] if wanted.until else [])


def _sums(wanted: Counted, by: By) -> sa.Select[Any]:
    """By group and slot, in one pass. A run failed where its own loop did; what it spent is that of all its loops."""
    own = sa.true() if by == "agent" else loops.c.path == ROOT
    place = (loops.c.slot if by == "agent" else sa.case((own, loops.c.slot), else_=-1)).label("slot")
    counts = (("failed", loops.c.status == "failed"), ("empty", loops.c.empty))
    columns = [_count(sa.and_(own, what), name) for name, what in counts]
    columns += [sa.func.sum(loops.c[name]).label(name) for name in (*USED, "tools", "errors", "cost")]
    query = sa.select(loops.c[by].label("key"), place, sa.func.count().label("number"), *columns)
    return query.where(*_counted(wanted)).group_by(loops.c[by], place)


def _count(what: sa.ColumnElement[bool], name: str) -> sa.Label[Any]:
    return sa.func.sum(sa.case((what, 1), else_=0)).label(name)

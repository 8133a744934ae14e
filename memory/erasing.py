"""Forgetting: what was kept of a person goes from all rows and texts that hold it, not only from its own table.

Rows stay and say `[forgotten]` where the words stood; texts kept under their hash are removed as a whole, since their
hash is their name. A run that lost a text can't be resumed. Afterwards a SQLite file is rewritten, so that freed pages
and its write-ahead log hold nothing of it either; what a PostgreSQL server keeps in freed space is its own business.
Which words are to go is decided elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import sqlalchemy as sa

from memory.database import Database
from memory.store import read_texts
from memory.tables import blobs, events, feedback, inbox, outbox, posts, runs, summaries, turns
from orchestrator.contracts import Incoming, Json, from_json
from orchestrator.errors import StoreError

GONE = "[forgotten]"
AT_ONCE = 400  # keys in one query
LARGE = 256 << 20  # bytes: such a file is rewritten in about a second
TOGETHER = 20  # runs in one transaction, so that whoever waits for the database gets in between
FIXED = frozenset({  # keys in JSON whose values code reads
    "id", "at", "start", "end", "zone", "tenant", "channel", "chat", "thread", "user", "locale", "kind", "path", "step",
    "agent", "tool", "model", "status", "prompt", "prefix",
})  # fmt: skip

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Trace:
    """What one note may have left behind. `runs`: where it was said; `words`: go wherever they stand; `applied`: go
    only from these runs and those whose scope says `mark`, since elsewhere such words have nothing to do with the note.
    """

    runs: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()
    mark: str = ""


class Eraser:
    """Erases in one database. Every method raises StoreError."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def erase(self, tenant: str, user: str, traces: Sequence[Trace], more: bool = False) -> int:
        """Erases the traces from the person's runs since they were said, and from whatever runs shared a session with
        them. Returns how many texts were removed. `more`: it is done again soon, and the file rewritten then.

        A SQLite file that is large, or that another process holds for too long, isn't rewritten: nobody could write
        for seconds. What was freed is zeroed even so."""
        traces = [t for t in traces if t.words or t.applied]
        if not traces:
            return 0
        groups: dict[tuple[str, ...], list[sa.Row[Any]]] = {}
        for row in await self._db.read(lambda connection: _concerned(connection, tenant, user, traces)):
            groups.setdefault(_words(row, traces), []).append(row)
        removed, sessions = 0, set[str]()
        for words, group in groups.items():
            if (redact := redactor(words)) is not None:
                sessions |= {row.session for row in group}
                for part in _parts([row.id for row in group], TOGETHER):
                    removed += await self._db.write(partial(_erase_runs, ids=part, redact=redact))
        if (everywhere := redactor([word for trace in traces for word in trace.words])) is not None:
            await self._db.write(partial(_erase_alone, user=user, sessions=sessions, redact=everywhere))
        if not more:
            with suppress(StoreError):
                await self._db.scrub(LARGE)
        return removed


# ── on the database's thread ──────────────────────────────────────────────────────────────────


def _concerned(connection: sa.Connection, tenant: str, user: str, traces: Sequence[Trace]) -> list[Any]:
    """The runs that can hold a trace: the person's since it was said, and those of the sessions these stand in."""
    said = sorted({run for trace in traces for run in trace.runs})
    starts = connection.execute(sa.select(runs.c.started).where(runs.c.id.in_(said))).scalars().all()
    since = runs.c.started >= min(starts) if starts and len(starts) == len(said) else sa.true()
    own = connection.execute(sa.select(runs).where(runs.c.user == user, since)).all()
    own = [row for row in own if from_json(Incoming, json.loads(row.question)).tenant == tenant]
    found = {row.id: row for row in own}
    for part in _parts(sorted({row.session for row in own} - {""})):
        for row in connection.execute(sa.select(runs).where(runs.c.session.in_(part), since)):
            found[row.id] = row
    return list(found.values())


def _words(row: sa.Row[Any], traces: Sequence[Trace]) -> tuple[str, ...]:
    scope = row.scope or ""
    words = [word for trace in traces for word in trace.words]
    for trace in traces:
        filled = [word for word in trace.applied if trace.mark and trace.mark in scope and word in scope]
        words += trace.applied if row.id in trace.runs else filled
    return tuple(words)


def _erase_runs(connection: sa.Connection, ids: Sequence[str], redact: Redact) -> int:
    """From all that holds words of these runs; how many texts went."""
    _zeroing(connection)
    inside = partial(_redacted, redact=redact)
    _redact_rows(connection, runs, runs.c.id.in_(ids), ("question", "window", "scope"), inside)
    _redact_rows(connection, runs, runs.c.id.in_(ids), ("text",), redact)
    _redact_rows(connection, turns, turns.c.run.in_(ids), ("question", "answer"), redact)
    _redact_rows(connection, turns, turns.c.run.in_(ids), ("about",), inside)
    _redact_rows(connection, inbox, inbox.c.run.in_(ids), ("question", "extra"), inside)
    _redact_rows(connection, outbox, outbox.c.seq.in_(_parcels(connection, ids)), ("payload",), inside)
    _redact_rows(connection, posts, posts.c.run.in_(ids), ("state",), inside)
    _redact_rows(connection, feedback, feedback.c.run.in_(ids), ("text",), redact)
    _redact_rows(connection, events, events.c.run.in_(ids), ("body",), inside)
    return sum(_remove_texts(connection, run, redact) for run in ids)


def _parcels(connection: sa.Connection, ids: Sequence[str]) -> list[int]:
    """What must still reach the chats of these runs' messages, or never did: a parcel is named after its message."""
    messages = set(connection.scalars(sa.select(inbox.c.id).where(inbox.c.run.in_(ids))))
    rows = connection.execute(sa.select(outbox.c.seq, outbox.c.key).where(outbox.c.payload != "null"))
    return [row.seq for row in rows if row.key.rpartition(".")[0] in messages]


def _remove_texts(connection: sa.Connection, run: str, redact: Redact) -> int:
    refs = connection.scalars(sa.select(events.c.blobs).where(events.c.run == run)).all()
    texts = read_texts(connection, {ref.partition(":")[0] for line in refs for ref in line.split()})
    gone = [hash for hash, text in texts.items() if redact(text) != text]
    for part in _parts(gone):
        connection.execute(blobs.delete().where(blobs.c.hash.in_(part)))
    return len(gone)


def _erase_alone(connection: sa.Connection, user: str, sessions: Collection[str], redact: Redact) -> None:
    """From turns whose runs were pruned: the person's own, and those of the sessions these stand in (whose tenant's
    they are nobody knows any more); and from the summaries of these and of the other `sessions`."""
    _zeroing(connection)
    inside = partial(_redacted, redact=redact)
    alone = turns.c.run.not_in(sa.select(runs.c.id))
    own = set(connection.scalars(sa.select(turns.c.session).distinct().where(turns.c.user == user, alone)))
    for part in _parts(sorted(own)):
        theirs = sa.and_(alone, turns.c.session.in_(part))
        _redact_rows(connection, turns, theirs, ("question", "answer"), redact)
        _redact_rows(connection, turns, theirs, ("about",), inside)
    for part in _parts(sorted({*own, *sessions} - {""})):
        _redact_rows(connection, summaries, summaries.c.session.in_(part), ("text",), redact)


def _zeroing(connection: sa.Connection) -> None:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete=ON")


def _redact_rows(
    connection: sa.Connection, table: sa.Table, where: sa.ColumnElement[bool], columns: Sequence[str], change: Redact
) -> None:
    key = list(table.primary_key.columns)
    for row in connection.execute(sa.select(*key, *(table.c[name] for name in columns)).where(where)).mappings().all():
        new = {name: change(row[name]) for name in columns if row[name]}
        if changed := {name: text for name, text in new.items() if text != row[name]}:
            connection.execute(table.update().where(*(k == row[k.name] for k in key)).values(changed))


def _redacted(text: str, redact: Redact) -> str:
    """JSON stays JSON, and what code reads in it stays: a run must be readable whatever its person was called."""
    return text if redact(text) == text else json.dumps(_inside(json.loads(text), redact), ensure_ascii=False)


def _inside(value: Json, redact: Redact, key: str = "") -> Json:
    if isinstance(value, dict):
        return {name: _inside(inner, redact, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_inside(inner, redact, key) for inner in value]
    return redact(value) if isinstance(value, str) and key not in FIXED else value


def _parts(keys: Sequence[str], most: int = AT_ONCE) -> Iterator[Sequence[str]]:
    return (keys[start : start + most] for start in range(0, len(keys), most))


# ── words ─────────────────────────────────────────────────────────────────────────────────────


def redactor(words: Sequence[str]) -> Redact | None:
    """A function that puts `[forgotten]` for each of the words, however JSON spells them; None without any.

    Case is no matter, and a word of Latin letters is not found inside another one.
    """
    forms = {form for word in words if word.strip() for form in _spellings(word.strip())}
    if not forms:
        return None
    longest = sorted(forms, key=lambda form: (-len(form), form))
    pattern = re.compile("|".join(map(_bounded, longest)), re.IGNORECASE)
    return lambda text: pattern.sub(GONE, text)


def _spellings(word: str) -> set[str]:
    """As it is, and as a string of JSON, or of JSON inside JSON, has it."""
    once = {json.dumps(word, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True)}
    return {word, *once, *(json.dumps(form, ensure_ascii=False)[1:-1] for form in once)}


def _bounded(form: str) -> str:
    before = r"(?<![A-Za-z0-9_])" if form[0].isascii() and form[0].isalnum() else ""
    after = r"(?![A-Za-z0-9_])" if form[-1].isascii() and form[-1].isalnum() else ""
    return before + re.escape(form) + after

"""Forgetting: what was kept of a person goes from all rows and texts that hold it, not only from its own table.

Rows stay and say `[forgotten]` where the words stood; texts kept under their hash are removed as a whole, since their
hash is their name. A run that lost a text can't be resumed. Afterwards a SQLite file is rewritten, so that freed pages
and its write-ahead log hold nothing of it either; what a PostgreSQL server keeps in freed space is its own business.
Which words are to go is decided elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import sqlalchemy as sa

from memory.desk import Desk
from memory.store import read_texts
from memory.tables import blobs, events, feedback, inbox, outbox, posts, runs, summaries, turns
from orchestrator.contracts import Incoming, Json, from_json
from orchestrator.errors import StoreError

GONE = "[forgotten]"
AT_ONCE = 400  # keys in one query
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

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def erase(self, tenant: str, user: str, traces: Sequence[Trace], more: bool = False) -> int:
        """Erases the traces from the person's runs since they were said, and from whatever runs shared a session with
        them. Returns how many texts were removed. `more`: it is done again soon, and the file rewritten then.

        Where another process holds the file for too long it isn't rewritten; what was freed is zeroed even so."""
        traces = [t for t in traces if t.words or t.applied]
        if not traces:
            return 0
        removed = await self._desk.write(lambda connection: _erase(connection, tenant, user, traces))
        if not more:
            with suppress(StoreError):
                await self._desk.scrub()
        return removed


# ── on the desk's thread ──────────────────────────────────────────────────────────────────────


def _erase(connection: sa.Connection, tenant: str, user: str, traces: Sequence[Trace]) -> int:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete=ON")
    removed = 0
    sessions: set[str] = set()
    for row in _concerned(connection, tenant, user, traces):
        redact = redactor(_words(row, traces))
        if redact is not None:
            sessions.add(row.session)
            removed += _erase_run(connection, row, redact)
    everywhere = redactor([word for trace in traces for word in trace.words])
    if everywhere is not None:
        sessions |= _erase_alone(connection, user, everywhere)
        concerned = summaries.c.session.in_(sorted(sessions - {""}))
        _redact_rows(connection, summaries, "session", concerned, ("text",), everywhere)
    return removed


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


def _erase_alone(connection: sa.Connection, user: str, redact: Redact) -> set[str]:
    """Erases from turns whose runs were pruned: the person's own, and those of the sessions these stand in, which are
    returned. Whose tenant's they are nobody knows any more."""
    alone = turns.c.run.not_in(sa.select(runs.c.id))
    own = connection.execute(sa.select(turns.c.session).distinct().where(turns.c.user == user, alone)).scalars().all()
    for part in _parts(sorted(own)):
        theirs = sa.and_(alone, turns.c.session.in_(part))
        _redact_rows(connection, turns, "seq", theirs, ("question", "answer"), redact)
        _redact_rows(connection, turns, "seq", theirs, ("about",), redact, is_json=True)
    return set(own)


def _words(row: Any, traces: Sequence[Trace]) -> list[str]:
    scope = row.scope or ""
    words = [word for trace in traces for word in trace.words]
    for trace in traces:
        filled = [word for word in trace.applied if trace.mark and trace.mark in scope and word in scope]
        words += trace.applied if row.id in trace.runs else filled
    return words


def _erase_run(connection: sa.Connection, row: Any, redact: Redact) -> int:
    mine = runs.c.id == row.id
    _redact_rows(connection, runs, "id", mine, ("question", "window", "scope"), redact, is_json=True)
    _redact_rows(connection, runs, "id", mine, ("text",), redact)
    _redact_rows(connection, turns, "seq", turns.c.run == row.id, ("question", "answer"), redact)
    _redact_rows(connection, turns, "seq", turns.c.run == row.id, ("about",), redact, is_json=True)
    _redact_rows(connection, inbox, "seq", inbox.c.run == row.id, ("question", "extra"), redact, is_json=True)
    for id in connection.execute(sa.select(inbox.c.id).where(inbox.c.run == row.id)).scalars().all():
        waiting = outbox.c.key.startswith(f"{id}.", autoescape=True)  # what must still reach its chat, or never did
        _redact_rows(connection, outbox, "seq", waiting, ("payload",), redact, is_json=True)
    _redact_rows(connection, posts, "key", posts.c.run == row.id, ("state",), redact, is_json=True)
    _redact_rows(connection, feedback, "user", feedback.c.run == row.id, ("text",), redact)
    refs = connection.execute(sa.select(events.c.blobs).where(events.c.run == row.id)).scalars().all()
    _redact_rows(connection, events, "seq", events.c.run == row.id, ("body",), redact, is_json=True)
    texts = read_texts(connection, {ref.partition(":")[0] for line in refs for ref in line.split()})
    gone = [hash for hash, text in texts.items() if redact(text) != text]
    for part in _parts(gone):
        connection.execute(blobs.delete().where(blobs.c.hash.in_(part)))
    return len(gone)


def _redact_rows(
    connection: sa.Connection,
    table: sa.Table,
    key: str,
    where: sa.ColumnElement[bool],
    columns: Sequence[str],
    redact: Redact,
    is_json: bool = False,
) -> None:
    change = partial(_redacted, redact=redact) if is_json else redact
    wanted = [table.c[key], *(table.c[name] for name in columns)]
    for row in connection.execute(sa.select(*wanted).where(where)).mappings().all():
        new = {name: change(row[name]) for name in columns if row[name]}
        changed = {name: text for name, text in new.items() if text != row[name]}
        if changed:
            connection.execute(table.update().where(table.c[key] == row[key]).values(changed))


def _redacted(text: str, redact: Redact) -> str:
    """JSON stays JSON, and what code reads in it stays: a run must be readable whatever its person was called."""
    return text if redact(text) == text else json.dumps(_inside(json.loads(text), redact), ensure_ascii=False)


def _inside(value: Json, redact: Redact, key: str = "") -> Json:
    if isinstance(value, dict):
        return {name: _inside(inner, redact, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_inside(inner, redact, key) for inner in value]
    return redact(value) if isinstance(value, str) and key not in FIXED else value


def _parts(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE))


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

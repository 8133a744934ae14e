"""Running a statement that was found to only read, in a database that is told so as well: SQLite and PostgreSQL.

Beside the check of the statement stand a read-only connection, a time limit, and limits of rows and bytes. Nothing is
kept open. It knows no tool.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from subagents.sources import SourceError
from subagents.toolkit.functions import ALLOWED
from subagents.toolkit.rows import Rows
from subagents.toolkit.statement import Dialect

STEPS = 20_000  # of SQLite's machine between two looks at the clock
BIG = 64 << 10  # bytes of one row, and in SQLite of any value on the way to it
BUDGET = 1 << 20  # bytes of all rows
BATCH = 16  # rows that PostgreSQL gives at once
TABLES_OF_JSON = ("json_each", "json_tree")  # SQLite's own, which read their argument alone
CONNECT = 5  # seconds
LIMITS = (("lock_timeout", "1000"), ("standard_conforming_strings", "on"), ("timezone", "UTC"))  # of PostgreSQL


class Database(Protocol):
    dialect: Dialect

    async def rows(self, sql: str, most: int, seconds: float) -> Rows:
        """At most so many. Raises SourceError."""


class Sqlite:
    """A file, opened for each statement. `tables` (): all; a view among them may read what it is made of."""

    dialect: Dialect = "sqlite"

    def __init__(self, name: str, path: Path, tables: Sequence[str] = ()) -> None:
        self._name, self._path = name, path
        self._tables = frozenset(t.lower().removeprefix("main.") for t in tables)

    async def rows(self, sql: str, most: int, seconds: float) -> Rows:
        try:
            return await asyncio.to_thread(self._rows, sql, most, time.monotonic() + seconds)
        except sqlite3.DataError:
            raise _too_big(self._name) from None
        except sqlite3.Error as e:
            late = isinstance(e, sqlite3.OperationalError) and "interrupted" in str(e)
            said = f"it was ended after {seconds:g} s: ask for less" if late else f"the database says: {e}"
            raise SourceError(self._name, said, "timeout" if late else "bad_query") from None

    def _rows(self, sql: str, most: int, until: float) -> Rows:
        address = f"file:{quote(str(self._path))}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=CONNECT, isolation_level=None)) as db:
            db.execute("PRAGMA query_only = ON")
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, BIG)
            db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            db.text_factory = lambda raw: raw.decode("utf-8", "replace")
            db.set_progress_handler(lambda: time.monotonic() > until, STEPS)
            may = self._tables and _Allowed(db, self._tables)
            db.set_authorizer(partial(_may, may or None))
            cursor = db.execute(sql)
            columns = tuple(c[0] for c in cursor.description)
            kept = _Kept(self._name, most)
            kept.take((row, sum(map(_size, row))) for row in cursor)
            return Rows(columns, tuple(kept.rows), kept.more)


class _Allowed:
    """What statements may read where only some tables are open to them: these, and through a view among them the
    columns that it is made of. A function that gives a table is none."""

    def __init__(self, db: sqlite3.Connection, tables: frozenset[str]) -> None:
        with suppress(sqlite3.OperationalError):  # made at their first use, which an authorizer takes for a write
            db.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")
        kinds = {name.lower(): kind for name, kind in db.execute("SELECT name, type FROM sqlite_master")}
        self._tables = tables | {name for name in TABLES_OF_JSON if name not in kinds}
        self._within: set[tuple[str, str]] = set()
        db.set_authorizer(self._noted)
        for view in sorted(name for name in tables if kinds.get(name) == "view"):
            with suppress(sqlite3.Error):  # a view of what is gone: asking it says so
                db.execute('EXPLAIN SELECT * FROM main."{}"'.format(view.replace('"', '""')))  # noqa: S608  of the settings

    def reads(self, table: str, column: str, within: str | None) -> bool:
        """`within`: the view or part of a statement that reads, None: the statement itself."""
        own = table.lower()
        return own in self._tables or not own or (within is not None and (own, column.lower()) in self._within)

    def _noted(self, action: int, one: str | None, two: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ:
            self._within.add(((one or "").lower(), (two or "").lower()))
        return sqlite3.SQLITE_OK


def _may(
    allowed: _Allowed | None, action: int, one: str | None, two: str | None, _: str | None, within: str | None
) -> int:
    """The database itself asks for each thing that a statement would do."""
    fine = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE)
    if action == sqlite3.SQLITE_READ:
        fine = allowed is None or allowed.reads(one or "", two or "", within)
    if action == sqlite3.SQLITE_FUNCTION:
        fine = (two or "").lower() in ALLOWED["sqlite"]
    return sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY


def _size(value: object) -> int:
    """About the bytes that a value takes."""
    return len(value) if isinstance(value, str | bytes) else 8


class _Kept:
    """Rows as they are fetched, as long as they are within `most` and the budget. `more`: there are others."""

    def __init__(self, name: str, most: int) -> None:
        self._name, self._most, self._left = name, most, BUDGET
        self.rows: list[tuple[Any, ...]] = []
        self.more = False

    def take(self, fetched: Iterable[tuple[tuple[Any, ...], int]]) -> None:
        """Rows, each with its bytes. Raises SourceError where one is too big."""
        for row, size in fetched:
            if size > BIG:
                raise _too_big(self._name)
            self._left -= size
            self.more = len(self.rows) == self._most or self._left < 0
            if self.more:
                return
            self.rows.append(row)


def _too_big(name: str) -> SourceError:
    said = f"a row, or a value in it, has over {BIG >> 10} KB: leave out the columns that are so large"
    return SourceError(name, said, "bad_query")


class Postgres:
    """A server, by its address; one connection for each statement, in a transaction that can only read."""

    dialect: Dialect = "postgres"

    def __init__(self, name: str, address: str) -> None:
        self._name, self._address = name, address

    async def rows(self, sql: str, most: int, seconds: float) -> Rows:
        import psycopg

        try:
            async with asyncio.timeout(seconds + CONNECT):
                return await self._rows(sql, most, seconds)
        except psycopg.errors.QueryCanceled:
            raise SourceError(self._name, f"it was ended after {seconds:g} s: ask for less", "timeout") from None
        except TimeoutError:
            raise SourceError(self._name, f"no answer within {seconds + CONNECT:g} s", "timeout") from None
        except psycopg.OperationalError as e:
            if e.sqlstate:
                raise SourceError(self._name, f"the database says: {_said(e)}", "bad_query") from None
            raise SourceError(self._name, f"the database can't be reached: {_said(e)}") from None
        except psycopg.Error as e:
            raise SourceError(self._name, f"the database says: {_said(e)}", "bad_query") from None

    async def _rows(self, sql: str, most: int, seconds: float) -> Rows:
        import psycopg

        connection = await psycopg.AsyncConnection.connect(
            self._address, connect_timeout=CONNECT, application_name="hermes-ops", autocommit=False
        )
        async with connection:
            await connection.set_read_only(True)
            for name, value in (*LIMITS, ("statement_timeout", f"{seconds * 1000:.0f}")):
                await connection.execute("SELECT set_config(%s, %s, true)", (name, value))
            async with connection.cursor(name="asked") as cursor:  # DECLARE takes nothing but SELECT and VALUES
                await cursor.execute(sql.encode())
                columns = tuple(c.name for c in cursor.description or ())
            kept = _Kept(self._name, most)
            async with connection.cursor(name="measured") as cursor:
                await cursor.execute(_measured(sql, len(columns)).encode())
                while not kept.more and (got := await cursor.fetchmany(min(BATCH, most + 1))):
                    kept.take((row[1:], row[0]) for row in got)
            await connection.rollback()
        return Rows(columns, tuple(kept.rows), kept.more)


def _measured(sql: str, n: int) -> str:
    """The statement with the bytes of each row before it, and NULLs for a row that is too big to be sent. Columns are
    named by number, since two may have one name."""
    names = [f'"{i}"' for i in range(n)]
    shown = "".join(f", CASE WHEN size <= {BIG} THEN {name} END" for name in names)
    rows = f"({sql}) AS asked ({', '.join(names)})" if names else f"({sql}) AS asked"
    return f"SELECT size{shown} FROM (SELECT asked.*, octet_length(asked::text) AS size FROM {rows} OFFSET 0) AS sized"  # noqa: S608  checked


def _said(error: Exception) -> str:
    return " ".join(str(error).split("\n")[0].split()) or type(error).__name__

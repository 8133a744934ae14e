"""Running a statement that was found to only read, in a database that is told so as well: SQLite and PostgreSQL.

Beside the check of the statement stand a read-only connection, a time limit, and a limit of rows. Nothing is kept open.
It knows no tool.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from subagents.sources import SourceError
from subagents.toolkit.functions import ALLOWED
from subagents.toolkit.rows import Rows
from subagents.toolkit.statement import Dialect

STEPS = 20_000  # of SQLite's machine between two looks at the clock
BIG = 8 << 20  # bytes of one value
CONNECT = 5  # seconds
LIMITS = (("lock_timeout", "1000"), ("standard_conforming_strings", "on"), ("timezone", "UTC"))  # of PostgreSQL


class Database(Protocol):
    dialect: Dialect

    async def rows(self, sql: str, most: int, seconds: float) -> Rows:
        """At most so many. Raises SourceError."""


class Sqlite:
    """A file, opened for each statement. `tables` (): all."""

    dialect: Dialect = "sqlite"

    def __init__(self, name: str, path: Path, tables: Sequence[str] = ()) -> None:
        self._name, self._path = name, path
        self._tables = frozenset(t.lower() for t in tables)

    async def rows(self, sql: str, most: int, seconds: float) -> Rows:
        try:
            return await asyncio.to_thread(self._rows, sql, most, time.monotonic() + seconds)
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
            db.set_authorizer(self._may)
            cursor = db.execute(sql)
            got = cursor.fetchmany(most + 1)
            return Rows(tuple(c[0] for c in cursor.description), tuple(got[:most]), len(got) > most)

    def _may(self, action: int, one: str | None, two: str | None, *_: str | None) -> int:
        """The database itself asks for each thing that a statement would do."""
        fine = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE)
        if action == sqlite3.SQLITE_READ:
            fine = not self._tables or not one or one.lower() in self._tables or one.startswith("json_")
        if action == sqlite3.SQLITE_FUNCTION:
            fine = (two or "").lower() in ALLOWED["sqlite"]
        return sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY


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
                got = await cursor.fetchmany(most + 1)
                columns = tuple(c.name for c in cursor.description or ())
            await connection.rollback()
        return Rows(columns, tuple(got[:most]), len(got) > most)


def _said(error: Exception) -> str:
    return " ".join(str(error).split("\n")[0].split()) or type(error).__name__

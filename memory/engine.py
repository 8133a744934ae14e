"""An engine by URL: a SQLite file (WAL) or PostgreSQL (psycopg 3), with the schema this program needs.

Alembic is imported only when one cheap query shows that the schema is older. It doesn't know what the tables hold.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError

from memory.faults import place, store_error
from memory.tables import KNOWN, VERSION_TABLE
from orchestrator.errors import StoreError

BUSY_SECONDS = 15
POSTGRES = {"connect_timeout": 5, "tcp_user_timeout": 15_000, "keepalives_idle": 30}  # s, ms, s: no endless waits
READ = {"hermes_read": True}  # execution option of a connection that only reads


def open_engine(url: str) -> sa.Engine:
    """An engine whose schema is up to date. Raises StoreError with what is wrong, where, and what to do."""
    engine = make_engine(url)
    try:
        _bring_up(engine)
    except (DBAPIError, OSError, StoreError) as e:
        engine.dispose()
        raise store_error(e, engine.url) from e
    return engine


def make_engine(url: str) -> sa.Engine:
    """An engine with our settings for `sqlite:///FILE` or `postgresql://…`; nothing is opened yet."""
    parsed = _parsed(url)
    if parsed.get_backend_name() == "sqlite":
        engine = sa.create_engine(parsed, connect_args={"timeout": BUSY_SECONDS}, pool_size=2)
        sa.event.listen(engine, "connect", _set_up_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        return sa.create_engine(parsed, connect_args=POSTGRES, pool_size=2)
    except ModuleNotFoundError as e:
        raise StoreError(
            "A PostgreSQL database needs psycopg, which isn't installed: pip install 'hermes-ops[postgres]'."
        ) from e


def _parsed(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
    except ArgumentError as e:
        raise StoreError(
            "The database URL can't be read; it looks like sqlite:///FILE or postgresql://USER@HOST/NAME."
        ) from e
    kind = parsed.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise StoreError(f"Databases of kind {kind!r} aren't supported; sqlite:///FILE and postgresql://… are.")
    if not parsed.database or parsed.database.startswith((":memory:", "file:")):
        raise StoreError("A SQLite database needs a plain file: sqlite:///FILE.")
    return parsed.set(drivername="sqlite")


def _set_up_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves
    _use_wal(connection)
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON", f"busy_timeout={BUSY_SECONDS * 1000}"):
        connection.execute(f"PRAGMA {pragma}")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switching isn't covered by the busy timeout: two processes that open a new file at once would collide."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as e:
            if "locked" not in str(e) or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: sa.Connection) -> None:
    """Whoever means to write takes the lock first: a read that turns into a write can't wait for it."""
    reads = connection.get_execution_options().get("hermes_read")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


# ── schema ────────────────────────────────────────────────────────────────────────────────────


def _bring_up(engine: sa.Engine) -> None:
    if engine.url.get_backend_name() == "sqlite" and engine.url.database:
        _make_private(Path(engine.url.database))
    with engine.connect().execution_options(**READ) as connection:
        version = schema_version(connection)
    if version == KNOWN[-1]:
        return
    _refuse_unknown(version, engine.url)
    from memory.migrations import upgrade  # the heavy door to alembic: only where it is needed

    with engine.begin() as connection:  # SQLite: the lock is taken; PostgreSQL: by the next line
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext('hermes-ops schema'))"))
        version = schema_version(connection)  # another process may have done it while we waited
        _refuse_unknown(version, engine.url)
        if version != KNOWN[-1]:
            upgrade(connection)


def _make_private(path: Path) -> None:
    """Conversations are nobody else's business: what is new is the owner's alone. What exists stays as it is."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        path.touch(mode=0o600)


def schema_version(connection: sa.Connection) -> str | None:
    """The version the database is at; None for a new one."""
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    version: str | None = connection.scalar(sa.text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608
    return version


def _refuse_unknown(version: str | None, url: sa.URL) -> None:
    if version is not None and version not in KNOWN:
        raise StoreError(
            f"The database {place(url)} has schema {version}, which is newer than this program ({KNOWN[-1]}). "
            "Update hermes-ops, or choose another database."
        )

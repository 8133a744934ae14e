"""A name that one process at a time holds in a database, such as "inbox": a file lock beside a SQLite file, an advisory
lock of a session on PostgreSQL. It ends with its process, however that ends; a PostgreSQL session may also end by
itself, so who holds one asks now and then.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from pathlib import Path

import sqlalchemy as sa

from memory.engine import make_engine
from memory.faults import place, store_error
from orchestrator.errors import StoreError


class Hold:
    """Made by `hold`."""

    def __init__(self, file: int | None = None, session: sa.Connection | None = None) -> None:
        self._file, self._session = file, session

    async def held(self) -> bool:
        """Whether it still is."""
        return self._session is None or await asyncio.to_thread(_lives, self._session)

    def release(self) -> None:
        if self._file is not None:
            os.close(self._file)
        if self._session is not None:
            self._session.invalidate()
            self._session.engine.dispose()
        self._file = self._session = None


def hold(url: str, name: str, taken: str) -> Hold:
    """Takes the name, or raises StoreError with the sentence `taken` where another process has it. Blocks for as long
    as a server takes to answer."""
    engine = make_engine(url)
    if engine.dialect.name == "sqlite":
        return hold_file(Path(f"{engine.url.database}.{name}.lock"), taken)
    try:
        session = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        where = f"hermes-ops {name} "
        got = session.scalar(
            sa.text("SELECT pg_try_advisory_lock(hashtext(:name || current_schema()))"), {"name": where}
        )
    except sa.exc.DBAPIError as e:
        raise store_error(e, engine.url) from e
    if not got:
        session.close()
        engine.dispose()
        raise StoreError(f"{taken} (database {place(engine.url)})")
    return Hold(session=session)


def hold_file(path: Path, taken: str) -> Hold:
    """A file lock; the file says which process has it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as e:
        raise StoreError(f"The lock {path} can't be made: {e.strerror}. Choose another data directory.") from e
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        who = os.read(file, 40).decode("ascii", "replace").strip()
        os.close(file)
        raise StoreError(f"{taken} (process {who or 'unknown'}, lock {path})") from None
    os.ftruncate(file, 0)
    os.write(file, f"{os.getpid()}\n".encode())
    return Hold(file=file)


def _lives(session: sa.Connection) -> bool:
    try:
        return bool(session.scalar(sa.text("SELECT 1")) == 1)
    except sa.exc.DBAPIError:
        return False

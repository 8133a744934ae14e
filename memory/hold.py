"""A name that one process at a time holds in a database, such as "inbox": a file lock beside a SQLite file, an advisory
lock of a session on PostgreSQL. It ends with its process, however that ends; a PostgreSQL session may also end by
itself, so who holds one asks now and then.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa

from memory.engine import make_engine
from memory.faults import place, store_error
from orchestrator.errors import StoreError


@dataclass(frozen=True, slots=True)
class Session:
    """A connection that holds names. `backend`: the server's process behind it, `born`: since when."""

    connection: sa.Connection
    backend: int
    born: str


class Hold:
    """Made by `hold`. On a server all its names stand or fall with one session; its methods block for as long as the
    server takes to answer, and may be called from any thread."""

    def __init__(self, file: int | None = None, session: Session | None = None, names: Mapping[str, bool] = {}) -> None:
        self._file, self._session, self._names = file, session, dict(names)  # name → whether it is shared
        self._one = threading.Lock()

    @property
    def backend(self) -> int:
        return self._session.backend if self._session else 0

    async def held(self) -> bool:
        """Whether it still is."""
        return self._session is None or await asyncio.to_thread(self._lives)

    def take(self, name: str, lasting: bool = False) -> bool:
        """Another name, where nobody has it; `lasting`: `renew` takes it again. Only on a server. False also where the
        server can't be reached."""
        with self._one:
            try:
                got = self._session is not None and _try(self._session.connection, name, False)
            except sa.exc.SQLAlchemyError:
                return False
            if got and lasting:
                self._names[name] = False
            return got

    def drop(self, name: str) -> None:
        """Others may have it."""
        with self._one, suppress(sa.exc.SQLAlchemyError):
            self._names.pop(name, None)
            if self._session is not None:
                self._session.connection.scalar(sa.select(sa.func.pg_advisory_unlock(key(name))))

    def renew(self) -> Literal["held", "taken", "away"]:
        """After the session was lost: another one that holds the lasting names. "taken": somebody has one of them;
        "away": the server can't be reached. What a server still keeps of the lost session is ended."""
        with self._one:
            lost = self._session
            if lost is None:
                return "away"
            try:
                session = _open(lost.connection.engine)
                got = _end(session, lost) and all(_try(session.connection, *name) for name in self._names.items())
            except sa.exc.SQLAlchemyError:
                return "away"
            if not got:
                session.connection.invalidate()
                return "taken"
            lost.connection.invalidate()
            self._session = session
            return "held"

    def release(self) -> None:
        if self._file is not None:
            os.close(self._file)
        if self._session is not None:
            self._session.connection.invalidate()
            self._session.connection.engine.dispose()
        self._file = self._session = None

    def _lives(self) -> bool:
        with self._one:
            try:
                return self._session is None or self._session.connection.scalar(sa.text("SELECT 1")) == 1
            except sa.exc.SQLAlchemyError:
                return False


def hold(url: str, name: str, taken: str, shared: bool = False) -> Hold:
    """Takes the name, or raises StoreError with the sentence `taken` where another process has it; `shared`: others may
    have it shared too. Blocks for as long as a server takes to answer."""
    engine = make_engine(url)
    if engine.dialect.name == "sqlite":
        return hold_file(Path(f"{engine.url.database}.{name}.lock"), taken)
    try:
        session = _open(engine)
        got = _try(session.connection, name, shared)
    except sa.exc.DBAPIError as e:
        raise store_error(e, engine.url) from e
    if not got:
        session.connection.close()
        engine.dispose()
        raise StoreError(f"{taken} (database {place(engine.url)})")
    return Hold(session=session, names={name: shared})


def _open(engine: sa.Engine) -> Session:
    connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    born = "SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()"
    row = connection.execute(sa.text(born)).one()
    return Session(connection, row[0], row[1])


def _end(session: Session, lost: Session) -> bool:
    """True, when the server was told; a role may not be allowed to, and then waits until the server finds out."""
    ghost = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = :pid AND backend_start::text = :born"
    with suppress(sa.exc.ProgrammingError):
        session.connection.execute(sa.text(ghost), {"pid": lost.backend, "born": lost.born})
    return True


def _try(connection: sa.Connection, name: str, shared: bool) -> bool:
    take = sa.func.pg_try_advisory_lock_shared if shared else sa.func.pg_try_advisory_lock
    return bool(connection.scalar(sa.select(take(key(name)))))


def key(name: str) -> Any:
    """The number of a name's lock in a database and schema, as SQL."""
    return sa.func.hashtext(sa.literal(f"hermes-ops {name} ") + sa.func.current_schema())


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

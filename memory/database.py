"""One thread that owns the one connection of this process: whatever waits is written in one transaction.

The event loop never waits for a database, and many small writes cost one commit. It knows jobs; it doesn't know
what they write.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlalchemy as sa

from memory.faults import passing, store_error
from orchestrator.errors import StoreError

T = TypeVar("T")

KEPT_JOBS = 1000  # while a database is away; older ones are dropped, their runs have failed long ago


@dataclass(frozen=True, slots=True)
class Job:
    """`fn` runs on the database's thread, in a transaction. `future`: who waits for it, on which loop, if anybody does.
    `owner`: the run whose rows it writes; by it who waits learns what befell earlier writes of its own."""

    fn: Callable[[sa.Connection], Any]
    future: asyncio.Future[Any] | None = None
    reads: bool = False
    keep: bool = False  # tried again with the next write if the database was away or full
    owner: str = ""

    def settle(self, result: Any = None, error: BaseException | None = None) -> None:
        if self.future is None:
            return
        try:
            self.future.get_loop().call_soon_threadsafe(_settle, self.future, result, error)
        except RuntimeError:  # its loop is closed: nobody waits any more
            return


class Database:
    """Jobs are done in the order they were given. The thread starts with the first and ends with `close`."""

    def __init__(self, engine: sa.Engine) -> None:
        self.dialect = engine.dialect.name  # sqlite | postgresql
        self._engine = engine
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._kept: list[Job] = []  # the thread's own: writes to be tried again
        self._lost: dict[str, StoreError] = {}  # the thread's own: owner → what befell a write nobody waited for
        self._connection: sa.Connection | None = None
        self._thread = threading.Thread(target=self._work, name="hermes-store", daemon=True)
        self._starting = threading.Lock()
        self._closed = False

    def post(self, fn: Callable[[sa.Connection], Any], owner: str = "") -> None:
        """Written soon. What goes wrong is told when `owner` waits next, and by `close`; a passing fault is tried again
        by then."""
        self._put(Job(fn, keep=True, owner=owner))

    async def write(self, fn: Callable[[sa.Connection], T], owner: str = "") -> T:
        """The result when it, and all that was given before it, is durable. Raises StoreError, also for what `owner`
        posted before and was lost; then nothing of `fn` was written."""
        return await self._wait(fn, reads=False, owner=owner)

    async def read(self, fn: Callable[[sa.Connection], T]) -> T:
        """The result of a job that only reads; it sees all that was given before. Raises StoreError."""
        return await self._wait(fn, reads=True)

    async def scrub(self, most: int | None = None) -> None:
        """Rewrites a SQLite file, so that nothing deleted is left in it; it needs that much space again for a moment,
        and nobody writes meanwhile: of a file over `most` bytes only the log is emptied. A server cleans up by itself.
        Raises StoreError, also where another process holds the file for too long."""
        if self.dialect != "sqlite":
            return
        try:
            await asyncio.to_thread(self._rewrite, most)
        except Exception as e:
            raise store_error(e, self._engine.url) from e

    def _rewrite(self, most: int | None) -> None:
        large = most is not None and os.stat(str(self._engine.url.database)).st_size > most
        connection = self._engine.raw_connection()
        try:
            for statement in (*(() if large else ("VACUUM",)), "PRAGMA wal_checkpoint(TRUNCATE)"):
                connection.cursor().execute(statement).fetchall()
        finally:
            connection.close()

    async def close(self) -> None:
        """Writes what waits and ends the thread. Raises StoreError where something could not be written."""
        if self._closed:
            return
        try:
            if self._thread.ident is not None:
                await self.write(self.tell)
        finally:
            self._closed = True
            self._jobs.put(None)
            if self._thread.ident is not None:
                await asyncio.to_thread(self._thread.join)
            self._engine.dispose()

    async def _wait(self, fn: Callable[[sa.Connection], T], reads: bool, owner: str = "") -> T:
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._put(Job(fn, future, reads, owner=owner))
        return await future

    def _put(self, job: Job) -> None:
        if self._closed:
            raise StoreError("The store is closed already.")
        with self._starting:
            if self._thread.ident is None:
                self._thread.start()
        self._jobs.put(job)

    # ── on the thread ─────────────────────────────────────────────────────────────────────────

    def _work(self) -> None:
        open_ = True
        while open_:
            waiting = [self._jobs.get()]
            while not self._jobs.empty():
                waiting.append(self._jobs.get())
            open_ = None not in waiting
            jobs = [job for job in waiting if job]
            self._write([job for job in jobs if not job.reads])
            for job in jobs:
                if job.reads:
                    self._one(job)
        self._drop_connection()

    def _write(self, jobs: list[Job]) -> None:
        """All in one transaction; if that fails each on its own, so that one's fault is not another's."""
        if not jobs:
            return
        jobs, self._kept = self._kept + jobs, []
        if not self._lost and len(jobs) > 1:
            try:
                results = self._transaction(jobs)
            except Exception:  # noqa: S110  each gets its own error below
                pass
            else:
                for job, result in zip(jobs, results, strict=True):
                    job.settle(result)
                return
        for job in jobs:
            self._one(job)

    def _one(self, job: Job) -> None:
        lost = self._lost.pop(job.owner, None) if job.owner and not job.keep else None
        if lost:
            job.settle(error=lost)
            return
        try:
            result = self._transaction([job])[0]
        except Exception as e:
            self._failed(job, e)
        else:
            if job.keep:
                self._lost.pop(job.owner, None)
            job.settle(result)

    def _failed(self, job: Job, error: Exception) -> None:
        told = store_error(error, self._engine.url)
        job.settle(error=told)
        if job.keep:
            self._lost[job.owner] = told
            if passing(error):
                self._kept = [*self._kept, job][-KEPT_JOBS:]

    def tell(self, _connection: sa.Connection) -> None:
        """A job to wait for. Raises StoreError where any posted write was lost and nobody was told yet."""
        lost, self._lost = self._lost, {}
        if lost:
            raise next(iter(lost.values()))

    def _transaction(self, jobs: list[Job]) -> list[Any]:
        try:
            return self._try(jobs)
        except sa.exc.DBAPIError as e:
            if not e.connection_invalidated:
                raise
        return self._try(jobs)  # the connection was stale (a server restarted): once more on a new one

    def _try(self, jobs: list[Job]) -> list[Any]:
        try:
            connection = self._connection or self._engine.connect()
            self._connection = connection
            connection.execution_options(hermes_read=jobs[0].reads)
            with connection.begin():
                return [job.fn(connection) for job in jobs]
        except BaseException:
            self._drop_connection()
            raise

    def _drop_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)

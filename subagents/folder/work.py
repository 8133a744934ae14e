"""What worker processes do: one table of jobs, and the pool that runs them.

CPU work never runs in threads of the event loop's process. Jobs over few bytes run at once where they are asked for
(under 30 ms); others go to a few worker processes that start on first use.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

from subagents.folder import recognise, scan, scan_metrics, scan_rows, survey
from subagents.folder.records import Hints, Row

INLINE = 400_000  # bytes after unpacking, all jobs of one call together
_UNPACKED = {"": 1, "gz": 10, "xz": 14, "bz2": 14, "zst": 10}


class Job(NamedTuple):
    """`name` of the job, the file (and what it weighs unpacked), its arguments: all picklable."""

    name: str
    weight: int
    args: tuple[Any, ...]


def weight(size: int, packed: str) -> int:
    return size * _UNPACKED[packed]


def run(job: Job) -> Row:
    """One job, here."""
    if job.name == "survey":
        return survey.survey(*job.args)
    if job.name in ("series", "ratio"):
        return scan_metrics.JOBS[job.name](*job.args)
    part, form, hints, ask, *rest = job.args
    log = (scan.Part(*part), recognise.log_format(form), Hints(*hints), scan.Ask(*ask))
    if job.name == "count":
        return scan.count(*log, *rest)
    if job.name == "search":
        return scan_rows.search(*log, *rest)
    if job.name == "batch":
        return scan_rows.batch(*log, *rest)
    return scan_rows.patterns(*log, *rest)


def _deaf() -> None:
    """A Ctrl-C on a terminal reaches the whole group; the parent decides what it means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Pool:
    """Runs jobs here or in worker processes, results in order. `close` ends the processes."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or min(4, os.cpu_count() or 1)
        self._executor: ProcessPoolExecutor | None = None

    def now(self, jobs: Sequence[Job]) -> list[Row]:
        """Blocking; for use before there is an event loop, or in a thread that only waits."""
        if sum(job.weight for job in jobs) <= INLINE:
            return [run(job) for job in jobs]
        return [future.result() for future in [self._pool().submit(run, job) for job in jobs]]

    async def all(self, jobs: Sequence[Job]) -> list[Row]:
        """A cancelled call gives up the jobs that haven't begun; those that have end by their own deadline."""
        if sum(job.weight for job in jobs) <= INLINE:
            return [run(job) for job in jobs]
        futures = [asyncio.wrap_future(self._pool().submit(run, job)) for job in jobs]
        try:
            return list(await asyncio.gather(*futures))
        except BrokenProcessPool:
            self.close()
            raise

    def _pool(self) -> ProcessPoolExecutor:
        if self._executor is None:
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(self._workers, mp_context=context, initializer=_deaf)
        return self._executor

    def close(self) -> None:
        """Nothing that still runs is wanted any more: the processes are ended, not waited for."""
        if self._executor is None:
            return
        for process in list((self._executor._processes or {}).values()):
            process.kill()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._executor = None

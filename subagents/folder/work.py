"""The pool that runs jobs: small ones at once where they are asked for, others in a few worker processes that start
on first use. CPU work never runs in threads of the event loop's process.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from subagents.folder.jobs import Job, begin, run
from subagents.folder.records import Row

INLINE = 400_000  # weight of one call's jobs together that the event loop waits for: some 30 ms
_PATIENT = 4 << 20  # the same for a call that blocks anyhow: less than what workers take to start


class Pool:
    """Runs jobs here or in worker processes, results in order. `close` ends the processes."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or min(4, os.cpu_count() or 1)
        self._executor: ProcessPoolExecutor | None = None

    def now(self, jobs: Sequence[Job]) -> list[Row]:
        """Blocking; for use before there is an event loop, or in a thread that only waits."""
        if sum(job.weight for job in jobs) <= _PATIENT:
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
            self._executor = ProcessPoolExecutor(
                self._workers, mp_context=context, initializer=begin, initargs=(os.getpid(),)
            )
        return self._executor

    def close(self) -> None:
        """Nothing that still runs is wanted any more: the processes are ended, not waited for."""
        if self._executor is None:
            return
        for process in list((self._executor._processes or {}).values()):
            process.kill()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._executor = None

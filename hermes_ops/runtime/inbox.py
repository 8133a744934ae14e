"""The inbox at work: stored messages are started in order, a few at a time, cancelled, tried again, given up.

Alone or beside other processes on the same database: what this one has begun carries its name, and others leave it
alone (`hermes_ops.runtime.cluster` says when it has lost it). Within a conversation the order is kept, whoever works:
at most `per_conversation` together, and a message that refers to one before it waits for that one (`picking`). It
doesn't know how a question is answered, nor who is told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from hermes_ops.channels.base import Receipt
from hermes_ops.runtime.aside import Aside
from hermes_ops.runtime.insisting import insist
from hermes_ops.runtime.jobs import Bounds, Hands, Job, Outcome
from hermes_ops.runtime.picking import Picker
from memory import Entry, InboxStore, Parcel
from orchestrator.errors import HermesError, StoreError

TRIES, DEATHS = 3, 20  # failures of the work; deaths of the process meanwhile, which one question may bring about
BACKOFF = (1.0, 5.0)  # seconds before the second and the third try
LOOK, BEAT = 0.3, 5.0  # seconds: other processes' wishes are looked for; times of work are stored
GRACE = 1.0  # seconds that cancelled work has to come back with what it has
STORE_SECONDS = 2.5  # a platform waits three for its acknowledgement
USUAL = 20.0  # seconds a question takes, as long as nothing is known

log = logging.getLogger("hermes_ops.inbox")


class Inbox:
    """`await run()` consumes until `close()`; `put` may be called before. `owner`: this process's name; `others`: how
    many processes share the inbox beside it, None where it is the only one."""

    def __init__(
        self,
        store: InboxStore,
        hands: Hands,
        bounds: Bounds | None = None,
        owner: str = "local",
        others: Callable[[], int] | None = None,
    ) -> None:
        self._store, self._hands, self._bounds = store, hands, bounds or Bounds()
        self.owner, self._others = owner, others
        self._jobs: dict[str, Job] = {}
        self._fresh: list[Entry] = []  # put here, and not begun nor shown to wait so far
        self._waiting = 1  # about: nobody has looked yet
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._closing = False
        self._took = USUAL
        self._aside = Aside()

    # ── in ────────────────────────────────────────────────────────────────────────────────────

    async def put(self, entry: Entry) -> Receipt:
        """Stored when it returns; it may be awaited on any event loop of the process, so that a platform's
        acknowledgement waits for nothing but the store. Raises StoreError, also where that takes too long: then it may
        have been stored or not."""
        putting = self._store.put(self._reserved(entry), self._most, self._refusal(entry))
        try:
            async with asyncio.timeout(STORE_SECONDS):
                stored = await putting
        except TimeoutError:
            raise StoreError(f"The database took longer than {STORE_SECONDS:g} s to answer.") from None
        if stored.state == "accepted":
            self._loop.call_soon_threadsafe(self._took_in, stored.entry)
        return Receipt(stored.state)

    def _reserved(self, entry: Entry) -> Entry:
        """Ours until it is begun, or was shown to wait: two must not show the same at once."""
        return replace(entry, owner=self.owner)

    @property
    def _most(self) -> int:
        return self._bounds.questions * (1 + (self._others() if self._others else 0)) + self._bounds.queue

    def _refusal(self, entry: Entry) -> Parcel:
        return self._hands.refusal(entry, self._retry_at())

    def _retry_at(self) -> datetime:
        """When half of what waits will be done."""
        rounds = (self._waiting / 2 + self._bounds.questions) / self._bounds.questions
        return self._store.clock() + timedelta(seconds=max(30.0, rounds * self._took))

    def _took_in(self, entry: Entry) -> None:
        self._waiting += 1
        self._fresh.append(entry)
        self._wake.set()

    # ── at work ───────────────────────────────────────────────────────────────────────────────

    async def run(self) -> None:
        """Goes on with what a former process left, and works until `close()`. Raises StoreError."""
        if self._others is None:
            await self._store.recover()
        helpers = [
            asyncio.create_task(self._every(LOOK, self._look)),
            asyncio.create_task(self._every(BEAT, self._beat)),
        ]
        try:
            while not self._closing:
                self._wake.clear()
                await self._begin()
                waits = asyncio.ensure_future(self._wake.wait())
                await asyncio.wait({waits, *helpers}, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
                waits.cancel()
                _raise_ended(helpers)
        finally:
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)

    async def close(self, grace: float = 3.0) -> None:
        """Starts nothing more; what isn't done within `grace` seconds is queued again, in its place."""
        self._closing = True
        self._wake.set()
        tasks = {job.task for job in self._jobs.values() if job.task}
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        left = {id: job.ran for id, job in self._jobs.items()}
        await self.lost()
        await self._aside.end(GRACE)
        try:
            await self._store.rest(self.owner, left)
        except StoreError as e:  # whoever finds it takes it: the next process, or another replica
            log.error("inbox: %s", e)

    async def lost(self, owner: str = "") -> None:
        """Breaks off what runs, and stores nothing of it: others have it, or will. Goes on under the name `owner`."""
        self.owner = owner or self.owner
        jobs = [job for job in self._jobs.values() if job.task]
        for job in jobs:
            job.task.cancel()  # type: ignore[union-attr]
        await asyncio.gather(*(job.task for job in jobs if job.task), return_exceptions=True)
        for job in jobs:
            self._let_go(job)  # one that had not run at all lets go of nothing

    def _let_go(self, job: Job) -> None:
        if self._jobs.get(job.entry.id) is job:
            del self._jobs[job.entry.id]

    @property
    def figures(self) -> dict[str, int]:
        """For a health page. `waiting`: of all processes; as of the last look."""
        return {"running": len(self._jobs), "waiting": self._waiting}

    async def _begin(self) -> None:
        """Takes what may be begun now."""
        if self._waiting <= 0:
            return
        fresh, self._fresh = self._fresh, []
        busy = sum(job.entry.kind == "question" for job in self._jobs.values())
        free, now = self._bounds.questions - busy, self._store.clock()
        owner, each = self.owner, self._bounds.per_conversation
        picker = Picker(owner, free, each, now, self._hands.follows)
        taken = await insist(lambda: self._store.claim(owner, picker))
        if self._closing or owner != self.owner:  # it goes back to the queue
            return
        self._waiting -= len(taken)
        for entry in taken:
            job = self._jobs[entry.id] = Job(entry)
            job.task = asyncio.create_task(self._work(job), name=f"inbox {entry.id}")
        if left := [e for e in fresh if e.id not in self._jobs and e.kind == "question"]:
            self._aside.do(self._show_places(left))

    async def _show_places(self, left: list[Entry]) -> None:
        """Whoever waits is told behind how many; then any process may begin it."""
        ids = [entry.id for entry in left]
        places = await insist(lambda: self._store.places(ids))
        full = len(self._jobs) >= self._bounds.questions
        shown = [
            self._hands.queued(entry, max(places[entry.id][0], places[entry.id][1] + 1 if full else 0, 1))
            for entry in left
            if entry.id in places
        ]
        await asyncio.gather(*shown, return_exceptions=True)
        await insist(lambda: self._store.release(ids, self.owner))
        self._wake.set()

    async def _work(self, job: Job) -> None:
        entry = job.entry
        try:
            if entry.deaths > DEATHS:
                reason = f"the process died {entry.deaths} times while it worked on this"
                outcome: Outcome | None = self._ended(entry, "failed", reason)
            else:
                outcome = await self._outcome(job)
            job.ending = True
            if outcome is not None:
                await insist(lambda: self._end(job, outcome))
        finally:
            if not self._closing or job.ending:
                self._let_go(job)
            self._wake.set()

    async def _end(self, job: Job, outcome: Outcome) -> None:
        state, why, parcels = outcome.state, outcome.reason, outcome.parcels
        if await self._store.end(job.entry.id, state, why, parcels, job.ran, job.entry.owner):
            self._took += (job.ran - self._took) / 10
            self._hands.ended(job.entry)
        else:
            log.warning("inbox: %s was taken over by another process, which answers it", job.entry.id)

    async def _outcome(self, job: Job) -> Outcome | None:
        """None: it is tried again."""
        try:
            return await self._hands.work(job.entry)
        except asyncio.CancelledError:
            if not job.cancelled or self._closing:
                raise
            return self._ended(job.entry, "cancelled", "")
        except Exception as e:
            if job.cancelled:
                return self._ended(job.entry, "cancelled", "")
            return await self._failed(job, e)

    async def _failed(self, job: Job, error: Exception) -> Outcome | None:
        entry = job.entry
        reason = str(error) if isinstance(error, HermesError) else f"{type(error).__name__} inside hermes-ops"
        told, odd = "inbox: %s, try %d of %d: %s", not isinstance(error, HermesError)
        log.warning(told, entry.id, entry.tries + 1, TRIES, reason, exc_info=odd)
        if entry.tries + 1 >= TRIES:
            return self._ended(entry, "failed", reason)
        due = self._store.clock() + timedelta(seconds=BACKOFF[min(entry.tries, len(BACKOFF) - 1)])
        job.ending = True
        await insist(lambda: self._store.again(entry.id, reason, due, job.ran, entry.owner))
        return None

    def _ended(self, entry: Entry, state: Literal["failed", "cancelled"], reason: str) -> Outcome:
        return Outcome(state, reason, tuple(self._hands.told(entry, state, reason)))

    # ── cancelling ────────────────────────────────────────────────────────────────────────────

    async def cancel(self, id: str, by: str = "") -> bool:
        """Ends an entry by its own id or its run's, waiting or begun, here or elsewhere. False where there is none."""
        job = next((j for j in self._jobs.values() if id in (j.entry.id, j.entry.run)), None)
        if job is not None:
            self._cancel_job(job, by)
            return True
        entry = await self._store.find(id)
        if entry is None:
            return False
        outcome = self._ended(entry, "cancelled", f"by {by}")
        if await self._store.drop(entry.id, outcome.reason, outcome.parcels, entry.ran):
            self._waiting -= 1
            self._hands.ended(entry)
            return True
        return await self._store.ask_cancel(entry.id, by)

    async def of(self, conversation: str) -> list[Entry]:
        """The questions of a conversation that aren't done, in order."""
        return [e for e in await self._store.undone(conversation) if e.kind == "question"]

    def _cancel_job(self, job: Job, by: str) -> None:
        if job.cancelled:
            return
        job.cancelled = by or "somebody"
        self._hands.stop(job.entry)
        self._aside.do(self._cut_off(job))

    async def _cut_off(self, job: Job) -> None:
        """Work that doesn't come back by itself is cut off."""
        if job.task is not None:
            await asyncio.wait({job.task}, timeout=GRACE)
            if not job.ending:
                job.task.cancel()

    # ── helpers ───────────────────────────────────────────────────────────────────────────────

    async def _every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(seconds)
            with suppress(StoreError):  # the database is away for a moment
                await work()

    async def _look(self) -> None:
        news = await self._store.news(self.owner)
        self._waiting = news.waiting
        if news.waiting:
            self._wake.set()
        for entry in news.ending:
            await self.cancel(entry.id, entry.cancel)

    async def _beat(self) -> None:
        await self._store.beat(self.owner, {id: job.ran for id, job in self._jobs.items()})


def _raise_ended(helpers: Sequence[asyncio.Task[None]]) -> None:  # a helper never ends by itself
    for helper in helpers:
        if helper.done():
            helper.result()

"""The inbox at work: stored messages are started in order, a few at a time, cancelled, tried again, given up.

One process consumes a database's inbox (`memory.hold` sees to that). Within a conversation the order is kept: at most
`per_conversation` are worked on together, and a message that refers to one before it waits for that one. It doesn't
know how a question is answered, nor who is told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Literal

from hermes_ops.channels.base import Receipt
from hermes_ops.runtime.jobs import Bounds, Hands, Job, Outcome
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
    """`await run()` consumes until `close()`; `put` and `put_waiting` may be called before."""

    def __init__(self, store: InboxStore, hands: Hands, bounds: Bounds | None = None) -> None:
        self._store, self._hands, self._bounds = store, hands, bounds or Bounds()
        self._most = self._bounds.questions + self._bounds.queue
        self._waiting: list[Entry] = []
        self._jobs: dict[str, Job] = {}
        self._known: set[int] = set()  # rows that are in `_waiting` or `_jobs`
        self._gone: set[int] = set()  # rows that left them since the last look began
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._closing = False
        self._took = USUAL
        self._later: set[asyncio.Task[None]] = set()

    # ── in ────────────────────────────────────────────────────────────────────────────────────

    async def put(self, entry: Entry) -> Receipt:
        """Stored when it returns. Raises StoreError."""
        stored = await self._store.put(entry, self._most, self._refusal(entry))
        return self._took_in(stored.entry) if stored.state == "accepted" else self._not_taken(stored.state)

    def put_waiting(self, entry: Entry) -> Literal["accepted", "duplicate", "busy"]:
        """The same from another thread: a platform's acknowledgement waits for it. Raises StoreError."""
        stored = self._store.put_waiting(entry, self._most, self._refusal(entry), STORE_SECONDS)
        if stored.state == "accepted":
            self._loop.call_soon_threadsafe(self._took_in, stored.entry)
        return stored.state

    def _refusal(self, entry: Entry) -> Parcel:
        return self._hands.refusal(entry, self._retry_at())

    def _retry_at(self) -> datetime:
        """When half of what waits will be done."""
        rounds = (len(self._waiting) / 2 + self._bounds.questions) / self._bounds.questions
        return self._store.clock() + timedelta(seconds=max(30.0, rounds * self._took))

    def _not_taken(self, state: Literal["accepted", "duplicate", "busy"]) -> Receipt:
        return Receipt(state, retry_at=self._retry_at() if state == "busy" else None)

    def _took_in(self, entry: Entry) -> Receipt:
        if entry.seq in self._known:  # seen among the news already
            return Receipt("accepted")
        self._known.add(entry.seq)
        self._waiting.append(entry)
        self._waiting.sort(key=lambda e: e.seq)
        place = 0 if entry in list(self._ready()) else self._place(entry)
        if place and entry.kind == "question":
            self._hands.queued(entry, place)
        self._wake.set()
        return Receipt("accepted", place)

    def _place(self, entry: Entry) -> int:
        """How many are before it: of its conversation, or of all where the process has its hands full."""
        mine = [e for e in self._unfinished() if e.conversation == entry.conversation and e.seq < entry.seq]
        ahead = [e for e in self._waiting if e.seq < entry.seq]
        full = len(self._jobs) >= self._bounds.questions
        return max(len(mine), len(ahead) + 1 if full else 0, 1)

    def _unfinished(self) -> Iterator[Entry]:
        yield from (job.entry for job in self._jobs.values())
        yield from self._waiting

    # ── at work ───────────────────────────────────────────────────────────────────────────────

    async def run(self) -> None:
        """Goes on with what a former process left, and works until `close()`. Raises StoreError."""
        for entry in await self._store.recover():
            self._took_in(entry)
        helpers = [
            asyncio.create_task(self._every(LOOK, self._look)),
            asyncio.create_task(self._every(BEAT, self._beat)),
        ]
        try:
            while not self._closing:
                self._start_ready()
                waits = asyncio.ensure_future(self._wake.wait())
                await asyncio.wait({waits, *helpers}, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
                waits.cancel()
                self._wake.clear()
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
        for job in self._jobs.values():
            if job.task:
                job.task.cancel()
        await asyncio.gather(*tasks, *self._later, return_exceptions=True)
        await self._store.rest(left)

    @property
    def figures(self) -> dict[str, int]:
        """For a health page."""
        return {"running": len(self._jobs), "waiting": len(self._waiting)}

    def _start_ready(self) -> None:
        for entry in list(self._ready()):
            self._waiting.remove(entry)
            job = Job(entry)
            self._jobs[entry.id] = job
            job.task = asyncio.create_task(self._work(job), name=f"inbox {entry.id}")

    def _ready(self) -> Iterator[Entry]:
        """In order. Commands never wait."""
        free = self._bounds.questions - sum(job.entry.kind == "question" for job in self._jobs.values())
        before: dict[str, list[Entry]] = {}
        for job in self._jobs.values():
            before.setdefault(job.entry.conversation, []).append(job.entry)
        held: set[str] = set()
        now = self._store.clock()
        for entry in self._waiting:
            if entry.kind == "command":
                yield entry
                continue
            mine = before.setdefault(entry.conversation, [])
            late = entry.due is not None and entry.due > now
            full = len(mine) >= self._bounds.per_conversation or free <= 0
            if entry.conversation in held or late or full or (mine and self._hands.follows(entry, mine)):
                held.add(entry.conversation)
                continue
            mine.append(entry)
            free -= 1
            yield entry

    async def _work(self, job: Job) -> None:
        entry = job.entry
        try:
            await self._insist(lambda: self._store.start(entry.id))
            if entry.deaths > DEATHS:
                reason = f"the process died {entry.deaths} times while it worked on this"
                outcome: Outcome | None = self._ended(entry, "failed", reason)
            else:
                outcome = await self._outcome(job)
            job.ending = True
            if outcome is not None:
                state, why, parcels = outcome.state, outcome.reason, outcome.parcels
                await self._insist(lambda: self._store.end(entry.id, state, why, parcels, job.ran))
                self._took += (job.ran - self._took) / 10
        finally:
            if not self._closing:
                self._jobs.pop(entry.id, None)
                self._let_go(entry)
            elif job.ending:
                self._jobs.pop(entry.id, None)
            self._wake.set()

    def _let_go(self, entry: Entry) -> None:
        self._known.discard(entry.seq)
        self._gone.add(entry.seq)

    async def _insist(self, write: Callable[[], Awaitable[None]]) -> None:
        """A database that is away for a while loses nothing."""
        while True:
            try:
                return await write()
            except StoreError as e:
                log.error("inbox: %s", e)
                await asyncio.sleep(1.0)

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
        log.warning(
            "inbox: %s, try %d of %d: %s", entry.id, entry.tries + 1, TRIES, reason, exc_info=_unexpected(error)
        )
        if entry.tries + 1 >= TRIES:
            return self._ended(entry, "failed", reason)
        due = self._store.clock() + timedelta(seconds=BACKOFF[min(entry.tries, len(BACKOFF) - 1)])
        job.ending = True
        await self._insist(lambda: self._store.again(entry.id, reason, due, job.ran))
        return None

    def _ended(self, entry: Entry, state: Literal["failed", "cancelled"], reason: str) -> Outcome:
        return Outcome(state, reason, tuple(self._hands.told(entry, state, reason)))

    # ── cancelling ────────────────────────────────────────────────────────────────────────────

    async def cancel(self, id: str, by: str = "") -> bool:
        """Ends an entry by its own id or its run's, waiting or begun. False where there is none."""
        for entry in self._waiting:
            if id in (entry.id, entry.run):
                self._waiting.remove(entry)
                outcome = self._ended(entry, "cancelled", f"by {by}")
                await self._store.end(entry.id, "cancelled", outcome.reason, outcome.parcels, entry.ran)
                self._let_go(entry)
                return True
        job = next((j for j in self._jobs.values() if id in (j.entry.id, j.entry.run)), None)
        if job is None:
            return False
        self._cancel_job(job, by)
        return True

    def of(self, conversation: str) -> list[Entry]:
        """The questions of a conversation that aren't done, in order; those at work first."""
        return [e for e in self._unfinished() if e.conversation == conversation and e.kind == "question"]

    def _cancel_job(self, job: Job, by: str) -> None:
        if job.cancelled:
            return
        job.cancelled = by or "somebody"
        self._hands.stop(job.entry)
        later = asyncio.create_task(self._end(job))
        self._later.add(later)
        later.add_done_callback(self._later.discard)

    async def _end(self, job: Job) -> None:
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
        self._gone.clear()
        fresh, ending = await self._store.news(frozenset(self._known))
        for entry in fresh:
            if entry.seq not in self._gone:  # begun and ended while we looked
                self._took_in(entry)
        for entry in ending:
            await self.cancel(entry.id, entry.cancel)

    async def _beat(self) -> None:
        await self._store.beat({id: job.ran for id, job in self._jobs.items()})


def _unexpected(error: Exception) -> bool:
    return not isinstance(error, HermesError)


def _raise_ended(helpers: Sequence[asyncio.Task[None]]) -> None:
    """A helper never ends by itself, so what ended it is told."""
    for helper in helpers:
        if helper.done():
            helper.result()

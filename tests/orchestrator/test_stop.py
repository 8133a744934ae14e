"""Ending work: who is ended by a cancellation, and that what comes too late troubles nobody."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from orchestrator import work
from orchestrator.stop import Stop


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_cancellation_ends_the_whole_run_whoever_says_it(which: int) -> None:
    parent = Stop()
    run = (parent, parent.child(60), parent.child(60).child(30))
    run[which].cancel()
    assert [s.reason for s in run] == ["cancelled"] * 3


def test_a_deadline_is_each_one_s_own() -> None:
    parent = Stop(hard=60)
    child = parent.child(0)
    assert (parent.reason, child.reason) == (None, "deadline")
    assert parent.child(600).hard_at == parent.hard_at


async def test_what_an_abandoned_task_raises_later_is_no_complaint() -> None:
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, said: complaints.append(said))
    begun, go, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        begun.set()
        while not go.is_set():
            with suppress(asyncio.CancelledError):
                await go.wait()
        ended.set()
        raise ValueError("too late")

    race = asyncio.create_task(Stop().race(stubborn()))
    await begun.wait()
    while not race.done():  # the first ends the wait for the result, the second the wait for its end
        race.cancel()
        await asyncio.sleep(0)
    go.set()
    await ended.wait()
    await asyncio.sleep(0)
    del race
    gc.collect()
    assert complaints == []


@pytest.mark.parametrize("fails", [False, True])
async def test_a_thread_that_came_back_in_the_last_moment_is_no_complaint(fails: bool) -> None:
    complaints: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, said: complaints.append(said))

    class AtOnce(work.Threads):
        """The job is done, and its result settled, in the very turn of the loop in which the caller is cancelled."""

        def start(self, job: Callable[[], None]) -> None:
            job()
            caller = asyncio.current_task()
            assert caller is not None
            loop.call_soon(caller.cancel)

    def body() -> int:
        return 1 // (not fails)

    threads = AtOnce()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(work.run(body, {}, "io", None, threads))
    gc.collect()
    assert complaints == []

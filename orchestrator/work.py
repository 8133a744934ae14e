"""Running a tool's function so that it can really be ended, and never stops anybody else.

async functions are cancelled; `cpu` functions run in a process of their own, which is killed; plain `io` functions run
in a daemon thread, which Python can't end: it is abandoned, and doesn't keep the program alive.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Literal

Work = Literal["async", "io", "cpu"]


class Late(TimeoutError):
    """Ended at the limit that was set here: a function's own TimeoutError is none."""


class Threads:
    """Daemon threads for plain `io` tools, kept for reuse."""

    def __init__(self) -> None:
        self._idle: list[queue.SimpleQueue[Callable[[], None] | None]] = []
        self._closed = False

    def start(self, job: Callable[[], None]) -> None:
        """Runs `job`, which must not raise, at once: in an idle thread, else in a new one."""
        try:
            inbox = self._idle.pop()
        except IndexError:
            inbox = queue.SimpleQueue()
            threading.Thread(target=self._serve, args=(inbox,), daemon=True, name="tool").start()
        inbox.put(job)

    def close(self) -> None:
        """Ends the idle threads, and each other when its job is done; one that hangs dies with the process."""
        self._closed = True
        while self._idle:
            self._idle.pop().put(None)

    def _serve(self, inbox: queue.SimpleQueue[Callable[[], None] | None]) -> None:
        while (job := inbox.get()) is not None:
            job()
            if self._closed:
                return
            self._idle.append(inbox)


async def run(fn: Callable[..., Any], args: dict[str, Any], work: Work, seconds: float | None, threads: Threads) -> Any:
    """What `fn(**args)` returns. Raises Late after `seconds` (None: never), and whatever `fn` raises."""
    try:
        async with asyncio.timeout(seconds) as limit:
            if work == "async":
                return await fn(**args)
            if work == "cpu":
                return await _in_process(fn, args, threads)
            return await _in_thread(fn, args, threads)
    except TimeoutError as e:
        if limit.expired():
            raise Late from e
        raise


async def _in_thread(fn: Callable[..., Any], args: dict[str, Any], threads: Threads) -> Any:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if error is not None and not done.cancelled():  # cancelled: nobody waits for it any more
            done.set_exception(error)
        elif not done.cancelled():
            done.set_result(value)

    def body() -> None:
        value, error = None, None
        try:
            value = fn(**args)
        except BaseException as e:
            error = RuntimeError("the tool stopped without a value") if isinstance(e, StopIteration) else e
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, value, error)

    threads.start(body)
    try:
        return await done
    except asyncio.CancelledError:
        if not done.cancelled():  # it had come back by then; its error is read, or asyncio complains
            done.exception()
        raise


def _child(pipe: Connection, fn: Callable[..., Any], args: dict[str, Any]) -> None:
    try:
        pipe.send((fn(**args), None))
    except BaseException as e:
        pipe.send((None, f"{type(e).__name__}: {e}"))


async def _in_process(fn: Callable[..., Any], args: dict[str, Any], threads: Threads) -> Any:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(theirs, fn, args), daemon=True)
    process.start()
    theirs.close()

    def answer() -> Any:  # waits for its last byte, and a process may stop before that: not on the loop
        with ours:
            return ours.recv()

    try:
        value, error = await _in_thread(answer, {}, threads)
        if error is not None:
            raise RuntimeError(error)
        return value
    except (EOFError, OSError):
        raise RuntimeError("the worker process died before it answered") from None
    finally:
        process.kill()
        process.join(1.0)

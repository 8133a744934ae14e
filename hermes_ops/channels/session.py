"""A conversation on the terminal, whole: the main thread reads what is typed, the event loop answers in another one.

So Ctrl-C always reaches the line that is being typed: once it stops the question that runs, at an idle prompt a second
time it leaves. Work that doesn't come back within `GRACE` seconds is left behind; its runs can be resumed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import threading
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from hermes_ops.channels.base import MAX_QUESTION
from hermes_ops.channels.console import Asker, ConsoleChannel
from hermes_ops.channels.talk import Answering, Talk, Worded
from hermes_ops.channels.terminal import Terminal
from hermes_ops.channels.typed import Reading, Typed
from hermes_ops.exits import CANCELLED
from orchestrator.contracts import Event

GRACE = 3.0
LEAVES = ("quit", "exit")
LEAVING = "Ctrl-C again or /quit leaves."

Commands = Callable[[Any, Talk, str, str], Awaitable[str]]


@dataclass
class Session:
    """`open_app`: opens the application; `commands`: what /memory and /trace say; `help`: what /help says; `worded`:
    an error."""

    terminal: Terminal
    asker: Asker
    name: str
    open_app: Callable[[], AbstractAsyncContextManager[Answering]]
    describe: Callable[[Event], str]
    commands: Commands
    help: str
    worded: Worded
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _ready: threading.Event = field(default_factory=threading.Event)
    _channel: ConsoleChannel | None = None
    _talk: Talk | None = None
    _error: BaseException | None = None
    _left: bool = False
    _asked: int = 0

    def run(self) -> None:
        """Until the person leaves. Raises what kept the application from opening, or broke it."""
        thread = threading.Thread(target=self._answering, name="answers", daemon=True)
        thread.start()
        self._ready.wait()
        try:
            if self._error is None:
                self._reading(thread)
        finally:
            self._end(thread)
        if self._error is not None:
            raise self._error

    # ── the main thread ───────────────────────────────────────────────────────────────────────

    def _reading(self, thread: threading.Thread) -> None:
        reading, hit = Reading(), False
        while thread.is_alive() and not self._left:
            try:
                line = self.terminal.read(more=reading.open)
            except EOFError:
                return
            except KeyboardInterrupt:
                if hit and not reading.open:
                    self._left = True
                    return
                hit = True
                reading.drop()
                self._interrupted()
                continue
            hit = False
            typed = reading.take(line)
            if typed is not None and typed.command in LEAVES:
                self._left = self.terminal.live
                return
            if typed is not None:
                self._take(line, typed)

    def _take(self, line: str, typed: Typed) -> None:
        if self.asker.mask(line) == line:  # what holds a secret isn't kept
            self.terminal.remember(line)
        if len(typed.text) > MAX_QUESTION:
            self.terminal.write(f'That is longer than {MAX_QUESTION:,} characters: paste it between lines of """.')
            return
        self._asked += bool(typed.text)
        self._feed(typed)

    def _interrupted(self) -> None:
        assert self._talk is not None
        if self._asked > self._talk.done:
            self.terminal.write(f"\nStopping; what was found so far follows. {LEAVING}", quiet=True)
            self._soon(lambda: self._loop.create_task(self._stop()))
        else:
            self.terminal.write(f"\n{LEAVING}", quiet=True)

    def _end(self, thread: threading.Thread) -> None:
        """From a pipe everything is answered first; who sits at a terminal and leaves doesn't wait."""
        self._left = self._left or self.terminal.live
        self._feed(None)
        while thread.is_alive() and not (self._left or self.terminal.interrupted):
            thread.join(0.1)
        if self._talk is not None:
            self._soon(self._talk.leave)
        thread.join(GRACE)
        shutil.rmtree(self.asker.pastes, ignore_errors=True)
        if thread.is_alive():
            self.terminal.__exit__()
            os._exit(0 if self._left else CANCELLED)

    def _feed(self, typed: Typed | None) -> None:
        if self._channel is not None:
            self._soon(self._channel.feed, typed)

    def _soon(self, work: Callable[..., object], *args: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(work, *args)

    # ── the event loop's thread ───────────────────────────────────────────────────────────────

    def _answering(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._hold())
        except BaseException as e:
            self._error = e
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()
            self._ready.set()

    async def _hold(self) -> None:
        async with self.open_app() as app:
            self._talk = Talk(app, self.name, self.describe, self.worded)
            self._channel = ConsoleChannel(self.terminal, self.asker, lambda name, rest: self._command(app, name, rest))
            self._ready.set()
            await self._talk.hold(self._channel)

    async def _stop(self) -> None:
        """A question that was typed just now may not have begun yet."""
        assert self._talk is not None
        for _ in range(40):
            if self._talk.stop():
                return
            await asyncio.sleep(0.05)

    async def _command(self, app: Answering, name: str, rest: str) -> bool:
        """Whether the conversation goes on."""
        assert self._talk is not None
        if name == "help":
            self.terminal.write(self.help)
        elif name == "stop":
            said = "Stopping; what was found so far follows." if self._talk.stop() else "Nothing is running."
            self.terminal.write(said, quiet=True)
        else:
            self.terminal.write(await self._commanded(app, self._talk, name, rest))
        return True

    async def _commanded(self, app: Answering, talk: Talk, name: str, rest: str) -> str:
        """As an answer: an error ends no conversation."""
        try:
            return await self.commands(app, talk, name, rest) or f"There is no /{name}; see /help."
        except Exception as e:
            return self.worded(e)

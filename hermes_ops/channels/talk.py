"""A conversation over a channel: questions are answered one after the other, commands at once.

It knows the application by two verbs, `answer` and `cancel`, and the channel by its protocol.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from hermes_ops.channels.base import Address, Channel, Document, Handle, Progress, Receipt
from orchestrator.contracts import Answer, Event, Incoming

WAITING = 20  # questions at most

Describe = Callable[[Event], str]
Worded = Callable[[Exception], str]


class Answering(Protocol):
    """What is needed of `hermes_ops.app.App`."""

    def cancel(self) -> None: ...
    async def answer(
        self, incoming: Incoming, *, session: str = "", on_event: Callable[[Event], None] | None = None
    ) -> Answer: ...


class Talk:
    """`describe`: an event in one line, "" where nobody needs to see it; `worded`: an error as a person should read it;
    `run`: the run answered last."""

    def __init__(self, app: Answering, session: str, describe: Describe, worded: Worded) -> None:
        self.run = ""
        self.running = False
        self.done = 0  # questions that were answered, refused or dropped
        self._app, self._session, self._describe, self._worded = app, session, describe, worded
        self._waiting: asyncio.Queue[Incoming | None] = asyncio.Queue()

    async def hold(self, channel: Channel) -> None:
        """Until the channel has no more messages, and all questions are answered."""
        worker = asyncio.create_task(self._work(channel))
        listening = asyncio.ensure_future(channel.listen(self._put))
        try:
            await asyncio.wait({worker, listening}, return_when=asyncio.FIRST_COMPLETED)
            if listening.done():
                listening.result()
                self._waiting.put_nowait(None)
            await worker  # one that ended first has failed: nobody is left who would answer
        finally:
            listening.cancel()
            worker.cancel()
            await asyncio.wait({worker, listening})

    def stop(self) -> bool:
        """Ends the question that runs; False where none does."""
        if self.running:
            self._app.cancel()
        return self.running

    def leave(self) -> None:
        """Ends the question that runs, and drops those that wait."""
        while not self._waiting.empty():
            self._waiting.get_nowait()
            self.done += 1
        self.stop()

    async def _put(self, asked: Incoming) -> Receipt:
        if self._waiting.qsize() >= WAITING:
            self.done += 1
            return Receipt("busy")
        place = self._waiting.qsize() + self.running
        await self._waiting.put(asked)
        return Receipt("accepted", place)

    async def _work(self, channel: Channel) -> None:
        while (asked := await self._waiting.get()) is not None:
            self.running = True
            try:
                await self._one(asked, channel)
            finally:
                self.running = False
                self.done += 1

    async def _one(self, asked: Incoming, channel: Channel) -> None:
        to = Address(asked.chat, asked.thread, asked.id, asked.user)
        handle = await channel.open(to, asked.id)
        begun = time.monotonic()

        def on_event(event: Event) -> None:
            self.run = event.run
            if said := self._describe(event):
                channel.update(handle, Progress(said, time.monotonic() - begun))

        await self._answered(asked, channel, handle, on_event)

    async def _answered(
        self, asked: Incoming, channel: Channel, handle: Handle, on_event: Callable[[Event], None]
    ) -> None:
        """An error is said, a fault of ours too: it costs this answer, not the conversation."""
        try:
            answer = await self._app.answer(asked, session=self._session, on_event=on_event)
        except Exception as e:
            await channel.send(handle.to, Document(self._worded(e)), f"{asked.id}.error")
            return
        self.run = answer.run_id
        await channel.finish(handle, answer, f"{asked.id}.{asked.attempt}")

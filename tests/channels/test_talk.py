"""A conversation goes on after an error, says it, and ends where nobody is left who would answer."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from hermes_ops.channels.base import Address, Document, Handle, Progress, Put, Sent
from hermes_ops.channels.talk import Talk
from orchestrator.contracts import Answer, Incoming
from orchestrator.errors import HermesError

ERRORS = {"fault": KeyError("no such key"), "trouble": HermesError("Set a model."), "odd": RecursionError()}


def worded(error: Exception) -> str:
    return f"said: {error!r}"


class Asked:
    """A channel: asks its questions, then listens until `over`."""

    caps: frozenset[str] = frozenset()

    def __init__(self, *questions: str, breaks: bool = False, ends: bool = True) -> None:
        self.questions, self.breaks, self.said, self.over = questions, breaks, list[str](), asyncio.Event()
        if ends:
            self.over.set()

    async def listen(self, put: Put) -> None:
        for n, text in enumerate(self.questions):
            await put(Incoming(f"m{n}", text, datetime.now(UTC)))
        await self.over.wait()

    async def open(self, to: Address, key: str) -> Handle:
        if self.breaks:
            raise BrokenPipeError
        return Handle(key, to)

    def update(self, h: Handle, p: Progress) -> None:
        """Nobody looks."""

    async def finish(self, h: Handle, a: Answer, key: str) -> Sent:
        self.said.append(a.text)
        return Sent(key)

    async def send(self, to: Address, doc: Document, key: str) -> Sent:
        self.said.append(doc.text)
        return Sent(key)


class App:
    """Answers, or raises what stands under the question."""

    def cancel(self) -> None:
        """Nothing runs for long."""

    async def answer(self, incoming: Incoming, **_: object) -> Answer:
        if error := ERRORS.get(incoming.text):
            raise error
        return Answer("r1", "ok", f"answer to {incoming.text}")


async def test_an_error_costs_its_answer_and_not_the_conversation() -> None:
    channel = Asked(*ERRORS, "why?")
    await Talk(App(), "s", lambda event: "", worded).hold(channel)
    assert channel.said == [*(worded(error) for error in ERRORS.values()), "answer to why?"]


async def test_where_nothing_can_be_said_the_conversation_ends() -> None:
    async with asyncio.timeout(20):
        with pytest.raises(BrokenPipeError):
            await Talk(App(), "s", lambda event: "", worded).hold(Asked("why?", breaks=True, ends=False))

"""A model without network that says what its script says, and fails on the unexpected and on leftovers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from hermes_ops.testing.script import ON_THE_WIRE, Script, Source, Step, Unexpected, tool_names
from hermes_ops.testing.wire import ERRORS, completion
from orchestrator.contracts import Json, Message, Reply, Usage
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.failures import Failure, Refusal, classify, sentence
from orchestrator.gateway.history import assistant_message
from orchestrator.gateway.replies import read_reply
from orchestrator.gateway.stream import Assembly


class ScriptedModel:
    """Implements `orchestrator.ports.Model`. Replies are read as the gateway reads them; error faults are raised.

    `requests` keeps (messages, tools, choice) of each call; messages are copied, as the history grows.
    """

    def __init__(self, script: Source, name: str = "scripted") -> None:
        self.name = name
        self.requests: list[tuple[list[Message], list[Json], str]] = []
        self._script = Script(script)
        self._replies: Callable[[Sequence[Message], Sequence[Json]], Reply] | None = None

    @classmethod
    def by(
        cls, fn: Callable[[Sequence[Message], Sequence[Json]], Reply | Step], name: str = "scripted"
    ) -> ScriptedModel:
        """A model whose replies are a function of (messages, tools)."""
        model = cls([], name)

        def reply(messages: Sequence[Message], tools: Sequence[Json]) -> Reply:
            said = fn(messages, tools)
            return said if isinstance(said, Reply) else model._reply(said, messages, tools)

        model._replies = reply
        return model

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Json],
        *,
        choice: Literal["auto", "none"] = "auto",
        deadline: float | None = None,
    ) -> Reply:
        """The next step's reply. Raises Unexpected when there is none or it doesn't fit this request."""
        self.requests.append(([dict(m) for m in messages], list(tools), choice))
        if self._replies is not None:
            reply = self._replies(messages, tools)
        else:
            step = self._script.take(messages, tools, choice)
            await asyncio.sleep(step.latency)
            reply = self._reply(step, messages, tools)
        return reply

    def remember(self, reply: Reply) -> Message:
        return assistant_message(reply)

    async def aclose(self) -> None:
        """Nothing is open."""

    def done(self) -> None:
        """Raises Leftovers when steps remain that nobody asked for."""
        self._script.done()

    def _reply(self, step: Step, messages: Sequence[Message], tools: Sequence[Json]) -> Reply:
        if step.fault in ON_THE_WIRE:
            raise Unexpected(f"fault {step.fault!s} needs the wire: use ScriptedServer")
        try:
            if step.fault in ERRORS:
                status, words, _ = ERRORS[step.fault]
                raise classify(Refusal(status, words))
            heard = Assembly()
            heard.add(completion(step, len(messages), self.name))
            reply = read_reply(heard, messages, tool_names(tools))
        except Failure as e:
            raise sentence(e, Endpoint(self.name)) from None
        return replace(reply, usage=heard.usage or Usage(1))

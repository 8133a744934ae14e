"""The model as the kernel sees it: one method over an ordered list of endpoints.

Importing this opens nothing and imports no SDK; the first `complete` does. It knows no agent and no prompt.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Literal

from orchestrator.contracts import Json, Message, Reply
from orchestrator.errors import ConfigError, ModelError
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.failures import Failure, sentence
from orchestrator.gateway.history import assistant_message
from orchestrator.gateway.lane import Ask, Lane, NoLimit
from orchestrator.ports import Limiter

REST = 30.0  # seconds in which an endpoint that failed isn't the first choice
TRIES = 4  # requests for one failure at the last endpoint; two at others
NEVER = float("inf")


class Gateway:
    """Implements `ports.Model`. The first endpoint that works answers; later ones are for when it doesn't."""

    def __init__(self, endpoints: Sequence[Endpoint], limiter: Limiter | None = None, *, backoff: float = 0.5) -> None:
        """`backoff`: seconds. Raises ConfigError for an empty list or an unknown profile."""
        if not endpoints:
            raise ConfigError("No model is configured; set HERMES_OPS_MODEL, or ask with --offline.")
        limits = limiter or NoLimit()
        last = len(endpoints) - 1
        self._lanes = [Lane(e, limits, TRIES if i == last else 2, backoff) for i, e in enumerate(endpoints)]
        self.name = endpoints[0].model
        self._echo = any(lane.profile.reasoning == "echo" for lane in self._lanes)
        for lane in self._lanes:  # one history serves all: who doesn't want the others' reasoning gets it taken out
            if self._echo and lane.profile.reasoning == "drop":
                lane.learned.reasoning = "strip"

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Json],
        *,
        choice: Literal["auto", "none"] = "auto",
        deadline: float | None = None,
    ) -> Reply:
        """The model's reply; `deadline` in time.monotonic() seconds. Raises ModelError, ContextTooLong."""
        ask = Ask(messages, tools, choice == "none", NEVER if deadline is None else deadline)
        try:
            async with asyncio.timeout(None if deadline is None else deadline - time.monotonic()):
                return await self._first_that_works(ask)
        except TimeoutError:
            why = f" ({ask.notes[-1]})" if ask.notes else ""
            text = f"{self.name} didn't answer before the deadline{why}; raise the deadline or use a faster model."
            raise ModelError(text, "deadline") from None

    def remember(self, reply: Reply) -> Message:
        return assistant_message(reply, self._echo)

    async def aclose(self) -> None:
        for lane in self._lanes:
            await lane.aclose()

    async def _first_that_works(self, ask: Ask) -> Reply:
        now = time.monotonic()
        lanes = [lane for lane in self._lanes if lane.rests_until <= now] or self._lanes
        error: ModelError | None = None
        for lane in lanes:
            try:
                return await lane.complete(ask)
            except Failure as e:
                error = sentence(e, lane.at)
                if e.kind == "context":
                    break
                if e.kind not in ("moderation", "refused"):
                    lane.rests_until = time.monotonic() + REST
                ask.notes.append(str(error))
        assert error is not None  # there is at least one lane
        raise error

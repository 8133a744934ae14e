"""One model while it is looked at: how it is asked, what was seen of it so far, and which settings follow from that."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrator.contracts import Json, Message, Reply
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.failures import Failure
from orchestrator.gateway.lane import Ask, Lane

SECONDS = 60.0  # for one request
SMALLEST = 4_000  # tokens: below that no question can be answered
ROOM = 2_000  # tokens beside the history: prompt, tools, answer


@dataclass
class Patient:
    """One model while it is looked at. `reasoning`: whether any of its replies showed its thinking; `pieces`: of its
    last reply's text as it was streamed, `first`: seconds until the first of them."""

    at: Endpoint
    lane: Lane
    reasoning: int = 0
    pieces: int = 0
    first: float = 0.0
    called: Reply | None = None
    context: int = 0  # tokens it was seen to take
    too_long: int = 0  # tokens it refused
    notes: dict[str, None] = field(default_factory=dict)

    async def ask(
        self,
        messages: Sequence[Message],
        tools: Sequence[Json] = (),
        forbid: bool = False,
    ) -> Reply:
        """Raises Failure."""
        begun = time.monotonic()
        ask = Ask(messages, tools, forbid, begun + SECONDS)
        reply = await self.lane.complete(ask)
        self.pieces, self.first = ask.pieces, ask.first - begun
        self.reasoning += len(reply.reasoning)
        self.notes.update(dict.fromkeys(reply.notes))
        return reply


def settings(patient: Patient, history_tokens: int) -> dict[str, Json]:
    """The settings that fit what was seen, as dotted keys."""
    learned = patient.lane.learned
    found: dict[str, Json] = {"model.profile": patient.lane.profile.name}
    if learned.text:
        found["model.tools"] = "text"
    if learned.stream != patient.lane.profile.stream:
        found["model.stream"] = learned.stream
    if patient.context and patient.context - ROOM < history_tokens:
        found["limits.history_tokens"] = patient.context - ROOM
    return found


def user(text: str) -> list[Message]:
    return [{"role": "user", "content": text}]


def advice(e: Failure) -> str:
    return ADVICE.get(e.kind, "See docs/TROUBLESHOOTING.md.")


ADVICE = {
    "auth": "Check the key: HERMES_OPS_API_KEY, or model.api_key in the settings.",
    "network": "Check model.base_url, the proxy (model.proxy, HTTPS_PROXY, NO_PROXY), and certificates (model.ca).",
    "address": "Check model.base_url: most servers want it with /v1 at its end.",
    "model": "Check model.model; most servers list theirs at GET {base_url}/models.",
    "quota": "Top up the account, or set another model.",
    "timeout": "The model is too slow, or thinks too long: raise model.timeout, switch thinking off, or use another.",
    "rate": "Set model.calls_per_minute to what the account allows.",
}

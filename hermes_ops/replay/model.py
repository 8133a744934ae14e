"""The model of a replay: says what was recorded where that counts, and asks a live one where it doesn't.

In which step of which loop it is asked, the runtime knows (`PLACE`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Literal

from hermes_ops.models import Models
from hermes_ops.replay.runtime import PLACE, Replaying
from hermes_ops.replay.tape import Tape
from hermes_ops.settings import Settings
from orchestrator.agent import Agent, Brain
from orchestrator.brain import ModelBrain
from orchestrator.context import Fitter, Tiers
from orchestrator.contracts import Json, Message, Reply, from_json, to_json
from orchestrator.errors import ContextTooLong, ModelError, Stopped
from orchestrator.gateway.history import assistant_message
from orchestrator.planner import NAME, OfflineBrain
from orchestrator.ports import Model

NO_MODEL = (
    "What comes here was never said in run {run}, and no model is set that could be asked. Name one in the settings "
    "(model.model), or with --model."
)


class TapedModel:
    """`orchestrator.ports.Model`. `live`: asked where the tape doesn't count, None: nobody is."""

    def __init__(self, tape: Tape, live: Model | None, name: str) -> None:
        self.tape, self.live, self.name = tape, live, name

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Json],
        *,
        choice: Literal["auto", "none"] = "auto",
        deadline: float | None = None,
    ) -> Reply:
        place = PLACE.get()
        assert place is not None, "a replay's model is asked inside a step"
        value = place.deck.tape.steps.get((place.path, place.now))
        if value and place.taped(place.now, messages, _hash(messages, tools)):
            if refused := value.value["note"].get("too_long"):
                raise ContextTooLong(str(refused))
            return from_json(Reply, value.value["reply"])
        if place.deck.policy.exact:
            raise self._ended(place)
        if self.live is None:
            raise ModelError(NO_MODEL.format(run=self.tape.run))
        sent = place.edited(messages)
        return await self.live.complete(sent, tools, choice=choice, deadline=deadline)

    def _ended(self, place: Replaying) -> Exception:
        """What ended this loop when it was recorded."""
        reason, words = self.tape.ending(place.path)
        if reason == "model":
            return ModelError(words)
        return Stopped(reason or "cancelled")

    def remember(self, reply: Reply) -> Message:
        if known := self.tape.remembered(to_json(reply)):
            return known
        return self.live.remember(reply) if self.live else assistant_message(reply)

    async def aclose(self) -> None:
        """The live one belongs to the models it came from."""


class TapedModels(Models):
    """`wanted`: a model is asked, or none, as the run to be replayed did or another is named."""

    def __init__(self, tape: Tape, settings: Settings, wanted: bool, name: str, ask: bool) -> None:
        super().__init__(settings, offline=not ask)
        self._live = self._main
        self.offline = not wanted
        self.name = name
        self._taped = TapedModel(tape, self._live, name)
        self._tiers = Tiers(settings.limits.history_tokens)

    def brain(self, agent: Agent) -> Brain:
        if self.offline:
            return OfflineBrain()
        return ModelBrain(self._taped, Fitter(self._tiers, self._taped))


def named(tape: Tape) -> str:
    """Which brain the supervisor had."""
    found = (str(e.body.get("brain", "")) for e in tape.events if e.kind == "agent" and e.path == "supervisor")
    return next(found, NAME)


def _hash(messages: Sequence[Message], tools: Sequence[Json]) -> str:
    """As `Agent.prompt_hash` makes it; "" of a request without a prompt of an agent's."""
    if not messages or messages[0].get("role") != "system" or not tools:
        return ""
    stable = str(messages[0].get("content")) + json.dumps(tuple(tools), ensure_ascii=False, sort_keys=True)
    return sha256(stable.encode()).hexdigest()[:12]

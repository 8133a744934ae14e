"""The brain that asks a model. One model call is one step of the runtime: after a crash it isn't made again.

Knows no provider (gateway) and no agent; keeps what was already sent, so that an event holds only the new messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from hashlib import sha256

from orchestrator.agent import Turn
from orchestrator.context import Fitter
from orchestrator.contracts import Json, Message, Reply, Usage, dumps, from_json, to_json
from orchestrator.errors import ContextTooLong
from orchestrator.ports import Model


class ModelBrain:
    """One loop's model: `decide` is called once a turn. Raises Stopped and ModelError."""

    def __init__(self, model: Model, fitter: Fitter) -> None:
        self.model, self.fitter = model, fitter
        self.name = model.name
        self._used = Usage()
        self._sent = 0
        self._prefix = ""

    @property
    def usage(self) -> Usage:
        """Of the loop's model, and of the light one that summed up for it."""
        return self._used + self.fitter.usage

    async def decide(self, turn: Turn, final: bool) -> Reply:
        view = await self.fitter.view(turn.messages, turn.ctx)
        tools = turn.agent.schemas
        try:
            reply = await self._step(turn, f"model {turn.n}", view, tools, final)
        except ContextTooLong:
            view = await self.fitter.shrink(turn.messages, turn.ctx)
            reply = await self._step(turn, f"model {turn.n} shorter", view, tools, final)
        self._sent = len(turn.messages)
        return reply

    def remember(self, reply: Reply) -> Message:
        return self.model.remember(reply)

    async def _step(self, turn: Turn, name: str, view: Sequence[Message], tools: Sequence[Json], final: bool) -> Reply:
        turn.ctx.runtime.tick(f"{turn.agent.name}: {self.name} …")
        value = await turn.ctx.runtime.step(name, partial(self._ask, turn, view, tools, final))
        if refused := value["note"].get("too_long"):
            raise ContextTooLong(refused)
        self._prefix, turn.final = value["note"]["prefix"], value["note"]["final"]
        reply: Reply = from_json(Reply, value["reply"])
        self._used += reply.usage
        return reply

    async def _ask(self, turn: Turn, view: Sequence[Message], tools: Sequence[Json], final: bool) -> Json:
        choice = "none" if final and tools else "auto"
        stop = turn.ctx.stop
        deadline = None if stop.hard_at == float("inf") else stop.hard_at
        try:
            reply = await stop.race(self.model.complete(view, tools, choice=choice, deadline=deadline))  # type: ignore[arg-type]
        except ContextTooLong as e:  # recorded: a resumed run doesn't ask it again
            return {"note": {"agent": turn.agent.name, "final": final, "too_long": str(e)}}
        new = list(turn.messages[max(self._sent, 1) :])  # the system prompt stands with the agent's own event
        sent, said = dumps(new), to_json(reply)
        note = {"agent": turn.agent.name, "model": reply.model, "prompt": turn.agent.prompt_hash, "final": final}
        note |= {"prefix": sha256((self._prefix + sent).encode("utf-8", "replace")).hexdigest()[:12]}
        note |= {"usage": said["usage"], "finish": reply.finish, "calls": [c.name for c in reply.calls]}
        note |= {"attempts": reply.attempts, "notes": list(reply.notes)}
        return {"note": note, "sent": new, "reply": said}

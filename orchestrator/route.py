"""The routing decision as an event of its own: who was offered, who was asked what and why, who was not asked."""

from __future__ import annotations

from orchestrator.agent import Turn
from orchestrator.contracts import Json, Reply, ToolCall
from orchestrator.plan import parts_of


def record(turn: Turn, reply: Reply) -> None:
    """Emits `route` for an agent that has sub-agents to ask: always on its first turn, later when it asks someone."""
    offered = [name for t in turn.agent.tools if t.branch and not t.many for name in t.targets({})]
    chosen = [one for call in reply.calls for one in _chosen(turn, call, offered)] if offered else []
    if not offered or not (chosen or turn.n == 1):
        return
    names = {c["agent"] for c in chosen}
    body: dict[str, Json] = {"offered": offered, "chosen": chosen, "not_chosen": [n for n in offered if n not in names]}
    body |= {"prompt": turn.agent.prompt_hash, "model": reply.model, "turn": turn.n}
    turn.ctx.runtime.emit("route", body)


def _chosen(turn: Turn, call: ToolCall, offered: list[str]) -> list[Json]:
    tool = turn.agent.by_name.get(call.name)
    if tool is None or not tool.branch or call.args is None:
        return []
    rows = parts_of(call.args, offered) if tool.many else [call.args]
    mask = turn.ctx.guard.mask
    said = [{k: mask(str(row.get(k, "")))[:300] for k in ("task", "window", "reason")} for row in rows]
    return [{"agent": agent, **row} for agent, row in zip(tool.targets(call.args), said, strict=False)]

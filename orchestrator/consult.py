"""Asking one sub-agent: its own loop over its own tools, in its own path, within what is left of the time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from orchestrator import when
from orchestrator.agent import Agent, Brain
from orchestrator.context import Past, opening
from orchestrator.contracts import Asked, Findings, Json, ToolResult, ToolStatus, Window, from_json, to_json
from orchestrator.errors import ModelError
from orchestrator.findings import gather, render
from orchestrator.loop import run
from orchestrator.ports import Context
from orchestrator.scope import say as say_scope

Brains = Callable[[Agent], Brain]


async def consult(
    agent: Agent, brains: Brains, ctx: Context, ask: Json, earlier: Sequence[Findings] = ()
) -> ToolResult:
    """`ask`: {task, reason, window}. Its findings as text for the supervisor's model and as data for code.

    Raises ValueError where `window` can't be read or lies outside the run's: the model mends that.
    """
    began = time.monotonic()
    window = narrowed(ctx, ask["window"])
    inner = replace(ctx, window=window, stop=ctx.stop.child(ctx.limits.subagent_seconds))
    brain = brains(agent)
    brief = {**ask, "earlier": [to_json(found) for found in earlier]}
    messages = opening(agent.prompt, Past(ctx.notes), request(inner, ask, earlier))
    try:
        found = gather(agent, await run(agent, messages, inner, brain, brief))
    except ModelError as e:
        found = Findings(agent.name, "failed", str(e), "model", unreachable=(f"{agent.name}: {e}",))
    said = when.say(window) if window else ""
    ms = round((time.monotonic() - began) * 1000)
    row = Asked(agent.name, ask["task"], said, ask["reason"], found.status, ms)
    data = {"asked": to_json(row), "findings": to_json(found), "usage": to_json(brain.usage)}
    status: ToolStatus = "error" if found.status == "failed" else "ok"
    text = f"{agent.name} failed: {render(found)}" if status == "error" else render(found)
    return ToolResult(status, text, data=[data], source=agent.name, window=window)


def narrowed(ctx: Context, said: str) -> Window | None:
    """The part of the run's window that a model named; all of it for ""."""
    if not said.strip() or ctx.window is None:
        return ctx.window
    return when.narrow(said, ctx.window, ctx.now, ctx.window.zone)


def request(ctx: Context, ask: Json, earlier: Sequence[Findings]) -> str:
    """What the sub-agent's model reads first."""
    lines = [ask["task"]]
    if ctx.window is not None:
        lines.append(f"Window: {when.say(ctx.window)}")
    if ctx.scope.environment or ctx.scope.services:
        lines.append(f"Scope: {say_scope(ctx.scope)}")
    lines += [f"Known from {found.agent}: {ctx.guard.fence(render(found), found.agent)}" for found in earlier]
    return "\n".join(lines)


def told(data: Json) -> list[Findings]:
    """The findings inside the data of a delegate's or a plan's result."""
    return [from_json(Findings, row["findings"]) for row in data or () if isinstance(row, dict) and "findings" in row]


def question(ctx: Context) -> str:
    """The person's question with what code worked out about it."""
    lines = [ctx.question.text]
    if ctx.question.quote:
        lines.insert(0, ctx.guard.fence(ctx.question.quote, "quoted message"))
    if ctx.window is not None:
        lines.append(f"(window: {when.say(ctx.window)}; scope: {say_scope(ctx.scope) or 'all services'})")
    return "\n".join(lines)

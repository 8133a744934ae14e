"""A question in parts: which sub-agent looks into what, and which part waits for which. Code runs it in waves.

Only the graph is here (graphlib: no import to pay for); asking a sub-agent is the supervisor's.
"""

from __future__ import annotations

from collections.abc import Collection
from graphlib import CycleError, TopologicalSorter
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from orchestrator.contracts import Json

MOST = 8  # parts of one plan


def named(agent: Json) -> Json:
    """The sub-agent that a model means, also by the name of its tool: ask_logs is logs."""
    return agent.removeprefix("ask_") if isinstance(agent, str) else agent


class Part(BaseModel):
    """One part of a plan."""

    agent: Annotated[str, BeforeValidator(named), Field(description="which sub-agent")]
    task: Annotated[str, Field(description="what to find out, in one sentence")]
    window: Annotated[str, Field(description="a narrower part of the run's window, or empty")] = ""
    reason: Annotated[str, Field(description="why this sub-agent")] = ""
    after: Annotated[list[int], Field(description="numbers (from 1) of the parts whose findings it needs first")] = []


def parts_of(args: dict[str, Json], agents: Collection[str]) -> list[dict[str, Json]]:
    """The parts of a plan that name a known sub-agent, out of a model's arguments, whatever shape they have."""
    given = args.get("parts")
    parts = [p for p in given if isinstance(p, dict)] if isinstance(given, list) else []
    return [{**p, "agent": name} for p in parts if (name := named(p.get("agent"))) in tuple(agents)]


def waves(parts: list[Part], agents: tuple[str, ...]) -> list[list[int]]:
    """Indices of the parts, wave by wave. Raises ValueError with what the model has to mend."""
    if not 1 <= len(parts) <= MOST:
        raise ValueError(f"parts: give 1 to {MOST} parts, not {len(parts)}")
    for i, part in enumerate(parts, 1):
        if part.agent not in agents:
            raise ValueError(f"parts.{i}.agent: there is no {part.agent!r}; valid: {', '.join(agents)}")
        if wrong := [a for a in part.after if not 1 <= a <= len(parts) or a == i]:
            raise ValueError(f"parts.{i}.after: {wrong} are no other parts; valid: 1 to {len(parts)}")
    sorter = TopologicalSorter({i: [a - 1 for a in part.after] for i, part in enumerate(parts)})
    try:
        sorter.prepare()
    except CycleError as e:
        raise ValueError(f"parts.after: {[i + 1 for i in e.args[1]]} wait for each other; remove one of them") from None
    found = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        found.append(ready)
        sorter.done(*ready)
    return found

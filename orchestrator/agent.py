"""What a loop works on: an agent (data), the turn it is in, and what came out.

The supervisor and each sub-agent are the same kind of thing; they differ in their tools only.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Protocol

from orchestrator.contracts import Json, Message, Reply, ToolCall, ToolResult, Usage
from orchestrator.ports import Context
from orchestrator.tool import Tool

MANY_TOOLS, TOO_MANY_TOOLS = 15, 20


@dataclass(frozen=True, eq=False)
class Agent:
    """`letter`: prefix of its evidence ids ("" = its tools give no evidence); `steps`: model calls it may make.

    `playbook`: what it does without a model (see planner.py); `cues`: words in a question that speak of its domain.
    """

    name: str
    description: str
    prompt: str
    tools: tuple[Tool, ...]
    letter: str = ""
    steps: int = 10
    playbook: Playbook | None = None
    cues: tuple[str, ...] = ()
    wording: Callable[[str, str], str] | None = None  # (a gap that its sources told, "zh") → how an answer says it
    after: tuple[str, ...] = ()  # sub-agents whose findings help it: offline it is asked after them, and concludes

    def __post_init__(self) -> None:
        if len(self.by_name) < len(self.tools):
            raise ValueError(f"agent {self.name!r} has two tools of one name")
        if len(self.tools) > TOO_MANY_TOOLS:
            raise ValueError(f"agent {self.name!r} has {len(self.tools)} tools; models lose their way over 20")
        if len(self.tools) > MANY_TOOLS:
            warnings.warn(
                f"agent {self.name!r} has {len(self.tools)} tools; over 15, models choose worse", stacklevel=3
            )

    @cached_property
    def by_name(self) -> dict[str, Tool]:
        return {t.name: t for t in self.tools}

    @cached_property
    def schemas(self) -> tuple[Json, ...]:
        return tuple(t.schema for t in self.tools)

    @cached_property
    def stable(self) -> tuple[str, str]:
        """All that is the same on each of its model calls: system prompt, and tools as JSON."""
        return self.prompt, json.dumps(self.schemas, ensure_ascii=False, sort_keys=True)

    @cached_property
    def prompt_hash(self) -> str:
        return sha256("".join(self.stable).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Taken:
    """One call that was answered. `id`: its evidence id, or ""; `repeated`: answered from an earlier result."""

    id: str
    call: ToolCall
    result: ToolResult
    repeated: bool = False


@dataclass(slots=True)
class Turn:
    """Where a loop stands. `messages` only ever grows."""

    agent: Agent
    messages: list[Message]
    ctx: Context
    brief: Json = None  # what a sub-agent was asked: task, reason, findings so far
    n: int = 0
    taken: list[Taken] = field(default_factory=list)
    seen: dict[str, Taken] = field(default_factory=dict)
    failed: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    unreadable: int = 0
    idle: int = 0  # turns in a row that brought nothing new
    final: bool = False  # the last decision was to be the last; on a resumed run as it was recorded
    ids: int = 0

    def next_id(self) -> str:
        """The evidence id of the next result, the only one of its kind in a run: asked again, an agent counts on from
        the next hundred; where one is full, in the next ten thousand."""
        if not self.agent.letter:
            return ""
        self.ids += 1
        full, place = divmod(self.ids - 1, 100)
        return f"{self.agent.letter}{10_000 * full + 100 * self.ctx.asked.get(self.agent.name, 0) + place + 1}"


def key(call: ToolCall) -> str:
    """The same for calls that ask for the same."""
    return call.name + json.dumps(call.args, sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`stopped`: None, or why the loop ended early: steps | deadline | cancelled | repeating | unreadable | fatal …"""

    text: str
    taken: tuple[Taken, ...]
    stopped: str | None = None
    reply: Reply | None = None


Playbook = Callable[[Turn], "str | Sequence[tuple[str, dict[str, Json]]]"]
"""Offline: the next tool calls as (tool, arguments), or the closing text. Pure: what was taken so far decides."""


class Brain(Protocol):
    """Decides the next move: a model, or a playbook. Raises Stopped and ModelError."""

    name: str

    @property
    def usage(self) -> Usage:
        """Of all its calls so far."""

    async def decide(self, turn: Turn, final: bool) -> Reply:
        """`final`: no more calls, sum up."""

    def remember(self, reply: Reply) -> Message: ...

"""What the kernel needs from outside, as protocols: runtime, sink, model, limiter, guard. One implementation each is
wired in by the application; the kernel doesn't know which."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from orchestrator.contracts import Event, Incoming, Json, Message, Principal, Reply, Scope, Window
from orchestrator.stop import Stop
from orchestrator.work import Threads


class Sink(Protocol):
    def emit(self, e: Event) -> None:
        """Buffered, ordered, never blocks. The same key a second time is ignored."""

    async def commit(self) -> None:
        """Returns when all that was emitted so far is durable."""

    def tick(self, path: str, text: str) -> None:
        """Progress for whoever watches; never stored."""


@dataclass(frozen=True, slots=True)
class Call:
    """One of several pieces of work that run together. `branch`: it has an own path and own steps (a sub-agent)."""

    name: str
    fn: Callable[..., Awaitable[Json]]
    args: tuple[Json, ...] = ()
    branch: bool = False


class Runtime(Protocol):
    """All that the kernel sees of where it runs. Bound to one path of one run.

    A step's function returns a JSON object; what stands under its key "note" (≤ 4 KB, no long texts) is put on the
    step's event, the whole into its blob. After a crash a finished step gives its stored result and isn't run again.
    Step names are unique in their path. `fn` of a branch is called with the branch's own runtime first, then `args`.
    """

    run: str
    path: str

    def emit(self, kind: str, body: dict[str, Json], *texts: str) -> None: ...
    def tick(self, text: str) -> None: ...
    async def commit(self) -> None: ...
    async def step(self, name: str, fn: Callable[..., Awaitable[Json]], *args: Json) -> Json: ...
    async def steps(self, calls: Sequence[Call], limit: int = 3) -> list[Json]:
        """Results in call order, whatever ends first; at most `limit` at a time."""

    async def branch(self, name: str, fn: Callable[..., Awaitable[Json]], *args: Json) -> Json: ...


class Model(Protocol):
    """One chat model, or an ordered list of them behind one face."""

    name: str

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Json],
        *,
        choice: Literal["auto", "none"] = "auto",
        deadline: float | None = None,
    ) -> Reply:
        """`tools`: chat-completions tool schemas; `deadline`: time.monotonic() seconds. Raises ModelError."""

    def remember(self, reply: Reply) -> Message:
        """The history's message for this reply, with the reasoning echoed where the server wants it."""

    async def aclose(self) -> None: ...


class Limiter(Protocol):
    async def acquire(self, model: str, tokens: int) -> None: ...
    def cool(self, seconds: float) -> None:
        """A 429 slows everyone for a while."""


@dataclass(frozen=True, slots=True)
class Denied:
    reason: str


class Guard(Protocol):
    def allow(self, who: Principal, permission: str, resource: str) -> Denied | None: ...
    def mask(self, text: str) -> str:
        """Secrets and personal data replaced by keyed tags (`<secret:7f3a>`): the same tag for the same value."""

    def fence(self, text: str, source: str) -> str:
        """Untrusted text marked as such for the model; control sequences removed."""


# ── what a run carries ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Limits:
    """Steps and seconds; every one a setting."""

    supervisor_steps: int = 8
    subagent_steps: int = 10
    question_soft: float = 120.0
    question_hard: float = 300.0
    subagent_seconds: float = 90.0
    parallel: int = 3
    history_tokens: int = 24_000


@dataclass(frozen=True, slots=True)
class Context:
    """Everything fixed for a run, bound to one path of it. `window` and `scope` were resolved by code, once.

    `asked`: how often each sub-agent was asked before this path, for evidence ids; `notes`: preferences, for prompts.
    """

    question: Incoming
    window: Window | None
    scope: Scope
    now: datetime
    runtime: Runtime
    guard: Guard
    stop: Stop
    principal: Principal = Principal()
    limits: Limits = Limits()
    lang: Literal["zh", "en"] = "en"
    asked: Mapping[str, int] = field(default_factory=dict)
    threads: Threads = field(default_factory=Threads)
    notes: str = ""

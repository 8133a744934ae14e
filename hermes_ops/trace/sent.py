"""What a model call was sent, put together again from what the events hold: each call's event has only the messages
that were new to it.

What a context was cut to isn't stored; the cut is made again by the same code, and believed only where it comes to the
very figures that were recorded then.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from hermes_ops.trace.tree import Step
from orchestrator.context import Fitter, Tiers
from orchestrator.contracts import Incoming, Json, Message, Reply, Scope, from_json
from orchestrator.guard import AllowAll
from orchestrator.ports import Call, Context
from orchestrator.stop import Stop


@dataclass(frozen=True, slots=True)
class Sent:
    """`messages`: as the model got them, the system prompt first; `new`: how many at the end were new to this call;
    `cut`: places of those that an earlier call had got in full; `note`: what is not known of it."""

    messages: tuple[Message, ...]
    new: int
    cut: frozenset[int] = frozenset()
    note: str = ""


@dataclass(slots=True)
class Book:
    """Messages, each kept once: a loop sends its first ones again and again. They are kept as {role, text}."""

    messages: list[Json] = field(default_factory=list)
    places: dict[tuple[str, str], int] = field(default_factory=dict)

    def place(self, message: Message) -> int:
        key = (str(message.get("role", "")), written(message))
        if key not in self.places:
            self.places[key] = len(self.messages)
            self.messages.append({"role": key[0], "text": key[1]})
        return self.places[key]


def messages(call: Step, loop: Sequence[Step], budget: int) -> Sent:
    """`loop`: the steps of the loop that `call` belongs to; `budget`: the settings' limits.history_tokens."""
    before = [s for s in loop if s.number <= call.number]
    calls = [s for s in before if s.kind == "model" and "sent" in (s.result() or {})]
    if not calls or calls[-1].number != call.number:
        return Sent((), 0, note="Its messages aren't stored: the text was removed, or it is a summary's.")
    prompt = next((s.text() for s in before if s.kind == "agent"), None)
    system: list[Message] = [{"role": "system", "content": prompt}] if prompt else []
    parts = [list(s.result()["sent"]) for s in calls]
    whole = [*system, *(m for part in parts for m in part)]
    recorded = [dict(s.body) for s in before if s.kind == "compacted"]
    if not recorded:
        return Sent(tuple(whole), len(parts[-1]))
    ends = [len(system) + sum(map(len, parts[: n + 1])) for n in range(len(parts))]
    shorter = [str(s.body.get("step", "")).endswith(" shorter") for s in calls]
    view = _again(whole, list(zip(ends, shorter, strict=True)), _summaries(before), recorded, budget)
    if view is None:
        note = "The context had been cut before this call, and how isn't known: messages are shown as they first were."
        return Sent(tuple(whole), len(parts[-1]), note=note)
    return _compared(whole, view, len(parts[-1]))


def _compared(whole: Sequence[Message], view: Sequence[Message], new: int) -> Sent:
    """What is different in the view: a summary in place of the oldest messages, and messages that were shortened."""
    summary = next((i for i, m in enumerate(view) if m not in whole and m["role"] == "user"), None)
    if summary is None:
        return Sent(tuple(view), new, frozenset(i for i, m in enumerate(view) if m != whole[i]))
    replaced = len(whole) - len(view) + 1
    cut = frozenset(i for i in range(summary + 1, len(view)) if view[i] != whole[i + replaced - 1])
    what = "The oldest message was" if replaced == 1 else f"The {replaced} oldest messages were"
    return Sent(tuple(view), new, cut, f"{what} replaced by a summary: message {summary}.")


def _summaries(steps: Sequence[Step]) -> dict[str, Json]:
    return {s.body["step"]: s.result() for s in steps if str(s.body.get("step", "")).startswith("model summary")}


def _again(
    whole: Sequence[Message],
    calls: Sequence[tuple[int, bool]],
    summaries: dict[str, Json],
    recorded: list[Json],
    budget: int,
) -> list[Message] | None:
    """The last view, where cutting comes to the recorded figures; else None. `calls`: how many messages there were at
    each, and whether the server had found it too long at first."""
    runtime = _Recorded(summaries)
    now = datetime.now(UTC)
    ctx = Context(Incoming("", "", now), None, Scope(), now, runtime, AllowAll(), Stop())
    fitter = Fitter(Tiers(budget), _Light() if summaries else None)
    view: list[Message] = []
    try:
        for end, shorter in calls:
            view = _now(fitter.view(whole[:end], ctx))
            view = _now(fitter.shrink(whole[:end], ctx)) if shorter else view
    except (LookupError, TypeError):  # a summary that isn't there
        return None
    return view if runtime.emitted == recorded else None


def _now(work: Any) -> list[Message]:
    """Runs a coroutine that never waits for anything."""
    try:
        work.send(None)
    except StopIteration as done:
        view: list[Message] = done.value
        return view
    work.close()
    raise LookupError("it waits for something that wasn't recorded")


@dataclass
class _Recorded:
    """A runtime whose steps give what was recorded of them."""

    results: dict[str, Json]
    run: str = ""
    path: str = ""
    emitted: list[Json] = field(default_factory=list)

    def emit(self, kind: str, body: dict[str, Json], *texts: str) -> None:
        self.emitted.append(body)

    def tick(self, text: str) -> None:
        """Nobody watches."""

    async def commit(self) -> None:
        """Nothing is kept."""

    async def step(self, name: str, fn: Callable[..., Awaitable[Json]], *args: Json) -> Json:
        return self.results[name]

    async def steps(self, calls: Sequence[Call], limit: int = 3) -> list[Json]:
        raise LookupError("no calls are made again")

    async def branch(self, name: str, fn: Callable[..., Awaitable[Json]], *args: Json) -> Json:
        raise LookupError("no branch is entered again")


@dataclass
class _Light:
    """Stands for the light model; what it said is recorded, so it is never asked."""

    name: str = "recorded"

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Json],
        *,
        choice: Literal["auto", "none"] = "auto",
        deadline: float | None = None,
    ) -> Reply:
        raise LookupError("no model is asked again")

    def remember(self, reply: Reply) -> Message:
        raise LookupError("no model is asked again")

    async def aclose(self) -> None:
        """Nothing is open."""


def reply(call: Step) -> Reply | None:
    """What the model said; None where the text was removed."""
    result = call.result()
    return None if not result or "reply" not in result else from_json(Reply, result["reply"])


def written(message: Message) -> str:
    """A message as text: its content, then its calls."""
    content = message.get("content")
    parts = [content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)] if content else []
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        parts.append(f"→ {function.get('name')}({function.get('arguments', '')})")
    return "\n".join(parts)

"""One run as data for whoever draws it: its loops as lanes, its steps with their times, thoughts, calls and results.

A pure function of what was recorded, and plain JSON throughout. It knows no page, no terminal and no database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from hermes_ops.trace import facts, sent, why
from hermes_ops.trace.detail import AGAIN, Detail, detail
from hermes_ops.trace.tree import Step, walk
from memory import RunInfo
from orchestrator import scope as scopes
from orchestrator import when
from orchestrator.contracts import Event, Json, Scope, Usage, Window, from_json, to_json

VERSION = 1  # of this shape


@dataclass(frozen=True, slots=True)
class Lane:
    """One loop. `step`: the step that opened it, 0 for the supervisor's; `start`, `end`: ms since the run began;
    `prompt`: its text as it was sent, None where it was removed."""

    path: str
    agent: str
    depth: int
    step: int
    start: float
    end: float
    ended: bool
    brain: str = ""
    hash: str = ""
    prompt: str | None = None
    asked: Json = None  # task, window, reason, status of a sub-agent's
    usage: Json = None
    tools: int = 0


@dataclass(frozen=True, slots=True)
class Beat:
    """One step. `lane`: its place in the lanes; `start`: ms since the run began; `opens`: the lane it opened, or -1;
    `by`: the model step that decided it, 0 where none did; `call`: which of that one's calls it is, from 0."""

    n: int
    kind: str
    lane: int
    depth: int
    start: float
    ms: float
    title: str
    status: str = ""
    bad: bool = False
    evidence: str = ""
    opens: int = -1
    by: int = 0
    call: int = -1
    key: str = ""  # path and number of its event
    at: str = ""
    tokens: int = 0
    cost: float | None = None
    detail: Json = None


@dataclass(frozen=True, slots=True)
class Story:
    """`messages`: every message that any model was sent, once; a model's step refers to them by place."""

    run: Json
    lanes: list[Lane]
    steps: list[Beat]
    messages: list[Json]
    agents: list[Json]  # what each cost
    version: int = VERSION


@dataclass(slots=True)
class _Telling:
    begun: datetime
    steps: Sequence[Step]
    budget: int
    lanes: list[Lane] = field(default_factory=list)
    beats: list[Beat] = field(default_factory=list)
    book: sent.Book = field(default_factory=sent.Book)

    def since(self, at: datetime) -> float:
        return round((at - self.begun).total_seconds() * 1000, 1)


def tell(info: RunInfo, events: Sequence[Event], steps: Sequence[Step], budget: int) -> Story:
    """`events`: with their texts; `steps`: the tree of them; `budget`: the settings' limits.history_tokens."""
    telling = _Telling(_begun(info, events), steps, budget)
    _lane(telling, "supervisor", steps, 0, None)
    return Story(_run(info, events, steps, telling), telling.lanes, telling.beats, telling.book.messages,
                 _agents(telling))  # fmt: skip


def as_json(story: Story) -> dict[str, Json]:
    found: dict[str, Json] = to_json(story)
    return found


# ── the run ───────────────────────────────────────────────────────────────────────────────────


def _begun(info: RunInfo, events: Sequence[Event]) -> datetime:
    """When the first thing began: a run that is resumed or replayed holds events older or younger than its row."""
    begun = [e.at - timedelta(milliseconds=_ms(e.body.get("ms"))) for e in events]
    return min(begun, default=info.started)


def _run(info: RunInfo, events: Sequence[Event], steps: Sequence[Step], telling: _Telling) -> dict[str, Json]:
    window = from_json(Window, info.window) if info.window else None
    scope = from_json(Scope, info.scope) if info.scope else None
    whole = facts.whole_json(info, events, steps)
    last = max((b.start + b.ms for b in telling.beats), default=0.0)
    fallback = facts.last(steps, "fallback")
    return {
        **{key: value for key, value in whole.items() if key not in ("steps", "window", "scope")},
        "seconds": round(last / 1000, 3),
        "begun": telling.begun.isoformat(),
        "ended": info.ended.isoformat() if info.ended else None,
        "channel": info.question.channel,
        "quote": info.question.quote,
        "window": {"text": when.say(window), "said": window.said, "why": window.why} if window else None,
        "scope": {"text": scopes.say(scope) or "all services", "said": scope.said, "why": scope.why} if scope else None,
        "wrong": facts.went_wrong(info, events),
        "fallback": str(fallback.body.get("why", "")) if fallback else "",
        "replay": next((dict(e.body) for e in events if e.kind == "replay"), None),
        "divergences": [dict(e.body) for e in events if e.kind == "divergence"],
    }


def _agents(telling: _Telling) -> list[Json]:
    """What each agent's model calls took, the supervisor first; lanes of one agent together."""
    rows: dict[str, dict[str, Json]] = {}
    for lane in telling.lanes:
        row = rows.setdefault(lane.agent, {"agent": lane.agent, "loops": 0, "tools": 0, "ms": 0.0, "usage": Usage()})
        row["loops"] += 1
        row["tools"] += lane.tools
        row["ms"] += lane.end - lane.start
        row["usage"] += from_json(Usage, lane.usage or {})
    return [{**row, "usage": to_json(row["usage"])} for row in rows.values()]


# ── loops and steps ───────────────────────────────────────────────────────────────────────────


def _lane(telling: _Telling, path: str, steps: Sequence[Step], depth: int, opener: Step | None) -> int:
    """Tells one loop with all below it; gives its place among the lanes."""
    place = len(telling.lanes)
    own = next((s for s in steps if s.kind == "agent"), None)
    called = opener.name.rpartition(".")[2] if opener else "supervisor"
    agent = str(own.body.get("agent", "")) if own else ("plan" if "+" in called else called)
    telling.lanes.append(Lane(path, agent, depth, opener.number if opener else 0, 0.0, 0.0, True))
    beats = [beat for step in steps for beat in _beats(telling, step, steps, place, depth)]
    start = min((b.start for b in beats), default=0.0)
    end = max((b.start + b.ms for b in beats), default=start)
    if opener is not None and opener.event is not None:
        end = telling.since(opener.event.at)
        start = min(start, end - _ms(opener.body.get("ms"))) if beats else end - _ms(opener.body.get("ms"))
    telling.lanes[place] = Lane(
        path, agent, depth, opener.number if opener else 0, start, end,
        ended=opener is None or opener.event is not None or opener.name in AGAIN,
        brain=str(own.body.get("brain", "")) if own else "",
        hash=str(own.body.get("prompt", "")) if own else "",
        prompt=own.text() if own else None,
        asked=facts.asked(opener) if opener and facts.is_agent(opener) else None,
        usage=to_json(facts.usage([s.event for s in steps if s.event])),
        tools=sum(s.kind == "tool" for s in steps),
    )  # fmt: skip
    return place


def _beats(telling: _Telling, step: Step, loop: Sequence[Step], lane: int, depth: int) -> list[Beat]:
    """The step's, which stands before those of the loop it opened; only the step's own is given back."""
    place = len(telling.beats)
    telling.beats.append(Beat(step.number, step.kind, lane, depth, 0.0, 0.0, ""))
    opened = _lane(telling, step.inside, step.steps, depth + 1, step) if step.inside else -1
    told: Detail = detail(step, loop, telling.book, telling.budget)
    ms = _ms(step.body.get("ms"))
    end = telling.since(step.event.at) if step.event else 0.0
    start = end - ms if step.event else 0.0
    if opened >= 0:
        inner = telling.lanes[opened]
        start, ms = inner.start, inner.end - inner.start
    used = from_json(Usage, step.body.get("usage") or {}) if step.kind == "model" else Usage()
    beat = Beat(
        step.number, step.kind, lane, depth, max(0.0, round(start, 1)), round(ms, 1), told.title, told.status,
        told.bad, step.evidence, opened, why.decided_by(step, loop), why.call_of(step)[1],
        f"{step.path}#{step.event.n}" if step.event else "", step.event.at.isoformat() if step.event else "",
        used.prompt_tokens + used.completion_tokens, used.cost, told.facts,
    )  # fmt: skip
    telling.beats[place] = beat
    return [beat]


def _ms(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def numbers(steps: Sequence[Step]) -> dict[str, int]:
    """Evidence id → the step that found it."""
    return {s.evidence: s.number for s in walk(steps) if s.evidence}

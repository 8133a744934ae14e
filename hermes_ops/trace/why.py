"""Why somebody was asked and somebody wasn't: in the model's own words, or by which rule where no model decided.

Only what was recorded speaks here; nothing is guessed in the model's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hermes_ops.trace import sent
from hermes_ops.trace.tree import Step
from orchestrator.contracts import Json
from orchestrator.planner import NAME

SENTENCE = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]?")
MOST = 600  # characters of what a model said of one agent
NO_WORD = "No reason was given: neither its text nor its reasoning names {agent}."
NO_ONE = "By rule: the question names no domain and no service, and asks neither for a cause nor how things are."
OTHERS = "By rule: the question has words of other domains, none of {agent}, and it doesn't ask for a cause."
LATER = (
    "By rule: {agent} is asked where a cause is wanted or the question names its domain; this one asks how things are."
)


def decided_by(step: Step, loop: Sequence[Step]) -> int:
    """The number of the model's step that called this one, 0 where none did. `loop`: the steps it stands among."""
    if step.kind == "route":
        before = [s for s in loop if s.kind == "model" and s.number < step.number]
        return before[-1].number if before else 0
    turn, _ = call_of(step)
    found = (s for s in loop if s.kind == "model" and str(s.body.get("step", "")).split(" ")[1:2] == [turn])
    return max((s.number for s in found), default=0) if turn else 0


def call_of(step: Step) -> tuple[str, int]:
    """Of a tool or a loop: the turn it was called in, and which of its calls; "", -1 of all else and a plan's parts."""
    name = str(step.body.get("step", "")) or step.name
    called = re.fullmatch(r"tool (\d+)\.(\d+) .*", name, re.DOTALL) if step.kind == "tool" else None
    called = called or (re.fullmatch(r"(\d+)\.(\d+)\..*", name, re.DOTALL) if step.kind == "branch" else None)
    return (called[1], int(called[2])) if called else ("", -1)


def not_asked(route: Step, loop: Sequence[Step]) -> list[Json]:
    """Who was offered and not asked: {agent, why, by}. `by`: "model", "rule", or "nobody" where no reason was said."""
    body = route.body
    left = [str(name) for name in body.get("not_chosen") or ()]
    if body.get("model") == NAME:
        return [{"agent": name, "by": "rule", "why": _rule(name, body.get("chosen") or ())} for name in left]
    number = decided_by(route, loop)
    model = next((s for s in loop if s.number == number), None)
    said = sent.reply(model) if model else None
    told = f"{said.reasoning}\n{said.text}" if said else ""
    return [_by_model(name, told) for name in left]


def left_out(route: Step, loop: Sequence[Step]) -> list[str]:
    """The same as lines: who wasn't asked, those of one reason together."""
    groups: dict[str, list[str]] = {}
    for row in not_asked(route, loop):
        groups.setdefault(str(row["why"]), []).append(str(row["agent"]))
    return [f"not asked: {', '.join(names)} · {' '.join(why.split())}" for why, names in groups.items()]


def _by_model(name: str, told: str) -> Json:
    word = re.compile(rf"(?<![a-z0-9_]){re.escape(name.removesuffix('s'))}s?(?![a-z0-9])", re.IGNORECASE)
    lines = [s.strip() for s in SENTENCE.findall(told) if word.search(s.replace(f"ask_{name}", name))]
    if not lines:
        return {"agent": name, "by": "nobody", "why": NO_WORD.format(agent=name)}
    return {"agent": name, "by": "model", "why": " ".join(lines)[:MOST]}


def _rule(name: str, chosen: Sequence[Json]) -> str:
    reasons = [str(c.get("reason", "")) for c in chosen]
    if not reasons:
        return NO_ONE
    if any(r.startswith("names ") for r in reasons):
        return OTHERS.format(agent=name)
    return LATER.format(agent=name)

"""One step whole: what a model saw and said, or all of a tool's result, with its figures. Nothing is cut here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hermes_ops.trace import detail, facts, sent, why
from hermes_ops.trace.printing import Line
from hermes_ops.trace.show import spent
from hermes_ops.trace.tree import Step, walk
from orchestrator.contracts import Figure, Json, Usage, from_json, to_json

HEAD, QUIET, CUT = "bold", "dim", "yellow"
REMOVED = "(the text was removed)"


def lines(step: Step, steps: Sequence[Step], budget: int) -> Iterator[Line]:
    """`steps`: the whole tree; `budget`: the settings' limits.history_tokens."""
    at = step.event.at.isoformat() if step.event else "didn't end"
    where = f"{step.inside or step.path}" + (f", event {step.event.n}" if step.event else "")
    yield Line(f"Step {step.number} · {step.kind} · {where} · {at}", HEAD)
    if step.kind == "model":
        yield from _model(step, loop_of(step, steps), budget)
        return
    yield from _KINDS.get(step.kind, _plain)(step)
    if step.kind == "route" and (left := why.left_out(step, loop_of(step, steps))):
        yield from _section("Not asked", "\n".join(left))


def as_json(step: Step, steps: Sequence[Step], budget: int) -> dict[str, Json]:
    """The same for programs: the step, and with a model's also all messages it was sent."""
    found = {k: v for k, v in facts.as_json(step).items() if k != "steps"}
    texts = [ref.text for ref in step.event.blobs] if step.event else []
    found["texts"] = texts
    if step.kind == "model":
        seen, said = sent.messages(step, loop_of(step, steps), budget), sent.reply(step)
        found["messages"] = list(seen.messages)
        found["new"] = seen.new
        found["cut"] = sorted(seen.cut)
        found["note"] = seen.note
        found["reply"] = to_json(said) if said else None
        found.pop("texts")
    return found


def loop_of(step: Step, steps: Sequence[Step]) -> Sequence[Step]:
    """The steps among which this one stands."""
    for loop in (steps, *(s.steps for s in walk(steps))):
        if any(s.number == step.number for s in loop):
            return loop
    return ()


# ── a model's call ────────────────────────────────────────────────────────────────────────────


def _model(step: Step, loop: Sequence[Step], budget: int) -> Iterator[Line]:
    body = step.body
    used = spent(from_json(Usage, body.get("usage") or {}))
    yield Line(f"{body.get('model')} · {used} · {body.get('ms')} ms · {body.get('attempts', 1)} attempt(s)", QUIET)
    yield Line(f"prompt {body.get('prompt')} (hash of system prompt and tools) · messages {body.get('prefix')}", QUIET)
    seen = sent.messages(step, loop, budget)
    old = len(seen.messages) - seen.new
    for n, message in enumerate(seen.messages):
        role, mark = message.get("role"), "" if n >= old else ", sent before"
        title = "System prompt" if n == 0 and role == "system" else f"Message {n}: {role}{mark}"
        cut = " · shortened to fit" if n in seen.cut else ""
        yield from _section(title + cut, sent.written(message), CUT if cut else HEAD)
    if seen.note:
        yield Line("")
        yield Line(seen.note, CUT)
    yield from _said(step)


def _said(step: Step) -> Iterator[Line]:
    said = sent.reply(step)
    if said is None:
        yield from _section("Reply", REMOVED)
        return
    if said.reasoning:
        yield from _section("Reasoning", said.reasoning)
    called = [
        f"→ {c.name}({json.dumps(c.args, ensure_ascii=False) if c.args is not None else c.raw})" for c in said.calls
    ]
    called += [f"  could not be read: {c.fault}" for c in said.calls if c.fault]
    yield from _section(f"Reply (finish: {said.finish})", "\n".join(filter(None, (said.text, *called))))
    if said.notes:
        yield from _section("Mended by the gateway", "\n".join(said.notes), CUT)


# ── the others ────────────────────────────────────────────────────────────────────────────────


def _tool(step: Step) -> Iterator[Line]:
    body = step.body
    yield Line(f"{body.get('tool')} · {body.get('status')} · {body.get('seconds')} s · evidence {step.evidence or '-'}")
    yield from _section("Arguments (masked)", json.dumps(body.get("args") or {}, ensure_ascii=False, indent=1))
    yield from _result(step)


def _result(step: Step) -> Iterator[Line]:
    result = (step.result() or {}).get("result")
    if not result:
        yield from _section("Result", REMOVED)
        return
    known = ("source", "query", "window", "link", "shown", "total", "complete", "gaps")
    told = {k: result.get(k) for k in known if result.get(k) not in (None, "", [])}
    yield from _section("How it was found", json.dumps(told, ensure_ascii=False, indent=1))
    yield from _section("What the model saw", result.get("text", ""))
    if result.get("figures"):
        yield from _section("Figures", "\n".join(_figure(from_json(Figure, f)) for f in result["figures"]))
    if result.get("data") is not None:
        yield from _section("Data", json.dumps(result["data"], ensure_ascii=False, indent=1))


def _branch(step: Step) -> Iterator[Line]:
    if step.event is None:
        yield Line("It began and didn't end.", CUT)
        return
    if facts.is_agent(step):
        yield from _section("Asked", json.dumps(facts.asked(step), ensure_ascii=False, indent=1))
    if "result" in (step.result() or {"result": None}):
        yield from _result(step)


def _agent(step: Step) -> Iterator[Line]:
    yield Line(f"{step.body.get('agent')} · {step.body.get('brain')} · prompt {step.body.get('prompt')}")
    text = step.text()
    yield from _section("System prompt", REMOVED if text is None else text or "(none: no model is asked)")
    told = "\n\n".join(f"{tool.get('name')}: {tool.get('description', '')}" for tool in detail.tools(step))
    if told:
        yield from _section("Tools, as a model is told of them (all of it with --json)", told)


def _checked(step: Step) -> Iterator[Line]:
    yield Line(f"status {step.body.get('status')}")
    yield from _section("Answer", step.text() or REMOVED)
    unverified = step.body.get("unverified") or ()
    yield from _section("Not borne out by the evidence", "\n".join(unverified) or "(nothing)")


def _plain(step: Step) -> Iterator[Line]:
    yield from _section("Facts", json.dumps(dict(step.body), ensure_ascii=False, indent=1))
    result = step.text()
    if result is not None:
        yield from _section("Result", _pretty(result))


_KINDS: Mapping[str, Callable[[Step], Iterator[Line]]] = {
    "tool": _tool,
    "branch": _branch,
    "agent": _agent,
    "checked": _checked,
}


def _section(title: str, text: str, style: str = HEAD) -> Iterator[Line]:
    yield Line("")
    yield Line(f"── {title} ──", style)
    yield Line(text)


def _figure(figure: Figure) -> str:
    labels = ", ".join(f"{k}={v}" for k, v in figure.labels.items())
    about = "≈" if figure.approx else "="
    return f"{figure.name}{{{labels}}} {about} {figure.value}{figure.unit}".replace("{}", "")


def _pretty(text: str) -> str:
    try:
        value: Any = json.loads(text)
    except ValueError:
        return text
    return json.dumps(value, ensure_ascii=False, indent=1)

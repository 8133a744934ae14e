"""One run as a tree of lines: who was asked what and why, who wasn't, with which tools, what came back, and what it
took. Each line has the number by which `trace step` shows all of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hermes_ops.trace import facts, why
from hermes_ops.trace.printing import Line, one_line
from hermes_ops.trace.tree import Step
from memory import RunInfo
from orchestrator import scope as scopes
from orchestrator import when
from orchestrator.contracts import Event, Scope, Usage, Window, from_json

BAD, QUIET, HEAD = "red", "dim", "bold"
AGAIN = {"again": "asked again: the answer cited no evidence", "offline": "without a model, by playbooks"}
Said = tuple[str, str]  # a line's words, and its style


def lines(info: RunInfo, events: Sequence[Event], steps: Sequence[Step]) -> Iterator[Line]:
    yield from _head(info, events, steps)
    yield Line("")
    for step in steps:
        yield from _below(step, 0, steps)


# ── the run ───────────────────────────────────────────────────────────────────────────────────


def _head(info: RunInfo, events: Sequence[Event], steps: Sequence[Step]) -> Iterator[Line]:
    status = facts.answer_status(events)
    took = facts.seconds(info, events)
    said = [info.status + (f", answer {status}" if status else ""), f"{took:.1f} s" if took is not None else ""]
    bad = info.status in ("failed", "interrupted") or status == "failed"
    yield Line(f"Run {info.id}   {'   '.join(filter(None, said))}", BAD if bad else HEAD)
    who = [f"by {info.question.user}", f"session {info.session}" if info.session else "", f"{info.question.channel}"]
    yield Line(f"Asked     {info.started:%Y-%m-%d %H:%M:%S} UTC   {'   '.join(filter(None, who))}")
    yield Line(f"Question  {one_line(info.question.text, 1000)}")
    if info.folder:
        yield Line(f"Folder    {one_line(info.folder)}")
    yield from _resolved(info, facts.last(steps, "context"))
    yield Line(f"Used      {spent(facts.usage(events))}   {info.model}")
    checked = facts.last(steps, "checked")
    if checked and checked.body.get("unverified"):
        yield Line(f"Unverified  {one_line(', '.join(checked.body['unverified']), 1000)}", BAD)


def _resolved(info: RunInfo, context: Step | None) -> Iterator[Line]:
    """The window and the scope, and how each was read."""
    if info.window:
        window = from_json(Window, info.window)
        yield Line(f"Window    {when.say(window)}   {_read(window.said, window.why)}")
    if info.scope:
        scope = from_json(Scope, info.scope)
        yield Line(f"Scope     {scopes.say(scope)}   {_read(scope.said, scope.why)}")
    if context and context.body.get("now"):
        yield Line(f"Now       {context.body['now']}", QUIET)


def _read(said: str, why: str) -> str:
    return f"(read from “{one_line(said)}”{': ' + why if why else ''})" if said else f"({why})" if why else ""


def spent(used: Usage) -> str:
    """ "12 model calls, 3,400 + 210 tokens (1,024 cached), cost 0.0123"."""
    if not used.model_calls:
        return "no model calls"
    cached = f" ({used.cached_tokens:,} cached)" if used.cached_tokens else ""
    cost = "" if used.cost is None else f", cost {used.cost:.4f}"
    calls = f"{used.model_calls} model call{'s' if used.model_calls > 1 else ''}"
    return f"{calls}, {used.prompt_tokens:,} + {used.completion_tokens:,} tokens{cached}{cost}"


# ── its steps ─────────────────────────────────────────────────────────────────────────────────


def _below(step: Step, depth: int, loop: Sequence[Step]) -> Iterator[Line]:
    """`loop`: the steps it stands among."""
    indent = "   " * depth
    first, *more = _route(step, loop) if step.kind == "route" else _KINDS.get(step.kind, _other)(step)
    yield Line(f"{step.number:>4}  {indent}{first[0]}", first[1])
    for text, style in more:
        yield Line(f"      {indent}   {text}", style)
    for inner in step.steps:
        yield from _below(inner, depth + 1, step.steps)


def _context(step: Step) -> list[Said]:
    return [(f"window and scope, by code · {_ms(step.body)}", QUIET)]


def _agent(step: Step) -> list[Said]:
    body = step.body
    return [(f"{body.get('agent')} begins · {body.get('brain')} · prompt {body.get('prompt')}", QUIET)]


def _model(step: Step) -> list[Said]:
    body = step.body
    if refused := body.get("too_long"):
        return [(f"model refused, the context was too long: {one_line(str(refused))}", "yellow")]
    used = from_json(Usage, body.get("usage") or {})
    wanted = ", ".join(map(str, body.get("calls") or ())) or "answers"
    words = [f"model → {wanted}", str(body.get("model")), f"{used.prompt_tokens:,} + {used.completion_tokens:,} tokens"]
    words += [f"cost {used.cost:.4f}"] if used.cost is not None else []
    words += [_ms(body)]
    words += ["last step: no more calls"] if body.get("final") else []
    words += [f"finish {body['finish']}"] if body.get("finish") not in ("stop", "tool_calls", None) else []
    notes = [(f"mended: {one_line(str(note))}", "yellow") for note in body.get("notes") or ()]
    return [(" · ".join(words), ""), *notes]


def _route(step: Step, loop: Sequence[Step]) -> list[Said]:
    body = step.body
    chosen = body.get("chosen") or ()
    names = ", ".join(dict.fromkeys(str(c.get("agent")) for c in chosen)) or "nobody: it answers by itself"
    said: list[Said] = [(f"route, turn {body.get('turn')}: asks {names}", HEAD)]
    for one in chosen:
        window = f" · window {one['window']}" if one.get("window") else ""
        said_why = f" · because: {one_line(one['reason'])}" if one.get("reason") else " · no reason was given"
        said.append((f"{one.get('agent')}: {one_line(str(one.get('task', '')))}{window}{said_why}", ""))
    return [*said, *((line, "yellow") for line in why.left_out(step, loop))]


def _plan(step: Step) -> list[Said]:
    parts = step.body.get("parts") or ()
    waves = [" + ".join(str(parts[i].get("agent")) for i in wave) for wave in step.body.get("waves") or ()]
    return [(f"plan of {len(parts)} parts: {' → '.join(waves)}", "")]


def _branch(step: Step) -> list[Said]:
    if step.name in AGAIN:
        return [(AGAIN[step.name], "yellow")]
    if not facts.is_agent(step):
        ended = f"{step.body.get('status')} · {_ms(step.body)}" if step.event else "didn't end"
        return [(f"investigate · {ended}", "" if step.event else BAD)]
    known = facts.asked(step)
    status = known["status"] if step.event else "didn't end"
    bad = status in facts.FAILED or not step.event
    said: list[Said] = [(f"{known['agent']} · {status} · {_ms(step.body)}", BAD if bad else HEAD)]
    said += [(f"asked: {one_line(known['task'])}", "")] if known.get("task") else []
    said += [(f"window: {known['window']}", "")] if known.get("window") else []
    said += [(f"because: {one_line(known['reason'])}", "")] if known.get("reason") else []
    for key in ("stopped", "needs", "unreachable", "gaps"):
        if known.get(key):
            value = known[key]
            said.append((f"{key}: {one_line(value if isinstance(value, str) else '; '.join(value))}", "yellow"))
    return said


def _tool(step: Step) -> list[Said]:
    body = step.body
    args = one_line(json.dumps(body.get("args") or {}, ensure_ascii=False), 200)
    total = body.get("total")
    rows = f"{body.get('shown')} of {total:,} rows" if isinstance(total, int) else ""
    cite = f"[{step.evidence}]" if step.evidence else ""
    words = [f"{body.get('tool')} {args}", f"{body.get('status')} {cite}".strip(), rows, _ms(body)]
    said: list[Said] = [(" · ".join(filter(None, words)), BAD if body.get("status") in facts.FAILED else "")]
    if body.get("status") in facts.FAILED:
        text = ((step.result() or {}).get("result") or {}).get("text", "")
        said += [(one_line(text), BAD)] if text else []
    return said + ([(one_line(body["query"], 200), QUIET)] if body.get("query") else [])


def _compacted(step: Step) -> list[Said]:
    body = step.body
    before, after = body.get("before") or 0, body.get("after") or 0
    return [(f"context cut: {before:,} → {after:,} tokens, {body.get('cut')} messages shortened so far", "yellow")]


def _fallback(step: Step) -> list[Said]:
    return [(f"no model could be used: {one_line(str(step.body.get('why')))}", BAD)]


def _checked(step: Step) -> list[Said]:
    unverified = step.body.get("unverified") or ()
    said: list[Said] = [(f"answer · {step.body.get('status')}", HEAD)]
    said += [(f"unverified: {one_line(', '.join(unverified))}", BAD)] if unverified else []
    text = step.text()
    return [*said, (one_line(text, 200) if text else "(the text was removed)", QUIET)]


def _recall(step: Step) -> list[Said]:
    body = step.body
    orders = [f"{n} {key}" for key, n in (body.get("orders") or {}).items() if n]
    said = [f"memory · {body.get('turns', 0)} earlier turns given", *orders, _ms(body)]
    return [(" · ".join(filter(None, said)), QUIET)]


def _tell(step: Step) -> list[Said]:
    kept = ", ".join(map(str, step.body.get("kept") or ()))
    return [(f"memory · {f'now kept: {one_line(kept)}' if kept else 'nothing new is kept'}", QUIET)]


def _other(step: Step) -> list[Said]:
    return [(f"{step.kind} {one_line(json.dumps(dict(step.body), ensure_ascii=False), 200)}", QUIET)]


def _ms(body: Mapping[str, Any]) -> str:
    ms = body.get("ms")
    return "" if ms is None else f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


_KINDS: Mapping[str, Callable[[Step], list[Said]]] = {
    "recall": _recall,
    "context": _context,
    "agent": _agent,
    "model": _model,
    "plan": _plan,
    "branch": _branch,
    "tool": _tool,
    "compacted": _compacted,
    "fallback": _fallback,
    "checked": _checked,
    "tell": _tell,
    "answer": lambda step: [("the run ends with that answer", QUIET)],
}

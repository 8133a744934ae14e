"""One step's facts as plain JSON, by its kind: a model's thought and calls, a tool's result, a decision's reasons.

Nothing is cut here; who draws it decides what is shown at first. It knows no page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hermes_ops.trace import facts, sent, why
from hermes_ops.trace.tree import Step
from orchestrator.contracts import Json, to_json

AGAIN = {"again": "asked again: the answer cited no evidence", "offline": "goes on without a model"}
LONG = 160  # characters of a title


@dataclass(frozen=True, slots=True)
class Detail:
    """`title`: one line; `facts`: by kind, see the functions below; `bad`: something failed here."""

    title: str
    facts: Json
    status: str = ""
    bad: bool = False


def detail(step: Step, loop: Sequence[Step], book: sent.Book, budget: int) -> Detail:
    """`loop`: the steps it stands among; `book`: gets the messages of a model's step."""
    if step.kind == "model":
        return _model(step, loop, book, budget)
    if step.kind == "route":
        return _route(step, loop)
    return _KINDS.get(step.kind, _other)(step)


def _model(step: Step, loop: Sequence[Step], book: sent.Book, budget: int) -> Detail:
    body, said = step.body, sent.reply(step)
    seen = sent.messages(step, loop, budget)
    wanted = [str(name) for name in body.get("calls") or ()]
    known = ("model", "prompt", "prefix", "attempts", "notes", "final", "finish", "usage", "agent")
    told: dict[str, Json] = {key: body.get(key) for key in known}
    told |= {"sent": [book.place(m) for m in seen.messages], "new": seen.new, "cut": sorted(seen.cut)}
    told |= {"note": seen.note, "text": said.text if said else None, "reasoning": said.reasoning if said else ""}
    told["calls"] = to_json(said)["calls"] if said else []
    title = f"→ {', '.join(wanted)}" if wanted else "answers"
    if str(body.get("step", "")).startswith("model summary"):
        title = "sums up older messages"
    if refused := body.get("too_long"):
        return Detail("refused: the context was too long", told | {"text": str(refused)}, "too long", True)
    return Detail(title, told, str(body.get("finish") or ""), body.get("finish") not in ("stop", "tool_calls", None))


def _route(step: Step, loop: Sequence[Step]) -> Detail:
    body = step.body
    chosen = [dict(c) for c in body.get("chosen") or ()]
    names = ", ".join(dict.fromkeys(str(c.get("agent")) for c in chosen))
    told = {key: body.get(key) for key in ("offered", "turn", "model", "prompt")}
    told |= {"chosen": chosen, "not_asked": why.not_asked(step, loop), "rules": body.get("model") == "offline"}
    return Detail(f"asks {names}" if names else "asks nobody", told)


def _tool(step: Step) -> Detail:
    body = step.body
    result = (step.result() or {}).get("result") or {}
    known = ("source", "query", "window", "link", "shown", "total", "complete", "gaps", "figures", "text", "data")
    told = {key: result.get(key) for key in known} | {key: body.get(key) for key in ("tool", "args", "seconds")}
    status = str(body.get("status", ""))
    args = json.dumps(body.get("args") or {}, ensure_ascii=False)
    title = f"{body.get('tool')} {'' if args == '{}' else args}".strip()
    return Detail(short(title), told | {"removed": step.text() is None}, status, status in facts.FAILED)


def _branch(step: Step) -> Detail:
    if step.name in AGAIN:  # such a loop has no event of its own
        return Detail(AGAIN[step.name], {"asked": None})
    if not facts.is_agent(step):
        status = str(step.body.get("status", "")) if step.event else "didn't end"
        result = (step.result() or {}).get("result") or {}
        told = {"args": step.body.get("args"), "text": result.get("text"), "asked": None}
        return Detail("carries out a plan", told, status, not step.event)
    asked = facts.asked(step)
    result = (step.result() or {}).get("result") or {}
    status = str(asked.get("status") or "") if step.event else "didn't end"
    bad = status in facts.FAILED or not step.event
    told = {"asked": asked, "text": result.get("text"), "findings": _findings(result)}
    return Detail(short(f"asks {asked['agent']}: {asked.get('task', '')}".removesuffix(": ")), told, status, bad)


def _findings(result: Mapping[str, Json]) -> Json:
    """What code knows of them; the evidence by its ids only, since each stands as a step of its own."""
    rows = [r["findings"] for r in result.get("data") or () if isinstance(r, dict) and "findings" in r]
    if len(rows) != 1:
        return None
    return {**rows[0], "evidence": [e["id"] for e in rows[0].get("evidence") or ()]}


def _agent(step: Step) -> Detail:
    body = step.body
    told = {**body, "text": step.text(), "tools": tools(step)}
    return Detail(f"{body.get('agent')} begins", told)


def tools(step: Step) -> Json:
    """What a model is told of an agent's tools, [{name, description, parameters}]; [] where it wasn't kept."""
    try:
        rows = json.loads(step.text(1) or "[]")
        return [row["function"] for row in rows if isinstance(row.get("function"), dict)]
    except (ValueError, TypeError, AttributeError, KeyError):
        return []


def _plan(step: Step) -> Detail:
    parts = step.body.get("parts") or ()
    waves = [" + ".join(str(parts[i].get("agent")) for i in wave) for wave in step.body.get("waves") or ()]
    return Detail(f"plan: {' → '.join(waves)}", dict(step.body))


def _checked(step: Step) -> Detail:
    body = step.body
    wrong = list(body.get("unverified") or ())
    status = str(body.get("status", ""))
    told = {"text": step.text(), "unverified": wrong}
    title = f"answer checked: {len(wrong)} not borne out" if wrong else "answer checked: all borne out"
    return Detail(title, told, status, bool(wrong) or status == "failed")


def _fallback(step: Step) -> Detail:
    return Detail("no model could be used", dict(step.body), "failed", True)


def _compacted(step: Step) -> Detail:
    before, after = step.body.get("before") or 0, step.body.get("after") or 0
    return Detail(f"context cut: {before:,} → {after:,} tokens", dict(step.body))


def _other(step: Step) -> Detail:
    titles = {
        "recall": "memory: what came before",
        "context": "window and scope, by code",
        "tell": "memory: what is now kept",
        "answer": "the run ends with that answer",
    }
    title = titles.get(step.kind) or short(f"{step.kind} {step.body.get('step', '')}".strip())
    return Detail(title, {"body": dict(step.body), "text": step.text()})


def short(text: str) -> str:
    return text if len(text) <= LONG else f"{text[:LONG]}…"


_KINDS: Mapping[str, Callable[[Step], Detail]] = {
    "tool": _tool,
    "branch": _branch,
    "agent": _agent,
    "plan": _plan,
    "checked": _checked,
    "fallback": _fallback,
    "compacted": _compacted,
}

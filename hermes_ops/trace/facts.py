"""What is known of a run and of its steps, as plain data: for the tree, for `--json` and for lists.

It reads events' bodies first, and their texts only where a body doesn't hold the fact. It knows no terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hermes_ops.trace.tree import Step, walk
from memory import RunInfo
from orchestrator.contracts import Event, Json, Usage, from_json, to_json

FAILED = ("error", "denied", "failed")  # of a tool, or of a sub-agent


def usage(events: Iterable[Event]) -> Usage:
    """All model calls together."""
    said = (e.body.get("usage") for e in events)
    return sum((from_json(Usage, u) for u in said if u), Usage())


def answer_status(events: Iterable[Event]) -> str:
    """The AnswerStatus, or "" where the run came to no checked answer."""
    return next((str(e.body.get("status", "")) for e in reversed(list(events)) if e.kind == "checked"), "")


def agents(events: Iterable[Event]) -> list[str]:
    """The sub-agents that were asked, in the order they began."""
    names = (str(e.body.get("agent", "")) for e in events if e.kind == "agent" and "/" in e.path)
    return [name for name in dict.fromkeys(names) if name not in ("", "supervisor")]


def seconds(info: RunInfo, events: Sequence[Event]) -> float | None:
    end = info.ended or (max(e.at for e in events) if events else None)
    return None if end is None else max(0.0, (end - info.started).total_seconds())


def went_wrong(info: RunInfo, events: Iterable[Event]) -> bool:
    """The run failed or broke off, or in it a sub-agent or a tool failed, or no model could be used."""
    if info.status in ("failed", "interrupted"):
        return True
    return any(
        e.kind == "fallback" or (e.kind in ("tool", "branch") and e.body.get("status") in FAILED) for e in events
    )


def asked(step: Step) -> dict[str, Any]:
    """One sub-agent's loop: agent, task, window (absolute), reason, status, ms, stopped, needs, unreachable.

    Of a loop that didn't end only the agent is known here.
    """
    name = step.name.rpartition(".")[2]
    result = (step.result() or {}).get("result") or {}
    rows = [r for r in result.get("data") or () if isinstance(r, dict) and "asked" in r]
    if len(rows) != 1:
        args = step.body.get("args") or {}
        known = {k: args[k] for k in ("task", "window", "reason") if args.get(k)}
        return {"agent": name, **known, "status": step.body.get("status", ""), "ms": step.body.get("ms")}
    row, findings = rows[0]["asked"], rows[0].get("findings") or {}
    more = {k: findings[k] for k in ("stopped", "needs", "unreachable", "gaps") if findings.get(k)}
    kept = {k: row[k] for k in ("task", "window", "reason") if row.get(k)}
    return {"agent": row["subagent"], **kept, "status": row["status"], "ms": step.body.get("ms"), **more}


def is_agent(step: Step) -> bool:
    """A branch that is one sub-agent's loop: neither a plan, which holds several, nor the supervisor once more."""
    own = next((s.body.get("agent") for s in step.steps if s.kind == "agent"), None)
    return step.kind == "branch" and (own != "supervisor" if own else not step.steps)


def as_json(step: Step) -> dict[str, Json]:
    """One step and all below it."""
    found: dict[str, Json] = {"n": step.number, "kind": step.kind, "path": step.path}
    if step.event:
        found |= {"key": step.event.n, "at": step.event.at.isoformat(), **step.body}
    if step.evidence:
        found["evidence"] = step.evidence
    if step.inside:
        found |= {"finished": step.event is not None}
        found |= {"asked": asked(step)} if is_agent(step) else {}
        found["steps"] = [as_json(s) for s in step.steps]
    return found


def run_json(info: RunInfo, events: Sequence[Event]) -> dict[str, Json]:
    """One run in a line of a list."""
    used = usage(events)
    return {
        "run": info.id,
        "started": info.started.isoformat(),
        "seconds": seconds(info, events),
        "status": info.status,
        "answer": answer_status(events),
        "user": info.question.user,
        "session": info.session,
        "question": info.question.text,
        "agents": agents(events),
        "model": info.model,
        "usage": to_json(used),
    }


def whole_json(info: RunInfo, events: Sequence[Event], steps: Sequence[Step]) -> dict[str, Json]:
    """One run with its tree."""
    checked = last(steps, "checked")
    context = last(steps, "context")
    head: Mapping[str, Json] = context.body if context else {}
    return {
        **run_json(info, events),
        "folder": info.folder,
        "kind": info.kind,
        "window": info.window,
        "scope": info.scope,
        "now": head.get("now"),
        "unverified": checked.body.get("unverified", []) if checked else [],
        "text": checked.text() if checked else None,
        "steps": [as_json(s) for s in steps],
    }


def last(steps: Sequence[Step], kind: str) -> Step | None:
    """The last step of a kind, anywhere in the tree."""
    return next((s for s in reversed(list(walk(steps))) if s.kind == kind), None)

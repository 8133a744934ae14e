"""Runs made by hand: with hostile content in every field, and with very many steps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hermes_ops.trace import story, tree
from hermes_ops.trace.story import Story
from memory import RunInfo
from orchestrator.contracts import BlobRef, Event, Incoming, Json, ToolResult, to_json

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    '<!-- <script> \x1b[31mred\x1b]8;;http://evil\x07 \u202eRTL\u202c \u2028 \x00 ]]> {{7*7}} `\'"\\ #quot; end"] --> x'
)
MEGABYTE = "长 long " * 170_000


def told(events: list[Event], text: str = "why?") -> Story:
    info = RunInfo("20261130-made", Incoming("m", text, NOW, user=text[:80]), text[:40], text[:90], "done", NOW,
                   NOW + timedelta(seconds=9), None, None, text[:60])  # fmt: skip
    return story.tell(info, events, tree.build(events), 24_000)


def event(path: str, n: int, kind: str, body: dict[str, Json], *texts: str) -> Event:
    at = NOW + timedelta(milliseconds=40 * n)
    return Event("20261130-made", path, n, kind, at, body, tuple(BlobRef.of(t) for t in texts))


def hostile_story(text: str = HOSTILE, long: str = "") -> Story:
    """The text in every field of every kind of step; `long` in the texts beside it."""
    return told(list(_hostile(text, text + long)), text)


def events_of(run: str, text: str, long: str) -> list[Event]:
    """The same events, of a run of another name."""
    return [replace(e, run=run) for e in _hostile(text, long)]


def _hostile(x: str, long: str) -> Iterator[Event]:
    call = {"id": x, "name": x, "args": {x: x}, "raw": x, "fault": x}
    used = {"model_calls": 1, "prompt_tokens": 10, "completion_tokens": 1, "cached_tokens": 0, "cost": None}
    reply = {"text": long, "calls": [call], "reasoning": long, "finish": "stop", "usage": used, "model": x,
             "attempts": 1, "notes": [x]}  # fmt: skip
    note = {"agent": x, "model": x, "prompt": x, "final": True, "prefix": x, "usage": used, "finish": x, "calls": [x],
            "attempts": 1, "notes": [x], "ms": 30}  # fmt: skip
    sent = [{"role": "user", "content": long}, {"role": x, "content": x}]
    result = to_json(ToolResult("error", long, data={x: x}, source=x, query=x, link="javascript:alert(1)", gaps=(x,)))
    result["figures"] = [{"name": x, "value": 1, "unit": x, "labels": {x: x}, "approx": False}]
    asked = {"subagent": x, "task": x, "window": x, "reason": x, "status": x, "ms": 3}
    findings = {"agent": x, "status": "failed", "summary": long, "stopped": x, "gaps": [x], "unreachable": [x],
                "needs": x, "evidence": [{"id": "L1"}]}  # fmt: skip
    found = {**result, "data": [{"asked": asked, "findings": findings}]}
    inside = "supervisor/1.0.logs"
    yield event(inside, 0, "agent", {"agent": "logs", "prompt": x, "brain": x}, long)
    yield event(inside, 1, "tool", {"step": f"tool 1.0 {x}", "tool": x, "args": {x: x}, "status": "error", "ms": 20,
                                    "query": x, "shown": 1, "total": 3}, json.dumps({"result": result}))  # fmt: skip
    tools = json.dumps([{"type": "function", "function": {"name": x, "description": long, "parameters": {x: x}}}])
    yield event("supervisor", 0, "agent", {"agent": "supervisor", "prompt": x, "brain": x}, long, tools)
    yield event("supervisor", 1, "model", {"step": "model 1", **note}, json.dumps({"sent": sent, "reply": reply}))
    chosen = [{"agent": x, "task": x, "window": x, "reason": x}]
    yield event("supervisor", 2, "route", {"offered": [x], "chosen": chosen, "not_chosen": [x], "model": x, "turn": 1})
    yield event("supervisor", 3, "branch", {"step": "1.0.logs", "ms": 60, "args": {x: x}, "status": x},
                json.dumps({"result": found}))  # fmt: skip
    yield event("supervisor", 4, x, {x: x}, long)
    yield event("supervisor", 5, "fallback", {"why": x})
    yield event("supervisor", 6, "checked", {"unverified": [x], "status": "ok"}, f"{long} [L1]")


def big_story(steps: int) -> Story:
    """A run of so many steps in six loops, with results of a few thousand characters."""
    per, events = (steps - 8) // 6, []
    for lane in range(6):
        agent = ("alerts", "logs", "changes")[lane % 3]
        path = f"supervisor/1.{lane}.{agent}"
        events.append(event(path, 0, "agent", {"agent": agent, "prompt": "p", "brain": "m"}, "You look things up."))
        for n in range(1, per - 1):
            text = f"row {n}: connection pool exhausted on checkout\n" * 60
            body = {"step": f"tool {n}.0 search", "tool": "search", "args": {"n": n}, "status": "ok", "ms": 30}
            result = json.dumps({"result": to_json(ToolResult("ok", text, query="q", shown=60, total=900))})
            events.append(event(path, n, "tool", body, result))
        events.append(
            event("supervisor", 2 + lane, "branch", {"step": f"1.{lane}.{agent}", "ms": 40 * per, "status": "ok"})
        )
    events.append(event("supervisor", 0, "agent", {"agent": "supervisor", "prompt": "p", "brain": "m"}, "You lead."))
    events.append(event("supervisor", 9, "checked", {"unverified": [], "status": "ok"}, "It was the pool."))
    return told(events)

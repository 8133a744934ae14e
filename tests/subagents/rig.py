"""A context, one tool call, and an agent's playbook run to its end, for tests of the domains."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from hermes_ops.runtime.local import LocalRuntime
from hermes_ops.runtime.sinks import MemorySink
from orchestrator.agent import Agent
from orchestrator.consult import consult
from orchestrator.contracts import Findings, Incoming, Scope, ToolResult, Window, from_json
from orchestrator.evidence import check
from orchestrator.guard import AllowAll
from orchestrator.planner import OfflineBrain
from orchestrator.ports import Context
from orchestrator.stop import Stop
from subagents.sources import Episode, LogLine

DAY = datetime(2026, 3, 4, tzinfo=UTC)


def at(clock: str) -> datetime:
    """13:05 or 13:05:10 on the day of the tests, UTC."""
    return datetime.fromisoformat(f"{DAY:%Y-%m-%d}T{clock}+00:00")


def window(start: str = "12:00", end: str = "15:00", zone: str = "UTC") -> Window:
    return Window(at(start), at(end), zone)


def context(
    span: Window | None, services: Sequence[str] = (), question: str = "why?", lang: Literal["zh", "en"] = "en"
) -> Context:
    # asked at six in the evening, or a day after a window of another date
    now = at("18:00") if span is None or span.end <= at("23:59") else span.end + timedelta(days=1)
    asked = Incoming("1", question, now, span.zone if span else "UTC")
    runtime = LocalRuntime("run", "supervisor", MemorySink())
    scope = Scope(services=tuple(services))
    return Context(asked, span, scope, now, runtime, AllowAll(b"k" * 32), Stop(), lang=lang)


async def call(agent: Agent, ctx: Context, tool: str, **args: Any) -> ToolResult:
    value = await agent.by_name[tool].invoke(ctx, args)
    return from_json(ToolResult, value["result"])


async def findings(agent: Agent, ctx: Context, earlier: Sequence[Findings] = ()) -> Findings:
    """What the agent's playbook finds out, without a model. Every figure of its summary must be borne out."""
    ask = {"task": ctx.question.text, "reason": "test", "window": ""}
    result = await consult(agent, lambda a: OfflineBrain(), ctx, ask, earlier)
    found = from_json(Findings, result.data[0]["findings"])
    evidence = [e for f in (*earlier, found) for e in f.evidence]
    checked = check(found.summary, evidence, ctx.window, ctx.question.text)
    assert checked.unverified == (), checked.marked
    assert checked.unknown == ()
    return found


def errors(service: str, start: str, minutes: int, each: int, message: str = "boom 7", code: str = "") -> list[LogLine]:
    """`each` error lines in every minute, evenly spread."""
    fields = {"code": code} if code else {}
    return [
        LogLine(at(start) + timedelta(seconds=60 * m + 60 * k / each), service, "error", message, "a.log:1", fields)
        for m in range(minutes)
        for k in range(each)
    ]


def by_time(*groups: Sequence[LogLine]) -> list[LogLine]:
    return sorted((x for group in groups for x in group), key=lambda x: x.at or DAY)


def calm(service: str, start: str = "06:00", minutes: int = 720) -> list[LogLine]:
    return [
        LogLine(at(start) + timedelta(minutes=m), service, "info", f"served {m}", "a.log:1") for m in range(minutes)
    ]


def episode(name: str, service: str, start: str, end: str | None, severity: str = "critical", **more: Any) -> Episode:
    return Episode(name, service, severity, at(start), at(end) if end else None, **more)

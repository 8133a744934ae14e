"""What code says to a model in place of, or around, a tool's result. Texts only; nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from orchestrator.agent import Agent, Taken, Turn
from orchestrator.contracts import Reply, ToolCall, ToolResult

Fence = Callable[[str, str], str]


def show(taken: Taken, fence: Fence) -> str:
    """One result as the model reads it: id, status, how much is shown, then gaps and text, fenced where a source or a
    sub-agent is behind them."""
    result = taken.result
    if not taken.id or result.status in ("error", "denied"):
        text = fence(result.text, result.source) if result.source else result.text
        return text if result.status in ("ok", "no_data") else f"{result.status}: {text}"
    head = [f"[{taken.id}] {result.status}"]
    if result.total is not None and result.shown < result.total:
        head.append(f"{result.shown} of {result.total:,} rows; counts cover all")
    if not result.complete:
        head.append("incomplete")
    text = "\n".join([*(f"gap: {gap}" for gap in result.gaps), result.text])
    return f"{' · '.join(head)}\n{fence(text, result.source or taken.call.name)}"


def faulty(call: ToolCall, agent: Agent) -> ToolResult:
    """For a call that can't be run as written."""
    if call.args is None:
        return ToolResult(
            "error", f"the arguments could not be read: {call.fault}. Send them again as one JSON object."
        )
    return ToolResult("error", f"there is no tool {call.name!r}; valid: {', '.join(agent.by_name)}")


def given_up(turn: Turn, name: str) -> ToolResult:
    errors = (t.result for t in reversed(turn.taken) if t.call.name == name and not t.repeated)
    last = next(result.text for result in errors if result.status == "error")
    return ToolResult(
        "error", f"{name} failed {turn.failed[name]} times and is not tried again. Its last error: {last}"
    )


def repeated(first: ToolResult) -> ToolResult:
    return replace(first, text=f"(the same call as before; this is its first result)\n{first.text}", ends=False)


def digest(turn: Turn) -> str:
    """What there is, where no one is left to sum it up: one line per result, made by code."""
    lines = dict.fromkeys(f"- {_line(t)}" for t in turn.taken if not t.repeated)
    return "\n".join(lines) or ("还没有结果。" if turn.ctx.lang == "zh" else "There are no results yet.")


def _line(taken: Taken) -> str:
    result = taken.result
    first = next((row for row in result.text.splitlines() if row.strip()), "")
    cite = f" [{taken.id}]" if taken.id and result.status in ("ok", "no_data") else ""
    return f"{taken.call.name}: {result.status}: {first[:200]}{cite}"


def bare(reply: Reply) -> str:
    """A reply whose calls stayed unreadable, as it was written."""
    raw = "\n".join(c.raw or c.name for c in reply.calls)
    return f"{reply.text}\n{raw}".strip() + "\n(the model's raw text: its tool call could not be read)"

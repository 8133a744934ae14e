"""One run in one row of a list."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from hermes_ops.trace import facts
from hermes_ops.trace.printing import one_line
from memory import RunInfo
from orchestrator.contracts import Event

HEADS = ("started", "run", "status", "took", "asked", "tokens", "cost", "user", "question")


def row(info: RunInfo, events: Sequence[Event], zone: str) -> tuple[str, ...]:
    """As `HEADS` names it; the time in `zone`."""
    used, took = facts.usage(events), facts.seconds(info, events)
    answer = facts.answer_status(events)
    status = answer if info.status == "done" and answer else info.status
    return (
        f"{info.started.astimezone(ZoneInfo(zone)):%m-%d %H:%M:%S}",
        info.id,
        f"{status}!" if facts.went_wrong(info, events) else status,
        f"{took:.1f} s" if took is not None else "",
        ",".join(facts.agents(events)) or "-",
        f"{used.prompt_tokens + used.completion_tokens:,}" if used.model_calls else "-",
        f"{used.cost:.4f}" if used.cost is not None else "-",
        _short(info.question.user),
        one_line(info.question.text, 120),
    )


def _short(name: str, most: int = 20) -> str:
    """Enough of a platform's long id to tell people apart."""
    whole = one_line(name)
    return whole if len(whole) <= most else f"{whole[: most - 1]}…"

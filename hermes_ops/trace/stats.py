"""Numbers over many runs: how often whom, how often in vain, how long, for how much. As plain data and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from hermes_ops.trace.graph import took
from memory import Memory
from memory.digests import ROOT, By, Counted, Tally
from orchestrator.contracts import Json, to_json

GROUPS: tuple[By, ...] = get_args(By)
HEADS = ("", "count", "share", "failed", "no data", "calls", "input", "cached", "output", "cost", "p50", "p95")


@dataclass(frozen=True, slots=True)
class Stats:
    """`runs`: all that fit; `groups`: by what was asked for, the most frequent first (days in order)."""

    runs: int
    by: By
    groups: list[Tally]


async def stats(memory: Memory, wanted: Counted, by: By) -> Stats:
    """Raises StoreError."""
    groups = await memory.traces.digests.tally(wanted, by)
    groups.sort(key=(lambda t: t.key) if by == "day" else (lambda t: (-t.count, t.key)))
    own = [t for t in groups if by != "agent" or t.key == ROOT]
    return Stats(sum(t.count for t in own), by, groups)


def as_json(told: Stats) -> Json:
    return {"runs": told.runs, "by": told.by, "groups": [_json(t, told.runs) for t in told.groups]}


def _json(one: Tally, runs: int) -> Json:
    used = one.usage
    return {
        "key": one.key,
        "count": one.count,
        "share": round(one.count / runs, 4) if runs else None,
        "failed": one.failed,
        "no_data": one.empty,
        "tools": one.tools,
        "tool_errors": one.errors,
        "usage": to_json(used),
        "cache_hits": round(used.cached_tokens / used.prompt_tokens, 4) if used.prompt_tokens else None,
        "p50_ms": one.p50,
        "p95_ms": one.p95,
    }


def rows(told: Stats) -> Sequence[tuple[str, ...]]:
    return [_row(one, told.runs) for one in told.groups]


def _row(one: Tally, runs: int) -> tuple[str, ...]:
    used = one.usage
    return (
        one.key or "–",
        f"{one.count:,}",
        _share(one.count, runs),
        _share(one.failed, one.count),
        _share(one.empty, one.count),
        f"{used.model_calls:,}",
        f"{used.prompt_tokens:,}",
        _share(used.cached_tokens, used.prompt_tokens),
        f"{used.completion_tokens:,}",
        "–" if used.cost is None else f"{used.cost:.4f}",
        took(one.p50),
        took(one.p95),
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"

"""The digest of a run out of its events: what lists and statistics show without reading events again.

Made when a run ends; runs from before, and those whose process was killed, get theirs when somebody looks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress

from hermes_ops.trace import facts
from memory import Memory, RunInfo
from memory.digests import Digest, Loop
from orchestrator.contracts import Event
from orchestrator.errors import StoreError

AT_ONCE = 100
MOST = 5_000  # runs that one look makes up for
ENDED = {"error": "failed", "denied": "failed", "no_data": "ok"}  # of a sub-agent's step, as a loop's status


async def settle(memory: Memory, run: str) -> None:
    """At a run's end. A store that fails now costs a digest, not an answer: the next look makes it."""
    with suppress(StoreError):
        await _digest(memory, [run])


async def catch_up(memory: Memory, most: int = MOST) -> int:
    """Makes the digests that are missing, newest first; gives their number."""
    waiting = await memory.traces.digests.missing(most)
    for start in range(0, len(waiting), AT_ONCE):
        await _digest(memory, waiting[start : start + AT_ONCE])
    return len(waiting)


async def _digest(memory: Memory, runs: Sequence[str]) -> None:
    memory.events.flush()
    found = await memory.traces.events(runs)
    infos = await memory.runs.many(runs)
    await memory.traces.digests.put({run: digest(info, found[run]) for run, info in infos.items()})


def digest(info: RunInfo, events: Sequence[Event]) -> Digest:
    """`events` without their texts."""
    took = facts.seconds(info, events)
    return Digest(
        facts.answer_status(events) or ("failed" if info.status == "failed" else ""),
        facts.went_wrong(info, events),
        round((took or 0.0) * 1000),
        tuple(facts.agents(events)),
        tuple(_loops(events)),
    )


def _loops(events: Sequence[Event]) -> list[Loop]:
    paths: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        paths[event.path].append(event)
    ends = {f"{e.path}/{e.body.get('step', '')}": e for e in events if e.kind == "branch"}
    made = []
    for path, own in paths.items():
        name = next((str(e.body.get("agent", "")) for e in own if e.kind == "agent"), "")
        if name:
            made.append(_loop(path, name, own, ends.get(path)))
    return made


def _loop(path: str, name: str, own: Sequence[Event], end: Event | None) -> Loop:
    tools = [str(e.body.get("status", "")) for e in own if e.kind == "tool"]
    status = str(end.body.get("status", "")) if end else ""
    span = (own[-1].at - own[0].at).total_seconds() * 1000
    ms = end.body.get("ms") if end else span
    return Loop(
        path,
        name,
        ENDED.get(status, status),
        bool(tools) and "ok" not in tools and "no_data" in tools,
        round(ms) if isinstance(ms, int | float) else round(span),
        facts.usage(own),
        len(tools),
        sum(status in facts.FAILED for status in tools),
    )

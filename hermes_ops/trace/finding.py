"""Which run is meant, and which runs a list shows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from hermes_ops.trace import facts
from hermes_ops.trace.digesting import catch_up
from memory import Memory, RunInfo, Wanted
from orchestrator.contracts import Event
from orchestrator.errors import ConfigError

PAGE = 100
MOST = 20_000  # runs that one list looks at

Found = tuple[RunInfo, list[Event]]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What a run that goes on, and so has no digest, is held to. `statuses`: of the run or its answer; empty: all."""

    statuses: Collection[str] = ()
    agent: str = ""
    failed: bool = False

    def fits(self, info: RunInfo, events: list[Event]) -> bool:
        if info.ended is not None:  # the database knows it all
            return True
        if self.statuses and not {info.status, facts.answer_status(events)} & set(self.statuses):
            return False
        if self.agent and self.agent not in facts.agents(events):
            return False
        return not self.failed or facts.went_wrong(info, events)


async def find(memory: Memory, wanted: Wanted, limit: int) -> list[Found]:
    """The newest runs that fit, each with its events (without texts)."""
    await catch_up(memory)
    narrowed = Narrowed(wanted.statuses, wanted.agent, wanted.wrong)
    found: list[Found] = []
    size = min(limit, PAGE)
    for skip in range(0, MOST, size):
        infos = await memory.traces.find(wanted, size, skip)
        events = await memory.traces.events([i.id for i in infos])
        found += [(i, events[i.id]) for i in infos if narrowed.fits(i, events[i.id])]
        if len(infos) < size or len(found) >= limit:
            break
    return found[:limit]


async def one(memory: Memory, name: str) -> Found:
    """The run of an id, the beginning of an id, or "last", with its events and their texts. Raises ConfigError."""
    if name == "last":
        ids = [info.id for info in await memory.traces.find(Wanted(), 1)]
    else:
        ids = await memory.traces.named(name)
    if not ids:
        raise ConfigError(f"There is no run {name!r}. `hermes-ops trace list` shows what there is.")
    if len(ids) > 1 and name not in ids:
        raise ConfigError(f"Several runs begin with {name!r}: {', '.join(ids[:5])}{' …' if len(ids) > 5 else ''}.")
    run = name if name in ids else ids[0]
    info = await memory.runs.get(run)
    if info is None:
        raise ConfigError(f"The run {run!r} was removed just now.")
    return info, await memory.events.events(run)

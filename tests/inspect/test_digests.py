"""Digests of runs in both databases: lists that filter by them, statistics, and what goes with a run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hermes_ops.trace import digesting, finding
from hermes_ops.trace.stats import as_json, stats
from memory import Memory, Wanted
from memory.digests import Counted, slot
from orchestrator.contracts import Event, Incoming, Json
from tests.memory.conftest import memory, postgres, url

__all__ = ["memory", "postgres", "url"]

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
USED = {"model_calls": 1, "prompt_tokens": 100, "completion_tokens": 10, "cached_tokens": 50, "cost": 0.5}


async def ran(memory: Memory, run: str, user: str, agents: dict[str, str], answer: str = "ok") -> None:
    """A run that asked these agents, each with how its tool ended."""
    await memory.runs.create(run, Incoming(run, f"question of {run}", NOW, user=user))
    sink, n = memory.events.of(run), 0

    def emit(path: str, n: int, kind: str, body: dict[str, Json]) -> None:
        sink.emit(Event(run, path, n, kind, NOW + timedelta(seconds=n), body))

    emit("supervisor", 0, "agent", {"agent": "supervisor"})
    emit("supervisor", 1, "model", {"step": "model 1", "ms": 900, "usage": USED})
    for n, (agent, status) in enumerate(agents.items(), 2):
        path = f"supervisor/1.{n}.{agent}"
        emit(path, 0, "agent", {"agent": agent})
        emit(path, 1, "tool", {"step": "tool 1.0 x", "status": status, "ms": 5})
        branch = "error" if status == "error" else "ok"
        emit("supervisor", n, "branch", {"step": f"1.{n}.{agent}", "ms": 1000 * n, "status": branch})
    emit("supervisor", 9, "checked", {"status": answer})
    await memory.runs.finish(run, "failed" if answer == "failed" else "done")


async def three(memory: Memory) -> None:
    await ran(memory, "a", "li", {"logs": "ok", "alerts": "no_data"})
    await ran(memory, "b", "li", {"logs": "error"}, "failed")
    await ran(memory, "c", "wang", {}, "no_evidence")


async def test_lists_filter_by_what_came_of_the_runs(memory: Memory) -> None:
    await three(memory)

    async def found(**wanted: object) -> list[str]:
        return sorted(info.id for info, _ in await finding.find(memory, Wanted(**wanted), 20))  # type: ignore[arg-type]

    assert await found(agent="logs") == ["a", "b"]
    assert await found(agent="log") == []
    assert await found(wrong=True) == ["b"]
    assert await found(statuses=("no_evidence",)) == ["c"]
    assert await found(statuses=("failed",)) == ["b"]
    assert await found(user="li", agent="alerts") == ["a"]
    assert await found(text="QUESTION OF") == ["a", "b", "c"]
    assert await found(text="%") == []


async def test_a_run_that_goes_on_is_judged_by_its_events(memory: Memory) -> None:
    await memory.runs.create("d", Incoming("d", "now", NOW))
    sink = memory.events.of("d")
    sink.emit(Event("d", "supervisor/1.0.logs", 0, "agent", NOW, {"agent": "logs"}))
    await sink.commit()
    assert [i.id for i, _ in await finding.find(memory, Wanted(agent="logs"), 20)] == ["d"]
    assert await finding.find(memory, Wanted(agent="changes"), 20) == []


async def test_statistics_count_runs_and_loops(memory: Memory) -> None:
    await three(memory)
    assert await digesting.catch_up(memory) == 3
    assert await digesting.catch_up(memory) == 0
    told = as_json(await stats(memory, Counted(), "agent"))
    by = {g["key"]: g for g in told["groups"]}
    assert told["runs"] == 3
    assert (by["logs"]["count"], by["logs"]["failed"], by["logs"]["tool_errors"]) == (2, 1, 1)
    assert (by["alerts"]["count"], by["alerts"]["no_data"]) == (1, 1)
    assert by["supervisor"]["usage"]["cost"] == pytest.approx(1.5)
    assert by["supervisor"]["cache_hits"] == 0.5
    assert by["alerts"]["p50_ms"] == pytest.approx(3000, rel=0.05)
    users = {g["key"]: g for g in as_json(await stats(memory, Counted(), "user"))["groups"]}
    assert (users["li"]["count"], users["li"]["failed"], users["wang"]["no_data"]) == (2, 1, 1)
    assert users["li"]["usage"]["prompt_tokens"] == 200
    (day,) = as_json(await stats(memory, Counted(), "day"))["groups"]
    assert day["count"] == 3
    assert as_json(await stats(memory, Counted(user="nobody"), "agent"))["groups"] == []


async def test_a_digest_is_made_anew_when_a_run_ends_again(memory: Memory) -> None:
    await ran(memory, "a", "li", {"logs": "error"}, "failed")
    await digesting.settle(memory, "a")
    sink = memory.events.of("a")
    sink.emit(Event("a", "supervisor", 10, "checked", NOW, {"status": "partial"}))
    await memory.runs.finish("a", "done")
    await digesting.settle(memory, "a")
    assert [i.id for i, _ in await finding.find(memory, Wanted(statuses=("partial",)), 20)] == ["a"]
    assert as_json(await stats(memory, Counted(), "agent"))["runs"] == 1


async def test_what_is_pruned_is_not_counted(memory: Memory) -> None:
    await three(memory)
    await digesting.catch_up(memory)
    await memory.traces.remove(["a", "b"])
    assert as_json(await stats(memory, Counted(), "user"))["runs"] == 1


@pytest.mark.parametrize("ms", [0, 1, 20, 999, 1000, 65_000, 600_000])
def test_a_slot_holds_its_time_to_five_percent(ms: int) -> None:
    assert 1.05 ** slot(ms) - 1 == pytest.approx(ms, rel=0.05, abs=0.5)

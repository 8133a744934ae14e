"""Tools: schema, coercion, errors that a model can mend, and running that can be ended."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from datetime import date
from enum import Enum
from multiprocessing import active_children
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from orchestrator.contracts import Figure, ToolResult, from_json
from orchestrator.errors import Fatal, HermesError
from orchestrator.stop import Stop
from orchestrator.tool import Tool, tool
from orchestrator.work import Late, Threads, run
from tests.kit import context
from tests.orchestrator.stopping import stops


class Level(Enum):
    ERROR = "error"
    WARN = "warn"


class Range(BaseModel):
    first: int
    last: int = 10


@tool()
def look(
    day: date,
    limit: int = 50,
    services: list[str] | None = None,
    level: Level = Level.ERROR,
    order: Literal["newest", "oldest"] = "newest",
    rows: Range | None = None,
    tags: Annotated[list[str], Field(description="tags that must all be there")] = [],  # noqa: B006
) -> str:
    """Looks. Not for anything else.

    Args:
        day: The day to look at.
        limit: Most rows.
    """
    return f"{day.isoformat()} {limit + 1} {services} {level.value} {order} {rows} {tags}"


async def result(fn: Any, args: dict[str, Any], **more: Any) -> ToolResult:
    value = await Tool.of(fn).invoke(context(**more), args)
    return from_json(ToolResult, value["result"])


def test_schema_is_described_inlined_and_free_of_titles() -> None:
    schema = Tool.of(look).schema["function"]
    properties = schema["parameters"]["properties"]
    assert schema["description"] == "Looks. Not for anything else."
    assert properties["day"] == {"description": "The day to look at.", "format": "date", "type": "string"}
    assert properties["level"]["enum"] == ["error", "warn"]
    assert "$ref" not in str(schema)
    assert "$defs" not in str(schema)
    assert "title" not in str(schema)
    assert schema["parameters"]["required"] == ["day"]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"day": "2026-06-01"}, "2026-06-01 51 None error newest None []"),
        ({"day": "2026-06-01", "limit": "50"}, "2026-06-01 51 None error newest None []"),
        ({"day": "2026-06-01", "services": "checkout"}, "2026-06-01 51 ['checkout'] error newest None []"),
        ({"day": "2026-06-01", "services": "a, b，c"}, "2026-06-01 51 ['a', 'b', 'c'] error newest None []"),
        ({"day": "2026-06-01", "services": '["a","b"]'}, "2026-06-01 51 ['a', 'b'] error newest None []"),
        ({"day": "2026-06-01", "level": "WARN"}, "2026-06-01 51 None warn newest None []"),
        ({"day": "2026-06-01", "order": "Oldest"}, "2026-06-01 51 None error oldest None []"),
        ({"day": "2026-06-01", "limit": None, "level": None}, "2026-06-01 51 None error newest None []"),
        ({"day": "2026-06-01", "rows": {"first": "3"}}, "2026-06-01 51 None error newest first=3 last=10 []"),
        ({"day": "2026-06-01", "rows": '{"first": 3}'}, "2026-06-01 51 None error newest first=3 last=10 []"),
        ({"day": "2026-06-01", "services": []}, "2026-06-01 51 [] error newest None []"),
        ({"day": "2026-06-01", "tags": ""}, "2026-06-01 51 None error newest None []"),
    ],
)
async def test_what_can_be_understood_is_accepted(args: dict[str, Any], expected: str) -> None:
    assert (await result(look, args)).text == expected


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, ["day", "required", "The day to look at"]),
        ({"day": "soon"}, ["day", '"soon"']),
        ({"day": "2026-06-01", "limit": "an hour"}, ["limit", "integer", '"an hour"']),
        ({"day": "2026-06-01", "level": "fatal"}, ["level", "error, warn"]),
        ({"day": "2026-06-01", "order": "up"}, ["order", "newest, oldest"]),
        ({"day": "2026-06-01", "since": 3}, ["since", "no such argument", "services"]),
        ({"day": "2026-06-01", "rows": {"last": 3}}, ["rows.first", "required"]),
    ],
)
async def test_the_next_try_sees_field_problem_and_valid_values(args: dict[str, Any], words: list[str]) -> None:
    got = await result(look, args)
    assert got.status == "error"
    for word in words:
        assert word in got.text


async def test_a_raising_tool_is_an_error_result_and_fatal_is_not() -> None:
    @tool()
    async def broken() -> str:
        """Breaks."""
        raise RuntimeError("backend down: connection refused")

    @tool()
    async def refused() -> str:
        """Refuses."""
        raise HermesError("loki: 401, check the token")

    @tool()
    async def over() -> str:
        """Ends it."""
        raise Fatal("the folder is gone")

    assert "connection refused" in (await result(broken, {})).text
    assert (await result(refused, {})).text == "loki: 401, check the token"
    with pytest.raises(Fatal):
        await result(over, {})


async def test_an_async_tool_that_hangs_is_cancelled() -> None:
    ended = asyncio.Event()

    @tool(timeout=0.05)
    async def hang() -> str:
        """Hangs."""
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return ""

    got = await result(hang, {})
    assert got.status == "error"
    assert "0.05 s" in got.text
    assert ended.is_set()


async def test_a_plain_io_tool_that_hangs_is_abandoned_and_six_run_at_once() -> None:
    gate = threading.Event()

    @tool(timeout=0.05)
    def stuck() -> str:
        """Sticks."""
        gate.wait(10)
        return ""

    @tool(timeout=5)
    def slow() -> str:
        """Blocks 0.2 s."""
        time.sleep(0.2)
        return "done"

    ctx = context()
    value = await Tool.of(stuck).invoke(ctx, {})
    assert value["result"]["status"] == "error"
    assert all(t.daemon for t in threading.enumerate() if t.name == "tool")
    began = time.monotonic()
    values = await asyncio.gather(*(Tool.of(slow).invoke(ctx, {}) for _ in range(6)))
    assert time.monotonic() - began < 0.8  # one after the other would take 1.2 s
    assert [v["result"]["text"] for v in values] == ["done"] * 6
    gate.set()


@tool(work="cpu", timeout=0.8)
def spin(path: str) -> str:
    """Burns CPU for ever."""
    with open(path, "w") as f:
        f.write(str(os.getpid()))
    while True:
        pass


@tool(work="cpu", timeout=20)
def add(a: int, b: int) -> dict[str, int]:
    """Adds."""
    if a < 0:
        raise ValueError("a is negative")
    return {"sum": a + b}


async def test_a_cpu_tool_runs_in_a_process_and_is_killed(tmp_path: Any) -> None:
    assert (await result(add, {"a": 2, "b": 3})).data == {"sum": 5}
    assert "a is negative" in (await result(add, {"a": -2, "b": 3})).text
    mark = tmp_path / "pid"
    got = await result(spin, {"path": str(mark)})
    assert got.status == "error"
    if mark.exists() and mark.read_text():
        with pytest.raises(ProcessLookupError):
            os.kill(int(mark.read_text()), 0)


async def test_a_process_that_stops_while_it_answers_stops_nobody_else(tmp_path: Any) -> None:
    mark, ended = tmp_path / "mark", threading.Event()
    rescue = threading.Thread(target=lambda: ended.wait(20) or [p.kill() for p in active_children()], daemon=True)
    rescue.start()  # else a loop that is held up would wait for ever
    asked = asyncio.create_task(run(stops, {"mark": str(mark)}, "cpu", None, Threads()))
    while not mark.exists():
        await asyncio.sleep(0.005)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    ended.set()


async def test_a_thread_that_comes_back_after_the_end_is_gone() -> None:
    threads, gate, ours = Threads(), threading.Event(), list[threading.Thread]()

    def hang() -> None:
        ours.append(threading.current_thread())
        gate.wait()

    for _ in range(3):
        with pytest.raises(Late):
            await run(hang, {}, "io", 0.05, threads)
    while len(ours) < 3:
        await asyncio.sleep(0.001)
    threads.close()
    gate.set()
    for thread in ours:
        await asyncio.to_thread(thread.join, 10)
    assert [thread.is_alive() for thread in ours] == [False] * 3


async def test_cancel_ends_a_tool_at_once() -> None:
    stop = Stop()

    @tool(timeout=60)
    async def hang() -> str:
        """Hangs."""
        await asyncio.sleep(60)
        return ""

    began = time.monotonic()
    asyncio.get_running_loop().call_later(0.05, stop.cancel)
    got = await result(hang, {}, stop=stop)
    assert (got.status, "cancelled" in got.text) == ("error", True)
    assert time.monotonic() - began < 1.0


async def test_what_leaves_a_tool_is_masked_and_capped() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2

    @tool(cap=100)
    async def leak() -> ToolResult:
        """Leaks."""
        rows = [{"password": "hunter2hunter2", "note": f"token {secret}"}]
        figures = (Figure("n", 1, labels={"user": secret}),)
        return ToolResult("ok", f"token {secret} " + "x" * 500, rows, figures, query=f"grep {secret}")

    value = await Tool.of(leak).invoke(context(), {})
    assert secret not in str(value)
    assert "hunter2hunter2" not in str(value)
    assert len(value["result"]["text"]) < 250
    assert "more characters" in value["result"]["text"]


async def test_empty_means_no_data() -> None:
    @tool()
    async def nothing() -> list[int]:
        """Finds nothing."""
        return []

    assert (await result(nothing, {})).status == "no_data"


def test_a_tool_needs_types_and_a_docstring() -> None:
    def untyped(a) -> str:  # type: ignore[no-untyped-def]
        """Something."""
        return str(a)

    def silent(a: int) -> str:
        return str(a)

    with pytest.raises(TypeError, match="needs a type"):
        Tool.of(untyped)
    with pytest.raises(TypeError, match="docstring"):
        Tool.of(silent)

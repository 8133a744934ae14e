"""What a loop works on: ids of evidence, and whose limit it was that ended a tool."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from orchestrator.agent import Agent, Turn
from orchestrator.contracts import ToolResult, from_json
from orchestrator.evidence.prose import _ID
from orchestrator.tool import Tool, tool
from orchestrator.work import Work
from tests.kit import context

LOGS = Agent("logs", "finds", "prompt", (), letter="L")


def ids(asked: int, n: int) -> list[str]:
    turn = Turn(LOGS, [], context(asked={"logs": asked}))
    return [turn.next_id() for _ in range(n)]


def test_no_two_results_of_a_run_have_one_id_and_on_resume_they_have_the_same() -> None:
    """However many results each ask had: also where one ask brings more than its hundred."""
    counts = [103, 1, 250, 100, 101, 400, *[7] * 40]
    run = [ids(asked, n) for asked, n in enumerate(counts)]
    flat = [id for of in run for id in of]
    assert len(set(flat)) == len(flat) == sum(counts)
    assert all(_ID.fullmatch(id) for id in flat)
    assert run == [ids(asked, n) for asked, n in enumerate(counts)]
    assert (run[0][0], run[0][99], run[1][0], run[0][100]) == ("L1", "L100", "L101", "L10001")


def pooled() -> str:
    """Waits for its pool."""
    raise TimeoutError("pool: no connection within 0.1 s")


async def within() -> str:
    """Waits for its database as long as it wants."""
    async with asyncio.timeout(0):
        await asyncio.sleep(30)
    return ""


async def stuck() -> str:
    """Waits."""
    await asyncio.sleep(30)
    return ""


async def told(fn: Any, seconds: float, work: Work = "io") -> ToolResult:
    marked = Tool.of(tool(timeout=seconds, work=work)(fn))
    return from_json(ToolResult, (await marked.invoke(context(), {}))["result"])


@pytest.mark.parametrize("work", ["io", "cpu"])
async def test_a_tools_own_timeout_is_told_as_it_says_it(work: Work) -> None:
    got = await told(pooled, 30, work)
    assert got.status == "error"
    assert "TimeoutError: pool: no connection within 0.1 s" in got.text
    assert "was ended" not in got.text


async def test_whose_limit_it_was_is_told_apart() -> None:
    assert (await told(within, 30)).text == "within failed: TimeoutError: "
    assert (await told(stuck, 0.01)).text == "stuck gave no answer within 0.01 s and was ended"

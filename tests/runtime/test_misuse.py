"""Misuse that would mix results up is refused at once, with a text that says what to do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from hermes_ops.runtime.sinks import MemorySink
from orchestrator.contracts import Json
from orchestrator.ports import Call, Runtime
from tests.runtime.test_local import Made, Question, runtime, work


@pytest.mark.parametrize(
    "misuse",
    [
        lambda rt: rt.step("model 1", work([]), "a"),
        lambda rt: rt.steps([Call("model 1", work([]), ("a",))]),
        lambda rt: asyncio.sleep(0, rt.emit("x", {})),
    ],
)
async def test_a_path_belongs_to_one_task(misuse: Callable[[Runtime], Awaitable[Json]]) -> None:
    rt = runtime(MemorySink())
    rt.emit("start", {})

    async def another() -> None:
        await misuse(rt)

    with pytest.raises(
        RuntimeError, match="on path 'supervisor' came from task 'intruder', which isn't the path's own"
    ):
        await asyncio.create_task(another(), name="intruder")
    await rt.step("model 1", work([]), "a")


async def test_gathered_steps_are_refused() -> None:
    made: Made = []
    rt = runtime(MemorySink())
    results = await asyncio.gather(*(rt.step(f"model {n}", work(made), "x") for n in range(3)), return_exceptions=True)
    assert [isinstance(r, RuntimeError) for r in results] == [False, True, True]
    assert made == ["x"]


async def test_gathered_branches_are_fine() -> None:
    sink, question = MemorySink(), Question()
    rt = runtime(sink)
    await asyncio.gather(*(rt.branch(name, question.branch, name) for name in ("a", "b")))
    assert {e.path for e in sink.events} == {"supervisor/a", "supervisor/b"}


async def test_a_parent_path_can_not_be_used_from_a_branch_that_runs_beside_others() -> None:
    rt = runtime(MemorySink())

    async def wrong(_own: Runtime) -> Json:
        return await rt.step("model 9", work([]), "a")

    with pytest.raises(RuntimeError, match="isn't the path's own"):
        await rt.steps([Call("1.logs", wrong, branch=True)])


async def test_a_step_inside_a_step_is_refused() -> None:
    rt = runtime(MemorySink())

    async def nested() -> Json:
        rt.emit("inner", {})
        return {}

    with pytest.raises(
        RuntimeError, match=r"emit\('inner'\) on path 'supervisor' came inside or after step\('model 1'\)"
    ):
        await rt.step("model 1", nested)


async def test_a_branch_can_not_be_used_after_its_end() -> None:
    kept: list[Runtime] = []

    async def leak(rt: Runtime) -> Json:
        kept.append(rt)
        return {}

    await runtime(MemorySink()).branch("1.logs", leak)
    with pytest.raises(RuntimeError, match="its end"):
        await kept[0].step("model 1", work([]), "a")


@pytest.mark.parametrize("name", ["", "a/b"])
async def test_a_name_that_would_confuse_paths_is_refused(name: str) -> None:
    with pytest.raises(RuntimeError, match="can't name a branch"):
        await runtime(MemorySink()).branch(name, work([]))


async def test_names_stand_once_in_their_path() -> None:
    rt, question = runtime(MemorySink()), Question()
    await rt.branch("1.logs", question.branch, "a")
    with pytest.raises(RuntimeError, match=r"'1\.logs' was used before on path 'supervisor'"):
        await rt.branch("1.logs", question.branch, "b")
    with pytest.raises(RuntimeError, match="used before"):
        await rt.steps([Call("tool 1", work([]), ("a",)), Call("tool 1", work([]), ("b",))])


def test_a_path_may_be_handed_on_when_its_task_is_over() -> None:
    sink = MemorySink()
    rt = runtime(sink)
    asyncio.run(rt.step("model 1", work([]), "a"))
    asyncio.run(rt.step("model 2", work([]), "a"))
    assert [e.n for e in sink.events] == [0, 1]

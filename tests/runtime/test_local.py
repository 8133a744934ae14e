"""The runtime: numbers, order, resume, and the misuse that it refuses instead of mixing results up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest

from hermes_ops.runtime.local import BODY_BYTES, LocalRuntime, ResumeError
from hermes_ops.runtime.sinks import MemorySink
from orchestrator.contracts import Event, Json
from orchestrator.ports import Call, Runtime

AT = datetime(2026, 11, 29, 14, 2, tzinfo=UTC)
Made = list[str]


def runtime(sink: MemorySink, resume: bool = False) -> LocalRuntime:
    """A new sink gets what the first left behind, as a new process would."""
    return LocalRuntime("r", "supervisor", sink, sink.load("r") if resume else None, lambda: AT)


def work(made: Made, seconds: float = 0) -> Callable[[str], Awaitable[Json]]:
    async def call(what: str) -> Json:
        made.append(what)
        await asyncio.sleep(seconds)
        return {"said": what, "note": {"agent": what}}

    return call


async def fail(*_: Json) -> Json:
    raise LookupError("no such thing")


def keys(events: list[Event]) -> list[tuple[str, int, str]]:
    return [(e.path, e.n, e.kind) for e in events]


# ── events ────────────────────────────────────────────────────────────────────────────────────


async def test_a_step_is_an_event_with_its_note_and_its_result_as_a_text() -> None:
    sink = MemorySink()
    rt: Runtime = runtime(sink)
    rt.emit("start", {"q": "为什么"}, "long text")
    result = await rt.step("model 3", work([]), "结算")
    start, step = sink.events
    assert (start.run, start.path, start.n, start.kind, start.at, start.body) == (
        *("r", "supervisor", 0, "start", AT),
        {"q": "为什么"},
    )
    assert [blob.text for blob in start.blobs] == ["long text"]
    assert (step.n, step.kind) == (1, "model")
    assert step.body == {"step": "model 3", "agent": "结算", "ms": step.body["ms"]}
    assert json.loads(step.blobs[0].text or "") == result == {"said": "结算", "note": {"agent": "结算"}}
    assert "结算" in (step.blobs[0].text or ""), "Chinese is kept as it is"


@pytest.mark.parametrize(
    "note",
    [
        {"text": "长" * 9000, "rows": 3},
        {f"k{n}": "x" * 300 for n in range(60)},
        {"rows": list(range(5000))},
        {"deep": {"er": ["y" * 5000]}},
        {"step": "another name", "text": "z" * 5000},
    ],
)
async def test_a_body_is_held_to_its_size_and_says_so(note: Json) -> None:
    async def call() -> Json:
        return {"note": note, "text": "t" * 9000}

    sink = MemorySink()
    first = runtime(sink)
    first.emit("start", note)
    whole = await first.step("tool 1", call)
    for e in sink.events:
        assert len(json.dumps(e.body, ensure_ascii=False).encode()) <= BODY_BYTES
        assert e.body["cut"] is True
    assert sink.events[1].body["step"] == "tool 1"
    again = runtime(sink, resume=True)
    again.emit("start", note)
    assert await again.step("tool 1", fail) == whole, "the result itself is whole"


async def test_a_step_may_have_any_name_a_model_made_up() -> None:
    sink, names = MemorySink(), ["tool 1 functions/logs?" + "长" * 5000, "", "tool 2 \ud800\0"]
    rt = runtime(sink)
    first = [await rt.step(name, work([]), name) for name in names]
    again = runtime(sink, resume=True)
    assert [await again.step(name, fail) for name in names] == first
    assert all(len(json.dumps(e.body)) < BODY_BYTES for e in sink.events)


async def test_a_model_step_is_durable_before_its_result_is_used() -> None:
    class Slow(MemorySink):
        durable = 0

        async def commit(self) -> None:
            await asyncio.sleep(0.01)
            self.durable = len(self.events)

    sink = Slow()
    rt = runtime(sink)
    await rt.step("tool 1", work([]), "a")
    assert sink.durable == 0
    await rt.step("model 1", work([]), "b")
    assert sink.durable == 2


async def test_a_result_that_is_not_json_is_an_error_that_names_the_step() -> None:
    async def call() -> Json:
        return {"at": AT}

    with pytest.raises(TypeError, match="'tool 1' on 'supervisor' must return JSON"):
        await runtime(MemorySink()).step("tool 1", call)


async def test_an_error_is_not_journaled() -> None:
    sink = MemorySink()
    with pytest.raises(LookupError):
        await runtime(sink).step("tool 1", fail)
    assert sink.events == []
    assert await runtime(sink, resume=True).step("tool 1", work([]), "a")


# ── several at once ───────────────────────────────────────────────────────────────────────────


async def test_results_stand_in_call_order_and_at_most_the_limit_runs() -> None:
    running = most = 0

    async def call(n: int) -> Json:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.005 * (5 - n % 5))
        running -= 1
        return {"n": n}

    sink = MemorySink()
    results = await runtime(sink).steps([Call(f"tool {n}", call, (n,)) for n in range(7)], limit=3)
    assert [r["n"] for r in results] == list(range(7))
    assert most == 3
    by_number = sorted(sink.events, key=lambda e: e.n)
    assert [e.body["step"] for e in by_number] == [f"tool {n}" for n in range(7)]
    assert [e.n for e in sink.events] != list(range(7)), "they ended in another order"


async def test_one_error_ends_the_others_and_is_raised_as_it_is() -> None:
    ended: Made = []

    async def hang(what: str) -> Json:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.005)
            ended.append(what)

    calls = [Call("tool 1", hang, ("a",)), Call("tool 2", fail), Call("0.logs", lambda rt: hang("b"), branch=True)]
    rt = runtime(MemorySink())
    with pytest.raises(LookupError):
        await rt.steps(calls)
    assert sorted(ended) == ["a", "b"]
    assert len(asyncio.all_tasks()) == 1
    await rt.step("tool 3", work([]), "the path goes on")


async def test_a_cancelled_path_leaves_no_task_behind() -> None:
    ended: Made = []

    async def hang(rt: Runtime, what: str) -> Json:
        try:
            return await rt.step("model 1", asyncio.sleep, 60)
        finally:
            ended.append(what)

    rt = runtime(MemorySink())
    task = asyncio.create_task(rt.steps([Call(f"{n}.logs", hang, (str(n),), branch=True) for n in range(5)]))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == ["0", "1", "2"]
    assert len(asyncio.all_tasks()) == 1


async def test_no_calls_no_results() -> None:
    assert await runtime(MemorySink()).steps([]) == []


# ── branches and resume ───────────────────────────────────────────────────────────────────────


class Question:
    """Two steps, three branches of two steps, one step; made calls are counted, and call `stop_at` is the last."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.made: Made = []
        self._stop_at = stop_at

    async def call(self, what: str) -> Json:
        if len(self.made) == self._stop_at:
            raise LookupError
        self.made.append(what)
        await asyncio.sleep(0.001 * (hash(what) % 5))
        return {"said": what}

    async def branch(self, rt: Runtime, name: str) -> Json:
        said = [(await rt.step(f"model {n}", self.call, f"{name} {n}"))["said"] for n in range(2)]
        rt.emit("found", {"by": name})
        return {"said": said}

    async def answer(self, rt: Runtime) -> list[Json]:
        plan = await rt.step("model 1", self.call, "plan")
        rt.emit("route", {"chosen": 3}, "because")
        found = await rt.steps([Call(f"1.{n}", self.branch, (n,), branch=True) for n in ("alerts", "logs", "changes")])
        more = await rt.branch("2.logs", self.branch, "more")
        return [plan, *found, more, await rt.step("model 2", self.call, "sum")]


async def test_a_finished_run_is_repeated_from_its_record_alone() -> None:
    sink, question = MemorySink(), Question()
    answer = await question.answer(runtime(sink))
    assert len(question.made) == 10
    before = list(sink.events)
    again = Question(stop_at=0)
    assert await again.answer(runtime(sink, resume=True)) == answer
    assert again.made == []
    assert sink.events == before, "nothing new is written"
    assert ("supervisor", 2, "branch") in keys(before)
    assert ("supervisor/1.logs", 2, "found") in keys(before)


@pytest.mark.parametrize("stop_at", range(10))
def test_what_was_finished_is_not_made_again(stop_at: int) -> None:
    sink, first, second = MemorySink(), Question(stop_at), Question()
    with pytest.raises(LookupError):
        asyncio.run(first.answer(runtime(sink)))
    finished = {json.loads(e.blobs[0].text or "")["said"] for e in sink.events if e.kind == "model"}
    answer = asyncio.run(second.answer(runtime(sink, resume=True)))
    assert not finished & set(second.made)
    assert answer == asyncio.run(Question().answer(runtime(MemorySink())))


async def test_a_finished_branch_is_not_entered_again() -> None:
    sink, entered = MemorySink(), Question()
    calls = [Call("1.logs", entered.branch, ("logs",), branch=True)]
    first = await runtime(sink).steps(calls)
    assert await runtime(sink, resume=True).steps([Call("1.logs", fail, branch=True)]) == first


async def test_changed_code_is_told_by_name() -> None:
    sink = MemorySink()
    rt = runtime(sink)
    rt.emit("start", {})
    await rt.step("model 1", work([]), "a")
    again = runtime(sink, resume=True)
    with pytest.raises(
        ResumeError, match=r"the code changed.*event 0 was 'start' and is now the step 'model 1'.*--new"
    ):
        await again.step("model 1", work([]), "a")
    again = runtime(sink, resume=True)
    again.emit("start", {})
    with pytest.raises(ResumeError, match="was 'model 1' and is now the step 'model 2'"):
        await again.step("model 2", work([]), "a")
    again = runtime(sink, resume=True)
    with pytest.raises(ResumeError, match="'begin'"):
        again.emit("begin", {})


async def test_a_removed_result_is_told() -> None:
    sink = MemorySink()
    await runtime(sink).step("model 1", work([]), "a")
    (e,) = sink.events
    bare = Event(e.run, e.path, e.n, e.kind, e.at, e.body)
    with pytest.raises(ResumeError, match="stored result of 'model 1' on 'supervisor' is gone"):
        await LocalRuntime("r", "supervisor", sink, {"supervisor": {0: bare}}).step("model 1", work([]), "a")

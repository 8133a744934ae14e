"""Replays: the same comes out of the same; another prompt, model or message shows where it makes a difference."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa

from hermes_ops.app import open_app
from hermes_ops.replay.tape import Tape
from hermes_ops.testing.script import Fault, Step, calls, says
from hermes_ops.testing.scripted_server import ScriptedServer
from hermes_ops.trace import tree
from memory import Wanted, open_memory
from memory.tables import events
from orchestrator.contracts import Event, Incoming, Json, Message
from orchestrator.errors import ConfigError
from tests.e2e.place import QUESTION, folder, play, role, turn
from tests.inspect.bench import NOW, Bench, Decide, by_path
from tests.trace.conftest import faulty


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, folder(tmp_path / "incident"))


@pytest.mark.slow
async def test_a_run_from_before_tools_were_kept_comes_out_the_same(bench: Bench) -> None:
    run = await bench.ask()
    memory = open_memory(bench.settings().database_url)
    only_prompts = sa.update(events).where(events.c.kind == "agent")
    one = sa.func.substr(events.c.blobs, 1, sa.func.instr(events.c.blobs + " ", " ") - 1)
    await memory.db.write(lambda c: c.execute(only_prompts.values(blobs=one)) and None)
    await memory.close()
    assert all(len(e.blobs) == 1 for e in await bench.events(run) if e.kind == "agent")
    done = await bench.replay(run)
    assert (done.identical, done.divergences) == (True, [])


async def test_a_run_without_a_model_comes_out_the_same(bench: Bench) -> None:
    await bench.identical(await bench.ask())


async def test_a_report_that_was_asked_for_comes_out_the_same(bench: Bench) -> None:
    run = await bench.ask("发一份昨天的日报")
    assert "report" in {e.kind for e in await bench.events(run)}
    await bench.identical(run)


@pytest.mark.slow
async def test_a_report_that_a_model_looked_at_comes_out_the_same(bench: Bench) -> None:
    def with_report(messages: Sequence[Message], tools: Sequence[Json]) -> Step:
        names = {t["function"]["name"] for t in tools}
        if "daily_report" in names and turn(messages) == 1:
            return calls(("daily_report", {}), ("ask_logs", {"task": "count them", "reason": "it is about errors"}))
        return says("done")

    run = await bench.ask("how was our day, and what about checkout?", with_report)
    branches = [e.body["step"] for e in await bench.events(run) if e.kind == "branch"]
    assert sorted(branches) == ["1.0.report", "1.1.logs"]
    await bench.identical(run)


@pytest.mark.slow
async def test_a_run_with_a_model_comes_out_the_same_without_one(bench: Bench) -> None:
    await bench.identical(await bench.ask(decide=play))


@pytest.mark.slow
async def test_a_broken_off_run_comes_out_as_far_as_it_came(bench: Bench) -> None:
    run = await bench.ask(decide=faulty)
    await bench.cut(run, 9)
    await bench.identical(run)


@pytest.mark.slow
async def test_a_loop_that_ended_beside_one_that_did_not(bench: Bench) -> None:
    run = await bench.ask(decide=play)
    await bench.drop(run, "supervisor", [4, *range(6, 30)])  # of three loops the second ended first
    assert [e.n for e in by_path(await bench.events(run))["supervisor"]] == [0, 1, 2, 3, 5]
    await bench.identical(run)


@pytest.mark.slow
async def test_the_folder_may_be_gone(bench: Bench) -> None:
    run = await bench.ask()
    for file in bench.place.iterdir():
        file.unlink()
    bench.place.rmdir()
    await bench.identical(run)


def other_route(messages: Sequence[Message], tools: Sequence[Json]) -> Step:
    """Asks changes, which the recorded run didn't; answers with what it was told."""
    if role(tools, messages) == "supervisor":
        asked = ("ask_changes", {"task": "what changed", "reason": "a change may explain it"})
        return calls(asked) if turn(messages) == 1 else says("Nothing is known.")
    return calls(("list_changes", {})) if turn(messages) == 1 else says("no result")


@pytest.mark.slow
async def test_another_prompt_shows_where_it_makes_a_difference(bench: Bench) -> None:
    run = await bench.ask(decide=faulty)
    async with ScriptedServer(other_route) as server:
        done = await bench.replay(run, bench.settings(server.url), prompts={"supervisor": "Ask changes first."})
    first = done.divergences[0]
    assert (first["path"], first["step"]) == ("supervisor", "agent")
    assert "prompt" in first["why"]
    lost = [d for d in done.divergences if "wasn't recorded; it has no result" in d["why"]]
    assert [d["step"].split()[-1] for d in lost] == ["list_changes"]
    told = [e for e in await bench.events(done.run) if e.path == "replay"]
    assert told[0].body == {"of": run, "prompts": ["supervisor"]}
    assert [e.body["why"] for e in told[1:]] == [d["why"] for d in done.divergences]


@pytest.mark.slow
async def test_a_call_that_was_recorded_is_answered_from_the_tape_whoever_asks(bench: Bench) -> None:
    run = await bench.ask(decide=play)
    async with ScriptedServer(play) as server:
        done = await bench.replay(run, bench.settings(server.url), model="scripted")
    assert done.divergences == []
    assert done.answer.status == "ok"


@pytest.mark.slow
async def test_live_sources_answer_what_was_not_recorded(bench: Bench) -> None:
    run = await bench.ask(decide=faulty)
    async with ScriptedServer(other_route) as server:
        done = await bench.replay(run, bench.settings(server.url), model="scripted", live=True)
    assert any("it was asked for now" in d["why"] for d in done.divergences)
    (evidence,) = done.answer.evidence
    assert evidence.result.status == "ok"
    assert "payment-v2.4.1" in evidence.result.text


async def step_of(bench: Bench, run: str, kind: str, words: str) -> tree.Step:
    steps = tree.build(await bench.events(run))
    return next(s for s in tree.walk(steps) if s.kind == kind and words in str(s.body))


@pytest.mark.slow
async def test_from_a_step_on_with_another_message(bench: Bench) -> None:
    run = await bench.ask(decide=faulty)
    seen: list[str] = []

    def answers(messages: Sequence[Message], tools: Sequence[Json]) -> Step:
        seen.append(str(messages[-1]["content"]))
        return says("Thirty errors, says the person [L2].")

    steps = tree.build(await bench.events(run))
    last = [s for s in steps if s.kind == "model"][-1]
    async with ScriptedServer(answers) as server:
        done = await bench.replay(run, bench.settings(server.url), start=last, say="There were 30 errors.")
    assert seen == ["There were 30 errors."]
    assert done.answer.text.startswith("Thirty errors")
    new = [e for e in await bench.events(done.run) if e.path == "supervisor" and e.kind == "model"][-1]
    assert json.loads(new.blobs[0].text or "")["sent"][-1]["content"] == "There were 30 errors."


@pytest.mark.slow
async def test_another_result_of_a_tool(bench: Bench) -> None:
    run = await bench.ask(decide=faulty)
    start = await step_of(bench, run, "tool", "'services': ['checkout']")
    seen: list[str] = []

    def answers(messages: Sequence[Message], tools: Sequence[Json]) -> Step:
        seen.append(str(messages[-1]["content"]))
        return says("done [L2]")

    async with ScriptedServer(answers) as server:
        await bench.replay(run, bench.settings(server.url), start=start, say="no errors at all")
    assert "no errors at all" in seen[0]


@pytest.mark.slow
async def test_what_can_not_be_replayed_is_said(bench: Bench) -> None:
    run = await bench.ask()
    route = await step_of(bench, run, "route", "offered")
    with pytest.raises(ConfigError, match="is no model's call and no tool's"):
        await bench.replay(run, start=route)
    await bench.cut(run, 0)
    with pytest.raises(ConfigError, match="can't be replayed"):
        await bench.replay(run)


@pytest.mark.slow
async def test_nothing_is_remembered_of_a_replay(bench: Bench) -> None:
    run = await bench.ask("以后默认看 checkout。昨天 14 点后有多少错误？")
    await bench.replay(run)
    memory = open_memory(bench.settings().database_url)
    try:
        assert [i.id for i in await memory.traces.find(Wanted(), 10)] == [run]
        assert len(await memory.traces.find(Wanted(kind="replay"), 10)) == 1
    finally:
        await memory.close()


# ── fifty runs ────────────────────────────────────────────────────────────────────────────────

QUESTIONS = (QUESTION, "昨天 14:00 之后 checkout 有多少错误？", "any alerts for checkout yesterday?", "什么是 SLO？",
             "what changed on payment yesterday?")  # fmt: skip


def scripted(seed: int) -> Decide:
    """A model that errs in ways of its own, by number."""

    def decide(messages: Sequence[Message], tools: Sequence[Json]) -> Step:
        who, n = role(tools, messages), turn(messages)
        if who != "supervisor":
            if seed % 5 == 3 and who == "logs" and n == 2:
                return Step(fault=Fault.UNAUTHORIZED)
            step = play(messages, tools) if seed % 5 != 4 else faulty_of(messages, tools, who, n)
            return step
        if n == 1:
            window = {"window": "14:00-14:30"} if seed % 2 else {}
            parts = [{"agent": "logs", "task": "count", "reason": "errors"},
                     {"agent": "changes", "task": "before", "reason": "cause", "after": [1], **window}]  # fmt: skip
            if seed % 3 == 0:
                return calls(("investigate", {"parts": parts}))
            asked = ("alerts", "logs", "changes")[: 1 + seed % 3]
            return calls(*((f"ask_{a}", {"task": f"look into {a}", "reason": "it may tell", **window}) for a in asked))
        return says("Nothing certain." if seed % 4 == 1 else "30 errors [L1].", reasoning="Enough is known.")

    return decide


def faulty_of(messages: Sequence[Message], tools: Sequence[Json], who: str, n: int) -> Step:
    names = [t["function"]["name"] for t in tools]
    return calls((names[0], {"by": "colour"} if n < 3 else "{not json")) if n < 5 else says("no luck")


async def made(bench: Bench, seed: int) -> str:
    """One of many kinds of runs: with and without a model, failed, cancelled, broken off, resumed."""
    text, kind = QUESTIONS[seed % len(QUESTIONS)], seed % 7
    if kind == 0:
        return await bench.ask(text)
    if kind == 1:
        return await bench.ask(text, scripted(seed), stop_at=("tool", "branch", "route")[seed % 3])
    if kind == 2:
        return await bench.ask(text, lambda m, t: Step(fault=Fault.UNAUTHORIZED))
    run = await bench.ask(text, scripted(seed))
    if kind in (3, 4):
        await bench.cut(run, 4 + seed % 11)
    if kind == 4:
        async with ScriptedServer(scripted(seed)) as server, open_app(bench.settings(server.url), bench.place) as app:
            await app.answer(Incoming("m", text, NOW, anchored=True), resume=run)
    return run


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_fifty_runs_come_out_the_same_on_every_path(bench: Bench, nightly: bool) -> None:
    """In short one of each kind, in full fifty."""
    for seed in range(50 if nightly else 7):
        run = await made(bench, seed)
        try:
            await bench.identical(run)
        except AssertionError as e:
            raise AssertionError(f"seed {seed}, kind {seed % 7}, run {run}") from e


def test_a_window_of_another_name_is_the_same_window() -> None:
    context = {"window": {"start": "2026-11-29T14:00:00Z", "end": "2026-11-30T00:00:00Z", "zone": "UTC"},
               "now": "2026-11-30T09:00:00+00:00", "offline": False}  # fmt: skip
    event = Event("r", "supervisor", 1, "context", NOW, {"step": "context"})
    tape = Tape([event], lambda text: text)
    tape.known = context  # type: ignore[misc]
    assert tape.narrowed("14:00-14:30") == tape.narrowed("14:00 to 14:30") != ""
    assert tape.narrowed("") == tape.narrowed("14:00-24:00") == ""

"""Runs and turns: what is listed, what counts as interrupted, and who may take it over."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from memory import Memory, open_memory
from memory.owner import Owner, _born_by_ps
from memory.runs import Runs
from orchestrator.contracts import Incoming, Scope, Window, to_json
from orchestrator.errors import StoreError
from tests.memory.test_store import event

AT = datetime(2026, 11, 29, 14, 2, tzinfo=UTC)
ASKED = Incoming("m1", "为什么 checkout 报错变多？", AT, zone="Asia/Shanghai", user="li")


async def orphan(memory: Memory, run: str) -> None:
    """The run's process is gone: a process of this id was never born at that moment."""
    gone = sa.text("UPDATE runs SET born = 'long ago' WHERE id = :run")
    await memory.db.write(lambda c: c.execute(gone, {"run": run}) and None)


async def test_a_run_comes_back_as_it_was(memory: Memory) -> None:
    await memory.runs.create("r", ASKED, session="s", folder="f")
    window, scope = to_json(Window(AT, AT + timedelta(hours=1), "Asia/Shanghai", "昨天")), to_json(Scope("prod"))
    await memory.runs.note("r", window=window, scope=scope, model="m")
    run = await memory.runs.get("r")
    assert run is not None
    assert (run.question, run.session, run.folder, run.status, run.ended) == (ASKED, "s", "f", "running", None)
    assert (run.window, run.scope, run.model) == (window, scope, "m")
    await memory.runs.finish("r", "done")
    (listed,) = await memory.runs.list()
    assert listed.status == "done"
    assert listed.ended is not None
    assert listed.started <= listed.ended
    assert await memory.runs.get("other") is None


async def test_a_finished_run_has_all_its_events(memory: Memory, url: str) -> None:
    await memory.runs.create("r", ASKED)
    memory.events.emit(event(0, "last words"))
    await memory.runs.finish("r", "done")
    other = open_memory(url)
    assert len(await other.events.events("r")) == 1
    await other.close()


async def test_the_list_is_newest_first_and_by_session(memory: Memory) -> None:
    for n in range(5):
        await memory.runs.create(f"r{n}", ASKED, session=f"s{n % 2}")
    assert [run.id for run in await memory.runs.list(limit=3)] == ["r4", "r3", "r2"]
    assert [run.id for run in await memory.runs.list(session="s1")] == ["r3", "r1"]


async def test_an_interrupted_run_is_taken_once(memory: Memory, url: str) -> None:
    await memory.runs.create("r", ASKED, session="s", folder="f")
    assert await memory.runs.find_interrupted(ASKED, "s", "f") is None, "its process lives"
    await orphan(memory, "r")
    (listed,) = await memory.runs.list()
    assert listed.status == "interrupted"
    other = open_memory(url)
    found = await asyncio.gather(*(m.runs.find_interrupted(ASKED, "s", "f") for m in (memory, other)))
    assert [run.id for run in found if run] == ["r"]
    assert await memory.runs.find_interrupted(ASKED, "s", "f") is None
    await other.close()


@pytest.mark.parametrize(
    "asked",
    [
        (replace(ASKED, text="another question"), "s", "f"),
        (replace(ASKED, user="wang"), "s", "f"),
        (ASKED, "another session", "f"),
        (ASKED, "s", "another folder"),
    ],
)
async def test_another_question_is_not_taken_for_it(memory: Memory, asked: tuple[Incoming, str, str]) -> None:
    await memory.runs.create("r", ASKED, session="s", folder="f")
    await orphan(memory, "r")
    assert await memory.runs.find_interrupted(*asked) is None
    assert await memory.runs.find_interrupted(replace(ASKED, id="m2", at=AT + timedelta(minutes=1)), "s", "f")


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
async def test_an_ended_run_is_not_interrupted(memory: Memory, status: str) -> None:
    await memory.runs.create("r", ASKED)
    await memory.runs.finish("r", status)  # type: ignore[arg-type]
    await orphan(memory, "r")
    assert await memory.runs.find_interrupted(ASKED) is None
    assert (await memory.runs.claim("r")).status == status, "by its id it may be entered again"


async def test_an_old_run_is_not_taken_by_itself(memory: Memory) -> None:
    later: Callable[[], datetime] = lambda: datetime.now(UTC) + timedelta(seconds=3601)  # noqa: E731
    await memory.runs.create("r", ASKED)
    await orphan(memory, "r")
    assert await Runs(memory.db, memory.events, later).find_interrupted(ASKED) is None
    assert (await memory.runs.claim("r")).question == ASKED


async def test_a_run_by_its_id(memory: Memory) -> None:
    with pytest.raises(StoreError, match="There is no run nix"):
        await memory.runs.claim("nix")
    await memory.runs.create("r", ASKED)
    with pytest.raises(StoreError, match=f"still being worked on by process {os.getpid()}"):
        await memory.runs.claim("r")
    await orphan(memory, "r")
    assert (await memory.runs.claim("r")).status == "interrupted"


async def test_two_processes_that_ask_the_same_at_once_get_two_runs(memory: Memory, url: str) -> None:
    other = open_memory(url)
    for m, run in ((memory, "r1"), (other, "r2")):
        assert await m.runs.find_interrupted(ASKED) is None
        await m.runs.create(run, ASKED)
    assert len(await memory.runs.list()) == 2
    await other.close()


async def test_the_same_id_is_refused(memory: Memory) -> None:
    await memory.runs.create("r", ASKED)
    with pytest.raises(StoreError):
        await memory.runs.create("r", ASKED)


async def test_a_run_of_another_host_is_taken_over_once_nobody_serves_there(memory: Memory) -> None:
    """Whoever doesn't serve can't be seen, and is believed for a while."""
    later = Runs(memory.db, memory.events, clock=lambda: datetime.now(UTC) + timedelta(minutes=20))
    await memory.runs.create("r", ASKED, kind="notes")
    moved = sa.text("UPDATE runs SET host = 'elsewhere', pid = 7 WHERE id = 'r'")
    await memory.db.write(lambda c: c.execute(moved) and None)
    assert await memory.runs.find_left("notes") is None
    await memory.replicas.enter("elsewhere-7-a1", "elsewhere", 7, "1", 0)
    assert await later.find_left("notes") is None
    await memory.replicas.leave("elsewhere-7-a1")
    found = await later.find_left("notes")
    assert found is not None
    assert found.id == "r"


def test_who_lives() -> None:
    me = Owner.this()
    assert me.alive
    assert not replace(me, born="another time").alive, "a process id that was given out again"
    assert not replace(me, pid=2**22 + 1).alive
    assert replace(me, host="elsewhere", pid=1, born="x").alive, "can't be seen from here"


def test_a_dead_process_that_nobody_waited_for_is_dead() -> None:
    child = os.spawnlp(os.P_NOWAIT, "true", "true")
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    born = Owner.this().born
    assert not Owner(Owner.this().host, child, born).alive
    os.waitpid(child, 0)


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps, which stands in for /proc elsewhere")
def test_who_lives_where_there_is_no_proc() -> None:
    assert _born_by_ps(os.getpid()) == _born_by_ps(os.getpid()) is not None
    assert _born_by_ps(2**22 + 1) is None


# ── turns ─────────────────────────────────────────────────────────────────────────────────────


async def test_the_last_turns_oldest_first(memory: Memory) -> None:
    for n in range(5):
        await memory.turns.add("s", f"r{n}", f"q{n}", f"a{n}", "ok", AT)
    await memory.turns.add("other", "x", "q", "a", "ok", AT)
    assert [(t.question, t.answer) for t in await memory.turns.last("s", 3)] == [
        ("q2", "a2"),
        ("q3", "a3"),
        ("q4", "a4"),
    ]
    assert (await memory.turns.last("other", 9))[0].at == AT
    assert await memory.turns.last("none", 9) == []


async def test_a_resumed_run_is_one_turn(memory: Memory) -> None:
    for answer in ("first", "second"):
        await memory.turns.add("s", "r", "q", answer, "ok", AT)
    assert [t.answer for t in await memory.turns.last("s", 9)] == ["second"]


async def test_two_processes_on_one_session_lose_nothing(memory: Memory, url: str) -> None:
    other = open_memory(url)

    async def talk(m: Memory, who: str) -> None:
        for n in range(25):
            await m.runs.create(f"{who}{n}", ASKED, session="s")
            m.events.emit(event(0, "text", run=f"{who}{n}"))
            await m.events.commit()
            await m.turns.add("s", f"{who}{n}", "q", f"{who}{n}", "ok", AT)

    await asyncio.gather(talk(memory, "a"), talk(other, "b"))
    answers = [t.answer for t in await memory.turns.last("s", 100)]
    assert len(answers) == 50
    assert [a for a in answers if a[0] == "a"] == [f"a{n}" for n in range(25)]
    assert [a for a in answers if a[0] == "b"] == [f"b{n}" for n in range(25)]
    await other.close()

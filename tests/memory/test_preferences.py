"""Notes belong to one person, contradictions update, and forgetting leaves nothing in any table or file."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from memory import Entry, Memory, Parcel, Trace, open_memory
from memory.engine import make_engine
from memory.erasing import GONE, redactor
from memory.tables import metadata
from orchestrator.contracts import Answer, BlobRef, Event, Incoming, to_json

AT = datetime(2026, 11, 29, 6, tzinfo=UTC)


async def keep(memory: Memory, key: str, value: str, run: str = "r1", user: str = "ana", tenant: str = "") -> bool:
    return await memory.preferences.keep(tenant, user, key, value, f"said {value}", run, AT)


async def values(memory: Memory, user: str = "ana", tenant: str = "") -> dict[str, str]:
    return {note.key: note.value for note in await memory.preferences.of(tenant, user)}


async def test_what_contradicts_updates_and_nothing_is_stored_twice(memory: Memory) -> None:
    assert await keep(memory, "environment", "prod")
    assert not await keep(memory, "environment", "prod", "r2")
    assert await keep(memory, "environment", "staging", "r3")
    (note,) = await memory.preferences.of("", "ana")
    assert (note.value, note.run, note.told, note.at) == ("staging", "r3", False, AT)
    assert [former[0] for former in note.former] == ["prod"]


async def test_undo_goes_back_step_by_step(memory: Memory) -> None:
    for run, value in enumerate(("a", "b", "c")):
        await keep(memory, "name", value, f"r{run}")
    for back, left in (("c", "b"), ("b", "a"), ("a", None)):
        (note,) = await memory.preferences.of("", "ana")
        undone = await memory.preferences.undo("", "ana", "name", note.at)
        assert undone is not None
        assert undone.value == back
        assert (await values(memory)).get("name") == left
    assert await memory.preferences.undo("", "ana", "name", AT) is None


async def test_a_change_is_taken_back_once(memory: Memory) -> None:
    await keep(memory, "name", "a")
    later = AT + timedelta(minutes=1)
    await memory.preferences.keep("", "ana", "name", "b", "", "r2", later)
    assert await memory.preferences.undo("", "ana", "name", later) is not None
    assert await memory.preferences.undo("", "ana", "name", later) is None  # the same once more, after a crash
    assert await values(memory) == {"name": "a"}


async def test_a_note_is_one_persons_of_one_tenant(memory: Memory) -> None:
    await keep(memory, "name", "Ana")
    await keep(memory, "name", "Other", tenant="t2")
    await keep(memory, "name", "Bob", user="bob")
    assert await values(memory) == {"name": "Ana"}
    assert await values(memory, tenant="t2") == {"name": "Other"}
    assert [note.value for note in await memory.preferences.remove("", "ana")] == ["Ana"]
    assert await values(memory) == {}
    assert await values(memory, "bob") == {"name": "Bob"}


async def test_marks(memory: Memory) -> None:
    await keep(memory, "name", "Ana")
    await keep(memory, "team", "core")
    later = AT + timedelta(days=3)
    await memory.preferences.mark("", "ana", ["team"], told=True, used=later)
    assert {n.key: (n.told, n.used) for n in await memory.preferences.of("", "ana")} == {
        "name": (False, AT),
        "team": (True, later),
    }


# ── forgetting ────────────────────────────────────────────────────────────────────────────────

VALUE = 'Lao "Wang" 老王'


async def leave_traces(memory: Memory, run: str, user: str, session: str, tenant: str = "") -> None:
    """A run in which the value stands everywhere where one can."""
    question = Incoming(run, f"call me {VALUE}", AT, user=user, tenant=tenant)
    await memory.runs.create(run, question, session)
    await memory.runs.note(run, window={"said": VALUE}, scope={"said": VALUE})
    inner = json.dumps({"value": VALUE})  # as a tool's arguments stand in a reply: JSON in JSON, in ASCII
    long = "x " * 5000 + VALUE
    texts = (json.dumps({"call": inner}, ensure_ascii=False), long, VALUE, "innocent")
    blobs = tuple(map(BlobRef.of, texts))
    memory.events.emit(Event(run, "supervisor", 0, "model", AT, {"task": f"for {VALUE}"}, blobs))
    await memory.events.commit()
    await memory.turns.add(session, run, f"I am {VALUE}", f"Hello {VALUE}", "ok", AT, user, {"asked": [VALUE]})
    await memory.turns.sum_up(session, f"{VALUE} said hello", 1, AT)
    entry = Entry(f"{run}.0", "feishu", session, "question", question, {"forwarded": f"to {VALUE}"}, run, AT)
    await memory.inbox.put(entry, 100)
    answer = to_json(Answer(run, "ok", f"Hello {VALUE}"))
    await memory.outbox.put([Parcel(f"{run}.0.finish", "feishu", "finish", "chat", {"chat": "c"}, answer)])
    await memory.runs.finish(run, "done")


def everything(url: str) -> str:
    """All rows of all tables as one text."""
    engine = make_engine(url)
    found = []
    with engine.connect() as connection:
        for table in metadata.sorted_tables:
            if table.name != "blobs":
                found += [repr(tuple(row)) for row in connection.execute(sa.select(table)).all()]
    engine.dispose()
    return "\n".join(found)


async def test_forgetting_leaves_nothing_in_any_table_or_blob(memory: Memory, url: str) -> None:
    await leave_traces(memory, "r1", "ana", "s")
    await leave_traces(memory, "r2", "ana", "s")
    await keep(memory, "name", VALUE)
    (note,) = await memory.preferences.remove("", "ana", ["name"])
    removed = await memory.eraser.erase("", "ana", [Trace(("r1",), (note.value, note.said))])
    assert removed == 3  # what both runs share is one text; the innocent one stays
    assert "Wang" not in everything(url)
    assert "老王" not in everything(url)
    assert GONE in everything(url)
    for run in ("r1", "r2"):
        (event,) = await memory.events.events(run)
        assert [blob.text for blob in event.blobs] == [None, None, None, "innocent"]
        assert event.body == {"task": f"for {GONE}"}
        info = await memory.runs.get(run)
        assert info is not None
        assert info.question.text == f"call me {GONE}"
    assert [t.about for t in await memory.turns.last("s", 2)] == [{"asked": [GONE]}] * 2
    assert (await memory.turns.summary("s")).text == f"{GONE} said hello"


async def test_nothing_of_it_is_left_in_the_files(tmp_path: Path) -> None:
    memory = open_memory(f"sqlite:///{tmp_path / 'hermes.db'}")
    for n in range(40):
        await leave_traces(memory, f"r{n}", "ana", f"s{n % 3}")
    await keep(memory, "name", VALUE, "r0")
    await keep(memory, "name", "Somebody", "r0")
    (note,) = await memory.preferences.remove("", "ana")
    await memory.eraser.erase("", "ana", [Trace(("r0",), (*note.values, *note.sayings))])
    words = ("Wang", "老王", "Somebody")
    for path in tmp_path.iterdir():  # while it is open: the write-ahead log counts too
        assert [w for w in words if w.encode() in path.read_bytes()] == [], path.name
    await memory.close()


async def test_other_persons_keep_what_is_theirs(memory: Memory) -> None:
    await leave_traces(memory, "r1", "ana", "s1")
    await leave_traces(memory, "r2", "bob", "s2")
    await leave_traces(memory, "r3", "ana", "s3", "other tenant")
    await memory.eraser.erase("", "ana", [Trace(("r1",), (VALUE,))])
    for run in ("r2", "r3"):
        info = await memory.runs.get(run)
        assert info is not None
        assert VALUE in info.question.text
    assert VALUE in (await memory.turns.last("s2", 1))[0].answer
    assert VALUE in (await memory.turns.summary("s3")).text


async def test_who_shared_the_conversation_forgets_too(memory: Memory) -> None:
    await leave_traces(memory, "r1", "ana", "topic")
    await leave_traces(memory, "r2", "bob", "topic")  # his prompt held her turn
    await memory.eraser.erase("", "ana", [Trace(("r1",), (VALUE,))])
    assert [t.answer for t in await memory.turns.last("topic", 2)] == [f"Hello {GONE}"] * 2


async def test_a_default_goes_only_from_runs_that_it_was_applied_in(memory: Memory) -> None:
    for run, why in (("r1", "prod-7: from preference"), ("r2", "")):
        await memory.runs.create(run, Incoming(run, "errors?", AT, user="ana"), "s")
        await memory.runs.note(run, scope={"environment": "prod-7", "why": why})
        memory.events.emit(Event(run, "supervisor", 0, "model", AT, {}, (BlobRef.of(f"{run}: scope prod-7"),)))
    await memory.events.commit()
    await memory.eraser.erase("", "ana", [Trace((), (), ("prod-7",), "from preference")])
    texts = [(await memory.events.events(run))[0].blobs[0].text for run in ("r1", "r2")]
    assert texts == [None, "r2: scope prod-7"]


@pytest.mark.parametrize(
    ("words", "text", "want"),
    [
        (["Kim"], "Kim, kim and Kimberly; _Kim_ no", f"{GONE}, {GONE} and Kimberly; _Kim_ no"),
        (["老王"], "叫我老王吧", f"叫我{GONE}吧"),
        (["a.b*c"], "a.b*c axbxc", f"{GONE} axbxc"),
        (["Kim", "Kim Lee"], "Kim Lee", GONE),
    ],
)
def test_what_is_put_in_place_of_words(words: list[str], text: str, want: str) -> None:
    redact = redactor(words)
    assert redact is not None
    assert redact(text) == want


def test_no_words_no_redactor() -> None:
    assert redactor(["", " "]) is None


# ── turns and summaries ───────────────────────────────────────────────────────────────────────


async def test_a_turn_keeps_who_asked_and_what_it_was_about(memory: Memory) -> None:
    await memory.turns.add("s", "r1", "q", "a", "cancelled", AT, "ana", {"window": "w"})
    await memory.turns.add("s", "r1", "q", "b", "ok", AT, "ana", {"window": "v"})
    (turn,) = await memory.turns.last("s", 5)
    assert (turn.user, turn.answer, turn.status, turn.about) == ("ana", "b", "ok", {"window": "v"})


async def test_a_summary_only_moves_on(memory: Memory) -> None:
    assert (await memory.turns.summary("s")).upto == 0
    await memory.turns.sum_up("s", "ten", 10, AT)
    await memory.turns.sum_up("s", "five", 5, AT)
    assert (await memory.turns.summary("s")).text == "ten"
    await memory.turns.sum_up("s", "twelve", 12, AT)
    assert (await memory.turns.summary("s")).upto == 12


async def test_work_left_by_a_dead_process_is_taken_up_once(memory: Memory) -> None:
    question = Incoming("m", "I usually look at staging", AT, user="ana")
    await memory.runs.create("r1", question, "s")
    await memory.runs.create("r1-notes", question, "s", kind="notes")
    assert await memory.runs.find_left("notes") is None  # its process lives
    await memory.runs.finish("r1-notes", "interrupted")
    assert await memory.runs.find_interrupted(question, "s") is None  # it isn't the question's run
    left = await memory.runs.find_left("notes")
    assert left is not None
    assert (left.id, left.kind) == ("r1-notes", "notes")
    assert await memory.runs.find_left("notes") is None

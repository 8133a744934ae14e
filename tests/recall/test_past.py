"""The past as a model is given it: the last turns, a summary of the rest, and what a follow-up refers to."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from hermes_ops.recall.past import SUMMARY_TOKENS, TURNS, WAITING, about, former_of, recall, shown
from hermes_ops.testing.script import Fault, Step, says
from hermes_ops.testing.scripted_model import ScriptedModel
from memory import Memory, Turn, open_memory
from memory.engine import make_engine
from memory.tables import turns
from orchestrator.contracts import Answer, Asked, Evidence, Figure, Scope, ToolResult, Window

AT = datetime(2026, 11, 29, 6, tzinfo=UTC)
WINDOW = Window(AT, AT + timedelta(hours=1), "UTC", "yesterday")


async def talk(memory: Memory, first: int, last: int, session: str = "s") -> None:
    for n in range(first, last):
        at = AT + timedelta(minutes=n)
        await memory.turns.add(session, f"{session}{n}", f"question {n}", f"Answer {n} [L1]. More.", "ok", at, "ana")


SCOPE = Scope("prod", ("checkout",))


def answered(scope: Scope = SCOPE) -> Answer:
    figures = (Figure("errors", 272), Figure("rate", 3.5, "%"))
    held = Evidence("L1", "logs", "count_errors", {}, ToolResult("ok", "…", figures=figures))
    asked = (Asked("logs", "errors?", "", "", "ok", 5),)
    return Answer("r", "ok", "272 errors [L1]", WINDOW, scope, (held,), route=asked)


async def test_the_last_ten_turns_and_a_summary_of_the_rest(memory: Memory) -> None:
    await talk(memory, 0, 13)
    past = await recall(memory.turns, "s", AT)
    assert [q for q, _ in past.turns] == [f"question {n}" for n in range(3, 13)]
    assert past.summary.splitlines() == [f"- question {n} → Answer {n} (earlier L1)." for n in range(3)]
    assert (await memory.turns.summary("s")).upto == 0  # too few to be worth storing one


async def test_the_light_model_sums_up_a_few_turns_at_a_time(memory: Memory) -> None:
    light = ScriptedModel([says("First five, summed up.", contains="question 4"), says("All ten.", contains="First")])
    await talk(memory, 0, TURNS + WAITING)
    past = await recall(memory.turns, "s", AT, light)
    assert (past.summary, past.model, past.usage.prompt_tokens) == ("First five, summed up.", "scripted", 100)
    again = await recall(memory.turns, "s", AT, light)
    assert (again.summary, len(light.requests)) == ("First five, summed up.", 1)
    await talk(memory, TURNS + WAITING, TURNS + WAITING + 1)
    assert (await recall(memory.turns, "s", AT, light)).summary.endswith("- question 5 → Answer 5 (earlier L1).")
    await talk(memory, TURNS + WAITING + 1, TURNS + 2 * WAITING)
    assert (await recall(memory.turns, "s", AT, light)).summary == "All ten."
    light.done()


async def test_a_model_that_fails_costs_nothing_but_its_words(memory: Memory) -> None:
    await talk(memory, 0, TURNS + WAITING)
    light = ScriptedModel([Step(fault=Fault.SERVER_ERROR)])
    past = await recall(memory.turns, "s", AT, light)
    assert past.summary.splitlines()[0] == "- question 0 → Answer 0 (earlier L1)."
    assert (await memory.turns.summary("s")).upto > 0


async def test_a_summary_is_bounded(memory: Memory) -> None:
    for n in range(80):
        await memory.turns.add("s", f"r{n}", f"问题 {n} " * 30, "回答。" * 300, "ok", AT)
        past = await recall(memory.turns, "s", AT)
        assert len(past.summary.encode()) <= 3 * SUMMARY_TOKENS
        assert len(past.turns) <= TURNS
    light = ScriptedModel.by(lambda messages, tools: says("很长的摘要" * 900))
    await talk(memory, 0, WAITING)
    assert len((await recall(memory.turns, "s", AT, light)).summary.encode()) <= 3 * SUMMARY_TOKENS


async def test_no_session_no_past(memory: Memory) -> None:
    await memory.turns.add("", "r", "q", "a", "ok", AT)
    assert await recall(memory.turns, "", AT) == await recall(memory.turns, "other", AT)


def test_what_a_model_reads_of_earlier_turns() -> None:
    subject = about(answered(), ["errors?"])
    seen = shown(
        [
            Turn("s", "r1", "errors?", "272 errors [L1], 2 alerts [A1, A2]", "ok", AT, "ana", subject),
            Turn("s", "r2", "and payment?", "", "cancelled", AT, "ana"),
            Turn("s", "r3", "again", "It broke", "failed", AT, "bob", subject),
        ]
    )
    assert seen[0][0] == "(ana) errors?\n(window: 2026-11-29 06:00–07:00 +00:00; scope: prod · checkout)"
    assert seen[0][1] == "272 errors (earlier L1), 2 alerts (earlier A1, A2)"
    assert seen[1][1] == "(cancelled) …"
    assert seen[2][1] == "(failed) It broke\n(evidence then: L1 count_errors: errors 272, rate 3.5%)"


def test_a_follow_up_refers_to_the_last_turn_that_was_about_something() -> None:
    subject = about(answered(), ["and payment?", "errors?"])
    former = former_of([Turn("s", "r1", "q", "a", "ok", AT, "", subject), Turn("s", "r2", "thanks", ":)", "ok", AT)])
    assert former is not None
    assert (former.asked, former.window, former.scope.services) == (("and payment?", "errors?"), WINDOW, ("checkout",))
    assert former_of([Turn("s", "r2", "thanks", ":)", "ok", AT)]) is None


def test_small_talk_is_about_nothing() -> None:
    assert about(Answer("r", "ok", "You are welcome.", WINDOW), ["thanks"]) is None
    assert about(Answer("r", "needs_input", "Which service?", WINDOW), ["chekout?"]) is not None


@pytest.mark.parametrize(
    ("why", "environment", "services"),
    [
        ("prod: from preference", "", ("checkout",)),
        ("prod: from preference; checkout: from preference", "", ()),
        ("", "prod", ("checkout",)),
    ],
)
def test_what_a_persons_default_filled_in_is_not_handed_on(why: str, environment: str, services: tuple[str]) -> None:
    scope = Scope("prod", ("checkout",), "", why)
    former = former_of([Turn("s", "r", "q", "a", "ok", AT, "", about(answered(scope), ["q"]))])
    assert former is not None
    assert (former.scope.environment, former.scope.services) == (environment, services)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_million_turns_cost_nothing(tmp_path: Path, nightly: bool) -> None:
    """In one file: a session of its own with many turns, and many with few."""
    count = 1_000_000 if nightly else 20_000
    url = f"sqlite:///{tmp_path / 'hermes.db'}"
    memory = open_memory(url)
    row = {"answer": "a" * 300, "status": "ok", "at": AT, "user": "u", "about": ""}
    engine = make_engine(url)
    for start in range(0, count, 20_000):
        rows = [
            {"session": "long" if n % 2 else f"s{n % 5000}", "run": f"r{n}", "question": f"q{n}", **row}
            for n in range(start, start + 20_000)
        ]
        with engine.begin() as connection:
            connection.execute(sa.insert(turns), rows)
    engine.dispose()
    await recall(memory.turns, "long", AT)
    took = []
    for session in ("long", "s2", "long", "s4", "none") * 20:
        began = time.perf_counter()
        await recall(memory.turns, session, AT)
        took.append(time.perf_counter() - began)
    await memory.close()
    median = sorted(took)[len(took) // 2]
    print(f"{count:,} turns: median {median * 1000:.2f} ms, worst {max(took) * 1000:.2f} ms")
    assert median < 0.01

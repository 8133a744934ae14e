"""kill -9 at random moments: the question is answered all the same, and no call whose result was used is made again."""

from __future__ import annotations

import multiprocessing
import random
from collections import Counter
from pathlib import Path

import pytest

from memory import open_memory
from tests.memory import flow

EXPECTED = [
    *("supervisor:model_0", "supervisor:model_1"),
    *(f"supervisor/0.{name}:model_{n}" for name in flow.BRANCHES for n in range(3)),
    "supervisor:model_2",
]


def ask_until_answered(url: str, question: str, log: Path, kills: int) -> int:
    """How many times a process was killed on the way; at most `kills` times."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.memory.test_engine", "tests.memory.flow"])
    killed = 0
    while True:
        process = context.Process(target=flow.run, args=(url, question, str(log)))
        process.start()
        if killed < kills:
            process.join(random.random() * 0.25)
            process.kill()
        process.join()
        if process.exitcode == 0:
            return killed
        assert process.exitcode == -9
        killed += 1


def check(lines: list[list[str]]) -> None:
    assert not [line for line in lines if line[0] == "WRONG"]
    answers = [line for line in lines if line[0] == "answer"]  # a second one: killed between answering and ending
    assert answers
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][2:] == EXPECTED
    used: set[str] = set()
    for what, where, *_ in lines:
        assert what != "start" or where not in used, f"{where} was called again after its result was used"
        if what == "used":
            used.add(where)
    starts = Counter(where for what, where, *_ in lines if what == "start")
    assert set(EXPECTED) < set(starts)


@pytest.mark.slow
async def test_kill_9_at_random_moments(url: str, tmp_path: Path, nightly: bool) -> None:
    wanted = 100 if nightly else 10
    killed = asked = 0
    while killed < wanted:
        asked += 1
        log = tmp_path / f"log{asked}"
        killed += ask_until_answered(url, f"question {asked}", log, wanted - killed)
        check([line.split() for line in log.read_text().splitlines()])
    memory = open_memory(url)
    runs = await memory.runs.list(limit=1000)
    assert [run.status for run in runs] == ["done"] * asked
    assert {run.question.text for run in runs} == {f"question {n + 1}" for n in range(asked)}
    events = [e for run in runs for e in await memory.events.events(run.id)]
    assert len({(e.run, e.path, e.n) for e in events}) == len(events) == asked * 18
    await memory.close()


def test_without_a_kill_it_is_answered_by_the_first_process(url: str, tmp_path: Path) -> None:
    assert ask_until_answered(url, "q", tmp_path / "log", 0) == 0
    check([line.split() for line in (tmp_path / "log").read_text().splitlines()])

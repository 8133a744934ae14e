"""How fast the inspector's list, filters and statistics are over very many runs, and how many bytes a run takes.

    python -m bench.traces [--runs 100000] [--url postgresql://…]

Runs are made up in the store's own tables, with their digests and with EVENTS events each, without texts. What a whole
run takes is measured beside it: a generated incident's, as often as it takes to see it.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from hermes_ops.app import open_app
from hermes_ops.demo.generate import generate
from hermes_ops.demo.variant import parse
from hermes_ops.settings import Settings
from hermes_ops.trace import finding, stats
from memory import Memory, Wanted, open_memory
from memory.digests import Counted, loops, slot
from memory.tables import events, runs
from orchestrator.contracts import Incoming, dumps, to_json

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
EVENTS, AT_ONCE, TIMES = 4, 2_000, 9
AGENTS = ("alerts", "logs", "changes")
ASKED = ("checkout 昨天为什么报错？", "what changed on payment?", "any alerts tonight?", "订单服务还好吗")


def made_up(n: int, rng: random.Random) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """A run's row, the rows of its loops and of its events."""
    run, at = f"20261130-{n:08x}", NOW - timedelta(seconds=25 * n)
    asked = rng.sample(AGENTS, rng.randint(0, 3))
    text, user = f"{rng.choice(ASKED)} {n}", f"ou_{rng.randrange(400):03d}"
    question = dumps(to_json(Incoming(f"m{n}", text, at, user=user)))
    wrong = rng.random() < 0.03
    spent = {
        "calls": 4,
        "prompt_tokens": rng.randrange(20_000),
        "completion_tokens": 300,
        "cached_tokens": 512,
        "cost": 0.01,
    }
    row = {"id": run, "question": question, "text": text, "session": f"s{n % 900}", "folder": "", "user": user,
           "status": "failed" if wrong else "done", "started": at, "ended": at, "host": "h", "pid": 1, "born": "",
           "kind": "question", "answer": "failed" if wrong else rng.choice(("ok", "ok", "partial", "no_evidence")),
           "asked": f" {' '.join(asked)} ", "wrong": wrong, "ms": rng.randrange(100, 30_000),
           "model": "m", **spent}  # fmt: skip
    names = ("supervisor", *asked)
    of = {"run": run, "kind": "question", "user": user, "model": "m", "day": f"{at:%Y-%m-%d}", "started": at}
    inner = [{**of, "path": name, "agent": name, "status": "ok", "empty": rng.random() < 0.1,
              "slot": slot(rng.randrange(10, 9_000)), "tools": 3, "errors": 0, **spent} for name in names]  # fmt: skip
    told = [{"run": run, "path": "supervisor", "n": i, "kind": "tool", "at": at, "blobs": "", "v": 1,
             "body": '{"step":"tool 1.0 count_errors","ms":40,"tool":"count_errors","args":{},"status":"ok"}'}
            for i in range(EVENTS)]  # fmt: skip
    return row, inner, told


async def fill(memory: Memory, many: int) -> None:
    rng = random.Random(7)
    for start in range(0, many, AT_ONCE):
        made = [made_up(n, rng) for n in range(start, min(many, start + AT_ONCE))]

        def put(connection: sa.Connection, made: Any = made) -> None:
            connection.execute(runs.insert(), [m[0] for m in made])
            connection.execute(loops.insert(), [row for m in made for row in m[1]])
            connection.execute(events.insert(), [row for m in made for row in m[2]])

        await memory.db.write(put)


def questions(memory: Memory) -> Iterator[tuple[str, Callable[[], Awaitable[Any]]]]:
    day = {"since": NOW - timedelta(days=1)}
    wanted = {
        "list": Wanted(), "list, user": Wanted(user="ou_007"), "list, session": Wanted(session="s11"),
        "list, text": Wanted(text="订单服务还好吗 99"), "list, text that nobody said": Wanted(text="xyzzy"),
        "list, agent": Wanted(agent="changes"), "list, failed": Wanted(wrong=True),
        "list, status": Wanted(statuses=("no_evidence",)), "list, a day": Wanted(**day),
        "list, rare": Wanted(user="ou_007", agent="logs", wrong=True),
    }  # fmt: skip
    for name, one in wanted.items():
        yield name, lambda one=one: finding.find(memory, one, 20)  # type: ignore[misc]
    for by in stats.GROUPS:
        yield f"stats by {by}", lambda by=by: stats.stats(memory, Counted(), by)  # type: ignore[misc]


async def measured(memory: Memory) -> None:
    for name, ask in questions(memory):
        took, busy = [], time.process_time()
        for _ in range(TIMES):
            began = time.perf_counter()
            await ask()
            took.append(1000 * (time.perf_counter() - began))
        cpu = 1000 * (time.process_time() - busy) / TIMES
        print(f"{name:32} median {sorted(took)[TIMES // 2]:7.1f} ms   most {max(took):7.1f} ms   own CPU {cpu:7.1f} ms")


async def bytes_of_a_run(home: Path, many: int = 20) -> None:
    """Of generated incidents' runs without a model, one incident each four runs."""
    settings = Settings.model_validate({"data_dir": home / "data", "log": {"level": "off"}})
    sizes = []
    for seed in range(many // 4):
        folder = home / f"incident-{seed}"
        truth = generate(folder, seed, NOW, parse("", seed))
        async with open_app(settings, folder, offline=True) as app:
            for asked in truth.questions[:4]:
                await app.answer(Incoming(f"m{seed}{asked.about}", asked.text, NOW, anchored=True), new=True)
            sizes.append((await app.memory.traces.prune()).bytes)
    print(f"bytes of a run, packed: {sizes[-1] / (4 * len(sizes)):,.0f} (mean of {4 * len(sizes)})")


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--url", default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        memory = open_memory(given.url or f"sqlite:///{home}/runs.db")
        began = time.perf_counter()
        await fill(memory, given.runs)
        took = time.perf_counter() - began
        print(f"{memory.db.dialect}: {given.runs:,} runs of {EVENTS} events made up in {took:.0f} s")
        await measured(memory)
        await memory.close()
        if not given.url:
            print(f"index and rows: {Path(home, 'runs.db').stat().st_size / given.runs:,.0f} bytes a run")
            await bytes_of_a_run(Path(home, "whole"))


if __name__ == "__main__":
    asyncio.run(main())

"""kill -9 at random moments of a 12-step, three-branch question, then the same command again.

`python -m tests.e2e.matrix [KILLS]` prints the figures for SQLite and PostgreSQL. A call is finished when its event is
in the store at the moment of the kill; the scripted server must not see it a second time.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hermes_ops.testing.scripted_server import ScriptedServer
from memory import open_memory
from tests.e2e.place import QUESTION, WHEN, folder, hermes, play, role, turn
from tests.postgres import serving
from tests.processes import start

LATENCY = 0.03


@dataclass
class Figures:
    kills: int = 0
    killed_inside: int = 0  # after the first call and before the last one
    answered: int = 0
    repeated: int = 0  # finished calls that were made again
    in_flight: int = 0  # calls that were under way at the kill and had to be made again
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.kills} kills ({self.killed_inside} between first and last call): {self.answered} answers, "
            f"{self.repeated} finished calls repeated, {self.in_flight} calls in flight made again, "
            f"wrong: {self.wrong[:3] or 0}"
        )


async def finished(url: str) -> set[tuple[str, int]]:
    """(role, number of the call) of each model call whose reply is stored."""
    memory = open_memory(url)
    try:
        [run] = await memory.runs.list(1) or [None]
        events = await memory.events.events(run.id) if run else []
    finally:
        await memory.close()
    found = set()
    for e in events:
        if e.kind == "model":
            who = e.path.rpartition("/")[2].rpartition(".")[2] or "supervisor"
            found.add(("supervisor" if "/" not in e.path else who, int(str(e.body["step"]).split()[1])))
    return found


async def trial(server: ScriptedServer, place: Path, data: Path, url: str, moment: float, figures: Figures) -> None:
    env = {"HERMES_OPS_DATA_DIR": str(data), "HERMES_OPS_DATABASE_URL": url}
    env |= {"HERMES_OPS_BASE_URL": server.url, "HERMES_OPS_MODEL": "scripted", "HERMES_OPS_API_KEY": "k"}
    command = ("ask", QUESTION, "--folder", str(place), *WHEN, "--json")
    server.requests.clear()
    process = await start(*command, env=env)
    ended = asyncio.create_task(process.communicate())
    while not server.requests and not ended.done():
        await asyncio.sleep(0.005)
    await asyncio.sleep(moment)
    if process.returncode is None:
        process.kill()
    await ended
    done = await finished(url)
    figures.kills += 1
    figures.killed_inside += 0 < len(done) < 14
    before = [(role(b.get("tools", ()), b["messages"]), turn(b["messages"])) for b in server.requests]
    server.requests.clear()
    ran = await hermes(*command, env=env)
    after = [(role(b.get("tools", ()), b["messages"]), turn(b["messages"])) for b in server.requests]
    if ran.code == 0 and ran.json["status"] == "ok" and "payment 2.4.1" in ran.json["answer"]:
        figures.answered += 1
    else:
        figures.wrong.append(ran.err[-400:] or ran.out[-400:])
    if len(done) < 14:  # with 14 the run was over, and the second command is a new question
        figures.repeated += sum(call in done for call in after)
        figures.in_flight += sum(call in before and call not in done for call in after)


async def matrix(kills: int, database: str, at_once: int = 2, seed: int = 1) -> Figures:
    """`database`: "" for an SQLite file per trial, else a maker of URLs is started: "postgres"."""
    figures, chance = Figures(), random.Random(seed)
    moments = [chance.uniform(0.0, 0.45) for _ in range(kills)]
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        place = folder(base / "incident")

        async def work(urls: list[tuple[float, Path, str]]) -> None:
            async with ScriptedServer(play, latency=LATENCY) as server:
                for moment, data, url in urls:
                    await trial(server, place, data, url, moment, figures)
                figures.wrong.extend(server.problems)

        async def all_of(new: object) -> None:
            jobs = []
            for i, moment in enumerate(moments):
                data = base / f"data{i}"
                data.mkdir()
                url = new() if callable(new) else f"sqlite:///{data / 'hermes-ops.db'}"
                jobs.append((moment, data, url))
            await asyncio.gather(*(work(jobs[k::at_once]) for k in range(at_once)))

        if database:
            with serving() as postgres:
                await all_of(postgres.new)
        else:
            await all_of(None)
    return figures


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for which in ("", "postgres"):
        print(f"{which or 'sqlite':8} {asyncio.run(matrix(number, which))}", flush=True)

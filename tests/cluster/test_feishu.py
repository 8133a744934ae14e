"""The real `hermes-ops serve` as a cluster: one replica listens, any answers, and the next takes over."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from hermes_ops.sandbox import Message, Sandbox
from memory import open_memory
from memory.engine import make_engine
from orchestrator.contracts import Event
from tests.e2e.place import folder
from tests.feishu.rig import QUESTION, words
from tests.feishu.test_kill import CONFIG, finals

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
START = 240  # seconds that one may take: the SDK's import alone is 4 s of processor time
OFTEN = (15.0,) * 100  # the platform repeats after 15 s, 5 min and an hour: what falls into two gaps would wait so long
CLUSTER = CONFIG.replace("[serve]", '[serve]\nruntime = "cluster"\nquestions = 3')


class Replicas:
    def __init__(self, box: Sandbox, place: Path, url: str, config: str = CLUSTER) -> None:
        file = place / "config.toml"
        file.write_text(config.format(app_id=box.app_id, domain=box.domain, folder=folder(place / "incident")))
        more = {"HERMES_OPS_CONFIG": str(file), "HERMES_OPS_DATA_DIR": str(place / "data"), "SECRET": box.app_secret}
        self.environment = {**os.environ, **more, "HERMES_OPS_ZONE": "UTC", "HERMES_OPS_DATABASE_URL": url}
        self.place = place
        self.all: list[asyncio.subprocess.Process] = []

    async def start(self) -> asyncio.subprocess.Process:
        command = [sys.executable, "-m", "hermes_ops", "serve", "--offline"]
        with self.log(len(self.all)).open("wb") as log:
            process = await asyncio.create_subprocess_exec(*command, env=self.environment, stderr=log, stdout=log)
        self.all.append(process)
        for _ in range(START * 10):
            if "SIGTERM ends it" in self.said(process):
                return process
            if process.returncode is not None:
                break
            await asyncio.sleep(0.1)
        raise AssertionError(self.said(process))

    async def refused(self) -> tuple[int, str]:
        """Its exit code and what it said, of one that can't serve."""
        with pytest.raises(AssertionError) as raised:
            await self.start()
        return await self.all[-1].wait(), str(raised.value)

    def log(self, n: int) -> Path:
        return self.place / f"log{n}"

    def said(self, process: asyncio.subprocess.Process) -> str:
        return self.log(self.all.index(process)).read_text()

    def logs(self) -> str:
        return "\n".join(f"--- {n}, exit code {p.returncode}\n{self.said(p)}" for n, p in enumerate(self.all))

    async def ready(self) -> list[tuple[asyncio.subprocess.Process, dict[str, Any]]]:
        """What each living one says of itself."""
        living = [p for p in self.all if p.returncode is None]
        return [(p, await asyncio.to_thread(self._asked, p)) for p in living]

    def _asked(self, process: asyncio.subprocess.Process) -> dict[str, Any]:
        address = re.findall(r"http://127\.0\.0\.1:\d+;", self.said(process))[-1].rstrip(";")
        with suppress(urllib.error.HTTPError), urllib.request.urlopen(f"{address}/readyz", timeout=60) as answer:
            return dict(json.load(answer))
        return {"ready": False, "channels": {}}

    async def end(self) -> None:
        for process in self.all:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
        codes = await asyncio.gather(*(process.wait() for process in self.all))
        assert set(codes) <= {0, -signal.SIGKILL}, codes

    async def kill(self) -> None:
        for process in self.all:
            if process.returncode is None:
                process.kill()
                await process.wait()


@asynccontextmanager
async def serving(place: Path, url: str) -> AsyncIterator[tuple[Sandbox, Replicas]]:
    async with Sandbox(speed=10) as box:
        box.pushes.repeats = OFTEN
        replicas = Replicas(box, place, url)
        try:
            yield box, replicas
        finally:
            await replicas.kill()


async def say(box: Sandbox, n: int) -> Message:
    person = random.choice(("alice", "bob", "carol"))
    return await box.say(person, box.p2p(person), f"{QUESTION} {n}")


def listens_anew(box: Sandbox, before: str) -> bool:
    return bool(box.link.connections) and before not in box.link.connections


async def all_answered(box: Sandbox, asked: Sequence[Message], url: str, seconds: float) -> None:
    """Waits for it; where it fails it tells what is where: pushes nobody took, the inbox, the outbox."""
    try:
        await box.until(lambda: all(finals(box, m) for m in asked), seconds)
    except TimeoutError:
        engine = make_engine(url)
        with engine.connect() as connection:
            inbox = connection.execute(sa.text("SELECT id, state, owner, reason FROM inbox ORDER BY seq")).all()
            outbox = connection.execute(sa.text("SELECT key, state, owner, reason FROM outbox ORDER BY seq")).all()
        engine.dispose()
        pushed = [(d.payload["event"].get("message", {}).get("message_id"), d.acks) for d in box.pushes.all]
        missing = [m.message_id for m in asked if not finals(box, m)]
        raise AssertionError(f"no answer to {missing}\n{pushed=}\n{inbox=}\n{outbox=}") from None


async def test_one_listens_all_answer_and_the_next_takes_over(postgres_url: str, tmp_path: Path, nightly: bool) -> None:
    async with serving(tmp_path, postgres_url) as (box, replicas):
        asked: list[Message] = []
        await replicas.start()
        await box.connected(timeout=60)
        for how in (signal.SIGKILL, signal.SIGTERM) * (4 if nightly else 1):
            await replicas.start()
            asked += [await say(box, len(asked) + n) for n in range(5)]
            ready = await replicas.ready()
            assert [told["ready"] for _, told in ready] == [True, True], replicas.logs()
            holder = next(process for process, told in ready if told["channels"]["feishu"].get("connects"))
            (before,) = box.link.connections
            holder.send_signal(how)
            await holder.wait()
            await box.until(partial(listens_anew, box, before), 120)
        await all_answered(box, asked, postgres_url, 240)
        await asyncio.sleep(0.5)
        await replicas.end()
        assert [len(finals(box, m)) for m in asked] == [1] * len(asked)
        assert [len(box.answers(m)) for m in asked] == [1] * len(asked)
        assert all("[L1]" in words(finals(box, m)[0]) for m in asked)
        assert "Traceback" not in replicas.logs()


async def test_a_question_of_other_code_is_begun_afresh(postgres_url: str, tmp_path: Path) -> None:
    """A deploy in the middle of a question, whose steps have other names now."""
    async with serving(tmp_path, postgres_url) as (box, replicas):
        process = await replicas.start()
        await box.connected(timeout=60)
        asked = await say(box, 1)
        await all_answered(box, [asked], postgres_url, 120)
        memory = open_memory(postgres_url)
        entry = await memory.inbox.find(f"{asked.message_id}.0")
        assert entry is not None
        again = replace(entry.question, attempt=1)
        await memory.runs.create("old", again)
        memory.events.emit(Event("old", "supervisor", 0, "tool", again.at, {"step": "tool of former times"}))
        await memory.events.commit()
        await memory.inbox.put(replace(entry, id=f"{again.id}.1", question=again, run="old", state="queued"), 0)
        while (done := await memory.inbox.find(f"{again.id}.1")) is None or done.state in ("queued", "running"):
            await asyncio.sleep(0.1)
        await memory.close()
        await replicas.end()
        assert (done.state, done.tries) == ("done", 1)
        assert done.run != "old"
        assert "is begun afresh" in replicas.said(process)


async def test_a_cluster_needs_postgresql_and_a_local_process_keeps_out(postgres_url: str, tmp_path: Path) -> None:
    async with serving(tmp_path, f"sqlite:///{tmp_path}/hermes.db") as (_, replicas):
        code, said = await replicas.refused()
        assert (code, 'serve.runtime = "cluster" needs PostgreSQL' in said) == (2, True)
        replicas.environment["HERMES_OPS_DATABASE_URL"] = postgres_url
        first = await replicas.start()
        replicas.environment["HERMES_OPS_SERVE__RUNTIME"] = "local"
        code, said = await replicas.refused()
        assert (code, "Another process consumes this inbox already" in said) == (3, True)
        assert first.returncode is None
        first.send_signal(signal.SIGTERM)
        assert await first.wait() == 0

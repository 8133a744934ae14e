"""The real `hermes-ops serve` as a cluster: one replica listens, any answers, and the next takes over."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import sys
import urllib.request
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.sandbox import Message, Sandbox
from memory import open_memory
from orchestrator.contracts import Event
from tests.e2e.place import folder
from tests.feishu.rig import QUESTION, words
from tests.feishu.test_kill import CONFIG, finals

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
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
        for _ in range(600):
            if "SIGTERM ends it" in self.said(process) or process.returncode is not None:
                return process
            await asyncio.sleep(0.1)
        raise AssertionError(self.said(process))

    def log(self, n: int) -> Path:
        return self.place / f"log{n}"

    def said(self, process: asyncio.subprocess.Process) -> str:
        return self.log(self.all.index(process)).read_text()

    def holder(self) -> asyncio.subprocess.Process:
        """The living one that has the long connection."""
        return next(p for p in self.all if p.returncode is None and self.ready(p)["channels"]["feishu"].get("connects"))

    def ready(self, process: asyncio.subprocess.Process) -> dict[str, Any]:
        address = re.findall(r"http://127\.0\.0\.1:\d+;", self.said(process))[-1].rstrip(";")
        with urllib.request.urlopen(f"{address}/readyz") as answer:
            return dict(json.load(answer))

    async def end(self) -> None:
        for process in self.all:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
        codes = await asyncio.gather(*(process.wait() for process in self.all))
        assert set(codes) <= {0, -signal.SIGKILL}, codes


async def say(box: Sandbox, n: int) -> Message:
    person = random.choice(("alice", "bob", "carol"))
    return await box.say(person, box.p2p(person), f"{QUESTION} {n}")


def listens_anew(box: Sandbox, before: str) -> bool:
    return bool(box.link.connections) and before not in box.link.connections


async def test_one_listens_all_answer_and_the_next_takes_over(postgres_url: str, tmp_path: Path, nightly: bool) -> None:
    async with Sandbox(speed=10) as box:
        replicas = Replicas(box, tmp_path, postgres_url)
        asked: list[Message] = []
        for _ in range(2):
            await replicas.start()
        await box.connected(timeout=60)
        for how in (signal.SIGKILL, signal.SIGTERM) * (4 if nightly else 1):
            asked += [await say(box, len(asked) + n) for n in range(5)]
            holder = replicas.holder()
            assert [replicas.ready(p)["ready"] for p in replicas.all if p.returncode is None] == [True, True]
            (before,) = box.link.connections
            holder.send_signal(how)
            await holder.wait()
            await box.until(partial(listens_anew, box, before), 30)
            await replicas.start()
        await box.until(lambda: all(finals(box, m) for m in asked), 120)
        await asyncio.sleep(0.5)
        await replicas.end()
        assert [len(finals(box, m)) for m in asked] == [1] * len(asked)
        assert [len(box.answers(m)) for m in asked] == [1] * len(asked)
        assert all("[L1]" in words(finals(box, m)[0]) for m in asked)
        assert not any("Traceback" in replicas.said(p) for p in replicas.all)


async def test_a_question_of_other_code_is_begun_afresh(postgres_url: str, tmp_path: Path) -> None:
    """A deploy in the middle of a question, whose steps have other names now."""
    async with Sandbox() as box:
        replicas = Replicas(box, tmp_path, postgres_url)
        process = await replicas.start()
        await box.connected(timeout=60)
        asked = await say(box, 1)
        await box.until(lambda: bool(finals(box, asked)), 60)
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
    async with Sandbox() as box:
        replicas = Replicas(box, tmp_path, f"sqlite:///{tmp_path}/hermes.db")
        alone = await replicas.start()
        assert await alone.wait() == 2
        assert 'serve.runtime = "cluster" needs PostgreSQL' in replicas.said(alone)
        replicas.environment["HERMES_OPS_DATABASE_URL"] = postgres_url
        first = await replicas.start()
        replicas.environment["HERMES_OPS_SERVE__RUNTIME"] = "local"
        second = await replicas.start()
        assert await second.wait() == 3
        assert "Another process consumes this inbox already" in replicas.said(second)
        assert first.returncode is None
        first.send_signal(signal.SIGTERM)
        assert await first.wait() == 0

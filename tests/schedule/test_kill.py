"""The real `hermes-ops serve`, killed with -9 before, while and after it sends the report: one message in the chat."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hermes_ops.sandbox import Message, Sandbox
from hermes_ops.sandbox.faults import AFTER, BEFORE
from memory import open_memory
from tests.e2e.place import folder, hermes
from tests.schedule.rig import TITLE, title, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
CONFIG = """
[feishu]
app_id = "{app_id}"
app_secret = {{ env = "SECRET" }}
domain = "{domain}"
users = ["*"]
[serve]
port = 0
[team]
name = "shop"
zone = "UTC"
chats = ["{chat}"]
[schedules.daily]
cron = "* * * * *"
workdays = false
[sources]
folder = "{folder}"
"""


class Served:
    """The service in a place of its own. Its schedule was known an hour ago: the last slot is due at once."""

    def __init__(self, box: Sandbox, place: Path) -> None:
        self.box, self.log, self.data = box, place / "log", place / "data"
        config = place / "config.toml"
        given = {"app_id": box.app_id, "domain": box.domain, "chat": box.group.chat_id}
        config.write_text(CONFIG.format(**given, folder=folder(place / "incident")))
        more = {"HERMES_OPS_CONFIG": str(config), "HERMES_OPS_DATA_DIR": str(self.data), "SECRET": box.app_secret}
        self.environment = {**os.environ, **more, "HERMES_OPS_ZONE": "UTC"}

    async def known(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        memory = open_memory(f"sqlite:///{self.data / 'hermes-ops.db'}")
        await memory.schedules.take("daily", datetime.now(UTC) - timedelta(hours=1), "known")
        await memory.close()

    async def start(self) -> asyncio.subprocess.Process:
        command = [sys.executable, "-m", "hermes_ops", "serve", "--offline"]
        with self.log.open("ab") as log:
            return await asyncio.create_subprocess_exec(*command, env=self.environment, stderr=log, stdout=log)

    async def kill(self, process: asyncio.subprocess.Process) -> None:
        process.kill()
        await process.wait()
        await until(lambda: not self.box.link.connections)

    async def delivered(self) -> None:
        """The report has arrived, and the outbox knows it."""
        await until(self.reports, 60)
        memory = open_memory(f"sqlite:///{self.data / 'hermes-ops.db'}")
        while await memory.outbox.waiting():
            await asyncio.sleep(0.1)
        await memory.close()

    def reports(self) -> list[Message]:
        return [m for m in self.box.messages(self.box.group, self.box.app) if TITLE in title(m)]


async def _ended(process: asyncio.subprocess.Process) -> None:
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), 20) == 0


def before(s: Served) -> Callable[[], bool]:
    """When it works; a random moment later."""
    due: list[float] = []

    def come() -> bool:
        if s.box.link.connections and not due:
            due.append(time.monotonic() + random.random() / 2)
        return bool(due) and time.monotonic() > due[0]

    return come


def during(s: Served) -> Callable[[], bool]:
    """When the call is on its way, or its answer."""
    slow = s.box.faults.slow("/im/v1/messages", 2.0, times=None, when=random.choice((BEFORE, AFTER)))
    return lambda: slow.met > 0


def after(s: Served) -> Callable[[], bool]:
    """When the message is there and the process never hears of it."""
    s.box.faults.lose("/im/v1/messages", times=None)
    return lambda: bool(s.reports())


STAGES = {stage.__name__: stage for stage in (before, during, after)}


@pytest.mark.parametrize("stage", list(STAGES))
async def test_one_message_though_the_process_is_killed(tmp_path: Path, stage: str, nightly: bool) -> None:
    """Hours later the platform has forgotten what it was given."""
    for n, hours in enumerate((0, 2) * 5 if nightly else random.choices((0, 2))):
        place = tmp_path / str(n)
        place.mkdir()
        async with Sandbox() as box:
            box.clock.advance(random.choice((-3600, 0, 3600)))  # the platform's clock and ours differ
            served = Served(box, place)
            await served.known()
            come = STAGES[stage](served)
            process = await served.start()
            await until(come, 60)
            await served.kill(process)
            box.faults.clear()
            box.clock.advance(3600 * hours)
            process = await served.start()
            await box.connected(timeout=60)
            await served.delivered()
            await asyncio.sleep(1)
            assert len(served.reports()) == 1
            await _ended(process)
            assert "Traceback" not in served.log.read_text()


async def test_a_second_process_by_mistake_and_the_operator_send_nothing_twice(tmp_path: Path) -> None:
    async with Sandbox() as box:
        served = Served(box, tmp_path)
        await served.known()
        first, second = await served.start(), await served.start()
        ended, _ = await asyncio.wait(
            [asyncio.create_task(p.wait()) for p in (first, second)], return_when=asyncio.FIRST_COMPLETED
        )
        assert [task.result() for task in ended] == [3]
        await served.delivered()
        again = await hermes("schedule", "run", "daily", "--offline", env=served.environment)
        assert (again.code, "has it already" in again.err) == (0, True)
        listed = await hermes("schedule", "list", env=served.environment)
        assert "daily" in listed.out
        assert "done" in listed.out
        unknown = await hermes("schedule", "run", "evening", env=served.environment)
        assert (unknown.code, "There are: daily" in unknown.err) == (2, True)
        assert len(served.reports()) == 1
        forced = await hermes("schedule", "run", "daily", "--force", "--offline", env=served.environment)
        assert "given to the outbox" in forced.err
        await until(lambda: len(served.reports()) == 2)
        await _ended(first if first.returncode is None else second)

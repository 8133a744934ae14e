"""The real `hermes-ops serve` as a process, killed with -9 again and again: each message is answered exactly once."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from pathlib import Path

import pytest

from hermes_ops.sandbox import Message, Sandbox
from tests.e2e.place import folder
from tests.feishu.rig import QUESTION, words
from tests.feishu.test_chaos import REPEATS, calls_fail, trouble
from tests.feishu.test_chaos import told as finals

# no second message after a long wait: one counts here
CONFIG = """
[feishu]
app_id = "{app_id}"
app_secret = {{ env = "SECRET" }}
domain = "{domain}"
users = ["*"]
verdict_after = 0
[serve]
port = 0
[sources]
folder = "{folder}"
"""


class Served:
    def __init__(self, box: Sandbox, place: Path) -> None:
        config = place / "config.toml"
        config.write_text(CONFIG.format(app_id=box.app_id, domain=box.domain, folder=folder(place / "incident")))
        more = {"HERMES_OPS_CONFIG": str(config), "HERMES_OPS_DATA_DIR": str(place / "data"), "SECRET": box.app_secret}
        self.environment = {**os.environ, **more, "HERMES_OPS_ZONE": "UTC"}
        self.log = place / "log"

    async def start(self) -> asyncio.subprocess.Process:
        command = [sys.executable, "-m", "hermes_ops", "serve", "--offline"]
        with self.log.open("ab") as log:
            return await asyncio.create_subprocess_exec(*command, env=self.environment, stderr=log, stdout=log)


@pytest.mark.slow
@pytest.mark.timeout(2400)
async def test_each_message_is_answered_once_though_the_process_is_killed(tmp_path: Path, nightly: bool) -> None:
    """In the middle of the trouble of `test_chaos`."""
    kills, messages, people, groups = (10, 1000, 50, 10) if nightly else (2, 12, 5, 3)
    die = random.Random(os.environ.get("CHAOS_SEED"))
    async with Sandbox(speed=5) as box:
        crowd = [box.add_person(f"p{n}", f"同事{n}") for n in range(people)]
        chats = [box.add_group(f"群{n}", crowd) for n in range(groups)]
        box.pushes.repeats = REPEATS
        faults, over = calls_fail(box), asyncio.Event()
        troubled = asyncio.create_task(trouble(box, over, die))
        served = Served(box, tmp_path)
        asked: list[Message] = []
        for n in range(kills + 1):
            process = await served.start()
            await box.connected(timeout=240)
            for k in range(messages // (kills + 1) + (n < messages % (kills + 1))):
                text = f"{QUESTION} {n} {k}"
                asked.append(await box.say(die.choice(crowd), die.choice(chats), text, mention_bot=True))
                await asyncio.sleep(die.random() * 0.4)
            if n < kills:
                await asyncio.sleep(die.random() * 2)
                process.kill()
                await process.wait()
                await box.until(lambda: not box.link.connections)
        await box.until(lambda: all(finals(box, m) for m in asked), 600)
        over.set()
        await troubled
        await asyncio.sleep(1)
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 60) == 0
        assert box.journal.of("socket", what="closed")[-1].data["code"] == 1000
        assert [len(finals(box, m)) for m in asked] == [1] * messages
        assert [len(box.answers(m)) for m in asked] == [1] * messages
        busy = [m for m in asked if "系统繁忙" in words(finals(box, m)[0])]
        assert all("[L1]" in words(finals(box, m)[0]) for m in asked if m not in busy)
        met, refused = sum(fault.met for fault in faults), len(busy)
        assert met or messages < 100
        print(
            f"{kills} kills, {messages} messages: {messages - refused} answered, {refused} refused; {met} calls failed"
        )


@pytest.mark.slow
async def test_sigterm_ends_it_cleanly_and_a_second_one_is_refused(tmp_path: Path) -> None:
    async with Sandbox() as box:
        served = Served(box, tmp_path)
        process = await served.start()
        await box.connected(timeout=240)
        second = await served.start()
        assert await asyncio.wait_for(second.wait(), 30) == 3
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 60) == 0
        await box.until(lambda: not box.link.connections)
        assert box.journal.of("socket", what="closed")[-1].data["code"] == 1000
        log = (tmp_path / "log").read_text()
        assert "Another process" in log
        assert "Traceback" not in log
        assert box.app_secret not in log

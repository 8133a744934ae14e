"""What an operator has: doctor against the sandbox, `runs` beside the service, the demo as one command."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from hermes_ops.doctor import feishu as doctor
from hermes_ops.sandbox import Sandbox
from tests.e2e.place import hermes
from tests.feishu.rig import QUESTION, bot, settings


async def found(box: Sandbox, place: Path, **given: object) -> dict[str, tuple[str, str]]:
    chosen = settings(box, place).feishu.model_copy(update=given)
    return {c.name: (c.state, f"{c.says} {c.do}") async for c in doctor.checks(chosen)}


async def test_doctor_finds_each_forgotten_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "CONNECT_SECONDS", 3.0)
    async with Sandbox() as box:
        good = await found(box, tmp_path, chats=(box.group.chat_id,))
        assert [state for state, _ in good.values() if state not in ("ok", "skip")] == []
        box.app.scopes -= {"cardkit:card:write", "im:message:readonly", "im:message"}
        box.group.apps.clear()
        bad = await found(box, tmp_path, chats=(box.group.chat_id,))
        assert bad["streaming cards"][0] == "fail"
        assert "cardkit:card:write" in bad["streaming cards"][1]
        assert bad[f"group {box.group.chat_id}"][0] == "fail"
        assert bad["send and reply"][0] == "ok"
        wrong = await found(box, tmp_path, app_secret=SecretStr("wrong"))
        assert wrong["token and identity"][0] == "fail"
        assert "feishu.app_secret" in wrong["token and identity"][1]
        assert "app_id" in (await found(box, tmp_path, app_id=""))["settings"][1]
        box.link.faults.discovery = (200, 1000040350, "too many connections")
        assert (await found(box, tmp_path))["long connection"][0] == "fail"


async def test_runs_are_listed_shown_cancelled_and_asked_again_beside_the_service(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        card = await b.done(asked)
        await box.click("alice", card, "👍")
        env = {"HERMES_OPS_DATA_DIR": str(tmp_path / "data")}
        listed = await hermes("runs", "list", "--json", env=env)
        [one] = json.loads(listed.out)
        assert (one["state"], one["question"]) == ("done", QUESTION)
        shown = (await hermes("runs", "show", one["run"], "--json", env=env)).json
        assert shown["feedback"][0]["mark"] == "good"
        assert shown["sent"][0]["sent"] == card.message_id
        refused = await hermes("runs", "cancel", one["id"], env=env)
        assert (refused.code, "ended already" in refused.err) == (2, True)
        assert (await hermes("runs", "retry", one["id"], env=env)).code == 0
        await box.until(lambda: len([m for m in box.answers(asked) if m.card]) == 2, 10)
        assert (await hermes("runs", "retry", "nothing", env=env)).code == 2


@pytest.mark.slow
async def test_the_demo_is_one_command_with_a_page() -> None:
    command = [sys.executable, "-m", "hermes_ops", "demo-feishu", "--port", "0"]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, env=dict(os.environ))
    assert process.stdout is not None
    line = (await asyncio.wait_for(process.stdout.readline(), 50)).decode()
    url = line.removeprefix("Chat page:").strip()
    async with httpx.AsyncClient() as client:
        page = await client.get(url)
    assert (page.status_code, "<html" in page.text.lower()) == (200, True)
    process.send_signal(signal.SIGTERM)
    _, err = await asyncio.wait_for(process.communicate(), 20)
    assert process.returncode == 0
    assert b"Traceback" not in err

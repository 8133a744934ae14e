"""`hermes-ops sandbox` from its start to its end, and the script that compares a tenant with it."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys

import httpx2
import pytest

from hermes_ops.sandbox import Sandbox, smoke


async def start(*options: str) -> asyncio.subprocess.Process:
    command = [sys.executable, "-m", "hermes_ops", "sandbox", *options]
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)


async def test_it_prints_where_the_page_is_and_ends_on_sigterm() -> None:
    process = await start("--port", "0", "--app-id", "cli_mine", "--app-secret", "s3cret")
    assert process.stdout is not None
    page = (await asyncio.wait_for(process.stdout.readline(), 30)).decode().split()[-1]
    bot = (await process.stdout.readline()).decode()
    assert page.startswith("http://127.0.0.1:")
    assert "app id cli_mine, app secret s3cret" in bot
    async with httpx2.AsyncClient(trust_env=False, verify=False) as http:
        assert "飞书沙箱" in (await http.get(page)).text
        got = await http.post(page + "callback/ws/endpoint", json={"AppID": "cli_mine", "AppSecret": "s3cret"})
        assert got.json()["code"] == 0
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), 10) == 0


async def test_a_port_in_use_is_said_in_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = await start("--port", str(taken.getsockname()[1]))
        _, errors = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 2
    assert b"Name another one after --port" in errors
    assert b"Traceback" not in errors


async def test_the_script_finds_no_difference_between_the_sandbox_and_itself(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    box.limits.on = False
    monkeypatch.setenv("FEISHU_APP_SECRET", box.app_secret)
    arguments = [box.domain, box.app_id, box.group.chat_id]
    assert await asyncio.to_thread(smoke.main, arguments) == 0
    assert capsys.readouterr().out.count("same ") == len(smoke.RULES)
    assert all(m.deleted for m in box.messages(box.group)), "what was sent is taken back"
    box.rules.tables = 5
    assert await asyncio.to_thread(smoke.main, arguments) == 1
    assert "DIFFERENT  four tables" in capsys.readouterr().out


async def test_the_script_says_what_it_needs(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert smoke.main([]) == 2
    assert "FEISHU_APP_SECRET" in capsys.readouterr().err
    monkeypatch.setenv("FEISHU_APP_SECRET", "wrong")
    with pytest.raises(SystemExit, match="Check the app id and secret"):
        await asyncio.to_thread(smoke.main, [box.domain, box.app_id, box.group.chat_id])

"""How soon a message is acknowledged, with the platform in a process of its own, and what an idle hour costs.

    python bench/ack.py --messages 300 --rate 10 --asked 4 --idle 60

The sandbox runs as `hermes-ops sandbox`; the bot is `hermes-ops serve` in this process. Its acknowledgement is measured
on the platform's side: from the push to the frame that answers it. No language model is used. The figures mean
something on an idle machine only: its load is printed beside them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
from pydantic import SecretStr

from hermes_ops.cli.serve import plugs
from hermes_ops.demo.generate import generate
from hermes_ops.demo.variant import parse
from hermes_ops.loading import load
from hermes_ops.serve import serving
from hermes_ops.settings import Settings

QUESTION = "checkout 为什么报错？"


def settings(home: Path, domain: str) -> Settings:
    generate(home / "incident", 7, datetime.now(UTC), parse("", 7))
    base = load({"HERMES_OPS_DATA_DIR": str(home / "data"), "HERMES_OPS_ZONE": "UTC"})
    given: dict[str, Any] = {
        "app_id": "cli_sandbox",
        "app_secret": SecretStr("sandbox-secret"),
        "domain": domain,
        "users": ("*",),
        "chats": ("*",),
    }
    return base.model_copy(
        update={
            "feishu": base.feishu.model_copy(update=given),
            "serve": base.serve.model_copy(update={"port": 0}),
            "sources": base.sources.model_copy(update={"folder": home / "incident"}),
        }
    )


async def begin() -> tuple[asyncio.subprocess.Process, str]:
    command = [sys.executable, "-m", "hermes_ops", "sandbox", "--port", "0"]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    return process, line.removeprefix("Chat page:").strip().rstrip("/")


async def measure(messages: int, rate: float, asked: int, idle: float) -> None:
    process, domain = await begin()
    try:
        with tempfile.TemporaryDirectory() as home:
            chosen = settings(Path(home), domain)
            async with (
                serving(chosen, lambda app: plugs(chosen, app), offline=True) as service,
                httpx2.AsyncClient(base_url=domain, timeout=30.0) as http,
            ):
                while not service.ready()[0]:
                    await asyncio.sleep(0.05)
                journal: list[dict[str, Any]] = []
                reading = asyncio.create_task(_read(domain, journal))
                await _idle(journal, idle)
                await _burst(http, journal, messages, rate, asked)
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
    finally:
        process.terminate()
        await process.wait()


async def _read(domain: str, journal: list[dict[str, Any]]) -> None:
    """The platform's journal, as its page gets it."""
    async with (
        httpx2.AsyncClient(base_url=domain, timeout=None) as http,
        http.stream("GET", "/sandbox/stream") as answer,
    ):
        event = ""
        async for line in answer.aiter_lines():
            name, _, value = line.partition(": ")
            event = value if name == "event" else event
            if name == "data" and event == "journal":
                journal.append(json.loads(value))


async def _idle(journal: list[dict[str, Any]], seconds: float) -> None:
    """After start-up, which has a few calls of its own."""
    await asyncio.sleep(3.0)
    journal.clear()
    await asyncio.sleep(seconds)
    calls = sum(e["kind"] == "rest" for e in journal)
    print(f"idle: {calls} calls of the platform in {seconds:.0f} s, {calls * 3600 / seconds:.0f} an hour")


async def _burst(
    http: httpx2.AsyncClient, journal: list[dict[str, Any]], messages: int, rate: float, asked: int
) -> None:
    """`asked` real questions are worked on beside a stream of commands."""
    state = (await http.get("/sandbox/state")).json()
    chat = next(c["id"] for c in state["chats"] if c["mode"] == "p2p")
    me = state["people"][0]["id"]
    for n in range(messages):
        text = QUESTION if n % max(1, messages // max(1, asked)) == 0 else "/help"
        body = {"who": me, "chat": chat, "text": text, "mentions": []}
        (await http.post("/sandbox/do/say", json=body)).raise_for_status()
        await asyncio.sleep(1 / rate)
    await asyncio.sleep(3.0)
    acks = sorted(e["data"]["after"] for e in journal if e["kind"] == "push" and e["data"].get("after") is not None)
    at = {name: acks[min(len(acks) - 1, int(len(acks) * share))] * 1000 for name, share in SHARES.items()}
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    print(f"acks: {len(acks)} for {messages} messages, " + ", ".join(f"{name} {ms:.1f} ms" for name, ms in at.items()))


SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--messages", type=int, default=300)
    asked.add_argument("--rate", type=float, default=10.0, help="messages a second")
    asked.add_argument("--asked", type=int, default=4)
    asked.add_argument("--idle", type=float, default=60.0)
    given = asked.parse_args()
    asyncio.run(measure(given.messages, given.rate, given.asked, given.idle))

"""Real runs in one data directory: without a model, with a scripted one, with faults in them, with none reachable."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.app import open_app
from hermes_ops.cli.commands import app as program
from hermes_ops.settings import Settings
from hermes_ops.testing.script import Step, calls, says
from hermes_ops.testing.scripted_server import ScriptedServer
from orchestrator.contracts import Answer, Incoming, Json, Message
from tests.e2e.place import QUESTION, folder, play, role, turn

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
PRICE = {"prompt": 2.0, "completion": 10.0}
SECRET = "hunter2hunter2"
Decide = Callable[[Sequence[Message], Sequence[Json]], Step]


def faulty(messages: Sequence[Message], tools: Sequence[Json]) -> Step:
    """Asks the logs only, with a wrong argument first, and answers with a figure that nothing bears out."""
    n = turn(messages)
    if role(tools, messages) == "supervisor":
        wanted = ("ask_logs", {"task": "count them", "reason": "it is about errors"})
        return calls(wanted) if n == 1 else says("There were 987654 errors [L2].")
    by = [("count_errors", {"by": "colour"}), ("count_errors", {"services": ["checkout"]})]
    return calls(by[n - 1]) if n <= 2 else says("done [L2]")


async def ask(settings: Settings, place: Path, text: str, session: str, **more: Any) -> Answer:
    async with open_app(settings, place) as app:
        return await app.answer(Incoming("m", text, NOW, anchored=True, **more), session=session)


@dataclass(frozen=True)
class Runs:
    """`requests`: what the scripted server got for `scripted`."""

    data: Path
    place: Path
    offline: Answer
    scripted: Answer
    faulty: Answer
    fallen: Answer
    requests: list[Json]

    @property
    def log(self) -> list[dict[str, Json]]:
        return [json.loads(line) for line in (self.data / "decisions.jsonl").read_text().splitlines()]


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    base = tmp_path_factory.mktemp("traced")
    place = folder(base / "incident")

    def settings(url: str = "", **more: Any) -> Settings:
        model = {"model": "scripted", "base_url": url, "timeout": 5} if url else {}
        return Settings.model_validate(
            {"data_dir": base / "data", "model": model, "prices": {"scripted": PRICE}, **more}
        )

    async def all_of_them() -> Runs:
        offline = await ask(settings(), place, f"{QUESTION} password={SECRET}", "s1", user="li")
        async with ScriptedServer(play) as server:
            scripted = await ask(settings(server.url), place, QUESTION, "s2")
        async with ScriptedServer(faulty) as other:
            bad = await ask(settings(other.url), place, "why are there errors in checkout after 13:00 yesterday?", "s3")
        fallen = await ask(settings("http://127.0.0.1:9/v1"), place, "昨天 checkout 的告警？", "s4")
        return Runs(base / "data", place, offline, scripted, bad, fallen, server.requests)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(base))
        return asyncio.run(all_of_them())


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs the command line in this process; gives what it printed."""

    def run(*args: str, data: Path) -> str:
        monkeypatch.setenv("HERMES_OPS_DATA_DIR", str(data))
        program(list(args), standalone_mode=False)
        return capsys.readouterr().out

    return run

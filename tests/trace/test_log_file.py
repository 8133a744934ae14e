"""The file of the decision log: what happens when it can't be written, and when it is full."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_ops.settings import Settings
from hermes_ops.testing.scripted_server import ScriptedServer
from tests.e2e.place import QUESTION, play
from tests.trace.conftest import Runs, ask
from tests.trace.test_logs import logged

pytestmark = pytest.mark.slow


async def test_a_log_that_cannot_be_written_is_nobodys_trouble(tmp_path: Path, runs: Runs) -> None:
    (tmp_path / "decisions.jsonl").mkdir()
    async with ScriptedServer(play) as server:
        given = {"data_dir": tmp_path, "model": {"model": "m", "base_url": server.url}}
        answer = await ask(Settings.model_validate(given), runs.place, QUESTION, "s")
    assert answer.status == "ok"


async def test_a_large_file_makes_room(tmp_path: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_ops.logs.ROTATE", 10)
    first = await logged(tmp_path, runs)
    second = await logged(tmp_path, runs)
    before = [json.loads(line) for line in (tmp_path / "decisions.jsonl.1").read_text().splitlines()]
    assert before == first
    assert len(second) == len(first)

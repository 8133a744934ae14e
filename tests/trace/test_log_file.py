"""The file of the decision log: what happens when it can't be written, and when it is full."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_ops.logs import open_log
from hermes_ops.settings import LogSettings, Settings
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
    first = await logged(tmp_path, runs)
    monkeypatch.setattr("hermes_ops.logfile.ROTATE", (tmp_path / "decisions.jsonl").stat().st_size - 1)
    second = await logged(tmp_path, runs)
    before = [json.loads(line) for line in (tmp_path / "decisions.jsonl.1").read_text().splitlines()]
    assert before == first
    assert len(second) == len(first)


def test_a_process_that_lives_long_keeps_the_bound_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_ops.logfile.ROTATE", 10_000)
    with open_log(LogSettings(), tmp_path) as log:
        for n in range(500):
            log.logger.info("model", n=n, filling="x" * 100)
    now, before = (tmp_path / name for name in ("decisions.jsonl", "decisions.jsonl.1"))
    assert max(now.stat().st_size, before.stat().st_size) < 11_000
    kept = [json.loads(line)["n"] for path in (before, now) for line in path.read_text().splitlines()]
    assert kept == list(range(kept[0], 500))

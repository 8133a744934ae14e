"""What a process that serves for months lets go of by itself, and that one part that fails to close costs no other."""

from __future__ import annotations

import asyncio
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hermes_ops.app import open_app
from hermes_ops.channels.keeping import LONGEST, PLACE
from hermes_ops.loading import load
from hermes_ops.models import Models
from hermes_ops.recall.desk import Recall
from hermes_ops.recall.past import TURNS, WAITING
from hermes_ops.serve import _prune
from hermes_ops.settings import Settings
from hermes_ops.trace.retention import STAMP
from memory import Memory, open_memory
from memory.runs import Runs
from orchestrator.contracts import Event, Incoming

NOW = datetime.now(UTC)


def settings(place: Path) -> Settings:
    return load(
        {"HERMES_OPS_DATA_DIR": str(place), "HERMES_OPS_TRACE__KEEP_DAYS": "2", "HERMES_OPS_MEMORY__KEEP_DAYS": "9"}
    )


async def began(memory: Memory, run: str, at: datetime) -> None:
    await Runs(memory.db, memory.events, clock=lambda: at).create(run, Incoming("m", "why?", at, user="u"))


async def test_old_runs_and_files_that_were_left_behind_go_while_it_serves(tmp_path: Path) -> None:
    (tmp_path / STAMP).touch()  # the look of the day is over
    old, young = tmp_path / PLACE / "old", tmp_path / PLACE / "young"
    for left in (old, young):
        left.mkdir(parents=True)
        (left / "app.log").write_text("boom")
    os.utime(old, (time.time() - LONGEST - 60,) * 2)
    async with open_app(settings(tmp_path), None, offline=True) as app:
        for run, days in (("r-old", 3), ("r-young", 1)):
            await began(app.memory, run, NOW - timedelta(days=days))
            await app.memory.runs.finish(run, "done")
        for n in range(20):
            await app.memory.turns.add("s", f"t{n}", "q", "a", "ok", NOW - timedelta(days=10))
        pruning = asyncio.create_task(_prune(app))
        async with asyncio.timeout(10):
            while old.exists():
                await asyncio.sleep(0.01)
            while len(await app.memory.turns.last("s", 99)) > TURNS + WAITING:
                await asyncio.sleep(0.01)
        pruning.cancel()
        assert await app.memory.runs.get("r-old") is None
        assert await app.memory.runs.get("r-young") is not None
    assert [path.name for path in (tmp_path / PLACE).iterdir()] == ["young"]


async def test_a_part_that_fails_to_close_loses_nothing_that_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings(tmp_path)

    async def fail(part: object) -> None:
        raise RuntimeError("broken")

    async def work() -> None:
        async with open_app(chosen, None, offline=True) as app:
            await began(app.memory, "r", NOW)
            app.memory.events.emit(Event("r", "supervisor", 0, "agent", NOW, {}))

    monkeypatch.setattr(Recall, "close", fail)
    monkeypatch.setattr(Models, "aclose", fail)
    with pytest.raises(RuntimeError, match="broken"):
        await work()
    memory = open_memory(chosen.database_url)
    assert len(await memory.events.events("r")) == 1
    await memory.close()

"""How long traces and turns are kept: by age and by size, looked after once a day beside a question, or by `trace
prune`. Reports and confirmed causes go after 400 days.

What a person asked to be forgotten is another matter, and goes at once (`memory.erasing`).
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hermes_ops.recall.past import TURNS, WAITING
from hermes_ops.settings import MemorySettings, Settings, TraceSettings
from memory import Memory, Pruned
from orchestrator.errors import StoreError

DAY = 86_400.0
MOST = 500  # runs that go beside one question
PATIENCE = 1.0  # seconds that a finished question waits for it
REPORTS = timedelta(days=400)  # figures of reports, and confirmed causes: a year to look back on
PASTES = "pastes"  # in the data directory: what conversations that were killed left behind
STAMP = "trace-pruned"  # in the data directory: its time is that of the last look


async def prune(memory: Memory, keep: TraceSettings, most: int = 100_000) -> Pruned:
    """Lets go of what the settings don't keep. Raises StoreError."""
    await memory.reports.prune(datetime.now(UTC) - REPORTS)
    before = datetime.now(UTC) - timedelta(days=keep.keep_days) if keep.keep_days else None
    return await memory.traces.prune(before, keep.keep_mb * 10**6 if keep.keep_mb else None, most)


async def prune_turns(memory: Memory, keep: MemorySettings) -> int:
    """Lets go of turns that the settings don't keep; their number. Those that the past of a conversation is built from
    stay. Raises StoreError."""
    before = datetime.now(UTC) - timedelta(days=keep.keep_days) if keep.keep_days else None
    return await memory.turns.prune(TURNS + WAITING, before, keep.keep_mb * 10**6 if keep.keep_mb else None)


@asynccontextmanager
async def once_a_day(memory: Memory, settings: Settings) -> AsyncIterator[None]:
    """Prunes beside what is done inside, a bounded part, at most once a day. Nothing that fails here is anybody's
    trouble: the next day tries again."""
    due = _due(settings.data_dir / STAMP)
    if due:
        await asyncio.to_thread(_sweep, settings.data_dir / PASTES)
    task = asyncio.create_task(_quietly(memory, settings)) if due else None
    try:
        yield
    finally:
        if task is not None:
            await asyncio.wait({task}, timeout=PATIENCE)
            task.cancel()
            await asyncio.wait({task})


async def _quietly(memory: Memory, settings: Settings) -> None:
    try:
        await prune(memory, settings.trace, MOST)
        await prune_turns(memory, settings.memory)
    except StoreError:
        return


def _sweep(pastes: Path) -> None:
    with suppress(OSError):
        for left in pastes.iterdir():
            if time.time() - left.stat().st_mtime > DAY:
                shutil.rmtree(left, ignore_errors=True)


def _due(stamp: Path) -> bool:
    try:
        if time.time() - stamp.stat().st_mtime < DAY:
            return False
    except FileNotFoundError:
        pass
    except OSError:
        return False
    try:
        stamp.touch(mode=0o600)
    except OSError:
        return False
    return True

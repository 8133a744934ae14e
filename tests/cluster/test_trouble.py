"""The contract holds though the database goes away, connections are cut, a process hangs, or clocks are wrong."""

from __future__ import annotations

import asyncio
import re
import resource
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from hermes_ops import serve
from hermes_ops.loading import load
from hermes_ops.runtime.inbox import Inbox
from hermes_ops.runtime.jobs import Bounds, Hands, Outcome
from memory import Entry, Parcel, open_memory
from orchestrator.errors import StoreError
from tests.cluster.story import Fleet, Size, check, messages, play
from tests.cluster.worker import QUESTIONS
from tests.memory.conftest import url
from tests.postgres import USER, Server, serving

__all__ = ["url"]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SIZE = Size(10, 60, kills=0, every=1.0, replicas=2)
FULL = re.compile(r"disk.*(Free some space|Check its space)")
ROOM = 400_000  # bytes: less than the database has, more than the worker's own log


@pytest.mark.parametrize("mode", ["local", "cluster"])
async def test_the_server_restarts_and_connections_are_cut(mode: str, tmp_path: Path) -> None:
    with serving() as server:
        address = server.new()

        async def cut(fleet: Fleet) -> None:
            with psycopg.connect(host=str(server._directory), user=USER, dbname="postgres", autocommit=True) as c:
                c.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")

        async def restart(fleet: Fleet) -> None:
            await asyncio.to_thread(server.stop)
            await asyncio.sleep(0.5)
            await asyncio.to_thread(server.start)

        size = Size(10, 40, kills=0, every=1.0, replicas=2 if mode == "cluster" else 1)
        found = await play(mode, address, tmp_path, size, [cut, restart])
    check(found)


async def test_a_disk_that_is_full_for_a_while_loses_nothing(tmp_path: Path) -> None:
    """Files of the process may not grow any more; when they may again nobody has to do anything."""
    errors = tmp_path / "errors"

    async def full(fleet: Fleet) -> None:
        (process,) = fleet.processes
        limits = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (ROOM, limits[1]))
        while not FULL.search(errors.read_text()):
            await asyncio.sleep(0.05)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limits)

    size = Size(10, 100, kills=0, every=1.0)
    check(await play("local", f"sqlite:///{tmp_path / 'hermes.db'}", tmp_path, size, [full]))
    assert "Traceback" not in errors.read_text()


async def test_one_that_hangs_is_cut_off_and_begins_anew(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANGS", "2")
    errors = tmp_path / "errors"

    async def hang(fleet: Fleet) -> None:
        await fleet.hang()
        while "begins anew" not in errors.read_text():  # before the fleet is ended
            await asyncio.sleep(0.05)

    check(await play("cluster", postgres_url, tmp_path, SIZE, [hang]), repeated=QUESTIONS * 3)


async def test_clocks_that_jump_by_hours_change_nothing(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCK", "jumps")
    size = Size(10, 40, kills=0, every=1.0)
    check(await play("local", url, tmp_path, size, [Fleet.strike]))


async def test_it_ends_though_the_database_is_away() -> None:
    """What runs, and what shows places in the queue, insists on a database that doesn't come back."""
    with serving() as server:
        memory = open_memory(server.new())
        began = asyncio.Event()

        async def work(entry: Entry) -> Outcome:
            began.set()
            await asyncio.Event().wait()
            return Outcome()

        async def queued(entry: Entry, place: int) -> None:
            await asyncio.to_thread(server.stop)

        refusal = Parcel("", "test", "send", "", {}, {})
        hands = Hands(work, lambda e: None, lambda e, s, r: (), lambda e, t: refusal, queued=queued)
        inbox = Inbox(memory.inbox, hands, Bounds(questions=1), "r1", lambda: 1)
        running = asyncio.create_task(inbox.run())
        for entry in messages(Size(1, 2, 0, 0.0)):
            await inbox.put(entry)
        await began.wait()
        while not await asyncio.to_thread(down, server):
            await asyncio.sleep(0.05)
        await inbox.close(0.1)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        with suppress(StoreError):
            await memory.close()
        await asyncio.to_thread(server.start)


def down(server: Server) -> bool:
    try:
        psycopg.connect(host=str(server._directory), user=USER, dbname="postgres").close()
    except psycopg.OperationalError:
        return True
    return False


async def test_another_masking_key_is_told(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HERMES_OPS_DATABASE_URL", postgres_url)
    monkeypatch.setenv("HERMES_OPS_SERVE__RUNTIME", "cluster")
    monkeypatch.setenv("HERMES_OPS_SERVE__PORT", "0")
    told = []
    for place in ("one", "one", "two"):
        monkeypatch.setenv("HERMES_OPS_DATA_DIR", str(tmp_path / place))
        async with serve.serving(load(), lambda app: (), offline=True):
            told.append("isn't the key" in caplog.text)
    assert told == [False, False, True]

"""The contract holds though the database goes away, connections are cut, a process hangs, or clocks are wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
import pytest

from tests.cluster.story import Fleet, Size, check, play
from tests.cluster.worker import QUESTIONS
from tests.memory.conftest import url
from tests.postgres import USER, serving

__all__ = ["url"]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SIZE = Size(10, 60, kills=0, every=1.0, replicas=2)


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


async def test_one_that_hangs_is_cut_off_and_begins_anew(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANGS", "2")
    found = await play("cluster", postgres_url, tmp_path, SIZE, [Fleet.hang])
    check(found, repeated=QUESTIONS * 3)
    assert "begins anew" in (tmp_path / "errors").read_text()


async def test_clocks_that_jump_by_hours_change_nothing(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCK", "jumps")
    size = Size(10, 40, kills=0, every=1.0)
    check(await play("local", url, tmp_path, size, [Fleet.strike]))

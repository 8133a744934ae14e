"""Every test that takes `url` runs on a SQLite file and, among the slow ones, on PostgreSQL; `memory` is that database,
opened."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory import Memory, open_memory
from tests.postgres import postgres

__all__ = ["postgres"]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'hermes.db'}"
    made: str = request.getfixturevalue("postgres")()
    return made


@pytest.fixture
async def memory(url: str) -> AsyncIterator[Memory]:
    opened = open_memory(url)
    yield opened
    await opened.close()


@pytest.fixture
def free_port() -> int:
    """A loopback port on which nobody listens."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
    return port

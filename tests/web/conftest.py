"""A data directory for each test, with a database whose schema is up to date: making it takes most of the time."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from memory import open_memory
from tests.postgres import postgres

__all__ = ["postgres"]


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("blank")

    async def make() -> None:
        await open_memory(f"sqlite:///{home / 'hermes-ops.db'}").close()

    asyncio.run(make())
    return home


@pytest.fixture
def home(blank: Path, tmp_path: Path) -> Path:
    shutil.copytree(blank, tmp_path / "data")
    return tmp_path / "data"

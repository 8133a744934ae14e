"""Databases for schedules and reports: tests that take `url` or `memory` run on SQLite, slowly on PostgreSQL too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.conftest import memory
from tests.postgres import postgres

__all__ = ["memory", "postgres"]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'hermes.db'}"
    made: str = request.getfixturevalue("postgres")()
    return made

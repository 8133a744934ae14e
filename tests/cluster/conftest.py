"""A PostgreSQL of the suite's own, and the processes of a cluster on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.postgres import postgres

__all__ = ["postgres"]


@pytest.fixture
def postgres_url(postgres: Callable[[], str]) -> str:
    return postgres()

"""A place on each kind of database."""

from __future__ import annotations

import pytest

from memory import Memory
from tests.hooks.place import Place, hooks
from tests.memory.conftest import free_port, memory, url
from tests.postgres import postgres

__all__ = ["free_port", "memory", "postgres", "url"]


@pytest.fixture
async def place(memory: Memory) -> Place:
    place = Place(memory, hooks())
    await place.ear.begin()
    return place

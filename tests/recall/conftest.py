"""As in tests/memory: `url` is a SQLite file, then PostgreSQL; `memory` is that database, opened."""

from __future__ import annotations

from tests.memory.conftest import memory, postgres, url

__all__ = ["memory", "postgres", "url"]

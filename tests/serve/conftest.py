"""Databases for the inbox: every test that takes `url` runs on a SQLite file and on PostgreSQL."""

from __future__ import annotations

from tests.memory.conftest import memory, url
from tests.postgres import postgres

__all__ = ["memory", "postgres", "url"]

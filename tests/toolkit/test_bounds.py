"""What a statement may read of a database, and how much of it."""

from __future__ import annotations

import sqlite3
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from subagents.sources import SourceError
from subagents.toolkit.databases import Database, Postgres, Sqlite
from subagents.toolkit.sql import SqlTool
from tests.postgres import postgres
from tests.toolkit.test_tools import TABLES, asked, file, sqlite

__all__ = ["file", "postgres"]

VIEWS = """
CREATE VIEW failed AS SELECT id, status FROM orders WHERE status = 'failed';
CREATE VIEW worst AS WITH some AS (SELECT id FROM failed) SELECT some.id, j.value FROM some, json_each('[1,2]') AS j;
"""


async def test_a_view_that_is_allowed_reads_what_it_is_made_of_and_opens_nothing_else(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.executescript(VIEWS)
    for sql, n in (
        ("SELECT * FROM failed", 2),
        ("SELECT count(*) FROM main.failed", 1),
        ("SELECT id, value FROM worst", 4),
        ("SELECT f.id, j.value FROM failed AS f, json_each('[1,2,3]') AS j", 6),
        ("SELECT key FROM json_tree('[1]')", 2),
        ("WITH f AS (SELECT id FROM failed) SELECT * FROM f", 2),
    ):
        got = await asked(sqlite(file, ("Failed", "worst", "main.failed", "json_each", "json_tree")), sql=sql)
        assert (got.status, got.total) == ("ok", n), got.text
    for evil in (
        "SELECT status FROM orders",  # what a view reads is not open beside it
        "SELECT total FROM orders",
        "WITH failed AS (SELECT token FROM secrets) SELECT * FROM failed",
        "WITH failed AS (SELECT total FROM orders) SELECT * FROM failed",
        "SELECT name FROM sqlite_master",
        "SELECT (SELECT token FROM secrets) FROM failed",
    ):
        with pytest.raises(SourceError, match="the database says"):
            await Sqlite("shop", file, ("failed",)).rows(evil, 10, 5.0)


async def test_a_table_that_is_named_like_a_function_is_no_function(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.executescript("CREATE TABLE json_each (k); CREATE TABLE json_secret (k)")
    for table in ("json_each", "json_secret"):
        with pytest.raises(SourceError, match="prohibited"):
            await Sqlite("shop", file, ("orders",)).rows(f"SELECT k FROM {table}", 10, 5.0)


NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
WIDE = {"sqlite": "printf('%0{}d', i)", "postgres": "repeat('x', {})"}
HUGE = {"sqlite": "replace(printf('%060000d', i), '0', 'many')", "postgres": "repeat('x', 7000000)"}


async def _bounded(database: Database) -> None:
    wide = WIDE[database.dialect]
    for big in (HUGE[database.dialect], ", ".join(f"{wide.format(900)} AS c{n}" for n in range(90))):
        with pytest.raises(SourceError, match="over 64 KB: leave out the columns"):
            await database.rows(f"{NUMBERS} SELECT {big} FROM n", 50, 5.0)
    got = await database.rows(f"{NUMBERS} SELECT {wide.format(20_000)} AS a, {wide.format(9)} AS a FROM n", 1_000, 5.0)
    assert got.columns == ("a", "a")
    assert got.more
    assert 16 <= len(got.rows) <= 52
    assert {tuple(map(len, row)) for row in got.rows} == {(20_000, 9)}
    few = await database.rows(f"{NUMBERS} SELECT i FROM n ORDER BY i DESC", 40, 5.0)
    assert (few.more, few.rows) == (True, tuple((900 - n,) for n in range(40)))


async def test_however_much_a_statement_makes_little_is_read(file: Path) -> None:
    tracemalloc.start()
    try:
        await _bounded(Sqlite("shop", file))
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.slow
async def test_however_much_a_statement_makes_postgresql_sends_little(postgres: Callable[[], str]) -> None:
    address = postgres()
    database = Postgres("shop", address)
    with psycopg.connect(address, autocommit=True) as db:
        db.execute(f"{TABLES} CREATE VIEW failed AS SELECT id, total FROM orders WHERE status = 'failed'".encode())
    await _bounded(database)
    got = await database.rows("SELECT *, NULL, 'x', ARRAY[1], total FROM orders WHERE id = 2", 5, 5.0)
    assert [row[:3] + row[4:] for row in got.rows] == [(2, "failed", 7, None, "x", [1], 7)]
    assert (await database.rows("VALUES (1, 'a'), (2, NULL)", 5, 5.0)).rows == ((1, "a"), (2, None))
    tool = SqlTool("shop", database, ("failed",), 50, 5)
    assert (await asked(tool, sql="SELECT id FROM failed")).total == 2

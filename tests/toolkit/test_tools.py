"""A database and an HTTP API as tools: real SQLite files, a real PostgreSQL, real HTTP on loopback."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from aiohttp import web

from orchestrator.contracts import ToolResult, from_json
from orchestrator.tool import Tool
from subagents.sources import SourceError
from subagents.toolkit.databases import Postgres, Sqlite
from subagents.toolkit.http import HttpTool
from subagents.toolkit.sql import SqlTool
from subagents.web import Site, Web
from subagents.web.paths import below
from tests.postgres import postgres
from tests.sources.faulty import Faulty, faulty, says
from tests.subagents.rig import context, window

__all__ = ["postgres"]

TABLES = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, total NUMERIC, at TIMESTAMP);
INSERT INTO orders VALUES (1, 'paid', 12.5, '2026-03-04 12:10:00');
INSERT INTO orders VALUES (2, 'failed', 7, '2026-03-04 13:00:00');
INSERT INTO orders VALUES (3, 'failed', 9, '2026-03-04 14:59:59');
INSERT INTO orders VALUES (4, '失败', 9, '2026-03-04 15:00:00');
CREATE TABLE secrets (token TEXT);
INSERT INTO secrets VALUES ('s3cr3t');
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a shop?.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(TABLES)
    return path


async def asked(tool: SqlTool | HttpTool, **args: Any) -> ToolResult:
    fn = tool.query if isinstance(tool, SqlTool) else tool.get
    value = await Tool.of(fn).invoke(context(window()), args)
    return from_json(ToolResult, value["result"])


def sqlite(path: Path, tables: tuple[str, ...] = (), rows: int = 50, seconds: float = 5.0) -> SqlTool:
    return SqlTool("shop", Sqlite("shop", path, tables), tables, rows, seconds, "https://sql.example/?q={query}")


async def test_a_database_answers_with_its_rows_as_figures(file: Path) -> None:
    sql = (
        "SELECT status, count(*) AS orders, sum(total) AS worth FROM orders WHERE at >= :start AND at < :end GROUP BY 1"
    )
    got = await asked(sqlite(file), sql=sql)
    assert (got.status, got.source, got.shown, got.total, got.complete) == ("ok", "shop", 2, 2, True)
    assert "'2026-03-04 12:00:00'" in got.query
    assert got.link.startswith("https://sql.example/?q=SELECT%20status")
    assert got.data == {"columns": ["status", "orders", "worth"], "rows": [["failed", 2, 16], ["paid", 1, 12.5]]}
    found = {(f.name, f.labels.get("status", "")): f.value for f in got.figures}
    assert found == {("rows", ""): 2, ("orders", "failed"): 2, ("worth", "failed"): 16, ("orders", "paid"): 1,
                     ("worth", "paid"): 12.5}  # fmt: skip
    nothing = await asked(sqlite(file), sql="SELECT * FROM orders WHERE status = 'lost'")
    assert (nothing.status, nothing.total) == ("no_data", 0)


async def test_more_rows_than_may_be_read_are_said(file: Path) -> None:
    got = await asked(sqlite(file, rows=2), sql="SELECT id FROM orders ORDER BY id")
    assert (got.shown, got.total, got.complete) == (2, None, False)
    assert "only the first 2 rows were read" in got.gaps[0]


async def test_what_isnt_a_plain_select_never_reaches_the_database(file: Path) -> None:
    got = await asked(sqlite(file), sql="DELETE FROM orders")
    assert (got.status, got.text) == ("error", "only SELECT is allowed, not DELETE")
    got = await asked(sqlite(file, ("orders",)), sql="SELECT * FROM secrets")
    assert got.text == "the table secrets may not be read; there are orders"
    got = await asked(sqlite(file), sql="SELECT colour FROM orders")
    assert got.text == "shop: the database says: no such column: colour"


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM orders",
        "PRAGMA query_only = OFF",
        "ATTACH 'x' AS x",
        "SELECT randomblob(10)",
        "SELECT * FROM secrets",
        "CREATE TEMP TABLE x (a)",
        "SELECT load_extension('x')",
    ],
)
async def test_the_database_itself_refuses_too(file: Path, sql: str) -> None:
    """As if the check of statements had let it through."""
    with pytest.raises(SourceError, match="the database says"):
        await Sqlite("shop", file, ("orders",)).rows(sql, 10, 5.0)
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT count(*) FROM orders").fetchone() == (4,)


async def test_a_statement_without_end_is_ended(file: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    got = await asked(sqlite(file, seconds=0.2), sql=endless)
    assert (got.status, got.text) == ("error", "shop: it was ended after 0.2 s: ask for less")


@pytest.mark.slow
async def test_postgresql_answers_and_can_only_read(postgres: Callable[[], str]) -> None:
    address = postgres()
    with psycopg.connect(address, autocommit=True) as db:
        db.execute(TABLES.encode())
        db.execute("CREATE SEQUENCE s")
        db.execute("CREATE FUNCTION lower(a int) RETURNS int LANGUAGE sql AS 'DELETE FROM orders; SELECT 1'")
    tool = SqlTool("shop", Postgres("shop", address), (), 50, 0.5)
    sql = "SELECT status, count(*), sum(total), max(at) FROM orders WHERE at >= :start AND at < :end GROUP BY 1"
    got = await asked(tool, sql=sql)
    assert sorted(got.data["rows"]) == [
        ["failed", 2, 16, "2026-03-04T14:59:59"],
        ["paid", 1, 12.5, "2026-03-04T12:10:00"],
    ]
    assert (await asked(SqlTool("shop", Postgres("shop", address), (), 2, 5), sql="SELECT 1 FROM orders")).total is None
    for evil in ("DELETE FROM orders", "SELECT nextval('s')", "SELECT * INTO x FROM orders",
                 "SELECT 1; DELETE FROM orders", "WITH a AS (DELETE FROM orders RETURNING 1) SELECT * FROM a",
                 "COPY orders TO PROGRAM 'cat'", "SELECT lower(1)", "SELECT * FROM orders FOR UPDATE"):  # fmt: skip
        with pytest.raises(SourceError, match="the database says"):
            await Postgres("shop", address).rows(evil, 10, 5.0)
    with pytest.raises(SourceError, match=r"ended after 0\.3 s"):
        await Postgres("shop", address).rows("SELECT pg_sleep(60)", 10, 0.3)
    got = await asked(tool, sql="SELECT count(*) FROM generate_series(1, 2000000000)")
    assert "ended after 0.5 s" in got.text
    with psycopg.connect(address) as db:
        assert db.execute("SELECT count(*) FROM orders").fetchone() == (4,)
        open_still = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hermes-ops'"
        for _ in range(100):  # the server notices a broken connection when it gets to it
            if db.execute(open_still).fetchone() == (0,):
                break
            db.commit()  # within a transaction the view stands still
            await asyncio.sleep(0.1)
        assert db.execute(open_still).fetchone() == (0,)
    got = await asked(SqlTool("shop", Postgres("shop", "postgresql://x@127.0.0.1:1/x"), (), 5, 1), sql="SELECT 1")
    assert "the database can't be reached" in got.text


# ── HTTP ──────────────────────────────────────────────────────────────────────────────────────


async def get(
    server: Faulty, path: str, *query: str, paths: tuple[str, ...] = ("/api/stock", "/healthz")
) -> ToolResult:
    client = Web()
    try:
        site = Site("stock", server.url + "/base", {"Authorization": "Bearer x"}, paths=paths)
        return await asked(HttpTool("stock", client.at(site), paths), path=path, query=list(query))
    finally:
        await client.aclose()


async def test_an_api_answers_with_its_numbers_as_figures() -> None:
    body = [{"sku": "a1", "stock": {"free": 3}, "ok": True}, {"sku": "b2", "stock": {"free": 0}}]
    async with faulty(says(body)) as server:
        got = await get(server, "/api/stock/list", "since={start}", "q=库存 a&b")
    assert server.asked == ["GET /base/api/stock/list?since=2026-03-04T12:00:00Z&q=%E5%BA%93%E5%AD%98+a%26b"]
    assert got.status == "ok"
    assert (got.shown, got.total, got.window) == (2, 2, window())
    assert [(f.name, f.value, f.labels) for f in got.figures] == [
        ("entries", 2, {}),
        ("stock.free", 3, {"sku": "a1"}),
        ("stock.free", 0, {"sku": "b2"}),
    ]
    assert got.query.startswith(f"GET {server.url}/base/api/stock/list?since=")


async def test_long_empty_and_failing_answers_are_told() -> None:
    async with faulty(says([{"n": n} for n in range(5000)])) as server:
        long = await get(server, "/api/stock")
        assert not long.complete
        assert "the first 7,500 of" in long.gaps[0]
        assert 0 < long.shown < (long.total or 0) == 5000
        server.answer = says("")
        assert (await get(server, "/healthz")).status == "no_data"
        server.answer = says("plain words", kind="text/plain")
        assert (await get(server, "/healthz")).text == "plain words"
        server.answer = says("no such thing", 404, "text/plain")
        assert "404" in (await get(server, "/api/stock/9")).text


@pytest.mark.parametrize(
    "path",
    ["/", "/api", "/api/stocks", "/api/stock/../../admin", "/api/stock/..", "/api/stock/%2e%2e/x", "/api/stock/.%2E/x",
     "/api/stock%2f..%2fadmin", "/api/stock/%252e%252e/x", "//evil.example/api/stock", "/api/stock//x", "api/stock",
     "http://evil.example/api/stock", "/api/stock?x=1", "/api/stock#x", "/api/stock/\\..\\x",
     "/api/stock/%5c", "/api/stock/a b",
     "/api/stock/\n", "/api/stock/%00", "/api/stock/./x", "", "/API/stock", "/healthz" + "/a" * 2000, "/healthzz"],
)  # fmt: skip
async def test_no_other_path_is_asked(path: str) -> None:
    async with faulty(says({})) as server:
        got = await get(server, path)
        assert got.status == "error"
        assert server.asked == []


@pytest.mark.parametrize("path", ["/api/stock", "/api/stock/", "/api/stock/7", "/api/stock/a-b_c~1/库存", "/healthz",
                                  "/api/stock/a%20b", "/api/stock/a..b", "/api/stock/x;y=1"])  # fmt: skip
def test_these_paths_are_allowed(path: str) -> None:
    assert below(path, ("/api/stock", "/healthz"))


@pytest.mark.parametrize(
    "target", ["/base/admin", "/base/api/stock/%2e%2e/%2e%2e/admin", "/api/stock", "/base/api/stock/..%2fx", "/x"]
)
async def test_a_redirect_may_not_lead_out_of_the_paths(target: str) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/base/api/stock/go":
            return web.Response(status=302, headers={"Location": target})
        return web.json_response({"secret": 1})

    async with faulty(answer) as server:
        got = await get(server, "/api/stock/go")
        assert got.status == "error"
        assert "secret" not in got.text
        assert len(server.asked) == 1


async def test_a_redirect_within_them_is_followed() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path.endswith("go"):
            return web.Response(status=302, headers={"Location": "/base/api/stock/7"})
        return web.json_response({"free": 1})

    async with faulty(answer) as server:
        assert (await get(server, "/api/stock/go")).figures[0].value == 1

"""The log contract on every source of logs: a folder, files, Loki, VictoriaLogs, and the fake that other tests use."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from hermes_ops.testing.sources import MemoryLogs
from orchestrator.contracts import Window
from subagents.folder.folder import open_folder
from subagents.logfiles.source import LogFiles, Where
from subagents.loki import source as loki_source
from subagents.loki.logql import Labels
from subagents.loki.source import Loki
from subagents.sources import LogLine, LogSource, SourceError
from subagents.victorialogs.logsql import Fields
from subagents.victorialogs.source import VictoriaLogs
from subagents.web import Site, Web
from tests.sources import contract_logs, logservers
from tests.sources.contract_logs import Make, query
from tests.sources.faulty import Answer, breaks_off, faulty, hangs, says

KINDS = ("folder", "files", "loki", "victorialogs", "memory")
SERVERS = ("loki", "victorialogs")
BEYOND = {
    "memory": {  # it has no pages, and fails louder
        "a_cursor_of_something_else_is_refused",
        "an_unknown_dimension_is_refused",
        "lines_come_oldest_first_and_pages_lose_none",
    }
}
HALF = '{"status":"success","data":{"resultType":"matrix","result":[{"metric":'


def written(lines: Sequence[LogLine], path: Path) -> None:
    rows = (
        {"time": r.at and r.at.isoformat(), "level": r.level, "service": r.service, "msg": r.message} for r in lines
    )
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8")


def kept(lines: Sequence[LogLine]) -> list[logservers.Stored]:
    return [logservers.stored(r.at, r.message, service=r.service, level=r.level) for r in lines if r.at]


def source(kind: str, url: str, client: Web, timeout: float = 20.0) -> LogSource:
    caller = client.at(Site("prod", url, timeout=timeout))
    if kind == "loki":
        return Loki("prod", caller, Labels(service="service", level="level"))
    return VictoriaLogs("prod", caller, Fields())


@asynccontextmanager
async def asking(kind: str, answer: Answer, timeout: float = 20.0) -> AsyncIterator[LogSource]:
    client = Web()
    try:
        async with faulty(answer) as server:
            yield source(kind, server.url, client, timeout)
    finally:
        await client.aclose()


def maker(kind: str, root: Path) -> Make:
    @asynccontextmanager
    async def make(lines: Sequence[LogLine]) -> AsyncIterator[LogSource]:
        if kind == "memory":
            yield MemoryLogs("prod", lines=sorted(lines, key=lambda r: str(r.at)))
        elif kind in SERVERS:
            answer: Any = {"loki": logservers.loki, "victorialogs": logservers.victorialogs}[kind](kept(lines))
            async with asking(kind, answer) as asked:
                yield asked
        elif kind == "files":
            written(lines, root / "app.log")
            files = LogFiles("prod", Where((str(root / "*.log"),)))
            try:
                yield files
            finally:
                files.close()
        else:
            written(lines, root / "app.log")
            opened = open_folder(root)
            try:
                yield opened.sources().logs[0]
            finally:
                opened.close()

    return make


def named(rule: Callable[..., Any]) -> str:
    return rule.__name__


@pytest.mark.parametrize("rule", contract_logs.RULES, ids=named)
@pytest.mark.parametrize("kind", KINDS)
async def test_the_contract(kind: str, rule: Callable[[Make], Awaitable[None]], tmp_path: Path) -> None:
    if rule.__name__ in BEYOND.get(kind, ()):
        pytest.skip("the fake does otherwise")
    await rule(maker(kind, tmp_path))


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("rule", contract_logs.HEAVY, ids=named)
@pytest.mark.parametrize("kind", KINDS)
async def test_the_contract_on_much(kind: str, rule: Callable[[Make], Awaitable[None]], tmp_path: Path) -> None:
    await rule(maker(kind, tmp_path))


Fault = tuple[str, Answer, str, str]
FAULTS: tuple[Fault, ...] = (
    ("401", says("no", 401, "text/plain"), "denied", "refuses us"),
    ("403", says("no", 403, "text/plain"), "denied", "refuses us"),
    ("404", says("404 page not found", 404, "text/plain"), "bad_answer", "Check this source's url"),
    ("429", says("slow down", 429, "text/plain"), "unreachable", "too many requests"),
    ("500", says("oops", 500, "text/plain"), "unreachable", "failed itself"),
    ("html", says("<!doctype html><title>Sign in</title>", 200, "text/html"), "bad_answer", ""),
    (
        "parse error",
        says("parse error at line 1, col 12: syntax error", 400, "text/plain"),
        "bad_query",
        "line 1, col 12",
    ),
    (
        "half",
        breaks_off(HALF, 60),
        "bad_answer",
        "",
    ),
)


@pytest.mark.parametrize(("name", "answer", "kind", "said"), FAULTS, ids=[f[0] for f in FAULTS])
@pytest.mark.parametrize("server", SERVERS)
async def test_what_goes_wrong_is_said(server: str, name: str, answer: Answer, kind: str, said: str) -> None:
    async with asking(server, answer, timeout=1.0) as asked:
        for call in (asked.count(query(), ("service", "minute")), asked.count(query(), ()), asked.search(query())):
            with pytest.raises(SourceError) as e:
                await call
            assert (e.value.kind, str(e.value)[:6]) == (kind, "prod: ")
            assert said in str(e.value)
        assert not (await asked.probe()).ok


@pytest.mark.parametrize("server", SERVERS)
async def test_a_dead_server_costs_one_timeout(server: str) -> None:
    async with asking(server, hangs(), timeout=0.2) as asked:
        with pytest.raises(SourceError) as e:
            await asked.count(query(), ())
        assert e.value.kind == "timeout"
        with pytest.raises(SourceError, match="no answer within 0"):
            await asked.count(query(), ())


async def test_a_loki_that_takes_no_offset_is_asked_without_and_it_is_said() -> None:
    inner: Any = logservers.loki(kept(contract_logs.LINES))

    async def answer(request: web.Request) -> web.StreamResponse:
        if " offset " in request.query.get("query", ""):
            return web.Response(status=400, text="parse error at line 1, col 90: syntax error: unexpected offset")
        found: web.StreamResponse = await inner(request)
        return found

    async with asking("loki", answer) as asked:
        for _ in range(2):
            found = await asked.count(query(), ("hour",))
            assert sum(row.n for row in found.rows) == 5
            assert any("exactly on a minute" in gap for gap in found.gaps)


async def test_more_lines_of_one_nanosecond_than_loki_gives(monkeypatch: pytest.MonkeyPatch) -> None:  # 32, 33
    monkeypatch.setattr(logservers, "LOKI_LIMIT", 50)
    monkeypatch.setattr(loki_source, "LIMIT", 50)
    same = [contract_logs.line(contract_logs.T0, message=f"same {n}") for n in range(45)]
    later = [contract_logs.line(contract_logs.T0 + n * contract_logs.SECOND, message=f"n {n}") for n in range(1, 100)]
    async with asking("loki", logservers.loki(kept([*same, *later]))) as asked:
        got = [line.message async for lines in asked.batches(query()) for line in lines]
        assert sorted(got) == sorted(line.message for line in [*same, *later])
    many = [contract_logs.line(contract_logs.T0, message=f"same {n}") for n in range(80)]
    async with asking("loki", logservers.loki(kept([*many, *later]))) as asked:
        first = await asked.search(query(), 50)
        assert (len(first.rows), first.total, first.complete) == (50, 179, False)
        second = await asked.search(query(), 50, cursor=first.cursor)
        assert [line.message for line in second.rows][:2] == ["n 1", "n 2"]
        assert any("share one nanosecond" in gap for gap in second.gaps)


async def test_what_loki_may_not_have_flushed_is_said_aloud() -> None:
    now = datetime.now(UTC)
    async with asking("loki", logservers.loki([])) as asked:
        for hours, risky in ((1, False), (4, True), (20, False)):
            window = Window(now - timedelta(hours=hours), now - timedelta(hours=hours - 0.5))
            gaps = (await asked.count(query(window), ())).gaps
            assert any("hasn't flushed yet" in gap for gap in gaps) == risky
        assert any("hasn't flushed" in note for note in (await asked.coverage()).notes)


@pytest.mark.parametrize("server", SERVERS)
async def test_neighbours_and_the_console(server: str) -> None:
    lines = [contract_logs.line(contract_logs.T0 + n * contract_logs.SECOND, message=f"n {n}") for n in range(9)]
    answer: Any = {"loki": logservers.loki, "victorialogs": logservers.victorialogs}[server](kept(lines))
    async with asking(server, answer) as asked:
        found = await asked.search(query(text=("n 4",)), context=2)
        assert [row.context for row in found.rows] == [("n 2", "n 3", "n 5", "n 6")]

"""What real Loki 3.4.6 and VictoriaLogs 1.26.0 answered, errors included, replayed by a strict server; and the same
figures as from the day's folder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from orchestrator.contracts import Window
from subagents.folder.folder import open_folder
from subagents.loki.api import Api as LokiApi
from subagents.loki.logql import Labels
from subagents.loki.source import EDGES, Loki
from subagents.sources import Answered, Count, LogQuery, LogSource, SourceError
from subagents.victorialogs.api import Api as VictoriaApi
from subagents.victorialogs.logsql import Fields
from subagents.victorialogs.source import VictoriaLogs
from subagents.web import Caller, Site, Web
from tests.shared import shared
from tests.sources.replay import Replay, replaying

DAY = "data/api/recorded/day-2026-11-29"
START, END = datetime(2026, 11, 29, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC)
ERRORS = LogQuery(Window(START, END), levels=("error",))
SHOP = Labels(selector='{job="shop"}', level="level", values={"error": ("error",)})


@asynccontextmanager
async def replayed(prefix: str) -> AsyncIterator[tuple[Caller, Replay]]:
    client = Web()
    try:
        async with replaying(shared(DAY), prefix) as replay:
            yield client.at(Site("prod", replay.url, timeout=20.0)), replay
    finally:
        await client.aclose()


def by_service(answer: Answered[tuple[Count, ...]]) -> dict[tuple[str, str], int]:
    return {(row.keys["service"], row.keys["minute"]): row.n for row in answer.rows}


async def rows(found: Any) -> list[Any]:
    async with aclosing(found) as got:
        return [row async for row in got]


@pytest.fixture(scope="module")
def folder() -> Iterator[LogSource]:
    opened = open_folder(shared("data/days/2026-11-29/input"))
    yield opened.sources().logs[0]
    opened.close()


@pytest.mark.slow
async def test_loki_counts_what_the_folder_counts(folder: LogSource) -> None:
    async with replayed("loki-range-matrix-errors") as (caller, _):
        found = await Loki("prod", caller, SHOP, exact=False).count(ERRORS, ("service", "minute"))
    counted = await folder.count(ERRORS, ("service", "minute"))
    assert (found.total, counted.total) == (874, 874)
    assert 'count_over_time({job="shop",level="error"}[1m])' in found.query
    theirs, ours = by_service(found), by_service(counted)
    assert found.gaps == (EDGES,)  # access logs stamp whole seconds: such a line may count a minute earlier
    apart = {service: sum(n for (s, _), n in theirs.items() if s == service) for service, _ in theirs}
    assert apart == {service: sum(n for (s, _), n in ours.items() if s == service) for service, _ in ours}
    assert sum(abs(theirs.get(k, 0) - ours.get(k, 0)) for k in {*theirs, *ours}) <= 20


async def test_loki_lines_and_their_levels() -> None:
    async with replayed("loki-") as (caller, _):
        api = LokiApi(caller)
        found = await api.lines('{service_name="payment",level="error"}', START, END, 5)
        assert len(found) == 5
        assert all(e.labels["detected_level"] == "error" for e in found)
        assert found == sorted(found, key=lambda e: e.ns)
        texts = Loki("prod", caller, SHOP)._lines(found)
        assert {(t.service, t.level) for t in texts} == {("payment", "error")}
        assert all(t.message.startswith("charge failed") for t in texts), texts[0]
        assert await api.values("service_name", START, END) == (
            "catalog", "checkout", "frontend", "inventory", "payment",
        )  # fmt: skip
        asked = 'topk(3, sum by (service_name,level)(count_over_time({job="shop"}[86400s])))'
        points = await api.instant(asked, END)
        assert {(p.labels["service_name"], p.labels["level"]): p.value for p in points}["checkout", "info"] == 13_558
        assert await api.patterns('{service_name="payment"}', START, END, 60) == []
        assert await api.ready() == ""  # as it was built


@pytest.mark.parametrize(
    ("query", "said"),
    [('{job="shop"', "syntax error: unexpected $end"), ('{job=~".*"}', "at least one regexp or equality matcher")],
)
async def test_loki_says_in_its_own_words_what_is_wrong(query: str, said: str) -> None:
    async with replayed("loki-error") as (caller, _):
        with pytest.raises(SourceError) as e:
            await caller.json("loki/api/v1/query_range", [("query", query), *SPAN])
        assert e.value.kind == "bad_query"
        assert said in str(e.value)


SPAN = [("start", "1795910400000000000"), ("end", "1795996800000000000")]


@pytest.mark.slow
async def test_victorialogs_counts_what_the_folder_counts(folder: LogSource) -> None:
    async with replayed("vl-hits") as (caller, _):
        source = VictoriaLogs("prod", caller, Fields(values={"error": ("error",)}))
        found = await source.count(ERRORS, ("service", "minute"))
    counted = await folder.count(ERRORS, ("service", "minute"))
    assert (found.total, counted.total) == (874, 874)
    assert by_service(found) == by_service(counted)


async def test_victorialogs_answers_of_every_kind() -> None:
    async with replayed("vl-") as (caller, _):
        api = VictoriaApi(caller)
        stats = await rows(api.query("* | stats by (service, level) count() as lines", START, END))
        told = {(r["service"], r["level"]): int(r["lines"]) for r in stats}
        assert told["payment", "info"] == 13_558
        assert told["frontend", "error"] == 301
        assert await rows(api.query("nosuchword", START, END)) == []
        five = await rows(api.query("level:error | limit 5", START, END))
        assert len(five) == 5
        assert all(r["level"] == "error" for r in five)
        assert await api.values("level", START, END) == ("error", "info", "warn")
        with pytest.raises(SourceError, match="cannot parse query") as e:
            await rows(api.query("level:error | stats by (", START, END))
        assert e.value.kind == "bad_query"
        hits = await rows(api.hits("level:error", START, END, "1m", ("service",)))
        assert sum(h.n for h in hits) == 874


@pytest.mark.slow
async def test_both_servers_and_the_folder_agree_by_level(folder: LogSource) -> None:
    counted = await folder.count(LogQuery(Window(START, END)), ("service", "level"))
    ours = {(r.keys["service"], r.keys["level"]): r.n for r in counted.rows if r.keys["level"] != "unknown"}
    async with replayed("vl-query-stats-by-level") as (caller, _):
        stats = await rows(VictoriaApi(caller).query("* | stats by (service, level) count() as lines", START, END))
    assert {(r["service"], r["level"]): int(r["lines"]) for r in stats} == ours

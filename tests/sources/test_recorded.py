"""What real Prometheus 2.42 and Alertmanager 0.25 answered, errors included, replayed by a strict server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from orchestrator.contracts import Window
from subagents.alertmanager.source import Alertmanager
from subagents.prometheus.api import Api, Row, Said
from subagents.prometheus.labels import Labels
from subagents.sources import AlertQuery, SourceError
from subagents.web import Caller, Site, Web
from tests.shared import shared
from tests.sources.replay import Replay, replaying

DAY, LIVE = "data/api/recorded/day-2026-11-29", "data/api/recorded/live-during-fault"
START, END = datetime(2026, 11, 29, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC)


@asynccontextmanager
async def replayed(folder: str, prefix: str) -> AsyncIterator[tuple[Caller, Replay]]:
    client = Web()
    try:
        async with replaying(shared(folder), prefix) as replay:
            yield client.at(Site("prod", replay.url, timeout=20.0)), replay
    finally:
        await client.aclose()


async def ranged(api: Api, query: str, start: datetime, end: datetime, step: float, said: Said) -> list[Row]:
    return [row async for row in api.range(query, start, end, step, said)]


async def test_instant_answers_of_every_kind() -> None:
    async with replayed(DAY, "prom-") as (caller, _):
        api, said = Api(caller), Said()
        assert await api.instant("no_such_metric", END, said) == []
        assert [r.value for r in await api.instant("scalar(vector(1))", END, said)] == [1.0]
        assert len(await api.instant("up", END, said)) >= 5
        assert said.gaps() == ()
        odd = '0/0 * vector(1) or label_replace(1/vector(0),"k","inf","","")'
        assert await api.instant(odd, END, said) == []
        assert said.gaps() == ("2 value(s) are no numbers (NaN or infinite) and are left out",)
        (points,) = await api.instant('up{service="inventory"}[1m]', END)
        assert len(points.points) > 1
        with pytest.raises(SourceError, match="gives a string, no series"):
            await api.instant('"x"', END)


async def test_a_range_is_read_as_it_arrives_and_a_form_is_the_same() -> None:
    async with replayed(DAY, "prom-") as (caller, replay):
        api, said = Api(caller), Said()
        rows = await ranged(api, 'ALERTS{alertstate="firing",alertname!="Watchdog"}', START, END, 600, said)
        assert {r.labels["alertname"] for r in rows} >= {"CatalogSlow", "CheckoutHighErrorRate"}
        assert rows[0].points[0][0].tzinfo is not None
        form = [("query", "up"), ("start", "1795910400"), ("end", "1795996800"), ("step", "600")]
        body = await caller.json("api/v1/query_range", form=form)
        assert body["status"] == "success"
    assert "prom-range-post" in replay.played


@pytest.mark.parametrize(
    ("query", "kind", "said"),
    [("sum(rate(x[5m])", "bad_query", "parse error"), ("up * on() up", "bad_query", "many-to-many matching")],
)
async def test_refused_queries_say_what_the_server_said(query: str, kind: str, said: str) -> None:
    async with replayed(DAY, "prom-") as (caller, _):
        with pytest.raises(SourceError, match=said) as e:
            await caller.json("api/v1/query", [("query", query)])
    assert e.value.kind == kind


async def test_too_many_points_and_a_wrong_path() -> None:
    async with replayed(DAY, "prom-error-") as (caller, _):
        given = [("query", "up"), ("start", "1795910400"), ("end", "1796774400"), ("step", "1")]
        with pytest.raises(SourceError, match="exceeded maximum resolution of 11,000 points"):
            await caller.json("api/v1/query_range", given)
        with pytest.raises(SourceError, match="it has nothing at /api/v1/nope"):
            await caller.json("api/v1/nope")


async def test_alerts_that_fire_and_who_holds_them_back() -> None:
    now = datetime.now(UTC)
    async with replayed(LIVE, "am-alerts") as (caller, _):
        found = await Alertmanager("prod", caller, Labels()).current(AlertQuery(Window(START, now)))
    by_name = {e.name: e for e in found.rows}
    assert set(by_name) == {"Watchdog", "PaymentPoolExhausted", "PaymentHighErrorRate", "CheckoutHighErrorRate"}
    pool = by_name["PaymentPoolExhausted"]
    assert (pool.service, pool.severity) == ("payment", "warning")
    assert pool.suppressed
    assert pool.by == "inhibited by PaymentHighErrorRate"
    assert [e.name for e in found.rows if e.suppressed] == ["PaymentPoolExhausted"]
    assert pool.start == datetime(2026, 11, 30, 7, 55, 29, 92000, UTC)
    assert found.rows[1].name == "PaymentPoolExhausted"  # the first signal, before the critical ones
    assert found.total == 4
    assert {e.end for e in found.rows} == {None}, "what it lists fires; its endsAt is only when it would lapse"


async def test_alerts_in_the_groups_and_to_the_receivers_that_they_are_routed_to() -> None:
    async with replayed(LIVE, "am-groups") as (caller, _):
        asked = AlertQuery(Window(START, datetime.now(UTC)), grouped=True)
        found = await Alertmanager("prod", caller, Labels()).current(asked)
    assert {e.name: e.notified for e in found.rows} == {
        "Watchdog": (("drop", "alertname=Watchdog"),),
        "PaymentPoolExhausted": (("hook", "alertname=PaymentPoolExhausted, service=payment"),),
        "PaymentHighErrorRate": (("hook", "alertname=PaymentHighErrorRate, service=payment"),),
        "CheckoutHighErrorRate": (("hook", "alertname=CheckoutHighErrorRate, service=checkout"),),
    }
    assert [e.by for e in found.rows if e.suppressed] == ["inhibited by PaymentHighErrorRate"]


async def test_a_filter_that_cannot_be_read_is_said() -> None:
    async with replayed(LIVE, "am-error") as (caller, _):
        with pytest.raises(SourceError, match="bad matcher format") as e:
            await Alertmanager("prod", caller, Labels(), ("{bad",)).current(AlertQuery(Window(START, END)))
    assert e.value.kind == "bad_query"


@pytest.mark.parametrize("folder", [DAY, LIVE])
async def test_alertmanager_says_who_it_is(folder: str) -> None:
    async with replayed(folder, "am-status") as (caller, _):
        health = await Alertmanager("prod", caller, Labels()).probe()
    assert health.ok
    assert "Alertmanager 0.25" in health.detail

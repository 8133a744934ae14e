"""Every source of alerts and of metrics keeps to its protocol's contract: in memory, a folder, and live servers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from hermes_ops.testing.sources import MemoryAlerts, MemoryMetrics
from orchestrator.contracts import Window
from subagents.alertmanager.source import Alertmanager
from subagents.folder.folder import open_folder
from subagents.prometheus.labels import Labels
from subagents.prometheus.source import prometheus
from subagents.sources import AlertQuery, AlertSource, MetricQuery, MetricSource, Ratio, Series, Sources
from subagents.web import Caller, Site, Web
from tests.sources import contract_metrics as metrics
from tests.sources import servers
from tests.sources.contract_alerts import EARLY, LATER, AlertContract
from tests.sources.contract_http import FAULTS, Fault, Question, holds
from tests.sources.contract_metrics import MetricContract
from tests.sources.faulty import faulty, says, sends

NOW = datetime.now(UTC)
HOUR = Window(NOW - timedelta(hours=1), NOW)
EPISODES = (EARLY, LATER)


def alert_series() -> str:
    """ALERTS as Prometheus writes them, every 30 s."""
    lines = ["# TYPE ALERTS gauge"]
    for e in EPISODES:
        assert e.end
        labels = f'alertname="{e.name}",alertstate="firing",service="{e.service}",severity="{e.severity}"'
        n = int((e.end - e.start).total_seconds()) // 30
        lines += [f"ALERTS{{{labels}}} 1 {int(e.start.timestamp()) + 30 * k}" for k in range(n)]
    return "\n".join([*lines, "# EOF", ""])


# ── in memory and in a folder ─────────────────────────────────────────────────────────────────


class TestMemoryAlerts(AlertContract):
    @pytest.fixture
    def source(self) -> AlertSource:
        return MemoryAlerts("memory", rows=EPISODES)


class TestFolderAlerts(AlertContract):
    @pytest.fixture
    def source(self, tmp_path: Path) -> Iterator[AlertSource]:
        (tmp_path / "alerts.om").write_text(alert_series())
        (tmp_path / "cart.log").write_text("2026-11-01T20:00:00Z INFO cart: the data go on\n")
        folder = open_folder(tmp_path)
        yield folder.sources().alerts[0]
        folder.close()


class TestMemoryMetrics(MetricContract):
    @pytest.fixture
    def source(self) -> MetricSource:
        points = [(metrics.DAY + timedelta(seconds=30 * n), 10.0 if n < 120 else 50.0) for n in range(241)]
        gauge = Series("queue_depth", "cart", "gauge", "", tuple(points))
        return Exact("memory", rows=[gauge])


class Exact(MemoryMetrics):
    """The figures of the contract's counters."""

    async def ratio(self, services: tuple[str, ...], window: Window) -> Any:
        self.ratios = [Ratio("cart", 1200, 60)] if window == metrics.HOUR else []
        found = await super().ratio(services, window)
        return found if found.rows else type(found)((), found.query, window, gaps=(f"nothing of {services}",))


class TestFolderMetrics(MetricContract):
    @pytest.fixture
    def source(self, tmp_path: Path) -> Iterator[MetricSource]:
        (tmp_path / "metrics.om").write_text(metrics.open_metrics())
        folder = open_folder(tmp_path)
        yield folder.sources().metrics[0]
        folder.close()


# ── live ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    place = tmp_path_factory.mktemp("open-metrics")
    (place / "alerts.om").write_text(alert_series())
    (place / "metrics.om").write_text(metrics.open_metrics())
    files = place / "alerts.om", place / "metrics.om"
    with ExitStack() as stack:
        yield {
            "prometheus": stack.enter_context(servers.prometheus(*files)),
            "victoriametrics": stack.enter_context(servers.victoriametrics(*files)),
        }


@pytest.fixture(params=["prometheus", "victoriametrics"])
async def server(request: pytest.FixtureRequest, urls: dict[str, str]) -> AsyncIterator[Sources]:
    client = Web()
    yield prometheus("prod", client.at(Site("prod", urls[request.param], timeout=25.0)))
    await client.aclose()


@pytest.mark.slow
@pytest.mark.timeout(120)
class TestServedAlerts(AlertContract):
    @pytest.fixture
    def source(self, server: Sources) -> AlertSource:
        return server.alerts[0]


@pytest.mark.slow
@pytest.mark.timeout(120)
class TestServedMetrics(MetricContract):
    @pytest.fixture
    def source(self, server: Sources) -> MetricSource:
        return server.metrics[0]


# ── servers that fail ─────────────────────────────────────────────────────────────────────────

QUESTIONS: dict[str, Question] = {
    "prometheus alerts": lambda c: prometheus("prod-eu", c).alerts[0].episodes(AlertQuery(HOUR)),
    "prometheus current": lambda c: prometheus("prod-eu", c).alerts[0].current(AlertQuery(HOUR)),
    "prometheus probe": lambda c: prometheus("prod-eu", c).alerts[0].probe(),
    "prometheus series": lambda c: prometheus("prod-eu", c).metrics[0].series(MetricQuery(HOUR)),
    "prometheus series by name": lambda c: prometheus("prod-eu", c).metrics[0].series(MetricQuery(HOUR, names=("up",))),
    "prometheus ratio": lambda c: prometheus("prod-eu", c).metrics[0].ratio((), HOUR),
    "prometheus edges": lambda c: prometheus("prod-eu", c).spans[0].edges(HOUR),
    "alertmanager alerts": lambda c: Alertmanager("prod-eu", c, Labels()).episodes(AlertQuery(HOUR)),
    "alertmanager current": lambda c: Alertmanager("prod-eu", c, Labels()).current(AlertQuery(HOUR)),
    "alertmanager probe": lambda c: Alertmanager("prod-eu", c, Labels()).probe(),
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
async def test_each_fault_of_a_server_is_a_sentence(fault: Fault) -> None:
    await holds(fault, *QUESTIONS.values())


@pytest.mark.parametrize("ahead", [timedelta(minutes=7), timedelta(minutes=-7)])
async def test_a_clock_that_differs_is_said(ahead: timedelta) -> None:
    date = (datetime.now(UTC) + ahead).strftime("%a, %d %b %Y %H:%M:%S GMT")
    way = "ahead of" if ahead > timedelta() else "behind"
    body = {"status": "success", "data": {"resultType": "scalar", "result": [0, "1"], "version": "2"}}
    async with asked(says(body, Date=date)) as caller:
        assert way in (await prometheus("x", caller).alerts[0].probe()).detail
    status = {"versionInfo": {"version": "0.25"}, "cluster": {}}
    async with asked(says(status, Date=date)) as caller:
        assert way in (await Alertmanager("x", caller, Labels()).probe()).detail


async def test_alerts_of_a_clock_ahead_fire_all_the_same() -> None:
    labels = {"alertname": "A", "service": "cart", "severity": "critical"}
    start = (datetime.now(UTC) + timedelta(minutes=3)).isoformat()
    status = {"state": "active", "silencedBy": [], "inhibitedBy": []}
    alert = {
        "labels": labels,
        "startsAt": start,
        "endsAt": "0001-01-01T00:00:00Z",
        "fingerprint": "1",
        "status": status,
    }
    async with asked(says([alert, {"labels": {}, "startsAt": "soon"}, {}])) as caller:
        found = await Alertmanager("x", caller, Labels()).current(AlertQuery(HOUR))
    assert [(e.name, e.end) for e in found.rows] == [("A", None)]


async def test_a_targets_own_service_label_may_go_first() -> None:
    labels = {"alertname": "A", "service": "from-scrape", "exported_service": "own", "job": "shop"}
    alert = {"labels": labels, "startsAt": "2026-11-30T08:00:00Z", "status": {"state": "active"}}
    async with asked(says([alert])) as caller:
        for order, expected in ((("service",), "from-scrape"), (("exported_service", "service"), "own"), (("x",), "")):
            found = await Alertmanager("x", caller, Labels(order)).current(AlertQuery(HOUR))
            assert [e.service for e in found.rows] == [expected]


async def test_alerts_of_a_server_that_just_came_up_are_told_apart() -> None:
    """Targets that it hasn't asked yet count as down; what fires later, or goes on for long, is meant."""
    up = NOW - timedelta(minutes=30)

    def series(name: str, after: float, n: int = 8) -> dict[str, Any]:
        first = int(up.timestamp() + after)
        points = [[first + 15 * i, str(first + 15 * i)] for i in range(n)]
        return {"metric": {"alertname": name, "alertstate": "firing", "service": "cart"}, "values": points}

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path.endswith("/status/runtimeinfo"):
            return web.json_response({"status": "success", "data": {"startTime": up.isoformat()}})
        if request.path.endswith("/rules"):
            return web.json_response({"status": "success", "data": {"groups": []}})
        rows = [series("InstanceDown", 20), series("Gone", 30, 80), series("Slow", 600)]
        return web.json_response({"status": "success", "data": {"resultType": "matrix", "result": rows}})

    async with asked(answer) as caller:
        found = await prometheus("x", caller).alerts[0].episodes(AlertQuery(HOUR))
    assert [e.name for e in found.rows] == ["InstanceDown", "Gone", "Slow"]
    assert f"1 of these alerts began while x was starting ({up:%Y-%m-%d %H:%M} UTC)" in found.gaps


@pytest.mark.slow
async def test_100_000_rows_are_bounded() -> None:
    """Of 100,000 alerts as many are kept as the source says, and that it left some out is said."""

    def matrix() -> Iterator[bytes]:
        yield b'{"status":"success","data":{"resultType":"matrix","result":['
        at = int(NOW.timestamp()) - 600
        for n in range(100_000):
            labels = {"alertname": f"A{n}", "alertstate": "firing", "service": "cart"}
            yield f'{"," if n else ""}{{"metric":{json.dumps(labels)},"values":[[{at},"{at}"]]}}'.encode()
        yield b"]}}"

    pieces = [b"".join(matrix())]
    async with asked(sends(lambda: pieces)) as caller:
        found = await prometheus("x", caller).alerts[0].episodes(AlertQuery(HOUR))
    assert len(found.rows) == 5_000
    assert not found.complete
    assert "more than 5000 alerts fired" in found.gaps[0]


class asked:
    """A caller of a server that answers so."""

    def __init__(self, answer: Any) -> None:
        self._server, self._client = faulty(answer), Web()

    async def __aenter__(self) -> Caller:
        return self._client.at(Site("x", (await self._server.__aenter__()).url, timeout=20.0))

    async def __aexit__(self, *why: Any) -> None:
        await self._client.aclose()
        await self._server.__aexit__(*why)

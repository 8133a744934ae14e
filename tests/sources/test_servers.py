"""Real Prometheus, VictoriaMetrics and Alertmanager over a recorded day, against its known truth.

The same question to live servers and to the folder gives the same figures. Where they differ the difference is named
here, with its reason.
"""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from hermes_ops.app import open_app
from hermes_ops.loading import load
from orchestrator.contracts import Answer, Incoming, Window
from subagents.alertmanager.source import Alertmanager
from subagents.prometheus.availability import Sli
from subagents.prometheus.labels import Labels
from subagents.prometheus.source import Options, prometheus
from subagents.sources import AlertQuery, Episode, MetricQuery, Sources
from subagents.web import Site, Web
from tests.shared import shared
from tests.sources import servers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

DAY = "data/days/2026-11-29"
WHOLE = Window(datetime(2026, 11, 29, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC))
BOTH = pytest.mark.parametrize("kind", ["prometheus", "victoriametrics"])


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    files = shared(f"{DAY}/input/metrics.om.gz"), shared(f"{DAY}/input/alerts.om")
    with ExitStack() as stack:
        yield {
            "prometheus": stack.enter_context(servers.prometheus(*files)),
            "victoriametrics": stack.enter_context(servers.victoriametrics(*files)),
            "alertmanager": stack.enter_context(servers.alertmanager()),
        }


@pytest.fixture
async def client() -> AsyncIterator[Web]:
    client = Web()
    yield client
    await client.aclose()


def live(client: Web, url: str, **options: Any) -> Sources:
    return prometheus("prod", client.at(Site("prod", url, timeout=25.0)), Options(**options))


def truth(name: str) -> Any:
    return json.loads(shared(f"{DAY}/truth/{name}").read_text())


@BOTH
async def test_the_alerts_of_the_day_with_start_and_end(urls: dict[str, str], client: Web, kind: str) -> None:
    found = await live(client, urls[kind]).alerts[0].episodes(AlertQuery(WHOLE))
    got = {(e.name, e.service, e.start.timestamp(), e.end.timestamp() if e.end else None) for e in found.rows}
    expected = {
        (a["labels"]["alertname"], a["labels"]["service"], a["startsAt"], a["endsAt"])
        for a in truth("alerts-truth.json")
    }
    assert got == expected
    assert len(found.rows) == 5
    assert found.complete


@BOTH
async def test_requests_and_availability_are_exact(urls: dict[str, str], client: Web, kind: str) -> None:
    found = await live(client, urls[kind]).metrics[0].ratio((), WHOLE)
    expected = truth("truth.json")["availability"]
    assert {r.service: (r.total, r.bad) for r in found.rows} == {
        s: (v["requests"], v["server_errors"]) for s, v in expected.items()
    }
    assert {r.service: round(r.percent or 0, 4) for r in found.rows}["checkout"] == 98.0734
    assert not found.approx


@BOTH
async def test_an_objective_gives_the_error_budget(urls: dict[str, str], client: Web, kind: str) -> None:
    found = await live(client, urls[kind], sli=Sli(objective=99.0)).metrics[0].ratio(("checkout",), WHOLE)
    assert round(found.rows[0].spent or 0, 1) == round(100 * 272 / (14118 * 0.01), 1)


async def test_a_ratio_by_queries_of_ones_own_is_about(urls: dict[str, str], client: Web) -> None:
    sli = Sli(
        total_query="sum by (service) (increase(http_requests_total[$window]))",
        bad_query='sum by (service) (increase(http_requests_total{code=~"5.."}[$window]))',
    )
    found = await live(client, urls["prometheus"], sli=sli).metrics[0].ratio(("checkout",), WHOLE)
    (row,) = found.rows
    assert row.approx
    assert row.bad == 270  # the counter was born at the fault: increase() loses its first value and extrapolates


@BOTH
async def test_series_of_a_service(urls: dict[str, str], client: Web, kind: str) -> None:
    hour = Window(WHOLE.start + timedelta(hours=13, minutes=30), WHOLE.start + timedelta(hours=14, minutes=30))
    found = await live(client, urls[kind]).metrics[0].series(MetricQuery(hour, ("payment",)))
    by_name = {s.name: s for s in found.rows}
    assert {"db_pool_in_use", "db_pool_max", "up", "http_requests_total"} <= set(by_name)
    assert not any(s.name.endswith("_bucket") for s in found.rows)
    pool = by_name["db_pool_max"]
    assert {s.service for s in found.rows} == {"payment"}
    assert (pool.kind, pool.points[0][1], pool.points[-1][1]) == ("gauge", 20.0, 2.0)
    assert {s.kind for s in found.rows if s.name == "http_requests_total"} == {"counter"}
    assert all(p[0] in hour for s in found.rows for p in s.points)
    few = await live(client, urls[kind], series=3).metrics[0].series(MetricQuery(hour, ("payment",)))
    assert len(few.rows) <= 3
    assert not few.complete
    assert "only" in few.gaps[-1]


async def test_a_restart_is_about_and_a_new_service_counts_from_nothing(tmp_path: Path, client: Web) -> None:
    start = int(WHOLE.start.timestamp())
    lines = ["# TYPE http_requests counter"]
    steady = [
        f'http_requests_total{{service="a",code="200"}} {1_000_000 + 10 * n} {start + 15 * n}' for n in range(5760)
    ]  # a day, so that a look of coarse steps finds it on whatever day this runs
    restarted = [10 * n if n < 120 else 5 * (n - 120) for n in range(240)]
    lines += steady
    lines += [f'http_requests_total{{service="b",code="200"}} {v} {start + 15 * n}' for n, v in enumerate(restarted)]
    lines += [f'http_requests_total{{service="c",code="500"}} {n - 100} {start + 15 * n}' for n in range(101, 240)]
    lines += [f'http_requests_total{{service="d",code="200"}} {9000 + n} {start + 15 * n}' for n in range(101, 240)]
    path = tmp_path / "made.om"
    path.write_text("\n".join([*lines, "# EOF", ""]))
    hour = Window(WHOLE.start + timedelta(minutes=10), WHOLE.start + timedelta(minutes=59))
    early = WHOLE.start - timedelta(hours=1)
    with servers.prometheus(path) as url:
        found = await live(client, url).metrics[0].ratio((), hour)
        late = await live(client, url).metrics[0].ratio((), replace(hour, start=early, zone="Asia/Shanghai"))
        [expr] = parse_qs(urlsplit(found.link).query)["g0.expr"]
        asked = urlencode({"query": expr, "time": hour.end.timestamp()}).encode()
        shown = json.loads(servers.posted(f"{url}/api/v1/query", asked, "application/x-www-form-urlencoded"))
    shares = {r["metric"]["service"]: float(r["value"][1]) for r in shown["data"]["result"]}
    assert shares == {r.service: r.bad / r.total for r in found.rows}  # what the link opens
    rows = {r.service: r for r in found.rows}
    assert (rows["a"].total, rows["a"].approx) == (10 * (59 - 10) * 4, False)
    assert rows["b"].approx
    assert abs(rows["b"].total - (10 * 79 + 5 * 116)) < 40
    assert (rows["c"].total, rows["c"].bad) == (136, 136)  # born in the window, from nothing
    assert rows["d"].total == 9000 + 236 - 9101  # long running, only newly scraped
    assert late.gaps == ("prod has no data before 2026-11-29 08:00 +08:00",)
    assert {r.service: r.total for r in late.rows}["a"] == 10 * 236


async def test_what_fires_now_from_rules_that_are_evaluated(client: Web) -> None:
    rules = """
groups:
  - name: now
    rules:
      - alert: AlwaysOn
        expr: vector(1)
        labels: {service: cart, severity: critical}
        annotations: {runbook_url: "http://runbooks.example/on", summary: "{{ $value }} is on"}
"""
    with servers.prometheus(rules=rules) as url:
        alerts = live(client, url, runbooks=("http://runbooks.example/",)).alerts[0]
        for _ in range(300):
            now = datetime.now(UTC)
            if rows := (await alerts.current(AlertQuery(Window(now - timedelta(minutes=5), now)))).rows:
                break
            await asyncio.sleep(0.1)
    assert [(e.name, e.service, e.severity, e.end) for e in rows] == [("AlwaysOn", "cart", "critical", None)]
    assert abs((datetime.now(UTC) - rows[0].start).total_seconds()) < 280
    assert rows[0].runbook == "http://runbooks.example/on"
    assert "summary" not in rows[0].annotations, "nobody fills in its template"


async def test_a_rule_that_cannot_be_evaluated_is_a_gap(client: Web) -> None:
    rules = """
groups:
  - name: broken
    rules:
      - {alert: Broken, expr: 'vector(1) * on() (vector(1) or label_replace(vector(1), "b", "y", "", ""))'}
"""
    with servers.prometheus(rules=rules) as url:
        for _ in range(300):
            now = datetime.now(UTC)
            found = await live(client, url).alerts[0].episodes(AlertQuery(Window(now - timedelta(minutes=5), now)))
            if found.gaps:
                break
            await asyncio.sleep(0.1)
        health = await live(client, url).alerts[0].probe()
    assert "1 alert rule(s) can't be evaluated: Broken" in found.gaps
    assert "Prometheus API 2." in health.detail


async def test_alertmanager_tells_silenced_and_inhibited_apart(urls: dict[str, str], client: Web) -> None:
    now, url = datetime.now(UTC), urls["alertmanager"]
    began = now - timedelta(minutes=10)

    def alert(name: str, service: str, severity: str) -> dict[str, Any]:
        labels = {"alertname": name, "service": service, "severity": severity}
        return {"labels": labels, "annotations": {"summary": f"{name} 结算"}, "startsAt": began.isoformat()}

    sent = [
        alert("PoolFull", "payment", "warning"),
        alert("Errors", "payment", "critical"),
        alert("Disk", "mail", "warning"),
    ]
    matcher = {"name": "alertname", "value": "Disk", "isRegex": False, "isEqual": True}
    until = (now + timedelta(hours=2)).isoformat()
    silence = {
        "matchers": [matcher],
        "startsAt": now.isoformat(),
        "endsAt": until,
        "createdBy": "wei",
        "comment": "换盘",
    }
    servers.posted(f"{url}/api/v2/silences", json.dumps(silence).encode())
    servers.posted(f"{url}/api/v2/alerts", json.dumps(sent).encode())
    source = Alertmanager("am", client.at(Site("am", url, timeout=25.0)), Labels())
    asked = AlertQuery(Window(now - timedelta(minutes=5), now))
    for _ in range(200):
        rows = {e.name: e for e in (await source.current(asked)).rows}
        if len(rows) == 3 and rows["PoolFull"].suppressed and rows["Disk"].suppressed:
            break
        await asyncio.sleep(0.1)
    assert rows["PoolFull"].by == "inhibited by Errors"
    assert rows["Disk"].by.startswith("silenced by wei until ")
    assert rows["Disk"].by.endswith("(换盘)")
    assert not rows["Errors"].suppressed
    assert abs(rows["Errors"].start - began) < timedelta(seconds=1)
    await in_groups_and_without_a_past(source, rows, asked)


async def in_groups_and_without_a_past(source: Alertmanager, rows: dict[str, Episode], asked: AlertQuery) -> None:
    in_groups = {e.name: e for e in (await source.current(AlertQuery(asked.window, grouped=True))).rows}
    assert {n: e.notified for n, e in in_groups.items()} == {
        n: (("none", f"alertname={n}, service={rows[n].service}"),) for n in rows
    }
    assert {n: e.by for n, e in in_groups.items()} == {n: e.by for n, e in rows.items()}
    past = await source.episodes(AlertQuery(WHOLE))
    assert "keeps no history" in past.gaps[0]
    assert not past.complete


# ── the whole application ─────────────────────────────────────────────────────────────────────

QUESTIONS = (
    "昨天有哪些告警？",
    "昨天触发了多少告警？",
    "昨天 checkout 的可用率是多少？",
    "checkout availability yesterday 14:00-15:00?",
)


async def answered(place: Path, sources: str, folder: Path | None = None) -> list[Answer]:
    """All questions, one after the other, by one application."""
    config = place / "config.toml"
    config.write_text(f'data_dir = "{place}"\nzone = "UTC"\n{sources}')
    at = datetime(2026, 11, 30, 9, tzinfo=UTC)
    async with open_app(load({"HERMES_OPS_CONFIG": str(config)}), folder, offline=True) as app:
        return [
            await app.answer(Incoming(f"m{n}", text, at, anchored=True), session=f"s{n}", new=True)
            for n, text in enumerate(QUESTIONS)
        ]


def figures(answer: Answer) -> set[tuple[Any, ...]]:
    return {
        (e.tool, f.name, tuple(sorted(dict(f.labels).items())), f.value)
        for e in answer.evidence
        if e.tool in ("list_alerts", "count_alerts", "availability")
        for f in e.result.figures
    }


async def test_live_servers_and_the_folder_answer_alike(urls: dict[str, str], tmp_path: Path) -> None:
    from_folder = await answered(tmp_path, "", shared(f"{DAY}/input"))
    for kind in ("prometheus", "victoriametrics"):
        sources = f'[sources.alerts.prod]\nkind = "{kind}"\nurl = "{urls[kind]}"\ntimeout = 25\n'
        for live_one, folder_one in zip(await answered(tmp_path, sources), from_folder, strict=True):
            assert live_one.status == "ok"
            assert figures(live_one)
            assert figures(live_one) == figures(folder_one)
            first = live_one.evidence[0].result
            assert first.link.startswith(urls[kind])
            assert first.query
            assert first.window == folder_one.evidence[0].result.window


async def test_the_console_opens_at_a_link(urls: dict[str, str], client: Web) -> None:
    found = await live(client, urls["prometheus"]).alerts[0].episodes(AlertQuery(WHOLE))
    with urllib.request.urlopen(found.link, timeout=25) as page:
        assert page.status == 200

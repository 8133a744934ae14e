"""Files that no format knows: that nothing was found then is no fact, where they may hold it. And names: whose a log
is, and that a machine may be asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from subagents import alerts, changes, logs
from subagents.folder.folder import Folder
from subagents.folder.owners import own_name
from subagents.gaps import unread, worded
from subagents.saying import numbered
from subagents.sources import AlertQuery, ChangeQuery, LogQuery, MetricQuery
from tests.subagents.folder.helpers import ALL, counted, folder_of, window
from tests.subagents.rig import call, context, findings

YAML = "deployments:\n  - service: pay\n    version: 0.4\n    time: 2026-04-22T10:00:00Z\n"
RULES = "groups:\n  - name: pay\n    rules:\n      - alert: High\n        expr: up == 0\n        severity: page\n"
ODD = '{"a": [{"b": 1, "c": 2}]}'


async def gaps(folder: Folder) -> dict[str, tuple[str, ...]]:
    held = folder.sources()
    return {
        "alerts": (await held.alerts[0].episodes(AlertQuery(ALL))).gaps,
        "changes": (await held.changes[0].list(ChangeQuery(ALL))).gaps,
        "logs": (await held.logs[0].count(LogQuery(ALL), ())).gaps,
        "metrics": (await held.metrics[0].series(MetricQuery(ALL))).gaps,
    }


@pytest.mark.parametrize(("name", "content", "domains"), [
    ("deploys.yaml", YAML, {"changes"}),
    ("x1", YAML, {"changes"}),  # by its keys
    ("x2", RULES, {"alerts"}),
    ("变更单.xlsx", b"PK\x03\x04\x00\x00 binary", {"changes"}),  # by its name
    ("x3", "编号,告警级别,说明\n1,高,a\n2,低,b\n", {"alerts"}),
    ("x4", ODD, {"alerts", "changes", "metrics"}),  # it may be anything of which nothing was found
    ("README.md", "# What this is\n\nSome words of a person.\n", set()),
    ("empty.json", "[]", set()),
])  # fmt: skip
async def test_a_domain_says_which_files_it_could_not_look_into(
    tmp_path: Path, name: str, content: str | bytes, domains: set[str]
) -> None:
    folder = folder_of(tmp_path, {name: content, "a.log": "2026-04-22T10:04:20Z ERROR failed\n"})
    found = await gaps(folder)
    assert {domain for domain, said in found.items() if unread(said)} == domains
    said = f"1 file(s) weren't recognised and not searched: {name}"
    assert all(found[domain] == (said,) for domain in domains)
    assert not domains or worded(said, "zh") == f"有 1 个文件没有识别，未查：{name}"


async def test_what_was_found_is_not_spoilt_by_files_of_other_domains(tmp_path: Path) -> None:
    deploy = '[{"service": "pay", "version": "1", "deployed_at": "2026-04-22T10:02:00Z"}]'
    found = await gaps(folder_of(tmp_path, {"d": deploy, "odd": ODD, "rules.yml": RULES}))
    assert not found["changes"]
    assert unread(found["alerts"])


@pytest.mark.parametrize(("name", "service"), [
    ("cart.log", "cart"), ("push-consumer-2026-11-29.log.gz", "push-consumer"), ("edge-access.log", "edge"),
    ("order-service.log.2", "order-service"), ("app.log", ""), ("access.log", ""), ("error.log.1", ""), ("x", ""),
    ("3f2a9cde01.log", ""), ("node-1.log", ""), ("catalina.out", ""), ("a.log", ""),
])  # fmt: skip
def test_a_files_own_name_may_be_its_service(name: str, service: str) -> None:
    assert own_name(f"/data/{name}") == service


PLAIN = "2026-04-22 10:04:20.000 ERROR [main] c.Web - failed\n"
FIRED = "alertname,service,starts_at\nHigh,stock,2026-04-22T10:05:00Z\n"


@pytest.mark.parametrize(("paths", "services"), [
    (["日志/stock-center/app.log", "日志/order-center/app.log"], {"stock-center", "order-center"}),
    (["logs/web/error.log.1", "logs/cart/2026-04-22.log", "logs/api-gateway/stdout"], {"web", "cart", "api-gateway"}),
    (["cart/logs/catalina.out", "web/logs/catalina.out"], {"cart", "web"}),  # not the nearest: `logs` says nothing
    (["web-1/access.log", "web-2/access.log"], {"web"}),  # replicas of one
    (["run/cart-7d9f8b6c5d-x2k4q/app.log", "run/web-5f6c7d8e9f-abcde/app.log"], {"cart", "web"}),
    (["export/app.log"], {""}),  # alone, a folder's name says nothing
    (["prod/app.log", "staging/app.log"], {""}),
    (["x/2026-04-21/app.log", "x/2026-04-22/app.log"], {""}),
    (["stock/app.log", "a.csv"], {"stock"}),  # alone, but somebody speaks of it
    (["kafka/server.log"], {"kafka"}),  # a product's own log
    (["stock/nginx/access.log", "a.csv"], {"stock"}),
    (["one/billing.log", "two/shipping.log"], {"billing", "shipping"}),  # the file's own name goes first
])  # fmt: skip
async def test_a_file_with_a_general_name_is_of_the_service_of_its_folder(
    tmp_path: Path, paths: list[str], services: set[str]
) -> None:
    folder = folder_of(tmp_path, {p: FIRED if p.endswith("csv") else PLAIN for p in paths})
    assert {s for (s,) in await counted(folder, "service")} == services


async def test_lines_that_name_no_service_may_be_of_any(tmp_path: Path) -> None:
    """Unknown, not absent; of a service that has lines of its own, those are what was asked for."""
    own = "time=2026-04-22T10:04:20Z level=error service=pay msg=failed\n"
    source = folder_of(tmp_path, {"app.log": PLAIN, "b": own, "fired.csv": FIRED}).sources().logs[0]
    said = "1 log file(s) don't say whose they are, and may hold lines of stock"
    assert (await source.count(LogQuery(ALL, ("stock",)), ())).gaps == (said,)
    assert unread((said,))
    assert worded(said, "zh") == "有 1 个日志文件没有写明是哪个服务的，其中可能有 stock 的日志"
    later = window("2026-04-23T10:00", "2026-04-23T11:00")
    for q in (LogQuery(ALL, ("pay",)), LogQuery(ALL), LogQuery(later, ("stock",))):
        assert (await source.count(q, ())).gaps == ()


async def test_a_library_that_lines_speak_of_owns_no_log(tmp_path: Path) -> None:
    lines = "2026-04-22 10:04:20.000 ERROR [main] org.apache.kafka.clients.Consumer - com.mysql.cj.jdbc failed\n"
    fired = "alertname,service,starts_at\n" + "".join(
        f"High,{s},2026-04-22T10:05:00Z\n" for s in ("kafka", "mysql", "push-consumer")
    )
    folder = folder_of(tmp_path, {"push-consumer.log": lines, "app.log": lines * 2, "alerts.csv": fired})
    assert await counted(folder, "service") == {("push-consumer",): 1, ("",): 2}


SYSLOG = (
    "Nov 26 20:06:15 db-3 postgres[9500]: ERROR:  No space left on device\n"
    "Nov 26 20:11:17 db-3 CRON[7243]: (postgres) CMD (/opt/bin/stats.sh)\n"
    "Nov 26 20:12:17 db-3 postgres[9500]: LOG:  checkpoint complete\n"
)
PROM = '# TYPE free gauge\nfree{instance="db-3:9100",job="node"} 5 1795724000\n# EOF\n'


async def test_a_machine_is_asked_for_by_its_name(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"db-3.syslog": SYSLOG, "node.prom": PROM})
    assert "db-3" in folder.coverage().services
    assert await counted(folder, "service") == {("postgres",): 2, ("CRON",): 1}
    asked = LogQuery(ALL, ("db-3",))
    assert await counted(folder, "service", q=asked) == {("db-3",): 3}
    assert await counted(folder, "level", q=LogQuery(ALL, ("db-3",), ("error",))) == {("error",): 1}
    assert [line.service for line in (await folder.sources().logs[0].search(asked)).rows] == ["db-3"] * 3
    assert {p.service for p in (await folder.sources().logs[0].patterns(asked, None)).rows} == {"db-3"}
    (series,) = (await folder.sources().metrics[0].series(MetricQuery(ALL, ("db-3",)))).rows
    assert series.service == "db-3"


async def test_errors_of_a_machine_are_counted_by_its_name(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"db-3.syslog": SYSLOG, "node.prom": PROM})
    span = window("2026-11-26T20:00", "2026-11-26T21:00")
    got = await call(logs.make(folder.sources()), context(span, ["db-3"]), "count_errors")
    assert {f.labels.get("service"): f.value for f in got.figures if f.name == "errors"}["db-3"] == 1


async def test_where_files_were_not_read_nothing_is_said_to_be_absent(tmp_path: Path) -> None:
    """By the playbooks' sentences, in both languages, whatever the domain."""
    unreadable = {"deploys.yaml": YAML, "rules.yaml": RULES, "a.log": "2026-04-22T10:04:20Z ERROR failed\n"}
    sources = folder_of(tmp_path, unreadable).sources()
    span = window("2026-04-22T10:00", "2026-04-22T11:00")
    asked: tuple[tuple[str, Literal["zh", "en"]], ...] = (
        ("有哪些变更和告警", "zh"),
        ("which changes and alerts", "en"),
    )
    for question, lang in asked:
        for agent in (changes.make(sources), alerts.make(sources)):
            found = await findings(agent, context(span, (), question, lang))
            assert unread(found.gaps)
            assert "无法判断" in found.summary or "can't" in found.summary


async def test_no_metric_of_a_service_is_no_all_clear(tmp_path: Path) -> None:
    sources = folder_of(tmp_path, {"node.prom": PROM}).sources()
    span = window("2026-11-26T20:00", "2026-11-26T21:00")
    found = await findings(alerts.make(sources), context(span, ("pay",), "which metrics of pay moved?"))
    assert "No metrics of that were found" in found.summary


def test_lines_without_a_service_say_so_among_others() -> None:
    rows = [{"service": "", "n": 11}, {"service": "pay", "n": 3}]
    assert numbered(rows, True) == ["（未标明服务） 11", "pay 3"]
    assert numbered(rows, False) == ["(no service) 11", "pay 3"]
    assert numbered(rows[:1], False) == ["11"]

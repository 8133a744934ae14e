"""Metrics from OpenMetrics and CSV in their many layouts, and availability from counters and access logs."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from subagents.folder.formats import json_series
from subagents.sources import AlertQuery, LogQuery, MetricQuery, Series
from tests.subagents.folder.helpers import ALL, folder_of, utc, window

T = 1795960800  # 2026-11-29T14:00:00Z
OPEN = f"""\
# HELP http_requests Requests.
# TYPE http_requests counter
http_requests_total{{service="pay",code="200"}} 1000 {T}
http_requests_total{{service="pay",code="200"}} 1010 {T + 30}
http_requests_total{{service="pay",code="200"}} 1030 {T + 60}
http_requests_total{{service="pay",code="200"}} 5 {T + 90}
http_requests_total{{service="pay",code="500"}} 4 {T + 60}
http_requests_total{{service="pay",code="500"}} 6 {T + 90}
# TYPE pool gauge
pool{{service="pay",note="a \\"b\\" }} c"}} 2.5 {T} # {{trace_id="x"}} 1.0
# TYPE lat histogram
lat_bucket{{service="pay",le="0.1"}} 3 {T}
lat_sum{{service="pay"}} 0.3 {T}
# EOF
"""


async def series(root: Path, content: str, q: MetricQuery | None = None, step: float | None = None) -> list[Series]:
    answer = await folder_of(root, {"x": content}).sources().metrics[0].series(q or MetricQuery(ALL), step)
    return list(answer.rows)


async def test_openmetrics_with_types_labels_and_exemplars(tmp_path: Path) -> None:
    found = {(s.name, s.labels.get("code", "")): s for s in await series(tmp_path, OPEN)}
    assert found["http_requests_total", "500"].kind == "counter"
    assert found["pool", ""].labels == {"note": 'a "b" } c'}
    assert found["pool", ""].points == ((utc("2026-11-29T14:00:00"), 2.5),)
    assert ("lat_bucket", "") not in found
    [bucket] = await series(tmp_path, OPEN, MetricQuery(ALL, names=("lat_bucket",)))
    assert bucket.labels == {"le": "0.1"}


async def test_a_step_gives_one_point_for_each(tmp_path: Path) -> None:
    [ok] = [s for s in await series(tmp_path, OPEN, step=60) if s.labels.get("code") == "200"]
    assert [v for _, v in ok.points] == [1010, 5]


@pytest.mark.parametrize(
    "content",
    [
        "timestamp,service,metric,value\n2026-11-29T14:00:00Z,pay,cpu,1.5\n2026-11-29T14:01:00Z,pay,cpu,2\n",
        "value,metric,time,service,zone\n1.5,cpu,1795960800,pay,a\n2,cpu,1795960860,pay,a\n",
        "Time,PodName,cpu(%),other\n2026-11-29 14:00:00.5 +0000 UTC m=+1,pay-64469b5b48-25zj6,1.5,NaN\n"
        "2026-11-29 14:01:00 +0000 UTC m=+2,pay-64469b5b48-25zj6,2,3\n",
        "svc,pay,pay\nname,cpu,mem\nstat,avg,avg\ntime,,\n2026-11-29 14:00:00,1.5,7\n2026-11-29 14:01:00,2,8\n",
        json.dumps([{"ts": "2026-11-29T14:00:00Z", "service": "pay", "metric": "cpu", "value": v} for v in (1.5, 2)]),
    ],
)
async def test_tables_in_every_layout(tmp_path: Path, content: str) -> None:
    [cpu] = [s for s in await series(tmp_path, content) if s.name == "cpu"]
    assert cpu.service == "pay"
    assert [v for _, v in cpu.points] == [1.5, 2]


async def test_requests_count_from_counters_through_births_and_resets(tmp_path: Path) -> None:
    source = folder_of(tmp_path, {"x": OPEN}).sources().metrics[0]
    answer = await source.ratio(("pay", "gone"), window("2026-11-29T14:00:00", "2026-11-29T14:01:30"))
    [pay] = answer.rows
    assert (pay.total, pay.bad) == (10 + 20 + 5 + 6, 6)  # 500 was born with 4 inside the window
    assert answer.gaps == ("no request counts by status for gone",)
    early = await source.ratio((), window("2026-11-29T13:00:00", "2026-11-29T14:00:30"))
    assert early.rows[0].total == 10  # what it stood at when the file began isn't counted


async def test_requests_count_from_access_logs_where_there_are_no_counters(tmp_path: Path) -> None:
    line = '10.0.0.1 - - [29/Nov/2026:14:00:0{} +0000] "GET / HTTP/1.1" {} 12 "-" "curl"\n'
    content = "".join(line.format(i, 500 if i == 3 else 404 if i == 4 else 200) for i in range(10))
    known = json.dumps({"service": "web", "flag": "x", "timestamp": "2026-11-29T14:00:00Z", "change": "off->on"})
    source = folder_of(tmp_path, {"web.log": content, "f": known}).sources().metrics[0]
    [web] = (await source.ratio((), ALL)).rows
    assert (web.service, web.total, web.bad, web.percent) == ("web", 10, 1, 90.0)


async def test_points_nested_in_a_document_are_named_by_their_list(tmp_path: Path) -> None:
    feed = {"provider": "bank", "error_pct": [{"timestamp": "2026-11-29T14:00:00Z", "value": 0.3, "endpoint": "e"}]}
    [found] = await series(tmp_path, json.dumps(feed))
    assert (found.name, found.service, found.labels) == ("error_pct", "bank", {"endpoint": "e"})


def api(*series: object, kind: str = "matrix") -> str:
    return json.dumps({"status": "success", "data": {"resultType": kind, "result": series}})


NAMED = {"__name__": "lat:p99_seconds", "service": "pay", "path": '/a "b"\\c\n'}
VALUES = [[T, "0.25"], [T + 60.5, "NaN"], [T + 120, "+Inf"], [T + 180, "0.5"]]


@pytest.mark.parametrize(
    "content",
    [
        api({"metric": NAMED, "values": VALUES}),
        json.dumps(json.loads(api({"metric": NAMED, "values": VALUES})), indent=2),
        json.dumps([{"metric": NAMED, "values": VALUES}]),
        "\n".join(api({"metric": NAMED, "value": pair}, kind="vector") for pair in VALUES),
        json.dumps({"metric": NAMED, "values": [float(v) for _, v in VALUES if v[0] == "0"],
                    "timestamps": [T * 1000, (T + 180) * 1000]}) + "\n",
        json.dumps({"status": 200, "body": json.loads(api({"metric": NAMED, "values": VALUES}))}),
    ],
    ids=["matrix", "indented", "bare result", "vectors, one a line", "export", "wrapped"],
)  # fmt: skip
async def test_answers_of_prometheus(tmp_path: Path, content: str) -> None:
    [found] = await series(tmp_path, content)
    assert (found.name, found.service, found.unit, found.kind) == ("lat:p99_seconds", "pay", "s", "unknown")
    assert found.labels == {"path": '/a "b"\\c\n'}
    sound = [(at, v) for at, v in found.points if v in (0.25, 0.5)]
    assert sound == [(utc("2026-11-29T14:00:00"), 0.25), (utc("2026-11-29T14:03:00"), 0.5)]


ISO, LATER, MS = "2026-11-29T14:00:00Z", "2026-11-29T14:01:00Z", T * 1000
SERVICE = [{"key": "service.name", "value": {"stringValue": "pay"}}]
STORES = {
    "CloudWatch's GetMetricData": (
        {"MetricDataResults": [{"Id": "m1", "Label": "lat", "Timestamps": [ISO, LATER], "Values": [1.5, 2]}]},
        "lat", ""),
    "CloudWatch's GetMetricStatistics": (
        {"Label": "lat", "Datapoints": [{"Timestamp": LATER, "Average": 2, "Unit": "Percent"},
                                        {"Timestamp": ISO, "Average": 1.5, "Unit": "Percent"}]}, "lat", ""),
    "Datadog": (
        {"status": "ok", "series": [{"metric": "lat", "scope": "env:prod,service:pay",
                                     "pointlist": [[MS, 1.5], [MS + 60_000, 2.0], [MS + 120_000, None]]}]},
        "lat", "pay"),
    "InfluxDB": (
        {"results": [{"series": [{"name": "lat", "tags": {"service": "pay"}, "columns": ["time", "mean"],
                                  "values": [[ISO, 1.5], [LATER, 2]]}]}]}, "lat", "pay"),
    "Grafana": (
        {"results": {"A": {"frames": [{
            "schema": {"refId": "A", "fields": [{"name": "Time", "type": "time"},
                                                {"name": "Value", "type": "number", "labels": {"service": "pay"}}]},
            "data": {"values": [[MS, MS + 60_000, MS + 120_000], [1.5, 2, None]]}}]}}}, "x", "pay"),
    "OTLP": (
        {"resourceMetrics": [{"resource": {"attributes": SERVICE}, "scopeMetrics": [{"metrics": [
            {"name": "lat", "gauge": {"dataPoints": [{"timeUnixNano": f"{T}000000000", "asDouble": 1.5},
                                                     {"timeUnixNano": f"{T + 60}000000000", "asInt": "2"}]}}]}]}]},
        "lat", "pay"),
}  # fmt: skip


@pytest.mark.parametrize("name", STORES)
async def test_json_of_the_fields_stores(tmp_path: Path, name: str) -> None:
    content, called, service = STORES[name]
    [found] = await series(tmp_path, json.dumps(content))
    assert (found.name, found.service, found.kind) == (called, service, "gauge")
    assert found.points == ((utc("2026-11-29T14:00:00"), 1.5), (utc("2026-11-29T14:01:00"), 2.0))


@pytest.mark.parametrize("name", STORES)
async def test_what_can_not_be_meant_so_costs_only_itself(tmp_path: Path, name: str) -> None:
    """Each value of such a JSON, replaced by one of another type: no fault, and at most fewer points."""
    content = json.dumps(STORES[name][0])
    for at, odd in itertools.product(range(content.count(": ")), ("null", '"x"', "[]", "{}", "3", "[[1]]")):
        start = [m.end() for m in re.finditer(": ", content)][at]
        end = json.JSONDecoder().raw_decode(content, start)[1]
        text = content[:start] + odd + content[end:]
        (tmp_path / "x").write_text(text)
        if json_series.is_series(text):
            assert sum(1 for _ in json_series.samples(str(tmp_path / "x"), "", {})) <= 2


async def test_a_sum_that_only_grows_is_a_counter_and_a_histogram_gives_two(tmp_path: Path) -> None:
    stamp = {"timeUnixNano": f"{T}000000000"}
    metrics = [
        {"name": "requests", "sum": {"isMonotonic": True, "dataPoints": [{**stamp, "asInt": "7"}]}},
        {"name": "lat", "histogram": {"dataPoints": [{**stamp, "count": "3", "sum": 0.5, "bucketCounts": ["3"]}]}},
    ]
    content = {"resourceMetrics": [{"resource": {"attributes": SERVICE}, "scopeMetrics": [{"metrics": metrics}]}]}
    found = {s.name: (s.kind, s.points[0][1]) for s in await series(tmp_path, json.dumps(content) + "\n")}
    assert found == {"requests": ("counter", 7.0), "lat_count": ("counter", 3.0), "lat_sum": ("counter", 0.5)}


async def test_what_an_expression_gave_is_called_as_its_file_and_no_counter(tmp_path: Path) -> None:
    by = {"http_requests_total.json": api({"metric": {"service": "pay"}, "values": [[T, "3"], [T + 60, "2"]]})}
    answer = await folder_of(tmp_path, by).sources().metrics[0].series(MetricQuery(ALL))
    assert [(s.name, s.service, s.kind) for s in answer.rows] == [("http_requests_total", "pay", "gauge")]


async def test_answers_of_prometheus_count_requests_and_tell_alerts(tmp_path: Path) -> None:
    count = {"__name__": "http_requests_total", "service": "pay"}
    ok, bad = ({**count, "code": code} for code in ("200", "500"))
    fires = {"__name__": "ALERTS", "alertname": "High", "alertstate": "firing", "service": "pay"}
    text = api(
        {"metric": ok, "values": [[T + 60 * i, str(1000 + 10 * i)] for i in range(4)]},
        {"metric": bad, "values": [[T + 60 * i, str(2 * i)] for i in range(4)]},
        {"metric": fires, "values": [[T + 60, "1"], [T + 120, "1"]]},
    )
    found = folder_of(tmp_path, {"x.json": text}).sources()
    [ratio] = (await found.metrics[0].ratio((), window("2026-11-29T14:00:00", "2026-11-29T14:03:00"))).rows
    assert (ratio.total, ratio.bad) == (36, 6)
    [alert] = (await found.alerts[0].episodes(AlertQuery(ALL))).rows
    assert (alert.name, alert.service) == ("High", "pay")


@pytest.mark.parametrize("text", [api(), api(kind="scalar"), '{"status":"error","errorType":"bad_data"}'])
async def test_answers_without_series_are_nothing_and_no_fault(tmp_path: Path, text: str) -> None:
    assert await series(tmp_path, text) == []


async def test_a_log_that_speaks_of_such_answers_is_a_log(tmp_path: Path) -> None:
    lines = [
        {
            "time": "2026-11-29T14:00:00Z",
            "level": "info",
            "service": "pay",
            "msg": f"got {api({'metric': NAMED, 'values': VALUES})}",
        }
        for _ in range(5)
    ]
    found = folder_of(tmp_path, {"a.log": "\n".join(map(json.dumps, lines))})
    assert (await found.sources().logs[0].count(LogQuery(ALL), ())).rows[0].n == 5

"""Spans of several exporters, and who calls whom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.subagents.folder.helpers import ALL, folder_of, utc

FLAT: list[dict[str, Any]] = [
    {"trace_id": "t", "span_id": "a", "parent_id": None, "service": "web", "name": "GET /", "duration_ms": 50,
     "start": "2026-11-29T14:00:00Z", "status": "OK"},
    {"trace_id": "t", "span_id": "b", "parent_id": "a", "service": "pay", "name": "charge", "duration_ms": 40,
     "start": "2026-11-29T14:00:00.005Z", "status": "ERROR", "error": "pool", "http.status_code": 500},
]  # fmt: skip


def text(value: str) -> dict[str, str]:
    return {"stringValue": value}


def otlp(service: str, span: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": [{"key": "service.name", "value": text(service)}]}
    return {"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": [span]}]}


NS = 1795960800_000_000_000
OTLP = {
    "resourceSpans": [
        otlp("web", {"traceId": "t", "spanId": "a", "name": "GET /", "startTimeUnixNano": str(NS),
                     "endTimeUnixNano": str(NS + 50_000_000)}),
        otlp("pay", {"traceId": "t", "spanId": "b", "parentSpanId": "a", "name": "charge",
                     "startTimeUnixNano": str(NS + 5_000_000), "endTimeUnixNano": str(NS + 45_000_000),
                     "status": {"code": 2, "message": "pool"},
                     "attributes": [{"key": "http.status_code", "value": {"intValue": "500"}}]}),
    ]
}  # fmt: skip
JAEGER = {
    "data": [
        {
            "traceID": "t",
            "processes": {"p1": {"serviceName": "web"}, "p2": {"serviceName": "pay"}},
            "spans": [
                {"traceID": "t", "spanID": "a", "operationName": "GET /", "startTime": NS // 1000, "duration": 50_000,
                 "processID": "p1", "references": []},
                {"traceID": "t", "spanID": "b", "operationName": "charge", "startTime": NS // 1000 + 5000,
                 "duration": 40_000, "processID": "p2", "references": [{"refType": "CHILD_OF", "spanID": "a"}],
                 "tags": [{"key": "error", "value": True}]},
            ],
        }
    ]
}  # fmt: skip
TABLE = (
    "TraceID,SpanID,ParentID,PodName,OperationName,StartTimeUnixNano,EndTimeUnixNano,Duration\n"
    f"t,a,root,web-5f55b6cf68-77cfw,GET /,{NS},{NS + 50_000_000},50000\n"
    f"t,b,a,pay-5f55b6cf68-77cfw,charge,{NS + 5_000_000},{NS + 45_000_000},40000\n"
)


@pytest.mark.parametrize(
    "content", [json.dumps(FLAT), "\n".join(map(json.dumps, FLAT)), json.dumps(OTLP), json.dumps(JAEGER), TABLE]
)
async def test_spans_of_each_exporter(tmp_path: Path, content: str) -> None:
    folder = folder_of(tmp_path, {"x": content})
    assert not folder.skipped
    source = folder.sources().spans[0]
    web, pay = (await source.spans(ALL)).rows
    assert (web.service, web.name, web.parent, web.start) == ("web", "GET /", None, utc("2026-11-29T14:00:00"))
    assert (pay.service, pay.parent, round(pay.seconds, 6)) == ("pay", "a", 0.04)
    [edge] = (await source.edges(None)).rows
    assert (edge.caller, edge.callee, edge.calls) == ("web", "pay", 1)
    if "TraceID," not in content:
        assert not web.error
        assert pay.error


async def test_of_many_the_failed_and_the_slowest_are_shown(tmp_path: Path) -> None:
    spans = [{**FLAT[0], "span_id": f"s{i}", "duration_ms": i, "parent_id": "lost"} for i in range(100)]
    source = folder_of(tmp_path, {"x": json.dumps([*spans, FLAT[1]])}).sources().spans[0]
    answer = await source.spans(ALL, limit=3)
    assert sorted(s.id for s in answer.rows) == ["b", "s98", "s99"]
    assert (answer.total, answer.complete) == (101, False)
    [gap] = (await source.edges(None)).gaps
    assert gap.startswith("101 span(s) name a parent")

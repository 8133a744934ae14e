"""Metrics as JSON answers and exports of their stores: Prometheus' API (whole answers, only their `result`, or one a
line), VictoriaMetrics' export, CloudWatch, Datadog, InfluxDB, Grafana's data frames, OTLP.

A value is walked; an object that a shape knows is a series, any other is looked into. What an expression gave, or a
store names no metric for, is called as its file is. Native histograms, scalars and strings are left out.
Sources: Prometheus docs, "Expression query result formats" (seconds, values as text); VictoriaMetrics docs,
`/api/v1/export`; AWS' GetMetricData and GetMetricStatistics; Datadog's "Query timeseries points"; InfluxDB's `/query`;
Grafana's data frames (`/api/ds/query`); opentelemetry-proto `metrics.proto` in its JSON encoding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from subagents.folder import documents, files, times, walking

_DEEP = 10  # storeys down to a series
_TELLS = re.compile(
    r'(?<!\\)"(?:'
    r'resultType"\s{0,9}:\s{0,9}"(?:matrix|vector)"'
    r'|metric"\s{0,9}:\s{0,9}\{[^{}]{0,4000}+\}\s{0,99},\s{0,99}"values?"\s{0,9}:\s{0,9}\['
    r'|(?:MetricDataResults|Datapoints|pointlist|resourceMetrics)"\s{0,9}:\s{0,9}\['
    r'|columns"\s{0,9}:\s{0,9}\[\s{0,99}"time"'
    r'|frames"\s{0,9}:\s{0,9}\[\s{0,99}\{\s{0,99}"schema"\s{0,9}:'
    r")"
)
_OTLP = ("gauge", "sum", "histogram", "summary")
_STATISTICS = ("Average", "Sum", "Maximum", "Minimum", "SampleCount")
_NO_NAME = re.compile(r"values?(?: #?[A-Z])?", re.IGNORECASE)  # what Grafana calls a field that nobody named

Item = Mapping[str, Any]
Points = Iterable[tuple[Any, Any]]


class Found(NamedTuple):
    """One series; `kind`: counter | gauge, or "" where its name tells."""

    name: str
    labels: Mapping[str, Any]
    points: Points
    kind: str = "gauge"


def is_series(head: str) -> bool:
    """Whether a file that begins so holds such series."""
    return head.lstrip()[:1] in ("{", "[") and _TELLS.search(head) is not None


def samples(path: str, packed: str, types: dict[str, str]) -> Iterator[tuple[str, float, float]]:
    """(series as OpenMetrics writes it, time in seconds, value), as `openmetrics.samples`; `types` is told what is a
    counter and what isn't. Raises files.Unreadable where the file is over 64 MB or broken JSON."""
    called = Path(path).name.partition(".")[0]
    for node in _values(path, packed):
        for found in _walk(node, {}):
            name = re.sub(r"[^\w.:]+", "_", found.name or called)
            types.update({name: found.kind} if found.kind else {})
            yield from _read(_written(name, found.labels), found.points)


def _written(name: str, labels: Item) -> str:
    told = (
        f"{re.sub('[^A-Za-z0-9_.]', '_', str(k))}={json.dumps(str(v), ensure_ascii=False)}" for k, v in labels.items()
    )
    return f"{name}{{{','.join(told)}}}"


def _read(text: str, points: Points) -> Iterator[tuple[str, float, float]]:
    for stamp, value in points:
        at = times.parse(stamp)
        with suppress(TypeError, ValueError):
            if at is not None:
                yield text, at, float(value)


def _values(path: str, packed: str) -> Iterator[Any]:
    """The one value that a file holds, or those that stand one a line."""
    text, read = documents.whole(path, packed), 0
    try:
        yield documents.parsed(text)
        return
    except files.Unreadable as e:
        why = e
    for line in text.splitlines():
        with suppress(ValueError, RecursionError):
            yield json.loads(line)
            read += 1
    if not read:
        raise why


def _walk(node: Any, around: Item, depth: int = 0) -> Iterator[Found]:
    if isinstance(node, dict):
        with suppress(AttributeError, LookupError, TypeError, ValueError):  # values that can't be meant so
            found = next((list(made) for shape in SHAPES if (made := shape(node, around)) is not None), None)
            if found is not None:
                yield from (series for series in found if isinstance(series.labels, dict))
                return
        resource = node.get("resource")
        around = _attributes(resource.get("attributes")) if isinstance(resource, dict) else around
    if depth < _DEEP and isinstance(node, dict | list):
        for inner in node.values() if isinstance(node, dict) else node:
            yield from _walk(inner, around, depth + 1)


def _prometheus(node: Item, around: Item) -> list[Found] | None:
    if not isinstance(node.get("metric"), dict) or not ("values" in node or "value" in node):
        return None
    labels = {**node["metric"]}
    name = labels.pop("__name__", "")
    values, stamps = node.get("values", [node.get("value")]), node.get("timestamps")
    points = zip(stamps, values, strict=False) if isinstance(stamps, list) else [p for p in values if len(p) == 2]
    return [Found(name, labels, points, "" if name else "gauge")]


def _cloudwatch(node: Item, around: Item) -> list[Found] | None:
    label = str(node.get("Label", ""))
    if "Timestamps" in node and "Values" in node:
        return [Found(label, {}, list(zip(node["Timestamps"], node["Values"], strict=False)))]
    if not isinstance(rows := node.get("Datapoints"), list):
        return None
    return [
        Found(label, {"stat": of}, [(row["Timestamp"], row[of]) for row in rows if of in row])
        for of in _STATISTICS
        if any(of in row for row in rows)
    ]


def _datadog(node: Item, around: Item) -> list[Found] | None:
    if not isinstance(node.get("pointlist"), list):
        return None
    tags = node.get("tag_set") or str(node.get("scope", "")).split(",")
    labels = dict(tag.split(":", 1) for tag in tags if ":" in tag)
    return [Found(str(node.get("metric", "")), labels, [p for p in node["pointlist"] if p[1] is not None])]


def _influx(node: Item, around: Item) -> list[Found] | None:
    columns, rows = node.get("columns"), node.get("values")
    if not (isinstance(columns, list) and isinstance(rows, list) and "time" in columns):
        return None
    base, labels, time = str(node.get("name", "")), node.get("tags") or {}, columns.index("time")
    fields = [(i, c) for i, c in enumerate(columns) if i != time and any(_number(row[i]) for row in rows)]
    return [
        Found(
            base if c in ("value", "mean") else f"{base}_{c}", labels, [(r[time], r[i]) for r in rows if _number(r[i])]
        )
        for i, c in fields
    ]


def _frame(node: Item, around: Item) -> list[Found] | None:
    schema, data = node.get("schema"), node.get("data")
    if not (isinstance(schema, dict) and isinstance(schema.get("fields"), list) and isinstance(data, dict)):
        return None
    fields, columns = schema["fields"], data["values"]
    stamps: list[Any] = next((c for f, c in zip(fields, columns, strict=False) if f.get("type") == "time"), [])
    found = []
    for field, column in zip(fields, columns, strict=False):
        if field.get("type") == "number":
            labels = {**(field.get("labels") or {})}
            name = labels.pop("__name__", "") or ("" if _NO_NAME.fullmatch(field.get("name", "")) else field["name"])
            name = name or str(schema.get("name") or "")
            found.append(Found(name, labels, [p for p in zip(stamps, column, strict=False) if _number(p[1])]))
    return found


def _otlp(node: Item, around: Item) -> list[Found] | None:
    kind = next((k for k in _OTLP if isinstance(node.get(k), dict) and "dataPoints" in node[k]), "")
    if not kind:
        return None
    name, body = str(node.get("name", "")), node[kind]
    monotonic = "counter" if kind == "sum" and body.get("isMonotonic") else "gauge"
    found = []
    for point in body["dataPoints"]:
        labels, at = {**around, **_attributes(point.get("attributes"))}, int(point["timeUnixNano"])
        if (value := point.get("asDouble", point.get("asInt"))) is not None:
            found.append(Found(name, labels, [(at, value)], monotonic))
        for part in ("count", "sum"):
            if part in point:
                found.append(Found(f"{name}_{part}", labels, [(at, point[part])], "counter"))
    return found


SHAPES: tuple[Callable[[Item, Item], Sequence[Found] | None], ...] = (
    _prometheus, _cloudwatch, _datadog, _influx, _frame, _otlp,
)  # fmt: skip


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _attributes(listed: Any) -> dict[str, Any]:
    """OTLP's attributes as labels: `service.name` is the service."""
    said = walking.attributes(listed)
    return {"service" if k == "service.name" else k: v for k, v in said.items() if not isinstance(v, dict | list)}

"""Metrics as CSV: long (`timestamp,service,metric,value`, columns in any order, others are labels), wide (a time, one
column a metric, text columns are the service and labels), and tables whose several header rows name the parts.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import NamedTuple

from subagents.folder import files, keys, times

_TIME = ("timestamp", "time", "ts", "datetime", "date", "timeunixnano")
_METRIC = ("metric", "metricname", "name", "measurement")
_VALUE = ("value", "v", "val")
_SERVICE = ("service", "servicename", "app", "application", "microservice", "component", "podname", "pod", "host")
_PODS = frozenset(("podname", "pod", "host"))
_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?|nan|NaN|[+-]?[iI]nf")


Column = tuple[str, str, str, tuple[tuple[str, str], ...]]  # metric, service, unit, labels


class Layout(NamedTuple):
    """Where things stand: columns by number, the values' with what is known of them."""

    time: int
    service: int | None
    metric: int | None
    labels: dict[int, str]
    values: dict[int, Column]
    headers: int
    pods: bool = False  # the services are named by their pods


class Point(NamedTuple):
    name: str
    service: str
    unit: str
    labels: tuple[tuple[str, str], ...]
    at: float
    value: float


def layout(rows: list[list[str]]) -> Layout | None:
    """How the table is laid out, or None where it holds no metrics. `rows`: the first rows, header included."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return None
    width = len(rows[0])
    headers = next((n for n, row in enumerate(rows) if _is_data(row, rows[0])), 0)
    if headers == 0 or any(len(r) != width for r in rows[: headers + 1]):
        return None
    return _single(rows[0], rows[headers:]) if headers == 1 else _stacked(rows[:headers], headers)


def _is_data(row: list[str], top: list[str]) -> bool:
    timed = any(times.parse(cell) is not None for cell in row[:6])
    return row != top and timed and any(_NUMBER.fullmatch(cell.strip()) for cell in row)


def _single(header: list[str], data: list[list[str]]) -> Layout | None:
    names = {keys.norm(h): i for i, h in reversed(list(enumerate(header)))}
    time = next((names[t] for t in _TIME if t in names and times.parse(data[0][names[t]]) is not None), None)
    if time is None:
        return None
    service = next((names[s] for s in _SERVICE if s in names), None)
    metric = next((names[m] for m in _METRIC if m in names), None)
    value = next((names[v] for v in _VALUE if v in names), None)
    pods = service is not None and keys.norm(header[service]) in _PODS
    taken = {time, service, metric, value}
    others = [i for i in range(len(header)) if i not in taken and keys.norm(header[i]) not in _TIME]
    if value is not None:
        labels = {i: header[i] for i in others}
        return Layout(time, service, metric, labels, {value: (header[value], "", "", ())}, 1, pods)
    numeric = [i for i in others if _numeric(data, i)]
    columns = {i: _column(header[i]) for i in numeric}
    labels = {i: header[i] for i in others if i not in columns}
    return Layout(time, service, None, labels, columns, 1, pods) if columns else None


def _numeric(data: list[list[str]], column: int) -> bool:
    cells = [row[column].strip() for row in data if len(row) > column and row[column].strip()]
    return all(_NUMBER.fullmatch(cell) for cell in cells)


def _column(header: str) -> Column:
    """`latency (ms)` names its unit."""
    name, opened, unit = header.removesuffix(")").rpartition("(")
    named = opened and header.endswith(")") and ")" not in unit
    return (name.rstrip(), "", unit, ()) if named else (header, "", "", ())


def _stacked(headers: list[list[str]], count: int) -> Layout | None:
    """Several header rows: the first row that names many services, then the metric, the rest are labels."""
    title = [row[0].strip() or f"level{n}" for n, row in enumerate(headers)]
    columns = {}
    for i in range(1, len(headers[0])):
        cells = [row[i].strip() for row in headers]
        if cells[0] and len(cells) > 1:
            extra = tuple((title[n], c) for n, c in enumerate(cells[2:], 2) if c)
            columns[i] = (cells[1], cells[0], "", extra)
    return Layout(0, None, None, {}, columns, count) if columns else None


def rows(path: str, packed: str, mark: str = ",") -> Iterator[list[str]]:
    text = (line.decode("utf-8", "replace").lstrip("\ufeff") for _, line in files.lines(path, packed))
    reader = csv.reader(text, delimiter=mark)
    while True:
        try:
            yield next(reader)
        except csv.Error:
            continue
        except StopIteration:
            return


def points(path: str, packed: str, form: Layout, zone: str = "") -> Iterator[Point]:
    """All points of a file in file order; cells that are no number are left out. `zone`: of times without an offset."""
    clock = times.Clock(zone=zone)
    for n, row in enumerate(rows(path, packed)):
        if n < form.headers or len(row) <= form.time:
            continue
        at = times.parse(row[form.time], clock)
        if at is None:
            continue
        own = row[form.service] if form.service is not None and form.service < len(row) else ""
        own = keys.workload(own) if form.pods else own
        labels = tuple((name, row[i]) for i, name in form.labels.items() if i < len(row) and row[i])
        for i, (name, service, unit, extra) in form.values.items():
            if i < len(row) and _NUMBER.fullmatch(row[i].strip()):
                metric = row[form.metric] if form.metric is not None else name
                yield Point(metric, service or own, unit, labels + extra, at, float(row[i]))

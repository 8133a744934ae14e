"""Scans of one metrics file: series in a window, and requests by status code. Runs in worker processes.

Reads a file as a stream and keeps only what was asked for; results are plain JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from typing import Any

from subagents.folder.formats import csv_metrics, openmetrics
from subagents.folder.formats.alertmanager import service_of
from subagents.folder.formats.sampled import SAMPLES, Samples
from subagents.folder.records import Row

POINTS_MAX = 2_000_000
_CODES = ("code", "status", "status_code", "http_status", "response_code", "http_response_status_code", "http_code")
_REQUESTS = ("request", "http", "grpc", "rpc")
Where = tuple[str, str, str, str]  # path, compression, kind (of SAMPLES, or csv), zone of times without an offset


def series(
    where: Where, since: float | None, until: float | None, services: list[str], names: list[str], step: float | None
) -> Row:
    """{"series": [{name, service, kind, unit, labels, points: [[t, v] …]}], "cut"} of the window.

    With a step: the last point of each for counters, the mean for the rest. Buckets of histograms and ALERTS only
    come where they are named.
    """
    found: dict[Any, Row] = {}
    n = 0
    for key, make, at, value in _read(where, frozenset(services), frozenset(names)):
        if (since is not None and at < since) or (until is not None and at >= until):
            continue
        if n >= POINTS_MAX:
            break
        n += 1
        row = found.get(key)
        if row is None:
            row = found[key] = make()
        row["points"].append((at, value))
    for row in found.values():
        row["points"] = stepped(sorted(row["points"]), step, row["kind"])
    return {"series": list(found.values()), "cut": n >= POINTS_MAX}


def stepped(points: list[tuple[float, float]], step: float | None, kind: str) -> list[tuple[float, float]]:
    """Points thinned to one for each step, at the step's start."""
    if not step:
        return points
    groups = ((at, [v for _, v in group]) for at, group in groupby(points, lambda p: p[0] // step * step))
    return [(at, vs[-1] if kind == "counter" else sum(vs) / len(vs)) for at, vs in groups]


Sample = tuple[Any, Callable[[], Row], float, float]


def _read(where: Where, services: frozenset[str], names: frozenset[str]) -> Iterator[Sample]:
    path, packed, kind, zone = where
    if kind not in SAMPLES:
        return _csv(path, packed, zone, services, names)
    return _open(SAMPLES[kind], path, packed, services, names)


def _open(
    samples: Samples, path: str, packed: str, services: frozenset[str], names: frozenset[str]
) -> Iterator[Sample]:
    types: dict[str, str] = {}
    wanted: dict[str, bool] = {}
    for text, at, value in samples(path, packed, types):
        good = wanted.get(text)
        if good is None:
            name, labels = openmetrics.name_and_labels(text)
            good = _named(name, names) and (not services or service_of(labels) in services)
            wanted[text] = good
        if good:
            yield text, partial(_open_row, text, types), at, value


def _named(name: str, names: frozenset[str]) -> bool:
    if names:
        return name in names or name.removesuffix("_total") in names
    return not name.endswith(("_bucket", "_created")) and not name.startswith("ALERTS")


def _open_row(text: str, types: dict[str, str]) -> Row:
    name, labels = openmetrics.name_and_labels(text)
    unit = next((u for u in ("seconds", "bytes", "ratio", "percent") if u in re.split("[_:]", name)), "")
    return {
        "name": name, "service": service_of(labels), "kind": openmetrics.kind(name, types),
        "unit": {"seconds": "s", "bytes": "B", "percent": "%"}.get(unit, ""), "labels": labels, "points": [],
    }  # fmt: skip


def _csv(path: str, packed: str, zone: str, services: frozenset[str], names: frozenset[str]) -> Iterator[Sample]:
    top = [row for _, row in zip(range(20), csv_metrics.rows(path, packed), strict=False)]
    form = csv_metrics.layout(top)
    for point in csv_metrics.points(path, packed, form, zone) if form else ():
        if (names and point.name not in names) or (services and point.service not in services):
            continue
        key = (point.name, point.service, point.labels)
        yield key, partial(_csv_row, point), point.at, point.value


def _csv_row(point: csv_metrics.Point) -> Row:
    return {
        "name": point.name, "service": point.service, "kind": "unknown", "unit": point.unit,
        "labels": dict(point.labels), "points": [],
    }  # fmt: skip


def ratio(where: Where, since: float, until: float) -> Row:
    """{"counts": [[service, code, requests] …], "metric"}: what request counters grew by in the window.

    A counter's value at the window's start is taken off; one that is born inside starts from zero, one that falls was
    reset and starts from zero again. Where a file begins with a counter already high, what it stood at isn't counted.
    """
    path, packed, kind, _ = where
    if kind not in SAMPLES:
        return {"counts": [], "metric": ""}
    types: dict[str, str] = {}
    state: dict[str, _Growth | None] = {}
    first = None
    for text, at, value in SAMPLES[kind](path, packed, types):
        first = at if first is None else min(first, at)
        growth = state.get(text)
        if growth is None:
            if text in state:
                continue
            growth = state[text] = _Growth(text) if _is_requests(text, types) else None
        if growth is not None:
            growth.add(at, value, since, until)
    return _summed([g for g in state.values() if g is not None], first)


class _Growth:
    """How much one counter grew inside the window."""

    __slots__ = ("born", "last", "leap", "text", "total")

    def __init__(self, text: str) -> None:
        self.text, self.total, self.leap = text, 0.0, 1.0
        self.last: float | None = None
        self.born: tuple[float, float] | None = None  # time and value of a first sample inside the window

    def add(self, at: float, value: float, since: float, until: float) -> None:
        """A sample at the window's very end counts: it tells of what happened before."""
        if at > until or value != value:
            return
        if at > since:
            if self.last is None:
                self.born = (at, value)
            grown = value - (self.last or 0.0) if value >= (self.last or 0.0) else value
            self.total += grown
            self.leap = self.leap if self.last is None else max(self.leap, grown)
        self.last = value

    def counted(self, first: float | None) -> float:
        """A counter in the file's first samples is new if it stands no higher than a few steps bring."""
        if self.born is not None and self.born[0] == first and self.born[1] > 3 * self.leap:
            return self.total - self.born[1]
        return self.total


def _is_requests(text: str, types: dict[str, str]) -> bool:
    name, labels = openmetrics.name_and_labels(text)
    if openmetrics.kind(name, types) != "counter" or name.endswith(("_bucket", "_sum")):
        return False
    return any(c in labels for c in _CODES) and any(word in name for word in _REQUESTS)


def _summed(grown: list[_Growth], first: float | None) -> Row:
    """One metric only: the one that counts most (a server and a client side would count requests twice)."""
    by_name: dict[str, dict[tuple[str, str], float]] = {}
    for growth in grown:
        name, labels = openmetrics.name_and_labels(growth.text)
        code = next(labels[c] for c in _CODES if c in labels)
        counts = by_name.setdefault(name, {})
        counts[service_of(labels), code] = counts.get((service_of(labels), code), 0.0) + growth.counted(first)
    if not by_name:
        return {"counts": [], "metric": ""}
    metric = max(by_name, key=lambda n: (sum(by_name[n].values()), n))
    return {"counts": [[s, c, n] for (s, c), n in by_name[metric].items()], "metric": metric}


JOBS: dict[str, Callable[..., Row]] = {"series": series, "ratio": ratio}

"""PetShop: metrics of an issue after those of a day without one, the service graph, and the root-cause node.

The data set is amazon-science/petshop-root-cause-analysis (CC-BY-4.0): stacked headers of node, metric, statistic.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from orchestrator.contracts import Window
from subagents.cause.facts import Facts
from subagents.sources import Episode, Series
from subagents.topology import Topology

Column = tuple[str, str, str]
Points = tuple[tuple[datetime, float], ...]
SHIFT = timedelta(hours=2)  # the calm day is moved to end so long before the issue


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    facts: Facts
    at: datetime
    target: str
    metric: str
    root: str


def cases(root: Path) -> Iterator[Case]:
    for item in json.loads((root / "truth.json").read_text(encoding="utf-8")):
        traffic, target = item["id"].split("/")[0], item["targets"][0]
        at = datetime.fromtimestamp(target["timestamp"], UTC)
        issue, calm = (
            columns(root / item["id"] / "metrics.csv.gz"),
            columns(root / traffic / "noissue" / "metrics.csv.gz"),
        )
        topology = Topology(edges(root / traffic / "graph.csv"))
        alert = Episode(target["metric"], target["node"], "critical", at, None, labels={"metric": target["metric"]})
        facts = Facts(_window(issue, at), (target["node"],), topology, tuple(_joined(issue, calm)), episodes=(alert,))
        yield Case(item["id"], facts, at, target["node"], target["metric"], item["root_cause"]["node"])


def _window(issue: dict[Column, Points], at: datetime) -> Window:
    times = [t for points in issue.values() for t, _ in points]
    return Window(min(times), max(max(times), at) + timedelta(minutes=5))


def _joined(issue: dict[Column, Points], calm: dict[Column, Points]) -> Iterator[Series]:
    start = min(t for points in issue.values() for t, _ in points)
    end = max(t for points in calm.values() for t, _ in points)
    for (node, metric, statistic), points in issue.items():
        usual = tuple((t + (start - end - SHIFT), v) for t, v in calm.get((node, metric, statistic), ()))
        yield Series(metric, node, "gauge", "", (*usual, *points), {"statistic": statistic})


@lru_cache(maxsize=4)
def _lines(path: Path) -> tuple[tuple[str, ...], ...]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return tuple(tuple(row) for row in csv.reader(file))


def columns(path: Path) -> dict[Column, Points]:
    rows = _lines(path)
    names: list[Column] = [(a, b, c) for a, b, c in zip(*(r[1:] for r in rows[:3]), strict=True)]
    found: dict[Column, list[tuple[datetime, float]]] = {name: [] for name in names}
    for row in rows[3:]:
        if not row[0].replace(".", "").isdigit():
            continue
        at = datetime.fromtimestamp(float(row[0]), UTC)
        for name, cell in zip(names, row[1:], strict=True):
            if cell:
                found[name].append((at, float(cell)))
    return {name: tuple(points) for name, points in found.items()}


def edges(path: Path) -> frozenset[tuple[str, str]]:
    """A matrix: a row calls the columns where it isn't 0."""
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    return frozenset((r[0], b) for r in rows[1:] for b, n in zip(rows[0][1:], r[1:], strict=True) if float(n))

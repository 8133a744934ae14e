"""Metrics of a folder: series in a window, and requests with their server errors, counted exactly where counters or
access logs allow it."""

from __future__ import annotations

from collections import defaultdict
from math import isfinite

from orchestrator.contracts import Window
from subagents.folder import times
from subagents.folder.files import unpacked
from subagents.folder.formats.sampled import SAMPLES
from subagents.folder.jobs import Job
from subagents.folder.logs import FolderLogs
from subagents.folder.material import Material, MetricFile, covering, of_files
from subagents.folder.records import Row
from subagents.folder.scan_metrics import stepped
from subagents.folder.wording import query
from subagents.sources import Answered, Coverage, Health, LogQuery, MetricQuery, Ratio, Series


class FolderMetrics:
    name = "folder metrics"
    caps = frozenset(("series", "ratio"))

    def __init__(self, material: Material) -> None:
        self._material = material
        self._points = material.of("point")

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of its series, as far as the first look saw them."""
        names = {n for f in self._material.metrics for n in f.survey.get("names", ())}
        return tuple(sorted(names | {p["name"] for p in self._points}))

    async def probe(self) -> Health:
        n = len(self._material.metrics) + bool(self._points)
        return Health(n > 0, f"{n} metrics file(s) in {self._material.root}" if n else self._material.none("metrics"))

    async def coverage(self) -> Coverage:
        files = self._material.metrics
        services = {s for f in files for s in f.survey["services"]} | {p["service"] for p in self._points}
        own = of_files(files, services, self._material.notes, self._material.zone)
        ends = [at.timestamp() for at in (own.since, own.until) if at] + [p["at"] for p in self._points]
        return covering(ends, services, self._material.notes, self._material.zone)

    async def series(self, q: MetricQuery, step: float | None = None) -> Answered[tuple[Series, ...]]:
        """Every series of the window; histogram buckets and ALERTS only where they are named.

        With `step` (seconds) one point for each: a counter's last, the mean of others. A counter is given as it
        stands; what it grew by is the caller's to work out from its points.
        """
        window = (q.window.start.timestamp(), q.window.end.timestamp())
        question = ("series", *window, sorted(q.services), sorted(q.names), step)
        results = await self._asked(question, self._overlapping(*window))
        rows = [row for result in results for row in result["series"]]
        rows += _from_points(self._points, q, step)
        found = tuple(_series(row) for row in _joined(rows))
        gaps = ("a file holds more points than are read at once: narrow the window",) * any(r["cut"] for r in results)
        odd = sum(not isfinite(v) for row in rows for _, v in row["points"])
        gaps += (f"{odd} value(s) are no numbers (NaN or infinite) and are left out",) * bool(odd)
        said, whole = query("metrics", q.window, metric=q.names, service=q.services, step=step), not gaps
        gaps += self._material.gaps("metrics", len(found))
        return Answered(found, said, q.window, total=len(found), complete=whole, gaps=gaps)

    async def ratio(self, services: tuple[str, ...], window: Window) -> Answered[tuple[Ratio, ...]]:
        """Requests and those with a 5xx answer, of each service, from counters, else from access logs."""
        edges = (window.start.timestamp(), window.end.timestamp())
        files = [f for f in self._material.metrics if f.survey["kind"] in SAMPLES]
        results = await self._asked(("ratio", *edges), files)
        counts = [(s, c, n) for result in results for s, c, n in result["counts"]]
        metric = next((result["metric"] for result in results if result["metric"]), "")
        gaps: tuple[str, ...] = ()
        if not any(n for _, _, n in counts):
            metric, counts = "access logs", await self._from_logs(services, window)
        found = tuple(r for r in _ratios(counts) if not services or r.service in services)
        missing = sorted(set(services) - {r.service for r in found})
        if missing:
            gaps = (f"no request counts by status for {', '.join(missing)}",)
        said = query("requests by status", window, service=services, metric=metric)
        return Answered(found, said, window, total=len(found), gaps=gaps)

    async def _from_logs(self, services: tuple[str, ...], window: Window) -> list[tuple[str, str, float]]:
        logs = FolderLogs(self._material, only="access log")
        counted = await logs.count(LogQuery(window, services), ("service", "code"))
        return [(c.keys["service"], c.keys["code"], float(c.n)) for c in counted.rows if c.keys["code"]]

    def _overlapping(self, since: float, until: float) -> list[MetricFile]:
        return [
            f
            for f in self._material.metrics
            if f.survey["since"] is not None and f.survey["since"] < until and f.survey["until"] >= since
        ]

    async def _asked(self, question: tuple[object, ...], files: list[MetricFile]) -> list[Row]:
        """The same question about the same file a second time isn't read again."""
        index = self._material.index
        known = {f.found: index.get(f.found, (*question, f.zone)) for f in files}
        missing = [f for f in files if known[f.found] is None]
        name, *args = question
        jobs = [Job(str(name), unpacked(f.found.size, f.found.packed), (f.where, *args)) for f in missing]
        for f, result in zip(missing, await self._material.pool.all(jobs), strict=True):
            index.put(f.found, (*question, f.zone), result)
            known[f.found] = result
        return [row for f in files if (row := known[f.found]) is not None]


def _from_points(points: list[Row], q: MetricQuery, step: float | None) -> list[Row]:
    rows: dict[object, Row] = {}
    since, until = q.window.start.timestamp(), q.window.end.timestamp()
    for p in points:
        named = not q.names or p["name"] in q.names
        if named and since <= p["at"] < until and (not q.services or p["service"] in q.services):
            key = (p["name"], p["service"], tuple(sorted(p["labels"].items())))
            row = rows.setdefault(key, {**p, "kind": "unknown", "points": []})
            row["points"].append((p["at"], p["value"]))
    return [{**row, "points": stepped(sorted(row["points"]), step, "unknown")} for row in rows.values()]


def _joined(rows: list[Row]) -> list[Row]:
    """A series that several files hold parts of is one; by service and name."""
    joined: dict[object, Row] = {}
    for row in rows:
        key = (row["service"], row["name"], tuple(sorted(row["labels"].items())))
        if key in joined:
            points = dict([*joined[key]["points"], *row["points"]])
            joined[key] = {**joined[key], "points": sorted(points.items())}
        else:
            joined[key] = {**row, "points": sorted(tuple(p) for p in row["points"])}
    return [joined[key] for key in sorted(joined, key=repr)]


def _series(row: Row) -> Series:
    return Series(
        name=row["name"],
        service=row["service"],
        kind=row["kind"],
        unit=row["unit"],
        points=tuple((times.aware(at), v) for at, v in row["points"] if isfinite(v)),
        labels={k: v for k, v in row["labels"].items() if k != "service"},
    )


def _ratios(counts: list[tuple[str, str, float]]) -> list[Ratio]:
    total: dict[str, float] = defaultdict(float)
    bad: dict[str, float] = defaultdict(float)
    for service, code, n in counts:
        total[service] += n
        bad[service] += n if code.startswith("5") else 0.0
    return [Ratio(s, _whole(total[s]), _whole(bad[s])) for s in sorted(total)]


def _whole(n: float) -> int | float:
    return int(n) if n == int(n) else n

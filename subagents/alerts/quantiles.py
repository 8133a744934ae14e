"""Percentiles out of histogram buckets, as Prometheus' `histogram_quantile` works them out. Pure.

A bucket counts what took at most its bound `le` seconds; within a bucket observations are taken as evenly spread, so
that a percentile is as exact as the buckets are narrow, and above the last bound nothing is known but "more".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite, nan

from orchestrator import when
from orchestrator.contracts import Figure, Json, ToolResult, Window
from subagents.alerts.measured import figure
from subagents.asking import Merged
from subagents.sources import Series

SUFFIX = "_bucket"
ASKED = re.compile(r"(?<![a-z0-9])p(\d{2}(?:\.\d+)?|999)(?![\d])|(\d{2}) ?(?:分位|百分位)|(median|中位)", re.IGNORECASE)
ROWS = 12
SAID = 4
Counts = dict[float, float]  # how many, by bound


@dataclass(frozen=True, slots=True)
class Percentile:
    """`value`: NaN where nothing was observed, the last finite bound with `above` where it lies beyond that; `n`
    observations in the window, `before` the value of the time before it."""

    service: str
    name: str
    value: float
    above: bool
    n: float
    before: float


def histograms(rows: Sequence[Series]) -> tuple[str, ...]:
    """Names of the bucket series that belong to what was measured: each `x_count` may have its `x_bucket`."""
    return tuple(sorted({f"{s.name.removesuffix('_count')}{SUFFIX}" for s in rows if s.name.endswith("_count")}))


def quantile(q: float, counts: Mapping[float, float]) -> tuple[float, bool]:
    """`counts`: cumulative, by upper bound. The value, and whether it lies above the last finite bound.

    Source: the algorithm that Prometheus documents for `histogram_quantile` (linear within a bucket, 0 as the lower
    bound of the first one when its upper bound is positive).
    """
    bounds = sorted(counts)
    total = counts[bounds[-1]] if bounds else 0.0
    if not total or len(bounds) < 2:
        return nan, False
    rank = q * total
    at = next(n for n, bound in enumerate(bounds) if counts[bound] >= rank)
    if not isfinite(bounds[at]):
        return bounds[at - 1], True
    low, below = (bounds[at - 1], counts[bounds[at - 1]]) if at else (min(0.0, bounds[0]), 0.0)
    inside = counts[bounds[at]] - below
    return low + (bounds[at] - low) * ((rank - below) / inside if inside else 1.0), False


def percentiles(found: Merged[Series], q: float, span: Window, asked: Sequence[str]) -> ToolResult:
    """The result of `metric` with a quantile: each histogram of a service as a whole, the slowest first."""
    rows = sorted(_of_each(found.rows, q, span), key=lambda p: -p.value)
    name, of = f"p{figure(100 * q)}", f" of {', '.join(asked)}" if asked else ""
    if not rows:
        text = f"no histogram{of} in {when.say(span)}: {name} can't be told, only the mean"
        return found.result(text, span, {"quantile": q, "percentiles": []})
    told = [f"{name}{of} · {when.say(span)} · from histogram buckets", *(_row(p, name) for p in rows[:ROWS])]
    figures = [f for p in rows[:ROWS] for f in _figures(p, name)]
    data = {"quantile": q, "percentiles": [_json(p) for p in rows[:ROWS]]}
    return found.result("\n".join(told), span, data, figures, min(len(rows), ROWS), len(rows))


def asked(text: str) -> dict[str, Json]:
    """The argument of `metric` for a question of a percentile; {} for others."""
    found = ASKED.search(text)
    if not found:
        return {}
    digits = found[1] or found[2] or "50"
    return {"quantile": float(f"0.{digits.replace('.', '')}")}


def told(data: Json, cite: str, zh: bool) -> list[str]:
    """What a percentile is, in a sentence each; that none can be told where nothing is a histogram."""
    name = f"p{figure(100 * data['quantile'])}"
    if not data["percentiles"]:
        none = (
            f"没有直方图指标，无法得出 {name}，只有平均值可查" if zh else f"There is no histogram to take a {name} from"
        )
        return [f"{none} {cite}{'。' if zh else '.'}"]
    lines = []
    for row in data["percentiles"][:SAID]:
        value, before, n = f"{row['value']}{row['unit']}", row["before"], row["n"]
        if zh:
            was = "" if before is None else f"，之前 {before}{row['unit']}"
            more = "超过 " * row["above"]
            lines.append(f"{row['service']} `{row['name']}` 的 {name} 为 {more}{value}（共 {n} 次{was}） {cite}。")
        else:
            was = "" if before is None else f", before {before}{row['unit']}"
            more = "more than " * row["above"]
            lines.append(f"{name} of {row['service']} `{row['name']}`: {more}{value} ({n} observations{was}) {cite}.")
    return lines


def _of_each(rows: Sequence[Series], q: float, span: Window) -> Iterator[Percentile]:
    during: dict[tuple[str, str], Counts] = defaultdict(lambda: defaultdict(float))
    earlier: dict[tuple[str, str], Counts] = defaultdict(lambda: defaultdict(float))
    for s in rows:
        bound = _bound(s.labels.get("le", ""))
        if bound is None or not s.name.endswith(SUFFIX):
            continue
        key = s.service, s.name.removesuffix(SUFFIX)
        for (_, x), (at, y) in pairwise(s.points):
            side = during if at in span else earlier if at < span.start else None
            if side is not None:
                side[key][bound] += y - x if y >= x else y
    for (service, name), counts in during.items():
        value, above = quantile(q, counts)
        if value == value:
            before, _ = quantile(q, earlier.get((service, name), {}))
            yield Percentile(service, name, value, above, counts[max(counts)], before)


def _bound(le: str) -> float | None:
    try:
        return inf if le in ("+Inf", "inf", "Inf") else float(le)
    except ValueError:
        return None


def _unit(name: str) -> str:
    return "s" if name.endswith("_seconds") else "B" if name.endswith("_bytes") else ""


def _row(p: Percentile, name: str) -> str:
    unit, above = _unit(p.name), "more than " * p.above
    before = "" if p.before != p.before else f" (before {figure(p.before)}{unit})"
    return f"{p.service} {p.name} {name} {above}{figure(p.value)}{unit}{before}, {figure(p.n)} observations"


def _figures(p: Percentile, name: str) -> list[Figure]:
    label, unit = {"service": p.service, "metric": p.name}, _unit(p.name)
    known = [] if p.before != p.before else [Figure(f"{name} before", figure(p.before), unit, label)]
    return [Figure(name, figure(p.value), unit, label), *known, Figure("observations", figure(p.n), "", label)]


def _json(p: Percentile) -> Json:
    before = None if p.before != p.before else figure(p.before)
    return {"service": p.service, "name": p.name, "unit": _unit(p.name), "value": figure(p.value), "above": p.above,
            "n": figure(p.n), "before": before}  # fmt: skip

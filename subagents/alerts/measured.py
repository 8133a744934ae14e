"""Metric series against their level before the window. Pure: counters become rates here, resets included.

Where a target's data begins nothing is known of before: no level is made up there, and nothing "left" one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from orchestrator import when
from orchestrator.contracts import Figure, Json, ToolResult, Window
from subagents.alerts import latencies
from subagents.asking import Merged
from subagents.cause.words import DOWN_IS_BAD, LOAD, UP_IS_BAD
from subagents.onset import Shift, shift
from subagents.saying import Clock
from subagents.sources import Series

ROWS = 12
STRONG = 2.0  # spreads beyond the limit from which a change tells an onset
NEAR = timedelta(minutes=15)
MOST = 1000.0  # a change from nothing is infinitely many spreads
CODES = ("code", "status", "status_code", "http_status", "http_status_code", "response_code", "outcome", "result")
Points = list[tuple[datetime, float]]
Target = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Moved:
    """`unit`: of `change`; a counter's is per second."""

    series: Series
    unit: str
    change: Shift

    @property
    def harm(self) -> bool:
        """It moved far, and that may be a failure."""
        return self.change.factor >= STRONG and not harmless(self.series, self.change.during > self.change.before)

    @property
    def name(self) -> str:
        return named(self.series)


def named(series: Series) -> str:
    """The metric with those labels that tell it from its neighbours."""
    rest = {k: v for k, v in series.labels.items() if k not in ("service", "job", "instance", "__name__")}
    inner = ",".join(f"{k}={v}" for k, v in sorted(rest.items()))
    return f"{series.name}{{{inner}}}" if inner else series.name


def beginnings(rows: Sequence[Series]) -> dict[Target, datetime]:
    """Since when each target is known to have been looked at: the first point of any of its series."""
    found: dict[Target, datetime] = {}
    for series in rows:
        if series.points:
            first = series.points[0][0]
            found[target(series)] = min(found.get(target(series), first), first)
    return found


def target(series: Series) -> Target:
    """What exposes a series: its service, and which of its instances where that is told."""
    return series.service, series.labels.get("instance") or series.labels.get("pod") or ""


def rates(points: Sequence[tuple[datetime, float]], began: datetime | None = None) -> Points:
    """A counter's growth per second, at the end of each step; after a reset it counts from 0.

    A counter that first appears after its target's data `began` had been 0 since: what it counts had not happened yet.
    """
    found: Points = []
    steps = [b - a for (a, _), (b, _) in pairwise(points)]
    if began is not None and steps and steps[0] and points[0][0] > began + steps[0]:
        (first, value), step = points[0], steps[0]
        found = [(first - k * step, 0.0) for k in range((first - began) // step, 0, -1)]
        found.append((first, value / step.total_seconds()))
    for (a, x), (b, y) in pairwise(points):
        seconds = (b - a).total_seconds()
        if seconds > 0:
            found.append((b, (y - x if y >= x else y) / seconds))
    return found


def harmless(series: Series, up: bool) -> bool:
    """Whether a move that way is surely no failure: more or less load, answers that succeeded, what got better."""
    code = next((series.labels[k] for k in CODES if k in series.labels), "")
    if code:
        return not up or code[:1] in ("1", "2", "3") or code.lower() in ("ok", "success", "hit")
    if LOAD.search(series.name):
        return True
    if DOWN_IS_BAD.search(series.name):
        return up
    return bool(UP_IS_BAD.search(series.name)) and not up


def moved(found: Merged[Series], span: Window, asked: Sequence[str], names: Sequence[str]) -> ToolResult:
    """The result of `metric`: changed series first, by how far they moved."""
    looked = list(found.rows) if names else averaged(found.rows)
    began = beginnings(found.rows)
    changed = [m for s in looked if (m := _moved(s, span, began.get(target(s)))) is not None]
    rows = sorted(changed, key=lambda m: -m.change.factor)
    of = f" of {', '.join(asked)}" if asked else ""
    if not looked:
        return found.result(f"no series{of} in {when.say(span)}", span, {"series": [], "onset": None, "slow": []})
    clock = Clock(span)
    text = [f"metrics{of} · {when.say(span)} · {len(rows)} of {len(looked)} series left the level before the window"]
    text += [_row(m, clock) for m in rows[:ROWS]]
    if not rows:
        text += [_level(s, span) for s in looked[:ROWS]]
    figures = [f for m in rows[:ROWS] for f in _figures(m)]
    figures += [Figure("series changed", len(rows)), Figure("series", len(looked))]
    onset = _onset(rows, asked)
    strong = dict.fromkeys(m.series.service for m in rows if m.harm and m.series.service)
    timed = [s for s in looked if latencies.is_one(s)]
    usual, more = latencies.steady(timed, named, figure, span)
    away = {(m.series.service, m.name): _json(m) for m in rows if latencies.is_one(m.series)}
    figures += [*(f for m in rows[ROWS:] if latencies.is_one(m.series) for f in _figures(m)), *more]
    data = {
        "series": [_json(m) for m in rows[:ROWS]],
        "onset": onset.isoformat() if onset else None,
        "services": list(strong),
        "slow": [row | away.get((row["service"], row["name"]), {}) for row in usual],
    }
    shown = min(len(rows) or len(looked), ROWS)
    return found.result("\n".join(text), span, data, figures, shown, len(looked))


def _moved(series: Series, span: Window, began: datetime | None) -> Moved | None:
    counter = series.kind == "counter"
    points = rates(series.points, began) if counter else list(series.points)
    change = shift(points, span.start, _least(series) if counter else 0.0)
    if change is None:
        return None
    unit = series.unit or (latencies.unit(series.name) if latencies.is_one(series) else "")
    return Moved(series, "/s" if counter else unit, change)


def _least(series: Series) -> float:
    """Of a counter of events, two in a step: single ones come and go. Sums of other units have no such floor."""
    whole = all(value.is_integer() for _, value in series.points)
    steps = sorted((b - a).total_seconds() for (a, _), (b, _) in pairwise(series.points))
    step = steps[len(steps) // 2] if steps else 0.0
    return 2.0 / step if whole and step else 0.0


def _onset(rows: Sequence[Moved], asked: Sequence[str]) -> datetime | None:
    """When the strongest changes for the worse of the asked services began: the earliest of those that began together.
    What was away from the window's first point on began at no known time."""
    known = (m for m in rows if m.harm and m.change.known)
    mine = [m for m in known if not asked or m.series.service in asked]
    if not mine:
        return None
    return min(m.change.at for m in mine if abs(m.change.at - mine[0].change.at) <= NEAR)


def averaged(rows: Sequence[Series]) -> list[Series]:
    """Without histogram buckets; a sum and its count (Prometheus: `x_sum`, `x_count`) become one series, the mean."""
    kept = [s for s in rows if "le" not in s.labels]
    counts = {_twin(s, "_count"): s for s in kept if s.name.endswith("_count")}
    means = [(s, counts[_twin(s, "_sum")]) for s in kept if s.name.endswith("_sum") and _twin(s, "_sum") in counts]
    used = {id(s) for pair in means for s in pair}
    return [_mean(total, count) for total, count in means] + [s for s in kept if id(s) not in used]


def _twin(series: Series, suffix: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    return series.name.removesuffix(suffix), series.service, tuple(sorted(series.labels.items()))


def _mean(total: Series, count: Series) -> Series:
    """The mean of each step in which something was counted."""
    sums, counts = dict(rates(total.points)), rates(count.points)
    points = tuple((at, sums[at] / n) for at, n in counts if n > 0 and at in sums)
    name = total.name.removesuffix("_sum")
    unit = "s" if name.endswith("_seconds") else "B" if name.endswith("_bytes") else ""
    return Series(f"{name}_mean", total.service, "gauge", unit, points, total.labels)


def figure(value: float) -> float | int:
    """Four significant digits: what is said and what is typed are the same number."""
    short = float(f"{value:.4g}")
    return int(short) if short.is_integer() else short


def _row(m: Moved, clock: Clock) -> str:
    c = m.change
    values = f"{figure(c.before)} → {figure(c.during)}{m.unit} (extreme {figure(c.extreme)} at {clock.at(c.peak)})"
    return f"{m.series.service} {m.name} {values} {clock.span(c.at, c.end, 'still')}"


def _level(series: Series, span: Window) -> str:
    inside = [v for at, v in series.points if at in span]
    last = f", last {figure(inside[-1])}{series.unit}" if inside else ""
    return f"{series.service} {series.name}: unchanged{last}"


def _figures(m: Moved) -> list[Figure]:
    label = {"service": m.series.service, "metric": m.name}
    pairs = (("before", m.change.before), ("during", m.change.during), ("extreme", m.change.extreme))
    return [Figure(f"{m.series.name} {what}", figure(value), m.unit, label) for what, value in pairs]


def _json(m: Moved) -> Json:
    c = m.change
    return {
        "name": m.name,
        "service": m.series.service,
        "unit": m.unit,
        "before": figure(c.before),
        "during": figure(c.during),
        "onset": c.at.isoformat(),
        "end": c.end.isoformat() if c.end else None,
        "extreme": figure(c.extreme),
        "peak": c.peak.isoformat(),
        "known": c.known,
        "harmless": harmless(m.series, c.during > c.before),
        "factor": round(min(c.factor, MOST), 1),
    }


def unmoved(n: int, zh: bool) -> str:
    """That none of `n` series moved, which says something only where there are any."""
    if not n:
        return "没有查到相关的指标" if zh else "No metrics of that were found"
    return f"没有指标离开之前的水平（共查 {n} 个序列）" if zh else f"No metric left its level before, of {n} series"

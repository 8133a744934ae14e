"""How long requests took: of all series those that measure it, whether they moved or stayed. Pure.

A question about slowness wants this figure first, and also where nothing rose. Knows names of metrics, no service.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from statistics import median

from orchestrator.contracts import Figure, Json, Window
from subagents.sources import Series

ROWS = 8
LEAST = 3  # values that make a usual one
NAMES = re.compile(
    r"latenc|duration|elapsed|(?:response|request|reply|upstream|service|query)_?time"
    r"|(?:^|_)(?:rt|ttfb|rtt|p\d\d\d?)(?:_|$)|延迟|耗时|响应时间",
    re.IGNORECASE,
)
_OTHERS = re.compile(  # lengths of time that nobody waits for
    r"(?:^|_)(?:gc|scrape|evaluation|compaction?|uptime|cpu|sleep|age|ttl|interval|job|batch|cron|backup|reload)(?:_|$)",
    re.IGNORECASE,
)
_UNITS = (("_seconds", "s"), ("_milliseconds", "ms"), ("_millis", "ms"), ("_ms", "ms"), ("_us", "us"), ("_ns", "ns"))


def is_one(series: Series) -> bool:
    """Whether a series tells how long something took; sums and counts don't, their mean does."""
    summed = series.kind == "counter" or series.name.endswith(("_count", "_sum", "_total", "_bucket"))
    return not summed and bool(NAMES.search(series.name)) and not _OTHERS.search(series.name)


def unit(name: str) -> str:
    """The unit that a metric's name states, whatever follows it (`_mean`, `_p99`); "" where it states none."""
    return next((said for end, said in _UNITS if re.search(rf"{end}(?:_|$)", name)), "")


def steady(
    rows: Sequence[Series], name: Callable[[Series], str], figure: Callable[[float], float | int], span: Window
) -> tuple[list[Json], list[Figure]]:
    """Of each of them, slowest first: the usual value in the window and before it, and the largest with its time."""
    found, figures = list[Json](), list[Figure]()
    for s in rows:
        inside = [(at, v) for at, v in s.points if at in span]
        if len(inside) < LEAST:
            continue
        earlier = [v for at, v in s.points if at < span.start]
        peak, most = max(inside, key=lambda p: p[1])
        usual, before = figure(median(v for _, v in inside)), figure(median(earlier)) if earlier else None
        label, of = {"service": s.service, "metric": name(s)}, s.unit or unit(s.name)
        found.append(_row(name(s), s.service, of, usual, before, figure(most), peak))
        said = (("usual", usual), ("largest", figure(most)), ("usual before", before))
        figures += [Figure(f"{s.name} {what}", value, of, label) for what, value in said if value is not None]
    order = sorted(range(len(found)), key=lambda i: -found[i]["during"])[:ROWS]
    names = {found[i]["name"] for i in order}
    return [found[i] for i in order], [f for f in figures if f.labels["metric"] in names]


def _row(name: str, service: str, unit: str, during: float, before: float | None, most: float, peak: datetime) -> Json:
    return {
        "name": name, "service": service, "unit": unit, "before": before, "during": during, "usual": during,
        "extreme": most, "peak": peak.isoformat(), "onset": None, "end": None, "known": True,
    }  # fmt: skip

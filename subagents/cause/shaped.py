"""Series as the analysis reads them: counters as rates, request counters by code as all and as failed ones, services
by the name that the logs have. Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import accumulate, pairwise

from subagents.alerts.measured import averaged, beginnings, rates, target
from subagents.sources import Series

CODES = ("code", "status", "status_code", "http_status_code", "response_code")

GRAVE = re.compile(r"oom|restart|crash|panic|evict|killed", re.IGNORECASE)


def renamed(rows: Sequence[Series], named: set[str]) -> list[Series]:
    """`worker` is the `worker-1` of the logs, where these know no other: metrics often drop the number."""
    numbered: dict[str, set[str]] = defaultdict(set)
    for name in named:
        numbered[re.sub(r"-\d+$", "", name)].add(name)
    same = {short: next(iter(long)) for short, long in numbered.items() if len(long) == 1 and short not in named}
    return [replace(row, service=same.get(row.service, row.service)) for row in rows]


def shaped(rows: Sequence[Series]) -> list[Series]:
    """Gauges as they are, counters as rates; a request counter by code becomes all requests and failed ones."""
    kept, coded, began = [], defaultdict(list), beginnings(rows)
    for row in averaged(rows):
        rate = replace(row, kind="gauge", unit="/s", points=tuple(rates(row.points, began.get(target(row)))))
        read = rate if row.kind == "counter" else row
        if GRAVE.search(row.name) and (row.kind == "counter" or row.name.endswith("_total")):
            read = _counted(rate)
        code = next((row.labels[k] for k in CODES if k in row.labels), None)
        if code is None or row.kind != "counter":
            kept.append(read)
        else:
            coded[row.name, row.service].append((code, read))
    for (name, service), group in coded.items():
        kept.append(_summed(name, service, [s for _, s in group]))
        bad = [s for code, s in group if code[:1] == "5" or code.lower() in ("error", "failed")]
        if bad:
            kept.append(_summed(f"{name.removesuffix('_total')}_errors", service, bad))
    return kept


def _counted(rate: Series) -> Series:
    """How often it has happened since the data begin: of what is rare each single one counts, and no rate shows it."""
    grown = (value * (at - before).total_seconds() for (before, _), (at, value) in pairwise(rate.points))
    totals = accumulate(grown, initial=0.0)
    points = tuple((at, round(total, 3)) for (at, _), total in zip(rate.points, totals, strict=False))
    return replace(rate, unit="", points=points)


def _summed(name: str, service: str, group: Sequence[Series]) -> Series:
    total: dict[datetime, float] = defaultdict(float)
    for series in group:
        for at, value in series.points:
            total[at] += value
    return Series(name, service, "gauge", "/s", tuple(sorted(total.items())))

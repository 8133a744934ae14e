"""Whose log a file is, where its lines don't say so.

Asked in this order: names of known services inside dotted and slashed names (packages, paths); for access logs the
service whose request counters show the same numbers by status; a known service's name in the file's own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from subagents.folder import keys
from subagents.folder.files import Found, unpacked
from subagents.folder.jobs import Job
from subagents.folder.material import MetricFile
from subagents.folder.records import Row
from subagents.folder.work import Pool

_LIKE = 0.02  # share of requests by which an access log and a counter may differ
_APART = 0.10  # and by which the next best must


def known_services(surveys: Iterable[Row]) -> tuple[str, ...]:
    """Every name that records, metrics and logs use for a service."""
    return tuple(sorted({s for row in surveys for s in row["services"] if s}))


def of_logs(
    surveys: Sequence[tuple[Found, Row]], metrics: Sequence[MetricFile], known: Sequence[str], pool: Pool
) -> Iterator[tuple[Found, Row, str]]:
    """(file, survey, owner) of each log file; owner "" where the lines name services, or nothing tells."""
    for file, row in surveys:
        if row["kind"] != "log":
            continue
        nameless = not any(row["services"])
        owner = ""
        if nameless and known:
            owner = _by_words(row["words"], known) or _by_counters(row, metrics, pool) or _by_name(file, known)
        yield file, row, owner


def _by_words(words: dict[str, int], known: Sequence[str]) -> str:
    names = {keys.norm(s): s for s in known}
    hits: dict[str, int] = {}
    for word, n in words.items():
        if name := names.get(keys.norm(word)):
            hits[name] = hits.get(name, 0) + n
    best = max(hits, key=lambda s: hits[s], default="")
    return best if best and hits[best] * 3 >= sum(hits.values()) * 2 else ""


def _by_counters(row: Row, metrics: Sequence[MetricFile], pool: Pool) -> str:
    """The one service whose counters grew by the log's numbers of each status in the same time."""
    if not row["codes"] or row["since"] is None or row["codes_until"] is None:
        return ""
    files = [m for m in metrics if m.survey["kind"] == "openmetrics"]
    window = (row["since"] - 1.0, row["codes_until"] + 1.0)
    jobs = [Job("ratio", unpacked(m.found.size, m.found.packed), (m.where, *window)) for m in files]
    counts: dict[str, dict[str, float]] = {}
    for result in pool.now(jobs):
        for service, code, n in result["counts"]:
            mine = counts.setdefault(service, {})
            mine[code] = mine.get(code, 0.0) + n
    ranked = sorted((_apart(row["codes"], mine), service) for service, mine in counts.items() if service)
    if not ranked or ranked[0][0] > _LIKE or (len(ranked) > 1 and ranked[1][0] < _APART):
        return ""
    return ranked[0][1]


def _apart(log: dict[str, int], counter: dict[str, float]) -> float:
    total = sum(log.values())
    return sum(abs(log.get(c, 0) - counter.get(c, 0.0)) for c in {*log, *counter}) / max(1, total)


def _by_name(file: Found, known: Sequence[str]) -> str:
    parts = [p for p in re.split(r"[^A-Za-z0-9]+", Path(file.path).name.lower()) if p]
    joined = "".join(parts)
    fitting = [s for s in known if (n := keys.norm(s)) and (n in parts or (len(n) > 5 and joined.startswith(n)))]
    return max(fitting, key=len, default="")

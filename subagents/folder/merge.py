"""Results of several scans put together: parts of one file, files of one folder, and finer counts as coarser ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from subagents.folder.mining import Cluster, Miner
from subagents.folder.records import Row
from subagents.folder.scan import Ask
from subagents.folder.scan_patterns import added

_SPAN = {"minute": 60, "hour": 3600, "day": 86400}


def counts(
    groups: list[list[Any]], dims: tuple[str, ...], ask: Ask | None, by: tuple[str, ...]
) -> Counter[tuple[str, ...]]:
    """Groups by `dims` summed to groups by `by`; with `ask` only those that fit it."""
    out: Counter[tuple[str, ...]] = Counter()
    grain = next((d for d in ("minute", "hour") if d in dims), "")
    spans = [0 if d in dims else _SPAN.get(d, 0) for d in by]  # seconds of a step that is to be made of finer ones
    sources = [dims.index(grain if span else d) for d, span in zip(by, spans, strict=True)]
    for key, n in groups if ask is None else _fitting(groups, dims, grain, ask):
        out[tuple(_coarser(key[i], span) for i, span in zip(sources, spans, strict=True))] += n
    return out


def renamed(
    counts: Counter[tuple[str, ...]], by: tuple[str, ...], name: Callable[[str], str]
) -> Counter[tuple[str, ...]]:
    """With the services called otherwise."""
    if "service" not in by:
        return counts
    at, out = by.index("service"), Counter[tuple[str, ...]]()
    for key, n in counts.items():
        out[*key[:at], name(key[at]), *key[at + 1 :]] += n
    return out


def _fitting(groups: list[list[Any]], dims: tuple[str, ...], grain: str, ask: Ask) -> Iterator[list[Any]]:
    service, level, time = (dims.index(d) for d in ("service", "level", grain))
    since, until = ask.since or 0.0, ask.until or 1e12
    for group in groups:
        key = group[0]
        if not key[time] or not since <= float(key[time]) < until:
            continue
        if (not ask.levels or key[level] in ask.levels) and (not ask.services or key[service] in ask.services):
            yield group


def _coarser(value: str, span: int) -> str:
    return str(int(value) // span * span) if span and value else value


def _common(parts: list[Row]) -> Row:
    late = [p["late"] for p in parts if p["late"] is not None]
    return {"late": min(late) if late else None, "broken": next((p["broken"] for p in parts if p["broken"]), "")}


def _count(parts: list[Row]) -> Row:
    groups: Counter[tuple[str, ...]] = Counter()
    for part in parts:
        for key, n in part["groups"]:
            groups[tuple(key)] += n
    spans = [span for part in parts for span in part.get("spans", ())]
    out = {**_common(parts), "groups": [[list(k), n] for k, n in groups.items()]}
    return {**out, "spans": spans} if spans else out


def _search(parts: list[Row]) -> Row:
    return {**_common(parts), "rows": [r for p in parts for r in p["rows"]], "n": sum(p["n"] for p in parts)}


def _patterns(parts: list[Row]) -> Row:
    return {**_common(parts), "patterns": patterns([r for p in parts for r in p["patterns"]])}


def patterns(rows: list[Row]) -> list[Row]:
    """Patterns of one service and level whose templates are alike are one (each part mined its own)."""
    miners: dict[tuple[str, str], Miner] = {}
    placed: list[tuple[tuple[str, str], Cluster, Row]] = []
    for row in sorted(rows, key=lambda r: -(r["n"] + r["before"])):
        group = (row["service"], row["level"])
        placed.append((group, miners.setdefault(group, Miner()).add(row["template"]), row))
    merged: dict[tuple[tuple[str, str], Cluster], Row] = {}
    for group, cluster, row in placed:
        key = (group, cluster.root)
        merged[key] = added(merged[key], row) if key in merged else row
    return [{**row, "template": root.template} for (_, root), row in merged.items()]


MERGED: dict[str, Callable[[list[Row]], Row]] = {"count": _count, "search": _search, "patterns": _patterns}

"""Results of several scans put together: parts of one file, files of one folder, and finer counts as coarser ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from subagents.folder.mining import Cluster, Miner
from subagents.folder.records import Row
from subagents.folder.scan import Ask
from subagents.folder.scan_rows import added

_SPAN = {"minute": 60, "hour": 3600, "day": 86400}


def counts(
    groups: list[list[Any]], dims: tuple[str, ...], ask: Ask | None, by: tuple[str, ...]
) -> Counter[tuple[str, ...]]:
    """Groups by `dims` summed to groups by `by`; with `ask` only those that fit it."""
    out: Counter[tuple[str, ...]] = Counter()
    grain = next((d for d in ("minute", "hour") if d in dims), "")
    for key, n in groups:
        named = dict(zip(dims, key, strict=True))
        if ask is None or _fits(named, grain, ask):
            out[tuple(_coarser(named, grain, d) for d in by)] += n
    return out


def _fits(named: Mapping[str, str], grain: str, ask: Ask) -> bool:
    if (ask.levels and named["level"] not in ask.levels) or (ask.services and named["service"] not in ask.services):
        return False
    at = named[grain]
    return bool(at) and (ask.since or 0.0) <= float(at) < (ask.until or 1e12)


def _coarser(named: Mapping[str, str], grain: str, dimension: str) -> str:
    if dimension in named or dimension not in _SPAN:
        return named[dimension]
    at = named[grain]
    return str(int(at) // _SPAN[dimension] * _SPAN[dimension]) if at else ""


def _common(parts: list[Row]) -> Row:
    late = [p["late"] for p in parts if p["late"] is not None]
    return {"late": min(late) if late else None, "broken": next((p["broken"] for p in parts if p["broken"]), "")}


def _count(parts: list[Row]) -> Row:
    groups: Counter[tuple[str, ...]] = Counter()
    for part in parts:
        for key, n in part["groups"]:
            groups[tuple(key)] += n
    return {**_common(parts), "groups": [[list(k), n] for k, n in groups.items()]}


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

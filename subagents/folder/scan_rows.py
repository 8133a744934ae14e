"""Log scans that give rows: the oldest matching records, patterns, and batches. Runs in worker processes, like
`scan`, on which it stands. Results are plain JSON and bounded, however large the file.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

from subagents.folder import files
from subagents.folder.mining import Cluster, Miner
from subagents.folder.records import Hints, LogFormat, Row
from subagents.folder.scan import Ask, Found, Late, Part, records

CAP = 4_000  # characters of one message in a row
_FAR = 1e12
_FIELDS = 40
_MINED = 1_000  # characters of a message that make its template
Place = tuple[float, int, int]  # time, file number, offset: the order of rows


def search(part: Part, form: LogFormat, hints: Hints, ask: Ask, limit: int, context: int, after: Place | None) -> Row:
    """{"rows", "n", "late", "broken"}: the oldest `limit` matching records after a place, and how many match in all."""
    heap: list[tuple[float, int, int, Row]] = []  # negated places: the youngest row kept is the first
    out: Row = {"n": 0, "late": None, "broken": ""}
    serial = 0
    for found in _guarded(records(part, form, hints, ask, context), out):
        out["n"] += 1
        place = _place(found, part)
        if after is not None and place <= tuple(after):
            continue
        if len(heap) >= limit and (-place[0], -place[2]) <= heap[0][:2]:
            continue
        serial += 1
        entry = (-place[0], -place[2], serial, row(found, part))
        heapq.heappush(heap, entry) if len(heap) < limit else heapq.heapreplace(heap, entry)
    out["rows"] = [entry[3] for entry in sorted(heap, key=lambda e: (-e[0], -e[1]))]
    return out


def _guarded(found: Iterator[Found], out: Row) -> Iterator[Found]:
    """A scan that is cut short gives what it has, and says so."""
    try:
        yield from found
    except Late as e:
        out["late"] = e.at
    except files.Unreadable as e:
        out["broken"] = str(e)


def _place(found: Found, part: Part) -> Place:
    return (_FAR if found.rec.at is None else found.rec.at, part.number, found.offset)


def row(found: Found, part: Part) -> Row:
    rec = found.rec
    message = "\n".join([found.message, *found.more]) if found.more else found.message
    return {
        "place": _place(found, part),
        "at": rec.at,
        "service": rec.service,
        "level": rec.level,
        "message": message if len(message) <= CAP else f"{message[:CAP]}… ({len(message):,} characters)",
        "line": found.line,
        "offset": found.offset,
        "fields": _fields(rec.fields, rec.code),
        "context": [line[:CAP] for line in (*found.before, *found.after)],
    }


def _fields(fields: Any, code: str) -> dict[str, str]:
    out = {str(k): str(v)[:200] for k, v in (fields or {}).items() if isinstance(v, str | int | float) and v != ""}
    out = dict(list(out.items())[:_FIELDS])
    return {"code": code, **out} if code else out


def batch(part: Part, form: LogFormat, hints: Hints, ask: Ask, skip: int, limit: int) -> Row:
    """{"rows", "more"}: `limit` matching records in file order after the first `skip`."""
    out: Row = {"rows": [], "more": False, "late": None, "broken": ""}
    for n, found in enumerate(_guarded(records(part, form, hints, ask), out)):
        if n >= skip + limit:
            out["more"] = True
            break
        if n >= skip:
            out["rows"].append(row(found, part))
    return out


def patterns(
    part: Part, form: LogFormat, hints: Hints, ask: Ask, baseline: tuple[float, float] | None, most: int = 2000
) -> Row:
    """{"patterns": [{template, service, level, n, before, first, last, sample}] …} of the window and its baseline."""
    wide = ask
    if baseline is not None and ask.since is not None and ask.until is not None:
        wide = ask._replace(since=min(ask.since, baseline[0]), until=max(ask.until, baseline[1]))
    miners: dict[tuple[str, str], Miner] = {}
    stats: dict[tuple[str, str], dict[Cluster, Row]] = {}
    out: Row = {"late": None, "broken": ""}
    for found in _guarded(records(part, form, hints, wide), out):
        rec = found.rec
        miner = miners.setdefault((rec.service, rec.level), Miner())
        cluster = miner.add(found.message.split("\n", 1)[0][:_MINED])
        inside = ask.fits(rec)
        earlier = baseline is not None and rec.at is not None and baseline[0] <= rec.at < baseline[1]
        of_group = stats.setdefault((rec.service, rec.level), {})
        if cluster not in of_group:
            of_group[cluster] = _fresh()
        _note(of_group[cluster], found, inside, earlier)
    out["patterns"] = sorted(_templates(stats), key=lambda r: -(r["n"] + r["before"]))[:most]
    return out


def _templates(stats: dict[tuple[str, str], dict[Cluster, Row]]) -> Iterator[Row]:
    """Clusters that have grown together meanwhile are one."""
    for (service, level), of_group in stats.items():
        merged: dict[Cluster, Row] = {}
        for cluster, stat in of_group.items():
            root = cluster.root
            merged[root] = added(merged[root], stat) if root in merged else stat
        for root, stat in merged.items():
            yield {"template": root.template, "service": service, "level": level, **stat}


def added(a: Row, b: Row) -> Row:
    """Two patterns' figures as one."""
    firsts = [t for t in (a["first"], b["first"]) if t is not None]
    lasts = [t for t in (a["last"], b["last"]) if t is not None]
    return {
        **a,
        "n": a["n"] + b["n"],
        "before": a["before"] + b["before"],
        "first": min(firsts) if firsts else None,
        "last": max(lasts) if lasts else None,
        "sample": a["sample"] or b["sample"],
    }


def _fresh() -> Row:
    return {"n": 0, "before": 0, "first": None, "last": None, "sample": ""}


def _note(stat: Row, found: Found, inside: bool, earlier: bool) -> None:
    stat["before"] += earlier
    at = found.rec.at
    if at is not None and (stat["first"] is None or at < stat["first"]):
        stat["first"] = at  # in the baseline too: that is when it was first seen
    if inside:
        stat["n"] += 1
        stat["last"] = at if stat["last"] is None else max(stat["last"], at or 0.0)
        stat["sample"] = stat["sample"] or found.message[:500]

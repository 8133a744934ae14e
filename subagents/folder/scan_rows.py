"""Log scans that give rows: the oldest matching records, and batches. Runs in worker processes, like
`scan`, on which it stands. Results are plain JSON and bounded, however large the file.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

from subagents.folder import files
from subagents.folder.records import Hints, LogFormat, Row
from subagents.folder.scan import Ask, Found, Late, Part, records

CAP = 4_000  # characters of one message in a row
_FAR = 1e12
_FIELDS, _DEEP = 40, 3
Place = tuple[float, int, int]  # time, file number, offset: the order of rows


def search(part: Part, form: LogFormat, hints: Hints, ask: Ask, limit: int, context: int, after: Place | None) -> Row:
    """{"rows", "n", "late", "broken"}: the oldest `limit` matching records after a place, and how many match in all."""
    heap: list[tuple[float, int, int, Row]] = []  # negated places: the youngest row kept is the first
    out: Row = {"n": 0, "late": None, "broken": ""}
    serial = 0
    for found in guarded(records(part, form, hints, ask, context), out):
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


def guarded(found: Iterator[Found], out: Row) -> Iterator[Found]:
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
    out = {k: str(v)[:200] for k, v in _flat(fields or {}) if isinstance(v, str | int | float) and v != ""}
    out = dict(list(out.items())[:_FIELDS])
    return {"code": code, **out} if code else out


def _flat(fields: Any, under: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Fields of nested objects by their path, `k8s.pod`, after the plain ones of each."""
    inner = [(k, v) for k, v in fields.items() if isinstance(v, dict)]
    yield from ((f"{under}{k}", v) for k, v in fields.items() if not isinstance(v, dict))
    for key, value in inner if depth < _DEEP else ():
        yield from _flat(value, f"{under}{key}.", depth + 1)


def batch(part: Part, form: LogFormat, hints: Hints, ask: Ask, skip: int, limit: int) -> Row:
    """{"rows", "more"}: `limit` matching records in file order after the first `skip`."""
    out: Row = {"rows": [], "more": False, "late": None, "broken": ""}
    for n, found in enumerate(guarded(records(part, form, hints, ask), out)):
        if n >= skip + limit:
            out["more"] = True
            break
        if n >= skip:
            out["rows"].append(row(found, part))
    return out

"""JSON documents and JSON lines of records (alerts, changes, spans, patterns, points) as rows.

A document is walked: an object that a format knows becomes rows, any other is looked into, with its own scalars as
context for what lies in it. So envelopes (`{"data": {"alerts": […]}}`, a recorded webhook with its headers, OTLP's
and Jaeger's nesting) need no formats of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from subagents.folder import files
from subagents.folder.formats import (
    alert_records,
    alertmanager,
    commits,
    deploys,
    flags,
    json_lines,
    mined,
    points,
    spans,
    tickets,
)
from subagents.folder.records import Doc, Row

DOCUMENT_MAX = 64 << 20
ROWS_MAX = 200_000  # of one file
_DEPTH = 8

FORMATS: tuple[Doc, ...] = (  # the first that matches wins: from the unmistakable to the general
    alertmanager.WEBHOOK,
    alertmanager.ALERT,
    spans.SPAN,
    commits.COMMIT,
    mined.PATTERN,
    flags.FLAG,
    deploys.DEPLOY,
    tickets.TICKET,
    alert_records.ALERT,
    points.POINT,
)


def format_of(item: Mapping[str, Any]) -> Doc | None:
    return next((f for f in FORMATS if f.matches(item)), None)


def walk(value: Any, around: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, list[Row]]]:
    """(format name, rows) of every known object in a value; ("", []) for an object that nothing knows."""
    if depth > _DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list):
                yield from walk(item, around, depth + 1)
        return
    form = format_of(value)
    if form is not None:
        yield form.name, form.read(_unfolded(value), around)
        return
    inner = {k: v for k, v in value.items() if isinstance(v, dict) or _objects(v)}
    if not inner:
        yield "", []
    context = {**around, **{k: v for k, v in value.items() if isinstance(v, str | int | float)}, **_resource(value)}
    for key, child in inner.items():
        children = _with_process(child, value) if key == "spans" else child
        yield from walk(children, {**context, "in": key}, depth + 1)


def _objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(v, dict) for v in value)


def _resource(value: Mapping[str, Any]) -> dict[str, Any]:
    resource = value.get("resource")
    return _attributes(resource.get("attributes")) if isinstance(resource, Mapping) else {}


def _attributes(listed: Any) -> dict[str, Any]:
    """OTLP's `[{"key": …, "value": {"stringValue": …}}]` as a mapping."""
    if not isinstance(listed, list):
        return dict(listed) if isinstance(listed, Mapping) else {}
    out = {}
    for entry in listed:
        if isinstance(entry, Mapping) and "key" in entry:
            value = entry.get("value")
            out[str(entry["key"])] = next(iter(value.values()), "") if isinstance(value, Mapping) else value
    return out


def _unfolded(item: Mapping[str, Any]) -> Mapping[str, Any]:
    listed = item.get("attributes") if isinstance(item.get("attributes"), list) else item.get("tags")
    return {**item, "attributes": _attributes(listed)} if isinstance(listed, list) else item


def _with_process(children: Any, parent: Mapping[str, Any]) -> Any:
    processes = parent.get("processes")
    if not isinstance(processes, Mapping):
        return children
    return [{**s, "process": processes.get(s.get("processID"), {})} for s in children if isinstance(s, dict)]


class Loaded:
    """What came out of a file of records: rows, the formats by number of objects, and what nothing knew."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.formats: dict[str, int] = {}
        self.unknown = 0
        self.left = 0  # rows over `ROWS_MAX`

    def take(self, found: Iterator[tuple[str, list[Row]]]) -> None:
        for name, rows in found:
            if name:
                self.formats[name] = self.formats.get(name, 0) + 1
                room = max(0, ROWS_MAX - len(self.rows))
                self.rows += rows[:room]
                self.left += len(rows[room:])
            else:
                self.unknown += 1


def load_document(path: str, packed: str) -> Loaded:
    """The rows of one JSON document. Raises files.Unreadable where it isn't valid JSON or is over 64 MB."""
    data = bytearray()
    for block in files.blocks(path, packed):
        data += block
        if len(data) > DOCUMENT_MAX:
            raise files.Unreadable("a JSON document over 64 MB: export it as JSON lines")
    loaded = Loaded()
    try:
        value = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as e:
        raise files.Unreadable(f"it begins like JSON but isn't valid: {e}") from e
    if isinstance(value, dict | list):
        loaded.take(walk(value, {}))
    return loaded


def load_lines(path: str, packed: str) -> Loaded:
    """The rows of a file of JSON lines."""
    loaded = Loaded()
    for _, line in files.lines(path, packed):
        item = json_lines.decode(line.decode("utf-8", "replace").strip())
        if item is not None:
            loaded.take(walk(item, {}))
        elif line.strip():
            loaded.unknown += 1
    return loaded


def load_table(names: Sequence[str], rows: Iterator[Sequence[str]]) -> Loaded:
    """The rows of a CSV whose columns carry the keys of records."""
    loaded = Loaded()
    for cells in rows:
        if len(cells) == len(names):
            loaded.take(walk(dict(zip(names, cells, strict=True)), {}))
    return loaded

"""Records in JSON values: alerts, changes, spans, patterns, points as rows, however they are enveloped.

A value is walked: an object that a format knows becomes rows, any other is looked into, with its own scalars as
context for what lies in it. So envelopes (`{"data": {"alerts": […]}}`, a recorded webhook with its headers, OTLP's
and Jaeger's nesting) need no formats of their own. It reads no files (`documents`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from subagents.folder import keys
from subagents.folder.formats import (
    alert_records,
    alertmanager,
    commits,
    deploys,
    flags,
    merges,
    mined,
    pipelines,
    points,
    spans,
    tickets,
)
from subagents.folder.records import Doc, Row

_DEPTH = 8

FORMATS: tuple[Doc, ...] = (  # the first that matches wins: from the unmistakable to the general
    alertmanager.WEBHOOK,
    alertmanager.ALERT,
    alertmanager.ACTIVE,
    alertmanager.SILENCE,
    pipelines.RUN,
    merges.MERGE,
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
        yield _read(form, value, around)
        return
    inner = {k: v for k, v in value.items() if isinstance(v, dict) or _objects(v)}
    if not inner:
        yield "", []
    context = {**around, **{k: v for k, v in value.items() if isinstance(v, str | int | float)}, **_resource(value)}
    for key, child in inner.items():
        children = _with_process(child, value) if key == "spans" else child
        yield from walk(children, {**context, "in": key}, depth + 1)


def _read(form: Doc, value: Mapping[str, Any], around: Mapping[str, Any]) -> tuple[str, list[Row]]:
    """A record whose values can't be meant so (a duration of "²", labels that are a list) is none that is known."""
    try:
        return form.name, form.read(_unfolded(value), around)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return "", []


def _objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(v, dict) for v in value)


def _resource(value: Mapping[str, Any]) -> dict[str, Any]:
    """What an object says of all that lies in it: OTLP's resource, the name of a Kubernetes object, the
    names by id of what JSON:API sends along."""
    resource, metadata, included = value.get("resource"), value.get("metadata"), value.get("included")
    if isinstance(included, list):
        return {"included": {i["id"]: _name(i) for i in included if isinstance(i, Mapping) and "id" in i}}
    if isinstance(metadata, Mapping) and isinstance(metadata.get("name"), str):
        return {"object": metadata["name"]}
    return attributes(resource.get("attributes")) if isinstance(resource, Mapping) else {}


def _name(item: Mapping[str, Any]) -> str:
    said = item.get("attributes")
    return keys.text(said, "name", "username", "email") if isinstance(said, Mapping) else ""


def attributes(listed: Any) -> dict[str, Any]:
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
    return {**item, "attributes": attributes(listed)} if isinstance(listed, list) else item


def _with_process(children: Any, parent: Mapping[str, Any]) -> Any:
    processes = parent.get("processes")
    if not isinstance(processes, Mapping):
        return children
    return [{**s, "process": processes.get(s.get("processID"), {})} for s in children if isinstance(s, dict)]

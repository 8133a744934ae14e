"""Single metric points as JSON objects: a time, a value, a name (its own, or the name of the list that it lies in)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.records import Doc, Row

_TIME = ("timestamp", "time", "ts", "t", "date", "datetime")


def matches(item: Mapping[str, Any]) -> bool:
    value = keys.pick(item, ("value", "v"))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return times.parse(keys.pick(item, _TIME)) is not None and keys.found(item, ("message", "level", "msg")) is None


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    name = keys.text(item, "metric", "metricname", "name") or str(around.get("in", ""))
    known = (*_TIME, "value", "v", "metric", "metricname", "name", "service", "servicename", "unit")
    labels = {k: str(v) for k, v in item.items() if keys.norm(k) not in known and isinstance(v, str | int)}
    return [
        {
            "kind": "point",
            "name": name,
            "service": keys.text(item, "service", "servicename", "app") or keys.text(around, "service", "provider"),
            "unit": keys.text(item, "unit"),
            "at": times.parse(keys.pick(item, _TIME)),
            "value": float(keys.pick(item, ("value", "v"))),
            "labels": labels,
        }
    ]


POINT = Doc("metric point", "point", matches, read)

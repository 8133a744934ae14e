"""Trace spans as flat JSON objects or CSV rows: ids, names, start, a duration or an end. OTLP/JSON and Jaeger's export
are unfolded by the walk that reads documents; here one span is read, whatever its tool calls the keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.records import Doc, Row

_TRACE = ("traceid", "trace")
_SPAN = ("spanid", "id")
_PARENT = ("parentid", "parentspanid", "parent")
_NAME = ("name", "operationname", "operation", "spanname", "resource")
_START = ("start", "starttimeunixnano", "starttime", "timestamp", "startedat", "time", "ts")
_END = ("end", "endtimeunixnano", "endtime", "endedat")
_UNITS = (("durationms", 1e-3), ("durationns", 1e-9), ("durationus", 1e-6), ("durationseconds", 1.0),
          ("durations", 1.0), ("durationnano", 1e-9), ("elapsedms", 1e-3))  # fmt: skip
_NONE = ("", "root", "0", "0000000000000000", "null", "None")
_USED = frozenset((*_TRACE, *_SPAN, *_PARENT, *_NAME, *_START, *_END, "service", "servicename", "podname"))


def matches(item: Mapping[str, Any]) -> bool:
    if keys.found(item, _TRACE) is None or keys.found(item, ("spanid",)) is None:
        return False
    timed = keys.found(item, tuple(u for u, _ in _UNITS)) or keys.found(item, (*_END, "duration"))
    return timed is not None and keys.found(item, _START) is not None


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    start = times.parse(keys.pick(item, _START))
    if start is None:
        return []
    parent = keys.text(item, *_PARENT)
    if not parent and isinstance(item.get("references"), list):  # Jaeger
        parent = next((str(r.get("spanID", "")) for r in item["references"] if isinstance(r, Mapping)), "")
    return [
        {
            "kind": "span",
            "trace": keys.text(item, *_TRACE),
            "id": keys.text(item, *_SPAN),
            "parent": None if parent in _NONE else parent,
            "service": _service(item, around),
            "name": keys.text(item, *_NAME),
            "start": start,
            "seconds": _seconds(item, start),
            "error": _error(item),
            "fields": _fields(item),
        }
    ]


def _service(item: Mapping[str, Any], around: Mapping[str, Any]) -> str:
    own = keys.text(item, "service", "servicename") or keys.workload(keys.text(item, "podname", "pod"))
    process = item.get("process")
    if not own and isinstance(process, Mapping):
        own = keys.text(process, "servicename")
    return own or keys.text(around, "servicename", "service")


def _seconds(item: Mapping[str, Any], start: float) -> float:
    for key, unit in _UNITS:
        value = keys.pick(item, (key,))
        if value is not None:
            return float(value) * unit
    end = times.parse(keys.pick(item, _END))
    if end is not None:
        return max(0.0, end - start)
    value = keys.pick(item, ("duration",))
    return float(value) * 1e-6 if value is not None else 0.0  # Jaeger and Zipkin: microseconds


def _error(item: Mapping[str, Any]) -> str:
    attributes = item.get("attributes")
    item = {**attributes, **item} if isinstance(attributes, Mapping) else item
    status = item.get("status")
    told = status if isinstance(status, Mapping) else {"code": status or ""}
    code = str(told.get("code", "")).upper()
    said = keys.text(item, "error", "errormessage", "exceptionmessage", "statusmessage") or str(told.get("message", ""))
    failed = code in ("ERROR", "STATUS_CODE_ERROR", "2") or item.get("error") is True
    if said.lower() in ("true", "1", "yes"):
        return "error"
    if said.lower() in ("", "false", "0", "no", "ok"):
        return "error" if failed else ""
    return said if failed or keys.found(item, ("error", "errormessage", "exceptionmessage")) else ""


def _fields(item: Mapping[str, Any]) -> dict[str, str]:
    out = {
        str(k): str(v)[:300] for k, v in item.items() if isinstance(v, str | int | float) and keys.norm(k) not in _USED
    }
    for key in ("attributes", "tags"):
        if isinstance(item.get(key), Mapping):
            out.update({str(k): str(v)[:300] for k, v in item[key].items()})
    return out


SPAN = Doc("span", "span", matches, read)

"""Which key of a record means what: time, level, service, message …, whatever a tool calls it.

One table for all formats, so that a new spelling is one word here. Keys are compared without case and punctuation
(`service.name`, `serviceName` and `service_name` are one).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

Item = Mapping[str, Any]

TIME = ("timestamp", "time", "ts", "t", "attimestamp", "datetime", "date", "timeunixnano", "observedtimestamp",
        "eventtime", "createdat", "realtimetimestamp", "asctime", "logtime", "instant", "startedat", "edgeendtimestamp",
        "at", "syslogtimestamp")  # fmt: skip
LEVEL = ("level", "lvl", "severity", "severitytext", "loglevel", "levelname", "s", "priority", "status_level",
         "severitynumber")  # fmt: skip
SERVICE = ("service", "servicename", "svc", "app", "application", "appname", "kubernetespodname", "podname", "pod",
           "kubernetescontainername", "containername", "container", "workload", "deployment", "syslogidentifier",
           "systemdunit", "program", "component", "job", "name", "unit", "project")  # fmt: skip
_PODS = ("kubernetespodname", "podname", "pod")
MESSAGE = ("message", "msg", "log", "text", "event", "body", "short_message", "shortmessage", "fieldsmessage", "line",
           "content", "fullmessage")  # fmt: skip
CODE = ("status", "statuscode", "code", "httpstatus", "httpstatuscode", "responsestatus", "edgeresponsestatus")
ERROR = ("err", "error", "exception", "errormessage", "stack", "stacktrace", "exc", "excinfo")

_POD = re.compile(r"(-[0-9a-f]{8,10})?-[a-z0-9]{5}$")
_STATEFUL = re.compile(r"^(.+?)-\d{1,3}$")


@lru_cache(maxsize=4096)
def norm(key: str) -> str:
    """`Service.Name` → `servicename`."""
    return re.sub(r"[^a-z0-9]", "", key.lower())


@lru_cache(maxsize=1024)
def _which(keys: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    by_norm: dict[str, str] = {}
    for key in keys:
        by_norm.setdefault(norm(key), key)
    return tuple(by_norm[w] for w in wanted if w in by_norm)


def pick(item: Item, wanted: tuple[str, ...]) -> Any:
    """The first value that is there and isn't empty, in the order of `wanted`."""
    for key in _which(tuple(item), wanted):
        value = item[key]
        if value is not None and value != "":
            return value
    return None


def found(item: Item, wanted: tuple[str, ...]) -> str | None:
    """The key itself."""
    keys = _which(tuple(item), wanted)
    return keys[0] if keys else None


def text(item: Item, *wanted: str) -> str:
    """A scalar as text, "" where there is none."""
    value = pick(item, wanted)
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def service(item: Item) -> str:
    """The service of a record: its own field, else the pod's or container's name without the replica's suffix."""
    for key in _which(tuple(item), SERVICE):
        value = item[key]
        if isinstance(value, Mapping):  # ECS: {"service": {"name": …}}
            value = value.get("name")
        if isinstance(value, str) and value.strip():
            return owner(key, value.strip())
    nested = item.get("kubernetes") or item.get("resource") or item.get("labels")
    return service(nested) if isinstance(nested, Mapping) and nested else ""


def owner(key: str, value: str) -> str:
    """A service's name as the key's kind of value tells it: a pod's workload, a unit without its suffix."""
    return workload(value) if norm(key) in _PODS else value.removesuffix(".service")


@lru_cache(maxsize=4096)
def workload(pod: str) -> str:
    """`checkout-5f55b6cf68-77cfw` → `checkout`; a stateful set's `db-0` → `db`."""
    short = _POD.sub("", pod)
    if short != pod and short:
        return short
    match = _STATEFUL.match(pod)
    return match.group(1) if match else pod

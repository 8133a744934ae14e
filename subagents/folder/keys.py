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
        "at", "syslogtimestamp", "timeiso8601", "timelocal", "eventtimestamp", "logtimestamp", "timegenerated",
        "timecreated", "createtime", "requestreceivedtimestamp", "receivetimestamp", "starttime", "startutc", "utctime",
        "localtime", "isotime", "dateandtime", "lasttimestamp", "时间", "日期时间", "日志时间", "发生时间")  # fmt: skip
LEVEL = ("level", "lvl", "severity", "severitytext", "loglevel", "levelname", "s", "priority", "status_level",
         "severitynumber", "l", "级别", "日志级别", "等级")  # fmt: skip
SERVICE = ("service", "servicename", "svc", "app", "application", "appname", "kubernetespodname", "podname", "pod",
           "kubernetescontainername", "containername", "container", "workload", "deployment", "syslogidentifier",
           "systemdunit", "program", "component", "job", "name", "unit", "project", "k8sdeploymentname",
           "k8scontainername", "k8spodname", "服务", "服务名", "应用")  # fmt: skip
_PODS = ("kubernetespodname", "podname", "pod", "k8spodname")
_AROUND = ("kubernetes", "resource", "resourceattributes", "labels", "attributes", "source")
MESSAGE = ("message", "msg", "log", "text", "event", "body", "short_message", "shortmessage", "fieldsmessage", "line",
           "content", "fullmessage", "textpayload", "logmessage", "eventname", "mt", "m",
           "消息", "内容", "日志内容")  # fmt: skip
CODE = ("status", "statuscode", "code", "httpstatus", "httpstatuscode", "responsestatus", "edgeresponsestatus",
        "responsestatuscode")  # fmt: skip
ERROR = ("err", "error", "exception", "errormessage", "stack", "stacktrace", "exc", "excinfo")

_POD = re.compile(r"(-[0-9a-f]{8,10})?-[a-z0-9]{5}$")
_STATEFUL = re.compile(r"^(.+?)-\d{1,3}$")


@lru_cache(maxsize=4096)
def norm(key: str) -> str:
    """`Service.Name` → `servicename`; `级别` stays."""
    return re.sub(r"[\W_]", "", key.lower())


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
    nested = (item[key] for key in _which(tuple(item), _AROUND))
    return next((name for inner in nested if isinstance(inner, Mapping) and (name := service(inner))), "")


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

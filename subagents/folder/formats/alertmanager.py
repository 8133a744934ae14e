"""Alerts as Prometheus' Alertmanager gives them: API v2 lists (`GET /api/v2/alerts`, `alerts/groups`, `silences`), v1
lists, and webhook bodies (version 4); and as Prometheus itself does (`GET /api/v1/alerts`).

Sources: alertmanager `api/v2/openapi.yaml` (gettableAlert, alertGroup, gettableSilence), the docs' webhook_config. An
`endsAt` in year 1 means open; in a v2 list an unresolved alert's `endsAt` lies ahead of `updatedAt` and means nothing,
as long as somebody tells of it again: one that has passed when another alert of the list was told of is the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from subagents import paging
from subagents.folder import times
from subagents.folder.records import Doc, Row

NAMES = ("service", "service_name", "app", "app_kubernetes_io_name", "application", "component", "deployment",
         "job", "namespace")  # fmt: skip
TARGETS = ("instance", "node", "nodename", "host", "hostname")
_OPEN = ("firing", "active", "suppressed", "unprocessed")
_PORT = re.compile(r":\d{1,5}$")
_EXPORTER = re.compile(r"node|.*exporter.*|.*cadvisor.*|kubelet")  # jobs that say what measures, not what is measured


def alert(item: Mapping[str, Any]) -> bool:
    labels = item.get("labels")
    named = isinstance(labels, Mapping) and ("alertname" in labels or "alertname" in item or "status" in item)
    return named and "startsAt" in item


def webhook(item: Mapping[str, Any]) -> bool:
    alerts = item.get("alerts")
    return isinstance(alerts, list) and any(isinstance(a, Mapping) and alert(a) for a in alerts)


def service_of(labels: Mapping[str, Any]) -> str:
    """Whose it is: a service's label, else what was scraped, a machine without its port."""
    target = next((_PORT.sub("", str(labels[name])) for name in TARGETS if labels.get(name)), "")
    named = {name: str(labels[name]) for name in NAMES if labels.get(name)}
    if target and _EXPORTER.fullmatch(named.get("job", "")):
        del named["job"]
    return next(iter(named.values()), target)


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    start = times.parse(item["startsAt"])
    if start is None:
        return []
    labels = {str(k): str(v) for k, v in item["labels"].items()}
    if "alertname" in item:
        labels.setdefault("alertname", str(item["alertname"]))
    status = item.get("status")
    state = status if isinstance(status, str) else str((status or {}).get("state", ""))
    held = [] if isinstance(status, str) else _suppressors(status or {})
    end = _end(item, state, start)
    routed = around.get("routed") or [(_receiver(r), "") for r in item.get("receivers") or ()]
    return [
        {
            "kind": "alert",
            "name": labels.get("alertname", ""),
            "service": service_of(labels),
            "severity": labels.get("severity", ""),
            "start": start,
            "end": end,
            "end_known": bool(state) or end is not None,
            "suppressed": bool(held) or state == "suppressed",
            "by": paging.together(held),
            "id": str(item.get("fingerprint") or ""),
            "told": times.parse(item.get("updatedAt")),
            "lapses": times.parse(item.get("endsAt")) if state in _OPEN else None,
            "notified": routed,
            "holds": not isinstance(status, str),  # it would say what holds it back
            "labels": labels,
            "annotations": {str(k): str(v) for k, v in (item.get("annotations") or {}).items()},
            "link": str(item.get("generatorURL") or ""),
            "seen": around.get("seen"),
        }
    ]


def active(item: Mapping[str, Any]) -> bool:
    labels = item.get("labels")
    return isinstance(labels, Mapping) and "alertname" in labels and "activeAt" in item


def read_active(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    """One of Prometheus' own list (`GET /api/v1/alerts`): it fires, or only waits whether its condition stays."""
    if item.get("state") == "pending":
        return []
    return read({**item, "startsAt": item["activeAt"], "status": str(item.get("state") or "firing")}, around)


def _suppressors(status: Mapping[str, Any]) -> list[paging.Hold]:
    """By the ids of what does it."""
    return [
        paging.Hold(word, str(i))
        for key, word in (("inhibitedBy", "inhibited"), ("silencedBy", "silenced"), ("mutedBy", "muted"))
        for i in status.get(key) or ()
    ]


def _receiver(given: Any) -> str:
    """By its name, which API v1 gives alone."""
    return str(given.get("name", "") if isinstance(given, Mapping) else given)


def _end(item: Mapping[str, Any], state: str, start: float) -> float | None:
    end = times.parse(item.get("endsAt"))
    updated = times.parse(item.get("updatedAt"))
    if end is None or end < start:
        return None
    if state in _OPEN and (updated is None or end > updated):
        return None
    return end if state == "resolved" or updated is None or end <= updated else None


def read_webhook(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    """Of a webhook's body, or of a group that the API lists."""
    inner = {**around, "seen": times.parse(around.get("at")), "routed": _routed(item)}
    return [row for a in item["alerts"] if isinstance(a, Mapping) and alert(a) for row in read(a, inner)]


def _routed(item: Mapping[str, Any]) -> list[tuple[str, str]]:
    told, labels = item.get("receiver") or "", item.get("groupLabels", item.get("labels"))
    name = str(told.get("name", "") if isinstance(told, Mapping) else told)
    return [(name, paging.group(labels) if isinstance(labels, Mapping) else "")] if name else []


def silence(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("matchers"), list) and "createdBy" in item and "endsAt" in item and "id" in item


def read_silence(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    end, why = times.parse(item["endsAt"]), str(item.get("comment") or "")
    return [{"kind": "silence", "id": str(item["id"]), "who": str(item["createdBy"]), "until": end, "why": why}]


SILENCE = Doc("Alertmanager silence", "silence", silence, read_silence)
ALERT = Doc("Alertmanager alert", "alert", alert, read)
ACTIVE = Doc("Prometheus alert", "alert", active, read_active)
WEBHOOK = Doc("Alertmanager webhook", "alert", webhook, read_webhook)

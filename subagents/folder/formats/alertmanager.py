"""Alerts as Prometheus' Alertmanager gives them: API v2 lists (`GET /api/v2/alerts`) and webhook bodies (version 4).

Sources: alertmanager `api/v2/openapi.yaml` (gettableAlert) and the docs' webhook_config. An `endsAt` in year 1 means
open; in a v2 list an unresolved alert's `endsAt` lies ahead of `updatedAt` and means nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subagents.folder import times
from subagents.folder.records import Doc, Row

NAMES = ("service", "service_name", "app", "app_kubernetes_io_name", "application", "component", "deployment",
         "job", "namespace")  # fmt: skip


def alert(item: Mapping[str, Any]) -> bool:
    labels = item.get("labels")
    return isinstance(labels, Mapping) and "startsAt" in item and ("alertname" in labels or "status" in item)


def webhook(item: Mapping[str, Any]) -> bool:
    alerts = item.get("alerts")
    return isinstance(alerts, list) and any(isinstance(a, Mapping) and alert(a) for a in alerts)


def service_of(labels: Mapping[str, Any]) -> str:
    return next((str(labels[name]) for name in NAMES if labels.get(name)), "")


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    start = times.parse(item["startsAt"])
    if start is None:
        return []
    labels = {str(k): str(v) for k, v in item["labels"].items()}
    status = item.get("status")
    state = status if isinstance(status, str) else str((status or {}).get("state", ""))
    by = [] if isinstance(status, str) else _suppressors(status or {})
    return [
        {
            "kind": "alert",
            "name": labels.get("alertname", ""),
            "service": service_of(labels),
            "severity": labels.get("severity", ""),
            "start": start,
            "end": _end(item, state, start),
            "end_known": bool(state),
            "suppressed": bool(by) or state == "suppressed",
            "by": ", ".join(by),
            "labels": labels,
            "annotations": {str(k): str(v) for k, v in (item.get("annotations") or {}).items()},
            "link": str(item.get("generatorURL") or ""),
            "seen": around.get("seen"),
        }
    ]


def _suppressors(status: Mapping[str, Any]) -> list[str]:
    return [
        f"{word} by {i}"
        for key, word in (("inhibitedBy", "inhibited"), ("silencedBy", "silenced"), ("mutedBy", "muted"))
        for i in status.get(key) or ()
    ]


def _end(item: Mapping[str, Any], state: str, start: float) -> float | None:
    end = times.parse(item.get("endsAt"))
    if end is None or end < start or state in ("firing", "active", "suppressed", "unprocessed"):
        return None
    updated = times.parse(item.get("updatedAt"))
    return end if state == "resolved" or updated is None or end <= updated else None


def read_webhook(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    inner = {**around, "seen": times.parse(around.get("at"))}
    return [row for a in item["alerts"] if isinstance(a, Mapping) and alert(a) for row in read(a, inner)]


ALERT = Doc("Alertmanager alert", "alert", alert, read)
WEBHOOK = Doc("Alertmanager webhook", "alert", webhook, read_webhook)

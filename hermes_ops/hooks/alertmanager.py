"""Alertmanager's web hook (versions 3 and 4 of its body), which Grafana's unified alerting speaks as well.

A zero `endsAt` (year 1) and one in the future are alerts that fire. Before 0.19 there was no fingerprint; then the
labels are one. (Source: prometheus/alertmanager template.Data; its issues 3341 and 5198.)
"""

from __future__ import annotations

from datetime import datetime

from hermes_ops.hooks.heard import Alert, Delivery, Unreadable, first, mark, moment, table, text, texts
from hermes_ops.hooks.settings import AlertHook
from orchestrator.contracts import Json

RESOLVED = ("resolved", "ok", "normal", "inactive")


def read(said: Delivery, hook: AlertHook, now: datetime) -> list[Alert]:
    alerts = table(said.body).get("alerts")
    if not isinstance(alerts, list):
        raise Unreadable("It has no list `alerts`, as Alertmanager's bodies have; is this the right hook for it?")
    return [_alert(table(one), table(said.body), hook, now) for one in alerts]


def _alert(one: dict[str, Json], whole: dict[str, Json], hook: AlertHook, now: datetime) -> Alert:
    labels = texts(one.get("labels")) or texts(whole.get("commonLabels"))
    notes = {**texts(whole.get("commonAnnotations")), **texts(one.get("annotations"))}
    end, state = moment(one.get("endsAt"), hook.zone), text(one.get("status")).lower()
    over = state in RESOLVED if state else end is not None and end <= now
    start = moment(one.get("startsAt"), hook.zone)
    return Alert(
        name=labels.get("alertname") or notes.get("summary", "") or text(whole.get("title")),
        severity=first(labels, hook.severity_labels) or first(notes, hook.severity_labels),
        service=first(labels, hook.service_labels),
        firing=not over,
        start=start,
        end=end or now if over else None,
        fingerprint=text(one.get("fingerprint")) or mark(**labels),
        labels=labels,
        annotations=notes,
        link=text(one.get("generatorURL")),
        group=text(whole.get("groupKey")),
        receiver=text(whole.get("receiver")),
    )

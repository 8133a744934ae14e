"""Nightingale's (夜莺) web hook: one event, a list of them, or its API's answer with such a list.

Times are seconds; severities are 1 (critical), 2 (warning), 3 (info). An event's hash is the same from its first firing
to its recovery. (Source: ccfos/nightingale models/alert_cur_event.go, v6.)
"""

from __future__ import annotations

from datetime import datetime

from hermes_ops.hooks.heard import Alert, Delivery, Unreadable, first, mark, moment, table, text, texts
from hermes_ops.hooks.settings import AlertHook
from orchestrator.contracts import Json

SEVERITIES = {"1": "critical", "2": "warning", "3": "info"}
INNER = ("events", "event", "dat", "data", "list")


def read(said: Delivery, hook: AlertHook, now: datetime) -> list[Alert]:
    events = _events(said.body)
    if not events:
        raise Unreadable("It holds no event with a `rule_name` and a `trigger_time`, as Nightingale's bodies have.")
    return [_alert(event, hook, now) for event in events]


def _events(body: Json) -> list[dict[str, Json]]:
    if isinstance(body, list):
        return [event for item in body for event in _events(item)]
    held = table(body)
    if held.get("rule_name") and held.get("trigger_time"):
        return [held]
    return [event for name in INNER if name in held for event in _events(held[name])]


def _alert(event: dict[str, Json], hook: AlertHook, now: datetime) -> Alert:
    labels = texts(event.get("tags"))
    over = event.get("is_recovered") in (True, 1, "1", "true")
    ident, rule = text(event.get("target_ident")), text(event.get("rule_id"))
    start = moment(event.get("first_trigger_time")) or moment(event.get("trigger_time"))
    told = moment(event.get("recover_time")) or moment(event.get("last_eval_time"))
    notes = {"summary": text(event.get("rule_note")), **texts(event.get("annotations"))}
    severity = first(labels, hook.severity_labels) or text(event.get("severity")) or _of_rule(event)
    return Alert(
        name=text(event.get("rule_name")),
        severity=SEVERITIES.get(severity, severity),
        service=first(labels, hook.service_labels),
        firing=not over,
        start=start,
        end=told or now if over else None,
        fingerprint=text(event.get("hash")) or mark(rule, ident, **labels),
        labels={**({"ident": ident} if ident else {}), **labels},
        annotations={k: v for k, v in notes.items() if v},
        link=text(event.get("runbook_url")),
        group=f"{rule} {text(event.get('group_id'))}",
    )


def _of_rule(event: dict[str, Json]) -> str:
    """Of its rule's only trigger, where the event itself says none."""
    triggers = table(event.get("rule_config")).get("triggers")
    return text(table(triggers[0]).get("severity")) if isinstance(triggers, list) and len(triggers) == 1 else ""

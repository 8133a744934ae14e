"""Grafana's web hook: unified alerting (a list of alerts, as Alertmanager's), and dashboards' alerts before version 9.

The old kind tells no times and one state for a rule; an alert that goes on is told again and again ("alerting").
(Source: Grafana's documentation of the webhook notifier, of both.)
"""

from __future__ import annotations

from datetime import datetime

from hermes_ops.hooks import alertmanager
from hermes_ops.hooks.heard import Alert, Beside, Delivery, Unreadable, first, mark, table, text, texts
from hermes_ops.hooks.settings import AlertHook
from orchestrator.contracts import Json

FIRES = ("alerting", "no_data")
OVER = ("ok",)


def read(said: Delivery, hook: AlertHook, now: datetime) -> list[Alert]:
    body = table(said.body)
    if isinstance(body.get("alerts"), list):
        return alertmanager.read(said, hook, now)
    state = text(body.get("state")).lower()
    if not state or not (body.get("ruleName") or body.get("title")):
        raise Unreadable("It has neither `alerts` nor `state` and `ruleName`, as Grafana's bodies have.")
    if state not in (*FIRES, *OVER):
        raise Beside(f"the state {state} is neither alerting nor ok")
    return [_rule(body, state, hook, now)]


def _rule(body: dict[str, Json], state: str, hook: AlertHook, now: datetime) -> Alert:
    series = [texts(table(match).get("tags")) for match in body.get("evalMatches") or ()]
    shared = {k: v for tags in series for k, v in tags.items() if all(s.get(k) == v for s in series)}
    labels = {**shared, **texts(body.get("tags"))}
    notes = {"summary": text(body.get("title")), "description": text(body.get("message"))}
    name = text(body.get("ruleName")) or text(body.get("title"))
    return Alert(
        name=name,
        severity=first(labels, hook.severity_labels),
        service=first(labels, hook.service_labels),
        firing=state in FIRES,
        start=None,
        end=now if state in OVER else None,
        fingerprint=mark("rule", text(body.get("orgId")), text(body.get("ruleId")), text(body.get("ruleUrl")) or name),
        labels=labels,
        annotations={k: v for k, v in notes.items() if v},
        link=text(body.get("ruleUrl")),
        group=name,
    )

"""Single alerts, pages and open incidents of any tool, one object each, told by a word for "when it began to fire"
and a word for what fires. Whether such an alert is over is only known where the record says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.records import Doc, Row

_START = ("firsttriggertime", "firedat", "startsat", "triggeredat", "triggertime", "openedat", "activeat", "startedat",
          "firstseen", "alertedat", "firingsince", "statechangetime")  # fmt: skip
_END = ("resolvedat", "endsat", "endedat", "closedat", "recovertime", "recoveredat", "resolvedtime")
_NAME = ("alertname", "monitor", "rulename", "alarmname", "rule", "check", "title", "name", "metric", "summary", "id")
_WHAT = ("alertname", "monitor", "rulename", "alarmname", "metric", "threshold", "observed", "severity", "impact")
_SERVICE = ("service", "servicename", "app", "application", "component")
_STATE = ("newstatevalue", "alertstatus", "status", "state")
_OVER = ("ok", "resolved", "closed", "recovered", "normal")
_SEVERITY = ("severity", "impact", "priority", "urgency", "level")
_WORDS = ("summary", "description", "detail", "details", "message", "body", "reason")


def matches(item: Mapping[str, Any]) -> bool:
    start = keys.pick(item, _START)
    return start is not None and times.parse(start) is not None and keys.found(item, _WHAT) is not None


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    start = times.parse(keys.pick(item, _START))
    assert start is not None
    end = times.parse(keys.pick(item, _END))
    lasted = keys.pick(item, ("autoresolvedafters", "durationseconds"))
    over = keys.pick(item, ("isrecovered",)) in (True, 1) or keys.text(item, *_STATE).lower() in _OVER
    if end is None and over:
        end = times.parse(keys.pick(item, ("lastevaltime", "updatedat", "lastupdated")))
    if end is None and isinstance(lasted, int | float):
        end = start + float(lasted)
    scalars = {k: v for k, v in item.items() if isinstance(v, str | int | float) and v != ""}
    tags = item.get("tags")
    labels = dict(t.split("=", 1) for t in tags if isinstance(t, str) and "=" in t) if isinstance(tags, list) else {}
    words = {k: str(v) for k, v in scalars.items() if keys.norm(k) in _WORDS}
    updates = [u for u in item.get("updates") or () if isinstance(u, Mapping) and u.get("body")]
    if updates:
        words["updates"] = " | ".join(f"{u.get('timestamp', '')} {u['body']}".strip() for u in updates)[:2000]
    return [
        {
            "kind": "alert",
            "name": keys.text(item, *_NAME),
            "service": keys.text(item, *_SERVICE)
            or keys.text(labels, *_SERVICE)
            or keys.text(item, "targetident")
            or keys.text(around, "service", "provider", "source"),
            "severity": keys.text(item, *_SEVERITY).lower(),
            "start": start,
            "end": end if end is None or end >= start else None,
            "end_known": end is not None,
            "suppressed": False,
            "by": "",
            "labels": {**{k: str(v) for k, v in scalars.items() if k not in words}, **labels},
            "annotations": words,
            "link": keys.text(item, "url", "link", "generatorurl"),
            "seen": None,
        }
    ]


ALERT = Doc("alert record", "alert", matches, read)

"""Alerts and changes of any sender that posts JSON: by the paths of the settings, else by the names such things have.

It knows no product: what each calls its values stands in the settings (docs/HOOKS.md has worked ones).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from hermes_ops.hooks import paths
from hermes_ops.hooks.heard import Alert, Beside, Change, Delivery, Unreadable, first, mark, moment, table, text, texts
from hermes_ops.hooks.settings import AlertHook, ChangeHook, Paths
from orchestrator.contracts import Json
from subagents.sources import ChangeKind


def _words(said: str) -> frozenset[str]:
    return frozenset(said.split())


SURE = (  # names that belong to alerts alone
    "alertname", "alarmname", "alerttitle", "alertrule", "rulename", "alarmrulename", "checkname", "monitorname",
    "monitorfriendlyname", "conditionname", "policyname", "eventdefinitiontitle", "告警名称", "规则名称",
)  # fmt: skip
_DAY = re.compile(r"\d{4}[-./]\d\d?[-./]\d\d?")
_OF_DAY = re.compile(r"\d\d?:\d\d")
USUAL = {  # in order of how surely it is the thing
    "name": "name title rule 标题 subtype eventname watchid summary message",
    "severity": "severity severitylevel criticality alarmlevel alertlevel eventseverity priority importancelevel level "
    "urgency 级别 告警级别",
    "service": "service servicename app appname application applicationname component 服务 应用",
    "start": "startsat startedat starttime startdate datestartzoned datestart firsttriggertime triggertime alarmtime "
    "firedat fireddatetime firstoccurtime 告警时间 触发时间 发生时间",
    "end": "endsat endedat endtime enddate dateendzoned dateend resolvedat resolveddatetime recovertime recoverytime "
    "eventrecoverytime closedat canceldate 恢复时间",
    "told": "statechangetime statechangedtimestamp occurredat updatedat updatetime lastupdated lasttime timestamp "
    "time alertdatetime datetime date 时间",
    "made": "createdat createdon eventtime",
    "id": "fingerprint dedupkey incidentid incidentkey alertid monitorid checkid alarmid eventdefinitionid hash",
    "summary": "description alertmessage summary message alarmdescription body messagebody details reason info",
    "link": "generatorurl link url alerturl htmlurl permalink detectorurl",
    "labels": "labels tags dimensions fields",
}
STATES = (
    "isrecovered", "isalarm", "alerttransition", "monitorcondition", "currentstate", "newstatevalue", "status",
    "alertstatus", "alarmstatus", "eventstatus", "state", "状态", "告警状态",
)  # fmt: skip
EVENTS = (
    "alertaction",
    "eventaction",
    "eventtype",
    "alerttypefriendlyname",
    "alerttype",
    "action",
    "type",
)  # outer level
LISTS = ("alerts", "events", "messages", "incidents", "records", "items")
FIRES = _words(
    "firing fires fire fired alerting alert alarm alarming problem trigger triggered triggering open opened active "
    "activated acknowledged occurred occur down critical failure failed error warn unhealthy true 1 "
    "告警 报警 触发 故障 异常 发生 未恢复"
)
OVER = _words(
    "resolved resolve ok closed close recovered recovery normal up inactive deactivated clear cleared end ended "
    "healthy cancelled canceled success false 0 恢复 已恢复 正常 解除 已解除 已解决 关闭 已关闭"
)
COUNTED = (
    "isrecovered",
    "isalarm",
    "state",
    "alertstate",
    "alarmstatus",
)  # where 1 and 0 are states of the alert, not of a device
CHANGES = get_args(ChangeKind)


def read_alerts(said: Delivery, hook: AlertHook, now: datetime) -> list[Alert]:
    found = [_alert(one, hook, now) for one in _several(said.body, hook.map.list, LISTS)]
    alerts = [alert for alert in found if isinstance(alert, Alert)]
    if not alerts:
        raise Beside(next((str(why) for why in found), "it is empty"))
    return alerts


def read_changes(said: Delivery, hook: ChangeHook, now: datetime) -> list[Change]:
    return [_change(one, hook) for one in _several(said.body, hook.map.list, ())]


def _several(body: Json, path: str, names: Sequence[str]) -> list[Json]:
    held = paths.at(body, path) if path else body
    if not path and isinstance(body, dict):
        lists = (body.get(name) for name in names)
        held = next((v for v in lists if isinstance(v, list) and v and isinstance(v[0], dict)), body)
    several = held if isinstance(held, list) else [held]
    if not several or not all(isinstance(one, dict) for one in several):
        raise Unreadable("It is no JSON object with values; set the map's list to where its objects stand.")
    return [_timed(one) for one in several]


def _timed(one: Json) -> Json:
    """A date and a time of day in two values, `event_date` and `event_time`, as one time."""
    held = table(one)
    days = {paths.plain(key).removesuffix("date"): text(value) for key, value in held.items()}

    def whole(key: str, value: Json) -> Json:
        day = days.get(paths.plain(key).removesuffix("time"), "")
        return f"{day} {value}" if _OF_DAY.match(text(value)) and _DAY.fullmatch(day) else value

    return {key: whole(key, value) for key, value in held.items()}


# ── alerts ────────────────────────────────────────────────────────────────────────────────────


def _alert(one: Json, hook: AlertHook, now: datetime) -> Alert | str:
    """A sentence where it says neither that something fires nor that it is over."""
    state = _state(one, hook)
    if state not in ("firing", "resolved"):
        told = f"its state {state!r} is neither firing nor resolved"
        return told if state else "nothing in it says that it is an alert"
    m = hook.map
    labels = texts(_at(one, m.labels, "labels"))
    name = text(_at(one, m.name, "name")) if m.name else _name(one)
    if not name:
        keys = ", ".join(sorted(table(one))[:12])
        raise Unreadable(f"No name of an alert is found: set map.name to its path. It has the keys {keys}.")
    said = text(_at(one, m.severity, "severity")) or first(labels, hook.severity_labels)
    service = text(_at(one, m.service, "service")) or first(labels, hook.service_labels) or _service(labels)
    over = state == "resolved"
    start, end = _times(one, hook, over, now)
    link, summary = text(_at(one, m.link, "link")), text(_at(one, m.summary, "summary"))
    return Alert(
        name=name,
        severity=said,
        service=service,
        firing=not over,
        start=start,
        end=end,
        fingerprint=mark(text(_at(one, m.id, "id")) or mark(name, service, **labels)),
        labels=labels,
        annotations={"summary": summary} if summary and summary != name else {},
        link=link if link.startswith("http") else "",
        group=name,
    )


def _name(one: Json) -> str:
    """By a name of alerts wherever it stands, else by what the outermost level that has a name calls it."""
    return text(paths.usual(one, (*SURE, "subject"))) or text(paths.outermost(one, USUAL["name"].split()))


def _service(labels: Mapping[str, str]) -> str:
    known = USUAL["service"].split()
    return next((value for name, value in labels.items() if paths.plain(name) in known), "")


def _times(one: Json, hook: AlertHook, over: bool, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Start and end. A single time is that of what is told: a start where it fires, an end where it is over; so is the
    time at which a record was made, unless a later one is told as well."""
    start, end, told, made = (
        moment(_at(one, path, usually), hook.zone)
        for path, usually in ((hook.map.start, "start"), (hook.map.end, "end"), ("", "told"), ("", "made"))
    )
    if not over:
        return start or made or told, None
    if end or told or hook.map.start:
        until = end or told or now
        return start or (made if made and made < until else None), until
    return None, start or made or now


def _at(one: Json, path: Paths, usually: str) -> Json:
    """A table with a name is that name: `"service": {"id": 7, "name": "checkout"}`."""
    found = paths.at(one, path) if path else paths.usual(one, USUAL[usually].split())
    if not isinstance(found, dict) or usually == "labels":
        return found
    return next((found[key] for key in ("name", "summary") if key in found), found)


def _state(one: Json, hook: AlertHook) -> str:
    """ "firing", "resolved", or what it says; "" where nothing says that it is an alert at all."""
    if hook.map.state:
        return _read_state(paths.at(one, hook.map.state), hook)
    said = ""
    for name in (*STATES, *EVENTS):
        value = paths.usual(one, (name,), 1 if name in EVENTS else paths.DEPTH)
        if name not in COUNTED and text(value).isdigit():
            continue
        found = _read_state(value, hook)
        if found in ("firing", "resolved"):
            turned = name == "isrecovered"
            return {"firing": "resolved", "resolved": "firing"}[found] if turned else found
        said = said or (found if name in STATES else "")
    if not said and text(_at(one, hook.map.severity, "severity")).lower() in ("ok", "normal", "clear", "cleared"):
        return "resolved"  # one scale for both, as in monitoring systems with levels
    return said or ("firing" if _alerts(one, hook) else "")


def _alerts(one: Json, hook: AlertHook) -> bool:
    """Whether something says that it is an alert, though not in which state: a severity, or a name of one."""
    return bool(hook.map.name or hook.map.severity or paths.usual(one, SURE) or _at(one, "", "severity"))


def _read_state(value: Json, hook: AlertHook) -> str:
    """The last of its words that says it counts: `ALERT_NOTIFICATION_CLEAR`, `NORMAL_TRIGGER`."""
    word = text(value)
    for state, words in (("firing", hook.map.firing), ("resolved", hook.map.resolved)):
        if word and word.lower() in [w.lower() for w in words]:
            return state
    if hook.map.firing or hook.map.resolved:
        return word
    for part in reversed(re.findall(r"[a-z]+|\d+|[\u4e00-\u9fff]+", word.lower())):
        if part in FIRES or part in OVER:
            return "firing" if part in FIRES else "resolved"
    return word


# ── changes ───────────────────────────────────────────────────────────────────────────────────


def _change(one: Json, hook: ChangeHook) -> Change:
    m = hook.map
    for path, words in m.only.items():
        if (said := text(paths.at(one, path))) not in words:
            raise Beside(f"{path} is {said!r}, and the map takes only {', '.join(words)}")
    kind = text(paths.at(one, m.kind))
    if kind not in CHANGES:
        raise Unreadable(f"Its kind {kind!r} is none of {', '.join(CHANGES)}: set map.kind, such as `=deploy`.")
    given: dict[str, Any] = {
        name: text(paths.at(one, getattr(m, name)))
        for name in ("service", "title", "author", "version", "sha", "environment", "body", "link", "id")
        if getattr(m, name)
    }
    if not (title := given.get("title", "")):
        raise Unreadable("No title is found: set map.title to the path of the words that say what was changed.")
    at = moment(paths.at(one, m.at), hook.zone) if m.at else None
    known = (given.get(n, "") for n in ("service", "version", "environment", "sha"))
    id = given.pop("id", "") or mark(kind, title, at.isoformat() if at else "", *known)
    return Change(id=id, kind=next(k for k in CHANGES if k == kind), at=at, **{"service": "", **given})

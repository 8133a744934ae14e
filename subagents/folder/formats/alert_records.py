"""Single alerts, pages and open incidents of any tool, one object or row each, told by a word for "when it began to
fire" and a word for what fires. Whether such an alert is over is only known where the record says so.

A plain time or "created" is the start where other words say that it is an alert: a recovery time, a column about an
alarm, or the state of a page (PagerDuty, Opsgenie, Grafana OnCall). Zabbix' `clock` is the start, its severities are
numbers (its manual: 0 not classified … 5 disaster). Nightingale's are, too (its docs: 1 critical, 2 warning, 3 info).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.formats import words
from subagents.folder.formats.alertmanager import service_of
from subagents.folder.records import Doc, Row

_START = ("firsttriggertime", "firedat", "startsat", "triggeredat", "triggertime", "openedat", "activeat", "startedat",
          "firstseen", "alertedat", "firingsince", "statechangetime", "firstoccurtime", "alerttime", "alarmtime",
          "stateupdatedtimestamp", "触发时间", "首次触发时间", "告警时间", "报警时间", "告警触发时间", "告警开始时间",
          "报警触发时间", "报警开始时间", "首次发生时间")  # fmt: skip
_PLAIN = ("createdat", "createdon", "time", "timestamp", "starttime", "date", "开始时间", "发生时间", "产生时间",
          "时间", "创建时间")  # fmt: skip
_END = ("resolvedat", "resolvedon", "endsat", "endedat", "closedat", "recovertime", "recoverytime", "recoveredat",
        "resolvedtime", "endtime", "timeend", "恢复时间", "告警恢复时间", "报警恢复时间", "报警结束时间",
        "解决时间", "关闭时间", "结束时间", "告警结束时间")  # fmt: skip
_RECOVERED = ("recoverytime", "recovertime", "recoveredat", "恢复时间", "告警恢复时间", "报警恢复时间")
_NAME = ("alertname", "monitor", "rulename", "alarmname", "policyname", "告警名称", "告警名", "规则名称", "告警规则",
         "策略名称", "告警策略", "告警标题", "报警名称", "报警规则名称", "告警规则名称", "规则名", "报警规则",
         "报警策略", "报警标题", "策略名", "alertrulename", "alarmrulename", "alertpolicyname", "alerttitle",
         "alarmtitle", "alert", "alarm", "事件名称", "checkname", "monitorname", "rule", "check", "problem", "title",
         "标题", "name", "名称", "监控项", "监控指标", "指标名称", "metric", "metricname", "summary", "message",
         "description", "告警内容", "id")  # fmt: skip
_WHAT = ("alertname", "monitor", "rulename", "alarmname", "policyname", "metric", "threshold", "observed", "severity",
         "impact", "级别", "等级", "规则名称", "策略名称")  # fmt: skip
_PAGED = ("incidentnumber", "urgency", "tinyid", "alertscount")
_STATE = ("newstatevalue", "statevalue", "alertstatus", "alarmstatus", "status", "state", "告警状态", "报警状态",
          "事件状态", "状态")  # fmt: skip
_OPEN = ("firing", "triggered", "acknowledged", "alarm", "alerting", "problem", "open", "active", "未恢复", "告警中",
         "报警中", "触发中", "未关闭", "未解决")  # fmt: skip
_OVER = ("ok", "resolved", "closed", "recovered", "normal", "已恢复", "恢复", "已解决", "已关闭")
_LAST = ("lastevaltime", "updatedat", "lastupdated", "lastoccurtime", "laststatuschangeat")
_SEVERITY = ("severity", "impact", "priority", "urgency", "level", "级别", "告警级别", "报警级别", "等级", "告警等级",
             "报警等级", "严重程度", "严重级别", "优先级")  # fmt: skip
_WORDS = ("summary", "description", "detail", "details", "message", "body", "reason", "content", "statereason", "描述",
          "告警内容", "内容", "告警描述", "详情")  # fmt: skip
_NIGHTINGALE = {"1": "critical", "2": "warning", "3": "info"}
_ZABBIX = ("", "information", "warning", "average", "high", "disaster")
_QUIET = re.compile(r"\bto (?:OK|INSUFFICIENT_DATA)$")  # CloudWatch's alarm history
_TAG = re.compile(r"([a-z][a-z_.-]*)[=:](.*)", re.IGNORECASE | re.DOTALL)
_ALARM = re.compile(r"告警|报警|^alarm|^alert")


def alarming(item: Mapping[str, Any]) -> bool:
    """Whether a key speaks of an alarm, a recovery, or a page."""
    return any(_ALARM.match(keys.norm(k)) for k in item) or keys.found(item, (*_RECOVERED, *_PAGED)) is not None


def matches(item: Mapping[str, Any]) -> bool:
    if _zabbix(item):
        return True
    if times.parse(keys.pick(item, _START)) is not None:
        return keys.found(item, _WHAT) is not None or alarming(item)
    if keys.found(item, ("msg", "level", "lvl", "spanid", "日志级别")) or not _name(item):
        return False
    return alarming(item) and times.parse(keys.pick(item, _PLAIN)) is not None


def _name(item: Mapping[str, Any]) -> str:
    """The first word for it that isn't empty, or the name of the object that it is."""
    return next((name for key in _NAME if (name := words.named(item, key))), "")


def _zabbix(item: Mapping[str, Any]) -> bool:
    return {"clock", "eventid", "name"} <= item.keys() and times.parse(item["clock"]) is not None


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    start = times.parse(item["clock"] if _zabbix(item) else keys.pick(item, _START) or keys.pick(item, _PLAIN))
    state = keys.text(item, *_STATE).lower()
    if start is None or _unstarted(item, state):
        return []
    scalars = {k: v for k, v in item.items() if isinstance(v, str | int | float) and v != ""}
    labels, end = _labels(item), _end(item, start, state)
    said = {k: str(v) for k, v in scalars.items() if keys.norm(k) in _WORDS}
    updates = [u for u in item.get("updates") or () if isinstance(u, Mapping) and u.get("body")]
    if updates:
        said["updates"] = " | ".join(f"{u.get('timestamp', '')} {u['body']}".strip() for u in updates)[:2000]
    return [
        {
            "kind": "alert",
            "name": _name(item) or labels.get("alertname", ""),
            "service": _service(item, labels, around),
            "severity": _severity(item, labels),
            "start": start,
            "end": end if end is None or end >= start else None,
            "end_known": end is not None or state in _OPEN or keys.pick(item, ("isrecovered",)) in (False, 0),
            "suppressed": False,
            "by": "",
            "labels": {**{k: str(v) for k, v in scalars.items() if k not in said}, **labels},
            "annotations": said,
            "link": keys.text(item, "url", "link", "generatorurl", "htmlurl"),
            "seen": None,
        }
    ]


def _unstarted(item: Mapping[str, Any], state: str) -> bool:
    """A record of the moment at which an alarm became quiet: when it began isn't in it."""
    quiet = keys.found(item, ("stateupdatedtimestamp",)) is not None and state != "alarm"
    told = keys.text(item, "historysummary")
    quiet = quiet or bool(told and (keys.text(item, "historyitemtype") != "StateUpdate" or _QUIET.search(told)))
    return quiet or keys.text(item, "levelchange").lower().endswith("->ok")


def _end(item: Mapping[str, Any], start: float, state: str) -> float | None:
    end = times.parse(item.get("r_clock") if _zabbix(item) else keys.pick(item, _END))
    over = keys.pick(item, ("isrecovered",)) in (True, 1) or state in _OVER
    if end is None and over:
        end = times.parse(keys.pick(item, _LAST))
    lasted = keys.pick(item, ("autoresolvedafters", "durationseconds"))
    return start + float(lasted) if end is None and isinstance(lasted, int | float) else end


def _labels(item: Mapping[str, Any]) -> dict[str, str]:
    """Of a `labels` object, or of tags that say `name=value` or `name:value`."""
    tags, told = item.get("tags"), item.get("labels")
    pairs = [_TAG.fullmatch(t) for t in tags if isinstance(t, str)] if isinstance(tags, list) else []
    labels = {pair[1]: pair[2] for pair in pairs if pair}
    return labels | {str(k): str(v) for k, v in told.items()} if isinstance(told, Mapping) else labels


def _service(item: Mapping[str, Any], labels: Mapping[str, str], around: Mapping[str, Any]) -> str:
    hosts = item.get("hosts")
    first = hosts[0] if isinstance(hosts, list) and hosts and isinstance(hosts[0], Mapping) else {}
    return (
        words.named(item, *words.SERVICE)
        or service_of(labels)
        or words.named(item, "targetident", *words.TARGET)
        or keys.text(first, "name", "host")
        or keys.text(around, "service", "provider", "source")
    )


def _severity(item: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    said = keys.text(item, *_SEVERITY) or labels.get("severity", "")
    if said in _NIGHTINGALE and keys.found(item, ("ruleid",)) and keys.found(item, ("triggertime",)):
        return _NIGHTINGALE[said]
    return _ZABBIX[int(said)] if _zabbix(item) and said in "012345" and said else said.lower()


ALERT = Doc("alert record", "alert", matches, read)

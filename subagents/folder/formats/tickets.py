"""Change tickets and maintenance windows as objects or rows of a table: an id, a title, a (planned) start and end. A
plain "time" is a start where somebody is named who did it. What kind of change it was is said by its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.formats import words
from subagents.folder.formats.alert_records import alarming
from subagents.folder.records import Doc, Row

_ID = ("id", "key", "number", "ticket", "changeid", "incidentid", "ticketid", "changenumber", "单号",
       "工单号", "工单编号", "变更单号", "变更编号", "变更号", "发布单号", "编号", "流水号")  # fmt: skip
_TITLE = ("title", "summary", "shortdescription", "subject", "name", "description", "变更内容",
          "变更标题", "发布内容", "内容", "标题", "主题", "说明", "描述", "操作内容", "变更说明")  # fmt: skip
_START = ("windowstart", "plannedstart", "scheduledstart", "startdate", "start", "begin", "from",
          "计划开始时间", "实际开始时间", "开始时间", "变更时间", "执行时间", "操作时间",
          "实施时间", "发布时间", "上线时间")  # fmt: skip
_END = ("windowend", "plannedend", "scheduledend", "enddate", "end", "until", "to",
        "计划结束时间", "实际结束时间", "结束时间", "完成时间")  # fmt: skip
_OWNER = ("owner", "author", "assignee", "requestedby")
_TIME = ("时间", "time", "date", "日期", "timestamp")
_TYPE = ("type", "kind", "changetype", "类型", "变更类型", "操作类型", "类别")
_KINDS = (("deploy", "deploy", "release", "rollout", "发布", "上线", "部署"), ("config", "config", "配置"),
          ("flag", "flag", "toggle", "开关"))  # fmt: skip


def matches(item: Mapping[str, Any]) -> bool:
    if keys.found(item, ("spanid", "traceid", "level", "startsat", "commitsha", "value")) or alarming(item):
        return False
    if keys.pick(item, _ID) is None or keys.pick(item, _TITLE) is None:
        return False
    return times.parse(_start(item)) is not None


def _start(item: Mapping[str, Any]) -> Any:
    by = keys.pick(item, words.PEOPLE) is not None and not keys.found(item, ("severity", "msg", "message", "级别"))
    return keys.pick(item, (*_START, *_TIME) if by else _START)


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    at = times.parse(_start(item))
    assert at is not None
    said = words.named(item, *_TYPE).lower()
    rest = {
        k: v
        for k, v in item.items()
        if keys.norm(k) not in (*_ID, *_TITLE, *_START, *_END, *_TIME, "service", "owner") and v not in (None, "")
    }
    return [
        {
            "kind": "change",
            "change": next((kind for kind, *told in _KINDS if any(word in said for word in told)), "ticket"),
            "id": keys.text(item, *_ID),
            "at": at,
            "until": times.parse(keys.pick(item, _END)),
            "service": words.named(item, *words.SERVICE, *words.TARGET),
            "title": keys.text(item, *_TITLE),
            "author": words.named(item, *_OWNER, *words.PEOPLE),
            "environment": words.named(item, *words.ENVIRONMENT),
            "body": ", ".join(f"{k}: {v}" for k, v in rest.items())[:1000],
        }
    ]


TICKET = Doc("change ticket", "change", matches, read)

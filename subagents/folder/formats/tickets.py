"""Change tickets and maintenance windows as objects or rows of a table: an id, a title, a (planned) start and end. A
plain "time" is a start where somebody is named who did it. What kind of change it was is said by its type, else by the
names of its columns: a form with a 发布人 or a "released by" is one of a deploy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.formats import words
from subagents.folder.formats.alert_records import alarming
from subagents.folder.records import Doc, Row

_ID = ("id", "key", "number", "ticket", "changeid", "incidentid", "ticketid", "changenumber", "单号",
       "工单号", "工单编号", "变更单号", "变更编号", "变更号", "发布单号", "发布编号", "发布单", "发布id", "上线单号",
       "编号", "流水号", "releaseid", "deployid", "deploymentid")  # fmt: skip
_TITLE = ("title", "summary", "shortdescription", "subject", "name", "description", "变更内容",
          "变更标题", "发布内容", "内容", "标题", "主题", "说明", "描述", "操作内容", "变更说明")  # fmt: skip
_START = ("windowstart", "plannedstart", "scheduledstart", "startdate", "start", "begin", "from",
          "计划开始时间", "实际开始时间", "开始时间", "变更时间", "执行时间", "操作时间",
          "实施时间", "发布时间", "上线时间", "部署时间", "发布开始时间", "上线开始时间")  # fmt: skip
_END = ("windowend", "plannedend", "scheduledend", "enddate", "end", "until", "to",
        "计划结束时间", "实际结束时间", "结束时间", "完成时间", "发布完成时间", "上线完成时间")  # fmt: skip
_RUN_START = (*_START, "starttime", "startedat", "begintime", "createdat", "createtime", "创建时间")
_RUN_END = (*_END, "endtime", "finishtime", "finishedat", "completedat", "发布结束时间", "上线结束时间")
_VERSION = ("version", "tag", "image", "版本", "版本号", "发布版本", "镜像", "镜像版本")
_OWNER = ("owner", "author", "assignee", "requestedby")
_TIME = ("时间", "time", "date", "日期", "timestamp")
_TYPE = ("type", "kind", "changetype", "类型", "变更类型", "操作类型", "类别")
_DELIVERED = re.compile(r"发布|上线|部署(?!环境)|^(?:deploy(?!ment$)|releas|rollout|rolledout)")  # who delivers says so
_KINDS = (("deploy", "deploy", "release", "rollout", "发布", "上线", "部署"), ("config", "config", "配置"),
          ("flag", "flag", "toggle", "开关"))  # fmt: skip


def matches(item: Mapping[str, Any]) -> bool:
    if keys.found(item, ("spanid", "traceid", "level", "startsat", "commitsha", "value")) or alarming(item):
        return False
    if keys.pick(item, _ID) is None or (keys.pick(item, _TITLE) is None and not _delivery(item)):
        return False
    return times.parse(_start(item)) is not None


def _delivery(item: Mapping[str, Any]) -> bool:
    """Whether it is of a system that delivers: a column says so, and another one names what was delivered."""
    return any(_DELIVERED.search(keys.norm(k)) for k in item) and bool(words.named(item, *words.SERVICE, *words.TARGET))


def _start(item: Mapping[str, Any]) -> Any:
    by = keys.pick(item, words.PEOPLE) is not None and not keys.found(item, ("severity", "msg", "message", "级别"))
    wanted = _RUN_START if _delivery(item) else _START
    return keys.pick(item, (*wanted, *_TIME) if by else wanted)


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    at = times.parse(_start(item))
    assert at is not None
    said = words.named(item, *_TYPE).lower()
    delivered = _delivery(item)
    usual, service = "deploy" if delivered else "ticket", words.named(item, *words.SERVICE, *words.TARGET)
    version = keys.text(item, *_VERSION)
    rest = {
        k: v
        for k, v in item.items()
        if keys.norm(k) not in (*_ID, *_TITLE, *_START, *_END, *_TIME, "service", "owner") and v not in (None, "")
    }
    return [
        {
            "kind": "change",
            "change": next((kind for kind, *told in _KINDS if any(word in said for word in told)), usual),
            "id": keys.text(item, *_ID),
            "at": at,
            "until": times.parse(keys.pick(item, _RUN_END if delivered else _END)),
            "service": service,
            "version": version,
            "title": keys.text(item, *_TITLE) or f"{service} {version}".strip(),
            "author": words.named(item, *_OWNER, *words.PEOPLE),
            "environment": words.named(item, *words.ENVIRONMENT),
            "outcome": words.undone(item, waits=False),
            "body": ", ".join(f"{k}: {v}" for k, v in rest.items())[:1000],
        }
    ]


TICKET = Doc("change ticket", "change", matches, read)

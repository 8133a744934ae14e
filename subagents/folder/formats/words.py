"""Words that the columns and keys of records have in common, whatever tool or table they come from, compared as `keys`
does: whose it is, who did it, where, how it ended. A value may be an object that carries a name
(`{"display_value": "ana"}`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subagents.folder import keys

SERVICE = ("service", "servicename", "app", "application", "applicationname", "component", "服务", "服务名", "服务名称",
           "应用", "应用名", "应用名称", "系统", "系统名称", "模块", "组件", "业务", "业务系统")  # fmt: skip
TARGET = ("cmdbci", "变更对象", "发布对象", "告警对象", "监控对象", "对象", "资源", "资源名称", "实例", "实例名称",
          "主机", "主机名", "alarmobject", "entity", "instancename", "host", "hostname")  # fmt: skip
PEOPLE = ("creator", "author", "by", "user", "actor", "deployer", "deployedby", "releasedby", "createdby", "changedby",
          "owner", "assignee", "assignedto", "requestedby", "operator", "initiatedby", "member", "操作人", "操作者",
          "执行人", "负责人", "发布人", "上线人", "提交人", "申请人", "变更人", "修改人", "实施人", "作者")  # fmt: skip
ENVIRONMENT = ("environment", "env", "环境", "集群")
_STATUS = ("status", "runstatus", "conclusion", "result", "state", "outcome", "状态", "发布状态", "部署状态",
           "执行状态", "变更状态", "结果", "发布结果", "执行结果")  # fmt: skip
_UNDONE = frozenset((  # how a run ended, or stands, that did not take effect
    "fail", "failed", "failure", "error", "errored", "timedout", "terminal", "unsuccessful", "canceled", "cancelled",
    "forcecanceled", "aborted", "discarded", "rejected", "skipped", "notbuilt", "policysoftfailed", "失败", "发布失败",
    "部署失败", "执行失败", "已失败", "取消", "已取消", "已终止", "已中止", "已驳回", "已拒绝", "已撤销", "已作废",
))  # fmt: skip
_WAITING = frozenset((
    "created", "pending", "queued", "waiting", "blocked", "planned", "plannedandfinished", "plannedandsaved",
    "policychecked", "costestimated", "notstarted", "awaitingapproval", "未开始", "未发布", "待发布",
    "待审批", "待执行",
))  # fmt: skip
_NAMES = ("login", "username", "displayvalue", "displayname", "summary", "name", "email")


def named(item: Mapping[str, Any], *wanted: str) -> str:
    """A scalar as text, or the name that an object carries; "" where there is none."""
    value = keys.pick(item, wanted)
    return keys.text(value, *_NAMES) if isinstance(value, Mapping) else keys.text(item, *wanted)


def undone(item: Mapping[str, Any], waits: bool = True) -> str:
    """The word of a run's own system for how it ended, where it did not take effect (failed, canceled …); "" where it
    did, or nothing says. `waits`: one that hasn't begun counts too, as of a run, not of planned work."""
    said = keys.text(item, *_STATUS)
    plain = keys.norm(said)
    return said if plain in _UNDONE or (waits and plain in _WAITING) else ""

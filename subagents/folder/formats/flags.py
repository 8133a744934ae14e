"""Feature flags and configuration changes as JSON objects: a time, what was switched or set, from what to what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.formats import words
from subagents.folder.records import Doc, Row

_FLAG = ("flag", "flagkey", "featureflag", "feature", "toggle", "flagname", "开关", "开关名称")
_CONFIG = ("config", "configkey", "setting", "parameter", "configmap", "configuration", "key", "配置项",
           "配置", "参数", "参数名")  # fmt: skip
_TIME = ("timestamp", "changedat", "time", "at", "updatedat", "createdat", "date", "modifiedat", "修改时间",
         "变更时间", "时间", "操作时间")  # fmt: skip
_OLD = ("old", "oldvalue", "from", "before", "previous", "旧值", "原值", "修改前", "变更前")
_NEW = ("new", "newvalue", "to", "after", "value", "state", "enabled", "新值", "修改后", "变更后")


def matches(item: Mapping[str, Any]) -> bool:
    if keys.pick(item, _TIME) is None or keys.found(item, ("level", "severity", "spanid", "msg", "message")):
        return False
    if keys.pick(item, _FLAG) is not None or _switched(item):
        return True
    changed = keys.found(item, ("change", *_OLD)) is not None
    return keys.pick(item, _CONFIG) is not None and changed


def _switched(item: Mapping[str, Any]) -> bool:
    """LaunchDarkly's audit log: of kind flag, and what was done to it."""
    return keys.text(item, "kind") == "flag" and keys.found(item, ("titleverb",)) is not None


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    at = times.parse(keys.pick(item, _TIME))
    if at is None:
        return []
    flag = keys.text(item, *_FLAG) or (keys.text(item, "name") if _switched(item) else "")
    name = flag or keys.text(item, *_CONFIG)
    change = keys.text(item, "change", "titleverb") or f"{_said(item, _OLD)} → {_said(item, _NEW)}"
    return [
        {
            "kind": "change",
            "change": "flag" if flag else "config",
            "id": keys.text(item, "id") or f"{name}@{times.iso(at)}",
            "at": at,
            "service": words.named(item, *words.SERVICE),
            "title": f"{name}: {change}",
            "author": words.named(item, "actor", "author", "user", "by", "changedby", *words.PEOPLE),
            "environment": words.named(item, *words.ENVIRONMENT),
            "body": keys.text(item, "reason", "comment", "description", "note"),
        }
    ]


def _said(item: Mapping[str, Any], wanted: tuple[str, ...]) -> str:
    value = keys.pick(item, wanted)
    return "?" if value is None else str(value)


FLAG = Doc("flag or config change", "change", matches, read)

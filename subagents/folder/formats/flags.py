"""Feature flags and configuration changes as JSON objects: a time, what was switched or set, from what to what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.records import Doc, Row

_FLAG = ("flag", "flagkey", "featureflag", "feature", "toggle", "flagname")
_CONFIG = ("config", "configkey", "setting", "parameter", "configmap", "configuration", "key")
_TIME = ("timestamp", "changedat", "time", "at", "updatedat", "createdat", "date", "modifiedat")
_OLD = ("old", "oldvalue", "from", "before", "previous")
_NEW = ("new", "newvalue", "to", "after", "value", "state", "enabled")


def matches(item: Mapping[str, Any]) -> bool:
    if keys.pick(item, _TIME) is None or keys.found(item, ("level", "severity", "spanid", "msg", "message")):
        return False
    if keys.pick(item, _FLAG) is not None:
        return True
    changed = keys.found(item, ("change", *_OLD)) is not None
    return keys.pick(item, _CONFIG) is not None and changed


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    at = times.parse(keys.pick(item, _TIME))
    if at is None:
        return []
    flag = keys.text(item, *_FLAG)
    name = flag or keys.text(item, *_CONFIG)
    change = keys.text(item, "change") or f"{_said(item, _OLD)} → {_said(item, _NEW)}"
    return [
        {
            "kind": "change",
            "change": "flag" if flag else "config",
            "id": keys.text(item, "id") or f"{name}@{times.iso(at)}",
            "at": at,
            "service": keys.text(item, "service", "servicename", "app", "application", "component"),
            "title": f"{name}: {change}",
            "author": keys.text(item, "actor", "author", "user", "by", "changedby"),
            "environment": keys.text(item, "environment", "env"),
            "body": keys.text(item, "reason", "comment", "description", "note"),
        }
    ]


def _said(item: Mapping[str, Any], wanted: tuple[str, ...]) -> str:
    value = keys.pick(item, wanted)
    return "?" if value is None else str(value)


FLAG = Doc("flag or config change", "change", matches, read)

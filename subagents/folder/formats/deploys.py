"""Deployments and releases as objects or rows of a table: a time, what was put where (ref, tag, version, image or sha).

A log record may carry a version and a message too: with a message it is a deploy where its time is called one of a
deploy, or somebody is named who did it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.formats import words
from subagents.folder.records import Doc, Row

_DEPLOYED = ("deployedat", "deploytime", "deployedon", "releasedat", "releasetime", "publishedat", "rolledoutat",
             "发布时间", "上线时间", "部署时间")  # fmt: skip
_TIME = (*_DEPLOYED, "timestamp", "createdat", "finishedat", "startedat", "time", "at", "updatedat", "date", "created",
         "发布开始时间", "上线开始时间", "开始时间", "时间", "完成时间")  # fmt: skip
_SHA = ("commitsha", "sha", "commit", "revision", "gitsha", "commithash")
_VERSION = ("version", "tag", "tagname", "release", "image", "版本", "版本号", "镜像")
_REF = ("ref", "gitref", "branch", "分支")
_SERVICE = (*words.SERVICE, "project", "deployment", "workload")
_DID = ("by", "author", "deployer", "deployedby", "releasedby", "creator", "发布人", "上线人", "操作人")
_TITLE = ("description", "title", "change", "name", "summary", "message", "subject", "comment", "note", "说明", "内容",
          "描述", "备注", "标题", "发布内容", "发布说明", "变更内容")  # fmt: skip
_NUMBER = re.compile(r"(?:^|[-_/@:])v?(\d+(?:\.\d+)+(?:[-+][\w.]+)?)$")


def matches(item: Mapping[str, Any]) -> bool:
    if keys.pick(item, _TIME) is None or keys.found(item, ("spanid", "value")):
        return False
    if keys.found(item, ("level", "lvl", "severity", "severitytext", "msg", "log", "日志级别")):
        return False
    if keys.found(item, ("message", "subject")) and not deployed(item):
        return False
    carried = keys.pick(item, (*_SHA, *_VERSION, *_REF)) is not None or (
        keys.pick(item, _DEPLOYED) is not None and keys.pick(item, _DID) is not None
    )
    return carried and keys.found(item, (*_SERVICE, *words.ENVIRONMENT, "tagname", "tag")) is not None


def deployed(item: Mapping[str, Any]) -> bool:
    """Whether words say that something was put somewhere: the time's name, or a version, of a service, and by whom."""
    if keys.pick(item, _DEPLOYED) is not None:
        return True
    return all(keys.pick(item, wanted) is not None for wanted in (("version", "版本"), _SERVICE, _DID))


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    at = times.parse(keys.pick(item, _TIME))
    if at is None:
        return []
    start, end = _planned(item)
    kind = keys.text(item, "type", "kind")
    sha = keys.text(item, *_SHA)
    known = (*_TIME, *_SHA, *_VERSION, *_REF, *_SERVICE)
    rest = {k: v for k, v in item.items() if keys.norm(k) not in known and isinstance(v, str | int | float | list)}
    service = keys.text(item, *_SERVICE) or keys.text(around, *_SERVICE)
    released = keys.found(item, ("publishedat", "releasedat")) or set(map(keys.norm, item)) <= {"tag", "created", "sha"}
    return [
        {
            "kind": "change",
            "change": "release" if released else "deploy",
            "id": _id(item, service, start or at),
            "at": start if kind == "maintenance" and start else at,
            "until": end,
            "service": service,
            "title": keys.text(item, *_TITLE) or _title(item, service),
            "author": words.named(item, *words.PEOPLE),
            "version": version(keys.text(item, "version", "版本", "版本号") or keys.text(item, *_VERSION))
            or of_ref(item),
            "outcome": words.undone(item),
            "tags": [ref] if (ref := keys.text(item, "ref", "tag", "tagname")) else [],
            "sha": sha,
            "environment": words.named(item, *words.ENVIRONMENT, "stage", "cluster"),
            "body": ", ".join(f"{k}: {v}" for k, v in rest.items())[:1000],
        }
    ]


def _id(item: Mapping[str, Any], service: str, at: float) -> str:
    said = keys.text(item, "id", "deploymentid", "number", "单号", "发布单号", "编号")
    return said or f"{service or keys.text(item, 'tag', 'tagname') or 'deploy'}@{times.iso(at)}"


def _title(item: Mapping[str, Any], service: str) -> str:
    return f"{service} {keys.text(item, *_VERSION, *_REF)}".strip()


def _planned(item: Mapping[str, Any]) -> tuple[float | None, float | None]:
    window = keys.text(item, "window")
    if "/" in window:
        start, _, end = window.partition("/")
        return times.parse(start), times.parse(end)
    return times.parse(keys.pick(item, ("windowstart",))), times.parse(keys.pick(item, ("windowend",)))


def version(said: str) -> str:
    """`payment-v2.4.1` → `2.4.1`; what has no such number stays as it is."""
    match = _NUMBER.search(said)
    return match.group(1) if match else said


def of_ref(item: Mapping[str, Any]) -> str:
    """The version that a git ref names (`refs/tags/v2.4.1`); "" for a branch: `main` is neither version nor service."""
    match = _NUMBER.search(keys.text(item, *_REF))
    return match.group(1) if match else ""


DEPLOY = Doc("deploy", "change", matches, read)

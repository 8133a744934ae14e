"""Deployments and releases as JSON objects: a time, what was put where (ref, tag, version, image or sha)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.records import Doc, Row

_TIME = ("deployedat", "timestamp", "createdat", "finishedat", "releasedat", "publishedat", "startedat", "time",
         "at", "updatedat", "date", "created")  # fmt: skip
_SHA = ("commitsha", "sha", "commit", "revision", "gitsha", "commithash")
_VERSION = ("version", "tag", "tagname", "ref", "release", "image")
_SERVICE = ("service", "servicename", "app", "application", "component", "project", "deployment", "workload")
_NUMBER = re.compile(r"(?:^|[-_/@:])v?(\d+(?:\.\d+)+(?:[-+][\w.]+)?)$")


def matches(item: Mapping[str, Any]) -> bool:
    if keys.pick(item, _TIME) is None or keys.found(item, ("message", "subject", "spanid", "value")):
        return False
    if keys.found(item, ("level", "lvl", "severity", "severitytext", "msg", "log")):
        return False
    carried = keys.pick(item, (*_SHA, *_VERSION)) is not None
    return carried and keys.found(item, (*_SERVICE, "environment", "env", "tagname", "tag")) is not None


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    at = times.parse(keys.pick(item, _TIME))
    if at is None:
        return []
    start, end = _planned(item)
    kind = keys.text(item, "type", "kind")
    sha = keys.text(item, *_SHA)
    known = (*_TIME, *_SHA, *_VERSION, *_SERVICE)
    rest = {k: v for k, v in item.items() if keys.norm(k) not in known and isinstance(v, str | int | float | list)}
    creator = keys.pick(item, ("creator", "author", "by", "user", "actor", "deployer"))
    name = creator.get("login") or creator.get("name") if isinstance(creator, Mapping) else creator
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
            "title": keys.text(item, "description", "title", "change", "name", "summary") or _title(item, service),
            "author": str(name or ""),
            "version": version(keys.text(item, "version") or keys.text(item, *_VERSION)),
            "tags": [ref] if (ref := keys.text(item, "ref", "tag", "tagname")) else [],
            "sha": sha,
            "environment": keys.text(item, "environment", "env", "stage", "cluster"),
            "body": ", ".join(f"{k}: {v}" for k, v in rest.items())[:1000],
        }
    ]


def _id(item: Mapping[str, Any], service: str, at: float) -> str:
    said = keys.text(item, "id", "deploymentid", "number")
    return said or f"{service or keys.text(item, 'tag', 'tagname') or 'deploy'}@{times.iso(at)}"


def _title(item: Mapping[str, Any], service: str) -> str:
    return f"{service} {keys.text(item, *_VERSION)}".strip()


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


DEPLOY = Doc("deploy", "change", matches, read)

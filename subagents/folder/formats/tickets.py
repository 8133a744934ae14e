"""Change tickets and maintenance windows as JSON objects: an id, a title, a planned start and end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.records import Doc, Row

_ID = ("id", "key", "number", "ticket", "changeid", "incidentid", "ticketid")
_TITLE = ("title", "summary", "shortdescription", "subject", "name", "description")
_START = ("windowstart", "plannedstart", "scheduledstart", "startdate", "start", "begin", "from")
_END = ("windowend", "plannedend", "scheduledend", "enddate", "end", "until", "to")


def matches(item: Mapping[str, Any]) -> bool:
    if keys.found(item, ("spanid", "traceid", "level", "startsat", "commitsha", "value")):
        return False
    timed = times.parse(keys.pick(item, _START)) is not None
    return timed and keys.pick(item, _ID) is not None and keys.pick(item, _TITLE) is not None


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    at = times.parse(keys.pick(item, _START))
    assert at is not None
    rest = {
        k: v
        for k, v in item.items()
        if keys.norm(k) not in (*_ID, *_TITLE, *_START, *_END, "service", "owner") and v not in (None, "")
    }
    return [
        {
            "kind": "change",
            "change": "ticket",
            "id": keys.text(item, *_ID),
            "at": at,
            "until": times.parse(keys.pick(item, _END)),
            "service": keys.text(item, "service", "servicename", "app", "application", "component"),
            "title": keys.text(item, *_TITLE),
            "author": keys.text(item, "owner", "author", "assignee", "requestedby"),
            "environment": keys.text(item, "environment", "env"),
            "body": ", ".join(f"{k}: {v}" for k, v in rest.items())[:1000],
        }
    ]


TICKET = Doc("change ticket", "change", matches, read)

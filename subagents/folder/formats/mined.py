"""Pattern files that another tool mined: a signature, a count, and how it differs from a baseline (a number of events
or per cent). They may cover more than the log lines beside them, which are often a sample."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.records import Doc, Row

_TEMPLATE = ("signature", "template", "pattern", "eventtemplate")
_COUNT = ("count", "n", "events", "occurrences", "total")


def matches(item: Mapping[str, Any]) -> bool:
    return keys.pick(item, _TEMPLATE) is not None and _number(keys.pick(item, _COUNT)) is not None


def _number(value: Any) -> float | None:
    match = re.fullmatch(r"([+-]?\d[\d,]*+(?:\.\d++)?)\s*+%?", str(value).strip())
    return float(match.group(1).replace(",", "")) if match else None


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    count = int(_number(keys.pick(item, _COUNT)) or 0)
    delta = _number(keys.pick(item, ("deltavsbaseline", "delta", "change")))
    percent = _number(keys.pick(item, ("deltavsbaselinepct", "deltapct", "changepct")))
    before = None
    if delta is not None:
        before = max(0, round(count - delta))
    elif percent is not None and percent > -100:
        before = round(count / (1 + percent / 100))
    known = (*_TEMPLATE, *_COUNT, "service", "servicename", "level", "severity", "firstseen", "lastseen")
    return [
        {
            "kind": "pattern",
            "template": keys.text(item, *_TEMPLATE),
            "service": keys.text(item, "service", "servicename", "app"),
            "level": keys.text(item, "level", "severity"),
            "mood": keys.text(item, "sentiment"),
            "n": count,
            "before": before,
            "first": times.parse(keys.pick(item, ("firstseen", "first"))),
            "last": times.parse(keys.pick(item, ("lastseen", "last"))),
            "fields": {k: str(v) for k, v in item.items() if keys.norm(k) not in known},
        }
    ]


PATTERN = Doc("mined pattern", "pattern", matches, read)

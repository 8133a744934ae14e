"""Alerts in groups, as their sender groups them: which are new, which rule they fall under, what to ask about them.

It asks and stores nothing. Words of a sender stand in a question only as a name, without what could be an order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hermes_ops.hooks.heard import Alert, mark
from hermes_ops.hooks.settings import LookRule
from memory import Record
from subagents.severity import rank

BEFORE, AFTER = timedelta(minutes=30), timedelta(hours=1)
NAME = 60  # characters of a name in a question


@dataclass(frozen=True, slots=True)
class Firing:
    """One alert that fires. `series`: its own; `body`: as it was kept."""

    hook: str
    series: str
    name: str
    service: str
    severity: str
    start: datetime
    labels: Mapping[str, str] = field(default_factory=dict)
    group: str = ""

    @property
    def mark(self) -> str:
        """Of its group: the sender's, else its name and service."""
        return _mark(self.hook, self.group, self.name, self.service)


@dataclass(frozen=True, slots=True)
class Group:
    """Alerts of one group, by start; never empty."""

    mark: str
    firing: tuple[Firing, ...]

    @property
    def start(self) -> datetime:
        return self.firing[0].start

    @property
    def worst(self) -> Firing:
        return min(self.firing, key=lambda f: (rank(f.severity), f.start))


def mark_of(hook: str, alert: Alert) -> str:
    """Of the group of an alert that has just come."""
    return _mark(hook, alert.group, alert.name, alert.service)


def _mark(hook: str, group: str, name: str, service: str) -> str:
    return mark(hook, group or f"{name} {service}")


def firing(record: Record) -> Firing:
    """Of a record of the store."""
    body = record.body
    name, severity, group = body.get("name", ""), body.get("severity", ""), body.get("group", "")
    labels = body.get("labels") or {}
    start = record.at or record.told
    return Firing(record.source, record.series, name, record.service, severity, start, labels, group)


def grouped(found: Iterable[Firing]) -> list[Group]:
    """By their first start."""
    by: dict[str, list[Firing]] = {}
    for one in sorted(found, key=lambda f: (f.start, f.name, f.service)):
        by.setdefault(one.mark, []).append(one)
    return [Group(name, tuple(members)) for name, members in by.items()]


def rule_of(group: Group, rules: Sequence[LookRule]) -> LookRule | None:
    """The first that one of its alerts fits."""
    return next((rule for rule in rules if any(_fits(f, rule) for f in group.firing)), None)


def _fits(one: Firing, rule: LookRule) -> bool:
    severe = not rule.severities or one.severity.lower() in [s.lower() for s in rule.severities]
    return severe and all(one.labels.get(name) == value for name, value in rule.labels.items())


def question(groups: Sequence[Group], now: datetime, zone: str, lang: str) -> str:
    """As a person would ask: a window around the first start, the services, and what fires."""
    first = min(groups, key=lambda g: g.start)
    start = (first.start - BEFORE).astimezone(ZoneInfo(zone))
    end = max(min(now, first.start + AFTER), first.start + timedelta(minutes=1)).astimezone(ZoneInfo(zone))
    window = (f"{start:%Y-%m-%d %H:%M}", f"{end:%Y-%m-%d %H:%M}")
    name, service = _plain(first.worst.name), _plain(first.worst.service)
    if len(groups) == 1:
        if lang == "zh":
            return f"{window[0]} 到 {window[1]} {service} 出现告警 {name}，原因是什么？"
        return f"From {window[0]} to {window[1]}: why did the alert {name} fire{f' for {service}' if service else ''}?"
    if lang == "zh":
        return f"{window[0]} 到 {window[1]} 出现 {len(groups)} 组告警，最早的是 {service} 的 {name}，原因是什么？"
    return f"From {window[0]} to {window[1]}: why did {len(groups)} groups of alerts fire, {name} {service} first?"


def _plain(name: str) -> str:
    return re.sub(r"[^\w.:/ -]", " ", name)[:NAME].strip()

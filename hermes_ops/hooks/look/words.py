"""What a first look says in a chat: the alert's card, red while it fires and green with one line when it is over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from hermes_ops.channels.base import Document
from hermes_ops.hooks.look.groups import Group

LINES = 6  # alerts that are named
WORDS = {
    "storm": ("{n} 组告警，疑同源", "{n} groups of alerts, probably of one cause"),
    "more": ("…另有 {n} 条", "… and {n} more"),
    "looking": ("正在自动初查，结果见话题。", "A first look is under way; its answer follows in the thread."),
    "over": ("已于 {at} 恢复，持续 {minutes} 分钟。", "Over at {at}, after {minutes} min."),
    "since": ("自 {at}", "since {at}"),
}


def say(key: str, lang: str, **given: object) -> str:
    zh, en = WORDS[key]
    return (zh if lang == "zh" else en).format(**given)


def title(groups: Sequence[Group], lang: str) -> str:
    if len(groups) > 1:
        return say("storm", lang, n=len(groups))
    worst = groups[0].worst
    return " · ".join(filter(None, (worst.name, worst.service, worst.severity)))[:150]


def burning(head: str, groups: Sequence[Group], zone: str, lang: str) -> Document:
    """`head`: its title, which stays."""
    alerts = [f for g in groups for f in g.firing]
    shown = [
        f"- {' · '.join(filter(None, (f.name, f.service, f.severity)))} · {say('since', lang, at=_at(f.start, zone))}"
        for f in sorted(alerts, key=lambda f: f.start)[:LINES]
    ]
    if len(alerts) > LINES:
        shown.append(say("more", lang, n=len(alerts) - LINES))
    return Document("\n".join([*shown, "", say("looking", lang)]), head, tone="bad")


def over(head: str, start: datetime, end: datetime, zone: str, lang: str, instead: str) -> Document:
    minutes = max(1, round((end - start).total_seconds() / 60))
    line = say("over", lang, at=_at(end, zone), minutes=minutes)
    return Document(line, head, tone="good", instead=instead)


def _at(at: datetime, zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(zone)):%m-%d %H:%M}"

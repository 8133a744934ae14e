"""What a first look says in a chat: the alert's card, red while it fires and green with one line when it is over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from hermes_ops.channels.base import Document
from hermes_ops.hooks.look.groups import Group

LINES = 6  # alerts that are named
NAMED = 3  # services in a title
WORDS = {
    "storm": ("{n} 组告警，疑同源", "{n} groups of alerts, probably of one cause"),
    "services": ("{first} 等 {n} 个服务", "{first} and others, {n} services"),
    "more": ("…另有 {n} 条", "… and {n} more"),
    "looking": ("正在自动初查，结果见话题。", "A first look is under way; its answer follows in the thread."),
    "again": (
        "恢复后又触发了。不久前已初查，结果见话题；可在话题里再问。",
        "It fires again. It was looked at a short time ago: see the thread, and ask there.",
    ),
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
    alike = [f for f in groups[0].firing if f.name == worst.name]
    services = dict.fromkeys(f.service for f in (worst, *alike) if f.service)
    return " · ".join(filter(None, (worst.name, _few(tuple(services), lang), worst.severity)))[:150]


def _few(services: Sequence[str], lang: str) -> str:
    """Names as far as a title has room for them."""
    if len(services) > NAMED:
        return say("services", lang, first=services[0], n=len(services))
    return ("、" if lang == "zh" else ", ").join(services)


def burning(head: str, groups: Sequence[Group], zone: str, lang: str, again: bool = False) -> Document:
    """`head`: its title, which stays. `again`: it was looked at already, when it fired before."""
    alerts = [f for g in groups for f in g.firing]
    shown = [
        f"- {' · '.join(filter(None, (f.name, f.service, f.severity)))} · {say('since', lang, at=_at(f.start, zone))}"
        for f in sorted(alerts, key=lambda f: f.start)[:LINES]
    ]
    if len(alerts) > LINES:
        shown.append(say("more", lang, n=len(alerts) - LINES))
    return Document("\n".join([*shown, "", say("again" if again else "looking", lang)]), head, tone="bad")


def over(head: str, start: datetime, end: datetime, zone: str, lang: str, instead: str) -> Document:
    minutes = max(1, round((end - start).total_seconds() / 60))
    line = say("over", lang, at=_at(end, zone), minutes=minutes)
    return Document(line, head, tone="good", instead=instead)


def _at(at: datetime, zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(zone)):%m-%d %H:%M}"

"""What a question is about, worked out once per run by code: time, window, scope, language, earlier turns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from memory import Turn
from orchestrator import scope as scopes
from orchestrator import when
from orchestrator.contracts import Incoming, Json, Window, to_json
from orchestrator.scope import Catalogue
from subagents.folder.folder import Folder
from subagents.sources import Coverage

CJK = re.compile(r"[\u3400-\u9fff]")
SHORT = timedelta(hours=26)  # a folder that spans less is looked at as a whole when no time was named
HOUR = timedelta(hours=1)


async def grasp(asked: Incoming, folder: Folder, catalogue: Catalogue, turns: Sequence[Turn]) -> Json:
    """JSON: now, window, scope, unknown service names with their nearest, unread times, language, turns."""
    coverage = folder.coverage()
    now = anchor(asked, coverage)
    reading = when.resolve(asked.text, now, asked.zone)
    window = reading.window or usual(now, coverage, asked.zone)
    resolved = scopes.resolve(asked.text, catalogue.learnt(coverage.services))
    found = {
        "now": now.isoformat(),
        "window": to_json(window),
        "scope": to_json(resolved.scope),
        "unknown": [[name, list(near)] for name, near in resolved.unknown],
        "unread": list(reading.unread) if reading.window is None else [],
        "lang": "zh" if CJK.search(asked.text) or asked.locale.startswith("zh") else "en",
        "turns": [[t.question, t.answer] for t in turns],
        "data_zone": coverage.zone,
    }
    note = {"window": when.say(window), "why": window.why, "scope": scopes.say(resolved.scope), "now": found["now"]}
    return {"note": note, **found}


def anchor(asked: Incoming, coverage: Coverage) -> datetime:
    """What "now" means: the time of the message, but in a folder its last record, unless the time was set by hand."""
    if asked.anchored or coverage.until is None:
        return asked.at
    return min(asked.at, coverage.until)


def usual(now: datetime, coverage: Coverage, zone: str) -> Window:
    """The window when no time was named."""
    if coverage.since is None or coverage.until is None:
        return Window(now - HOUR, now, zone, "", "no time was named: the last hour")
    end = coverage.until + timedelta(seconds=1)
    if end - coverage.since <= SHORT:
        return Window(coverage.since, end, zone, "", "no time was named: all that the folder holds")
    return Window(end - timedelta(hours=24), end, zone, "", "no time was named: the last 24 hours of the folder")


def trouble(known: Json, lang: str) -> str:
    """What to ask back before anything is looked up: an unreadable time, a service that nobody knows; or ""."""
    zh = lang == "zh"
    lines = []
    for said in known["unread"]:
        how = "请写成“昨天 14:00”或“2026-11-29 14:00 到 15:00”。"
        lines.append(
            f"看不懂时间“{said}”。{how}" if zh else f"I can't read the time {said!r}; write it like 'yesterday 14:00'."
        )
    if not known["scope"]["services"]:
        for name, near in known["unknown"]:
            nearest = ("、" if zh else ", ").join(near)
            zh_line = f"没有名为“{name}”的服务" + (f"，最接近的是：{nearest}。" if near else "。")
            en_line = f"There is no service {name!r}" + (f"; nearest: {nearest}." if near else ".")
            lines.append(zh_line if zh else en_line)
    return "\n".join(lines)

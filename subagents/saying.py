"""How times, counts and lists are written for a model and a person: short, in the asker's zone, always the same way.

Texts only. The offset stands once in a text; where the data's own clock differs it stands beside the first time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from orchestrator.agent import Taken, Turn
from orchestrator.contracts import Json, Window

HOW_MANY = re.compile(r"多少|几[个条次起笔]|数量|总数|计数|\b(?:how many|count|number of|total)\b", re.IGNORECASE)
NAMES = {"alerts": "告警", "logs": "日志", "changes": "变更"}  # of our sub-agents, as Chinese calls their matter
HOURLY = re.compile(
    r"(?:每|各|逐|按|分)个?(?:小时|钟头|时段|天|日)|\b(?:per|by|each|every) (?:hour|day)\b|\bhourly\b|\bhour by hour\b",
    re.IGNORECASE,
)


def offset(at: datetime, zone: str) -> str:
    """ "UTC" or "+08:00": the zone's offset at that time."""
    text = at.astimezone(ZoneInfo(zone)).strftime("%z")
    return "UTC" if text == "+0000" else f"{text[:3]}:{text[3:5]}"


def moment(at: datetime, zone: str) -> str:
    """ "2026-12-01 07:22 +08:00": one that stands by itself, such as in a gap."""
    return f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M} {offset(at, zone)}"


class Clock:
    """Writes times for one window: the clock alone on the window's first day, else with the date."""

    def __init__(self, window: Window) -> None:
        self.zone = ZoneInfo(window.zone)
        self.name = window.zone
        self.day = window.start.astimezone(self.zone).date()

    def at(self, when: datetime) -> str:
        local = when.astimezone(self.zone)
        clock = local.strftime("%H:%M:%S" if local.second else "%H:%M")
        return clock if local.date() == self.day else f"{local:%m-%d} {clock}"

    def zoned(self, when: datetime) -> str:
        return f"{self.at(when)} {offset(when, self.name)}"

    def slot(self, start: datetime, hourly: bool) -> str:
        """The name of an hour, or of a whole day, by its start."""
        return self.at(start) if hourly else f"{start.astimezone(self.zone):%m-%d}"

    def span(self, start: datetime, end: datetime | None, still: str = "open") -> str:
        return f"{self.at(start)}–{self.at(end) if end else still}"

    def both(self, when: datetime, zone: str, zh: bool = False) -> str:
        """22:02 +08:00 (14:02 UTC in the data's own clock); the second only where it differs."""
        here = self.zoned(when)
        if offset(when, self.name) == offset(when, zone):
            return here
        own = f"{when.astimezone(ZoneInfo(zone)):%H:%M} {offset(when, zone)}"
        return f"{here}（数据自身时钟 {own}）" if zh else f"{here} ({own} in the data's own clock)"


def listed(names: Iterable[str], zh: bool = False, most: int = 6) -> str:
    rows = list(names)
    more = len(rows) - most
    joined = ("、" if zh else ", ").join(rows[:most])
    return joined if more <= 0 else f"{joined}{f' 等 {len(rows)} 个' if zh else f' and {more} more'}"


def joined(names: Iterable[str], zh: bool = False) -> str:
    return ("、" if zh else ", ").join(names)


def tight(text: str) -> str:
    """Without the space after a full-width bracket."""
    return text.replace("） ", "）")


def short(text: str, most: int = 120) -> str:
    """One line of a text, cut."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


# ── for playbooks ─────────────────────────────────────────────────────────────────────────────


def taken(turn: Turn, name: str) -> Taken | None:
    """The last answer of a tool that gave data of the time that was asked about."""
    known = (t for t in reversed(turn.taken) if t.call.name == name and isinstance(t.result.data, dict))
    return next((t for t in known if "compared" not in t.result.data), None)


def divided(head: Sequence[str], details: Sequence[str]) -> list[str]:
    """A summary's lines: what a person reads first, an empty line, the rest."""
    return [*head, "", *details] if head and details else [*head, *details]


def closed(turn: Turn, lines: Iterable[str]) -> str:
    """A playbook's closing text; where no tool gave anything to cite, what failed."""
    text = "\n".join(lines)
    failed = "; ".join(dict.fromkeys(t.result.text for t in turn.taken))
    return text or (f"查不到：{failed}" if turn.ctx.lang == "zh" else f"Nothing could be read: {failed}")


def at(iso: str | None) -> datetime | None:
    return datetime.fromisoformat(iso) if iso else None


def clock_of(turn: Turn, got: Taken) -> Clock:
    """The clock of a result's window."""
    now = turn.ctx.now
    return Clock(got.result.window or turn.ctx.window or Window(now, now, turn.ctx.question.zone))


def lasting(seconds: float, zh: bool = False) -> str:
    """50 s, 23 min, 4.5 h"""
    if seconds < 120:
        return f"{seconds:.0f} {'秒' if zh else 's'}"
    if seconds < 7200:
        return f"{seconds / 60:.0f} {'分钟' if zh else 'min'}"
    return f"{seconds / 3600:.1f} {'小时' if zh else 'h'}"


def whose(service: str, zh: bool) -> str:
    """A service's name, or that none is stated."""
    return service or ("（未标明服务）" if zh else "(no service)")


def numbered(rows: Sequence[Json], zh: bool) -> list[str]:
    """`pay 3` of each; of one alone that states no service, the number alone."""
    lone = len(rows) == 1
    return [f"{r['service'] if lone else whose(r['service'], zh)} {r['n']}".strip() for r in rows]

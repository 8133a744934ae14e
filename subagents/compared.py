"""The other time that a question sets its own against: "today vs yesterday", "跟上周同一天比". Words and calendar only.

Of a day or a week it is the same stretch by the clock on the wall; of a time of day that time itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from orchestrator import when
from orchestrator.agent import Turn
from orchestrator.contracts import Json, ToolResult, Window
from orchestrator.ports import Context
from subagents.plain.kinds import ALSO, kinds

COMPARED = "compared"
"""As a tool's `window`: that other time. What the tool found there lies in `data["compared"]`, so that nobody takes it
for the time that was asked about."""
DAY, WEEK = timedelta(days=1), timedelta(days=7)
SAME = re.compile(
    r"的?同(?:一个?)?(?:时段|时间段?|时刻|时期|期|天|日|钟点|点)|(?:这|那)个?(?:时段|时候|时间段?|时刻|钟点|点钟?|会儿)"
    r"|\b(?:(?:at|on|in|over|during|for) )?(?:the |that |this )?same (?:time(?: window| range| of day)?|window|period"
    r"|hours?|day|stretch)\b(?: (?:on|of|the))?|\bthis time\b",
    re.IGNORECASE,
)


STEP = re.compile(
    r"[前后上][一两二三\d]天|第二天|次日|翌日|\b(?:the )?(?:day (?:before|after)|(?:previous|next|following) day)\b",
    re.IGNORECASE,
)
_ALSO = re.compile(ALSO, re.IGNORECASE)
_WITH = re.compile(
    r"\b(?:with|to|against|and|or)(?=\s(?:the |that |those |of )*"
    r"(?:same |yesterday|last |previous |day before|mon|tue|wed|thu|fri|sat|sun))",
    re.IGNORECASE,
)


def timed(text: str) -> str:
    """A text with its times as the grammar of times reads them: what is only compared with is marked as that."""
    return SAME.sub(" ", _WITH.sub("versus", text)) if compares(text) else text


def compares(text: str) -> bool:
    """Whether a text sets one time against another, or one thing against another."""
    return "compare" in kinds(text)


def against(text: str, base: Window | None, now: datetime, zone: str) -> Window | None:
    """The time that `base` is compared with; None where the text names none."""
    if base is None or not compares(text):
        return None
    if _ALSO.search(text):
        return _today(base, now, ZoneInfo(zone))
    read = when.resolve(timed(text), now, zone)
    named = [t for t in (read.window, *read.others) if t and not t.start <= base.start < t.end]
    if not named and STEP.search(text):
        named = [replace(base, start=base.start - DAY, end=base.start - DAY + max(DAY, base.end - base.start))]
    return _like(base, named[0], ZoneInfo(zone)) if named else None


def also(text: str) -> bool:
    """Whether it is asked if another time was like the present one."""
    return _ALSO.search(text) is not None


def _today(base: Window, now: datetime, tz: ZoneInfo) -> Window | None:
    """`base`, an earlier time that is asked to be like the present, moved into the last day on which it has begun."""
    first, today = base.start.astimezone(tz).replace(tzinfo=None), now.astimezone(tz).date()
    for back in (DAY * 0, DAY):
        moved = datetime.combine(today - back, first.time())
        start = moved.replace(tzinfo=tz)
        if base.start < start < now:
            end = min((moved + (base.end - base.start)).replace(tzinfo=tz), now)
            return Window(start, end, base.zone, "", "what the question's time is compared with")
    return None


def beside(ctx: Context) -> Window | None:
    """The same, of a run."""
    zone = ctx.window.zone if ctx.window else ctx.question.zone
    return against(ctx.question.text, ctx.window, ctx.now, zone)


def both(turn: Turn, tools: Mapping[str, re.Pattern[str]]) -> list[tuple[str, dict[str, Json]]]:
    """Calls for both sides of the comparison, of each tool whose matter the question names."""
    named = [t for t, words in tools.items() if words.search(turn.ctx.question.text) and t in turn.agent.by_name]
    windows: tuple[dict[str, Json], ...] = ({}, {"window": COMPARED}) if beside(turn.ctx) else ()
    return [(tool, given) for tool in named for given in windows]


def _like(base: Window, named: Window, tz: ZoneInfo) -> Window | None:
    """`base` moved into the days that were named; a time of day counts as it is."""
    long = named.end - named.start
    if long < DAY - timedelta(hours=2):  # a day of a clock change has 23 hours
        return replace(named, why="what the question compares with")
    day, first = (t.astimezone(tz).date() for t in (base.start, named.start))
    week = day - day.weekday() * DAY  # a week is named by its Monday
    back = max(WEEK, week - first) if long > 2 * DAY else day - first
    if long > 2 * WEEK:
        return replace(named, why="what the question compares with")
    start, end = ((t.astimezone(tz).replace(tzinfo=None) - back).replace(tzinfo=tz) for t in (base.start, base.end))
    return Window(start, end, base.zone, named.said, "the same stretch of what the question compares with")


def aside(result: ToolResult, window: str) -> ToolResult:
    """The result of a tool, marked where it is of the compared time."""
    return replace(result, data={COMPARED: result.data}) if window == COMPARED else result

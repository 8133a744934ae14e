"""The error section: lines of level error and fatal by service and hour, beside those of a like day, and patterns.

Counting and mining happen where the logs are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hermes_ops.report.day import LIKE, hour_start, hours_of, whole_hours
from hermes_ops.report.desk import Desk
from hermes_ops.report.model import Amount, ErrorHour, Errors, PatternRow, ServiceErrors, unknown
from hermes_ops.report.words import dated, say
from orchestrator.contracts import Window
from subagents.asking import Merged
from subagents.cause.facts import BAD
from subagents.sources import Answered, Count, LogQuery, LogSource, Pattern

PATTERNS = 100  # that are asked for
SHOWN = 20  # that stand in the report
SAMPLE = 300  # characters of one
MORE = 1.5  # times the lines that a pattern must count before the lines are called a sample

Hours = Mapping[str, Mapping[datetime, int]]  # service → start of the local hour → lines


@dataclass(frozen=True, slots=True)
class Counted:
    """`found` None: nothing is known of that window."""

    window: Window
    found: Merged[Count] | None
    hours: Hours

    @property
    def total(self) -> int:
        return sum(n for by in self.hours.values() for n in by.values())


async def counted(desk: Desk, window: Window, services: tuple[str, ...]) -> Counted:
    step = "hour" if whole_hours(window) else "minute"

    async def call(source: LogSource) -> Answered[tuple[Count, ...]]:
        return await source.count(LogQuery(window, services, BAD), ("service", step))

    found = await desk.ask("logs", window, call, desk.sources.logs)
    hours: dict[str, Counter[datetime]] = defaultdict(Counter)
    tz = ZoneInfo(window.zone)
    for row in found.rows if found else ():
        if at := row.keys.get(step):
            hours[row.keys.get("service", "")][hour_start(datetime.fromisoformat(at).astimezone(UTC), tz)] += row.n
    return Counted(window, found, hours)


async def alike(desk: Desk, like: Window, services: tuple[str, ...]) -> Counted:
    """The like day's; nothing is known of one of which only a small part is."""
    return await counted(desk, like, services) if desk.reaches["logs"].compares(like) else Counted(like, None, {})


async def patterns(desk: Desk, like: Window | None, services: tuple[str, ...]) -> tuple[Pattern, ...]:
    """Of error lines, with their count on the like day where there is one."""
    usual = like if like is not None and desk.reaches["logs"].compares(like) else None

    async def call(source: LogSource) -> Answered[tuple[Pattern, ...]]:
        return await source.patterns(LogQuery(desk.window, services, BAD), usual, PATTERNS)

    found = await desk.ask("logs", desk.window, call, desk.sources.logs)
    return found.rows if found else ()


def amount(desk: Desk, n: int, of: Counted) -> Amount:
    return desk.count(n, "logs", of.window, of.found)


def section(desk: Desk, now: Counted, before: Counted | None, mined: tuple[Pattern, ...]) -> Errors:
    """`before`: of the like day; None: there is none."""
    starts = hours_of(now.window)
    like = before.window if before else None
    why = say("no_like", desk.lang, days=LIKE) if before is None else ""
    if before is not None and before.found is None:
        day = say("the_like_day", desk.lang, day=dated(before.window, desk.lang))
        why = desk.lacks("logs", before.window, day) or say("not_known", desk.lang)
    fuller = fuller_of(now, mined)
    rows = [
        ServiceErrors(service, _counted(desk, sum(by.values()), now, fuller.get(service, 0)),
                      _then(desk, service, before, why), tuple(by.get(start, 0) for start in starts))
        for service in (*now.hours, *(s for s in fuller if s not in now.hours)) for by in (now.hours.get(service, {}),)
    ]  # fmt: skip
    rows.sort(key=lambda r: (-(r.n.value or 0), r.service))
    total = int(sum(r.n.value or 0 for r in rows))
    if fuller:
        source = now.found.source if now.found else ""
        desk.gap(source, say("sample", desk.lang, n=now.total, counted=total), "errors")
    return Errors(
        total=_counted(desk, now.total, now, total if fuller else 0),
        before=unknown(why) if before is None or before.found is None else amount(desk, before.total, before),
        rows=tuple(rows),
        hours=_hours(desk, now, before),
        patterns=_patterns(desk, mined),
        like=like,
        why_not=why,
        sampled=bool(fuller),
    )


def fuller_of(now: Counted, mined: tuple[Pattern, ...]) -> Mapping[str, int]:
    """Services → what patterns count of them, where that is far more than there are lines: then the lines are a sample
    of an export, and the patterns were mined where all of them were."""
    if now.found is None or now.found.approx:
        return {}
    counts: Counter[str] = Counter()
    for p in mined:
        lines = sum(now.hours.get(p.service, {}).values())
        inside = all(at is None or now.window.start <= at <= now.window.end for at in (p.first, p.last))
        if p.level in BAD and inside and p.n > MORE * lines:
            counts[p.service] += p.n
    return counts


def _counted(desk: Desk, lines: int, now: Counted, fuller: int) -> Amount:
    """Lines, or what patterns count where that is more."""
    if fuller <= lines:
        return amount(desk, lines, now)
    seen = amount(desk, fuller, now).why
    why = say("sampled", desk.lang)
    return Amount(fuller, "least", f"{seen}{'，' if desk.lang == 'zh' else ', '}{why}" if seen else why)


def _then(desk: Desk, service: str, before: Counted | None, why: str) -> Amount:
    if before is None or before.found is None:
        return unknown(why)
    return amount(desk, sum(before.hours.get(service, {}).values()), before)


def _hours(desk: Desk, now: Counted, before: Counted | None) -> tuple[ErrorHour, ...]:
    """Side by side by the hour on the clock, so that a day of 23 hours stands beside one of 24."""
    tz = ZoneInfo(now.window.zone)
    then: dict[str, int] = {}
    if before is not None and before.found is not None:
        summed = _summed(before.hours)
        hours = {start: _hour(desk, start, before, summed) for start in hours_of(before.window)}
        then = {on_clock(start, before.window, tz): n for start, n in hours.items() if n is not None}
    summed = _summed(now.hours)
    return tuple(
        ErrorHour(start, _hour(desk, start, now, summed), then.get(on_clock(start, now.window, tz)))
        for start in hours_of(now.window)
    )


def on_clock(start: datetime, window: Window, tz: ZoneInfo) -> str:
    """Which hour of a window on its clock, whatever its date: to lay two days side by side."""
    local, first = start.astimezone(tz), window.start.astimezone(tz)
    return f"{(local.date() - first.date()).days} {local:%H:%M}"


def _hour(desk: Desk, start: datetime, of: Counted, summed: Mapping[datetime, int]) -> int | None:
    """None: the logs don't reach over that hour, so that none found is no zero."""
    known = of.found is not None and desk.reaches["logs"].knows(start, of.window)
    return summed.get(start, 0 if known else None)


def _summed(hours: Hours) -> Counter[datetime]:
    found: Counter[datetime] = Counter()
    for by in hours.values():
        found.update(by)
    return found


def _patterns(desk: Desk, mined: tuple[Pattern, ...]) -> tuple[PatternRow, ...]:
    """New ones first, then the most frequent."""
    rows = [
        PatternRow(desk.mask(p.template), p.service, p.level, p.n, p.before, p.before == 0, p.first,
                   desk.mask(p.sample)[:SAMPLE])
        for p in mined if p.n and p.level in BAD
    ]  # fmt: skip
    rows.sort(key=lambda r: (not r.new, -r.n, r.service, r.template))
    return tuple(rows[:SHOWN])

"""The alert section: firings counted by their rising edges, suppressed ones apart, and which of them deserve a person.

Whether a person is deserved is for the triage of `subagents.cause`; what is new is told by the week before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from zoneinfo import ZoneInfo

from hermes_ops.report.day import hour_start, hours_of
from hermes_ops.report.desk import Desk
from hermes_ops.report.model import AlertHour, AlertRow, Alerts, Amount, unknown
from hermes_ops.report.reasons import triaged
from hermes_ops.report.words import say
from orchestrator.contracts import Window
from subagents.alerts.episodes import FLAPS, QUIET, Group, distinct, grouped
from subagents.asking import Merged
from subagents.cause.triage import is_record
from subagents.severity import rank
from subagents.sources import AlertQuery, AlertSource, Answered, Episode

BACK = 7  # days before the window that tell what is new
LEAST = timedelta(days=1)  # that must be known before the window, to say that an alert is new
CROWD = 5_000  # firings from which on one day has to do
SHOWN = 100  # alerts that stand in the report, each with all its firings
_QUIETED = re.compile(r"silenc|mute", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fired:
    """What the sources said: `rows` overlap the window, `earlier` are of `before`; `records` are tickets, no alerts;
    `found` None: nothing is known."""

    window: Window
    found: Merged[Episode] | None
    rows: tuple[Episode, ...] = ()
    records: tuple[Episode, ...] = ()
    earlier: tuple[Episode, ...] = ()
    before: Window | None = None


async def fired(desk: Desk, services: tuple[str, ...]) -> Fired:
    window = desk.window
    found = await _episodes(desk, window, services)
    if found is None:
        return Fired(window, None)
    records = tuple(e for e in found.rows if is_record(e))
    rows = tuple(distinct(e for e in found.rows if not is_record(e)))
    before = replace(window, start=window.start - timedelta(days=1 if len(rows) > CROWD else BACK), end=window.start)
    short = not desk.reaches["alerts"].unbroken(replace(window, start=window.start - LEAST, end=window.start))
    earlier = None if short else await _episodes(desk, before, services)
    if earlier is None:
        return Fired(window, found, rows, records)
    known = tuple(distinct(e for e in earlier.rows if not is_record(e) and e.start < window.start))
    return Fired(window, found, rows, records, known, before)


async def _episodes(desk: Desk, window: Window, services: tuple[str, ...]) -> Merged[Episode] | None:
    async def call(source: AlertSource) -> Answered[tuple[Episode, ...]]:
        return await source.episodes(AlertQuery(window, services))

    return await desk.ask("alerts", window, call, desk.sources.alerts)


async def count(desk: Desk, had: Fired, window: Window, services: tuple[str, ...]) -> Amount:
    """Firings of another time, from what is at hand where that reaches so far."""
    if had.before is not None and had.before.start <= window.start and window.end <= had.window.end:
        return desk.count(_edges((*had.earlier, *had.rows), window), "alerts", window, had.found)
    found = await _episodes(desk, window, services)
    rows = distinct(e for e in found.rows if not is_record(e)) if found else ()
    return desk.count(_edges(rows, window), "alerts", window, found)


def _edges(rows: Iterable[Episode], window: Window) -> int:
    return len({id(e) for e in rows if e.start in window and not e.suppressed})


# ── the section ───────────────────────────────────────────────────────────────────────────────

Judgement = Mapping[tuple[str, str, str], tuple[bool, str]]  # of each alert: does it deserve a person, and why


def section(desk: Desk, had: Fired, judged: Judgement) -> Alerts:
    if had.found is None:
        no = desk.count(0, "alerts", had.window, None)
        return Alerts(no, no, no, no, no, no, no, no, no, no, no, no)
    window = had.window
    inside = [e for e in had.rows if e.start in window]
    loud, quiet = [e for e in inside if not e.suppressed], [e for e in inside if e.suppressed]
    silenced = sum(1 for e in quiet if _QUIETED.search(e.by))
    groups = grouped(had.rows)
    rows = _rows(groups, had, judged, desk)
    heard = [r for r in rows if r.fired or not r.suppressed]

    def sure(n: int) -> Amount:
        return desk.count(n, "alerts", window, had.found)

    def known(n: int) -> Amount:
        return sure(n) if had.before is not None else unknown(say("no_before", desk.lang))

    median_, slow = _resolved(had, desk)
    return Alerts(
        fired=sure(len(loud)),
        inhibited=sure(len(quiet) - silenced),
        silenced=sure(silenced),
        carried=sure(len(had.rows) - len(inside)),
        still_open=sure(sum(r.open for r in rows)),
        distinct=sure(len(rows)),
        new=known(sum(r.recurring is False for r in heard)),
        recurring=known(sum(r.recurring is True for r in heard)),
        flapping=sure(sum(r.flapping for r in rows)),
        deserved=_deserved(sure(sum(r.page is True for r in rows)), rows, len(judged), desk),
        resolve_median=median_,
        resolve_p90=slow,
        by_severity=dict(sorted(Counter(e.severity for e in loud).items(), key=lambda kv: (rank(kv[0]), kv[0]))),
        by_service=dict(Counter(e.service for e in loud).most_common()),
        hours=_hours(desk, loud),
        rows=tuple(rows[:SHOWN]),
        longest=_longest(groups, rows, window, desk.last("alerts")),
    )


def _rows(groups: Sequence[Group], had: Fired, judged: Judgement, desk: Desk) -> list[AlertRow]:
    """What needs a person first, then what is open, then the worst."""
    seen = None if had.before is None else {(e.name, e.service) for e in had.earlier}
    said = {key: (page, triaged(why, desk.lang)) for key, (page, why) in judged.items()}
    last = desk.last("alerts")
    rows = [_row(g, had.window, last, seen, said.get((g.name, g.service, g.severity))) for g in groups]
    return sorted(rows, key=lambda r: (not r.page, not r.open, rank(r.severity), -r.fired, r.first, r.name, r.service))


def _resolved(had: Fired, desk: Desk) -> tuple[Amount, Amount]:
    """Median and 90th percentile of the seconds from start to end of what ended inside the window."""
    rows = [e for e in had.rows if e.end is not None and e.end in had.window and not e.suppressed]
    ended = [(e.end - e.start).total_seconds() for e in rows if e.end is not None]
    none = unknown(say("no_ended", desk.lang))
    if not ended:
        return none, none
    middle, slow = (desk.amount(n, "alerts", had.window, had.found) for n in (median(ended), p90(ended)))
    return middle, slow


def _deserved(paged: Amount, rows: Sequence[AlertRow], judged: int, desk: Desk) -> Amount:
    if all(r.page is not None for r in rows) or paged.sure != "known":
        return paged
    return Amount(paged.value, "approx", say("too_many", desk.lang, n=len(rows), shown=judged))


def _seconds(e: Episode, window: Window, last: datetime) -> float:
    """That it fired inside the window, as far as that is known: `last` is how far alerts are."""
    if e.end is None and not e.end_known:
        return 0.0
    until = last if e.end is None else min(e.end, window.end)
    return max(0.0, (until - max(e.start, window.start)).total_seconds())


def _row(
    g: Group, window: Window, last: datetime, seen: set[tuple[str, str]] | None, judged: tuple[bool, str] | None
) -> AlertRow:
    end = g.end
    closed = end is not None and end <= window.end
    return AlertRow(
        name=g.name,
        service=g.service,
        severity=g.severity,
        fired=sum(1 for e in g.episodes if e.start in window and not e.suppressed),
        first=g.start,
        end=end if closed else None,
        firing=sum(_seconds(e, window, last) for e in g.episodes),
        open=not closed and g.end_known,
        open_known=closed or g.end_known,
        recurring=None if seen is None else (g.name, g.service) in seen or g.start < window.start,
        flapping=flaps(g.episodes),
        suppressed=sum(1 for e in g.episodes if e.suppressed),
        page=judged[0] if judged else None,
        why=judged[1] if judged else "",
        link=next((e.link for e in g.episodes if e.link), ""),
    )


def flaps(episodes: Sequence[Episode]) -> bool:
    """A run of firings with short pauses only, however long it was quiet before and after."""
    run = 1
    for a, b in pairwise(episodes):
        run = run + 1 if a.end is not None and b.start - a.end <= QUIET else 1
        if run >= FLAPS:
            return True
    return False


def _hours(desk: Desk, loud: Sequence[Episode]) -> tuple[AlertHour, ...]:
    tz = ZoneInfo(desk.window.zone)
    counted: dict[datetime, Counter[str]] = {start: Counter() for start in hours_of(desk.window)}
    for e in loud:
        counted.setdefault(hour_start(e.start, tz), Counter())[e.severity] += 1
    return tuple(
        AlertHour(start, dict(n) if n or desk.reaches["alerts"].knows(start, desk.window) else None)
        for start, n in sorted(counted.items())
    )


def _longest(groups: Sequence[Group], rows: Sequence[AlertRow], window: Window, last: datetime) -> AlertRow | None:
    """The one firing that went on for longest inside the window, as a row of its own."""
    best: tuple[float, Episode] | None = None
    for e in (e for g in groups for e in g.episodes if not e.suppressed):
        seconds = _seconds(e, window, last)
        if seconds and (best is None or seconds > best[0]):
            best = (seconds, e)
    if best is None:
        return None
    seconds, e = best
    row = next(r for r in rows if (r.name, r.service, r.severity) == (e.name, e.service, e.severity))
    closed = e.end is not None and e.end <= window.end
    return replace(row, fired=1, first=e.start, end=e.end if closed else None, firing=seconds,
                   open=not closed and e.end_known)  # fmt: skip


def p90(values: Sequence[float]) -> float:
    """The nearest rank: nine of ten are no longer."""
    ordered = sorted(values)
    return ordered[max(0, -(-9 * len(ordered) // 10) - 1)]

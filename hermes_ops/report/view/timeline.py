"""What happened when, as columns of plain numbers: alerts by severity, errors beside the like day. Draws nothing.

A long window is put together into wider columns, on the window's own clock, so that a week fits a phone. A column of
which nothing is known holds None; one of which a part is known says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hermes_ops.report.day import hours_of
from hermes_ops.report.model import Report
from hermes_ops.report.view.words import say
from orchestrator.contracts import Window
from subagents.severity import MAJOR, MINOR, rank

STEPS = (1, 2, 3, 6, 12)  # hours of a column
DAILY = 97  # hours from which on a column is a local day
TICKS = (1, 2, 3, 4, 6, 8, 12, 24)  # columns between two labels
MOST_TICKS = 9
SHOWN = 4  # severities; those beyond the worst three are put together
TONES = ("bad", "warn", "calm", "rest")
Value = int | None


@dataclass(frozen=True, slots=True)
class Column:
    """`said`: its start in words; `tick`: what stands below it, "" for most; `partial`: an hour of it is unknown."""

    said: str
    tick: str
    values: tuple[Value, ...]
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Timeline:
    """`names` of the values of each column; `step`: hours of a column, 24 a local day."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    step: int

    @property
    def empty(self) -> bool:
        return all(map(blank, self.columns))

    def sums(self) -> tuple[int, ...]:
        """Of each name, over all columns."""
        return tuple(sum(c.values[n] or 0 for c in self.columns) for n in range(len(self.names)))

    def peak(self, of: Callable[[Column], int]) -> Column | None:
        """The first of the highest columns; None when all are zero."""
        found = max(self.columns, key=of, default=None)
        return found if found is not None and of(found) > 0 else None


def alerts(report: Report, most: int = 48) -> Timeline:
    """Severities the worst first. Empty where alerts aren't known."""
    hours = report.alerts.hours
    totals: dict[str, int] = {}
    for hour in hours:
        for name, n in (hour.by or {}).items():
            totals[name] = totals.get(name, 0) + n
    names = sorted((name for name, n in totals.items() if n), key=lambda s: (rank(s), s))
    kept, rest = (names, []) if len(names) <= SHOWN else (names[: SHOWN - 1], names[SHOWN - 1 :])

    shown = (*kept, say("others", report.lang)) if rest else tuple(kept)

    def values(by: Mapping[str, int] | None) -> tuple[Value, ...]:
        if by is None:
            return (None,) * len(shown)
        beyond = (sum(by.get(s, 0) for s in rest),) if rest else ()
        return tuple(by.get(s, 0) for s in kept) + beyond

    rows = [(hour.start, values(hour.by)) for hour in hours]
    return _columns(shown, rows, report.window, most)


def errors(report: Report, most: int = 48) -> Timeline:
    """Two values a column: this window's, the like day's."""
    names = (say("today" if report.kind == "day" else "this_window", report.lang), say("like_day", report.lang))
    return _columns(names, [(h.start, (h.n, h.before)) for h in report.errors.hours], report.window, most)


def alerts_title(line: Timeline, lang: str) -> str:
    key = {1: "alerts_hourly", 24: "alerts_daily"}.get(line.step, "alerts_stepped")
    return say(key, lang, n=line.step)


def tones(names: Iterable[str]) -> list[str]:
    """One of TONES for each severity: what its word means where nobody worse has taken it."""
    free, found = list(TONES), []
    for name in names:
        heavy = rank(name)
        wanted = 0 if heavy <= MAJOR else 1 if heavy <= MINOR else 2
        tone = next((t for t in TONES[wanted:] if t in free), free[0] if free else TONES[-1])
        free = [t for t in free if t != tone]
        found.append(tone)
    return found


def blank(column: Column) -> bool:
    """Nothing is known of it."""
    return all(v is None for v in column.values)


def total(column: Column) -> int:
    return sum(v or 0 for v in column.values)


def first(column: Column) -> int:
    return column.values[0] or 0


def _columns(
    names: tuple[str, ...], rows: Sequence[tuple[datetime, tuple[Value, ...]]], window: Window, most: int
) -> Timeline:
    """Rows are hours, or local days where that is how far they lie apart. What no row tells of is unknown."""
    zone, hours = ZoneInfo(window.zone), hours_of(window)
    daily = len(rows) > 1 and rows[1][0] - rows[0][0] > timedelta(hours=20)
    step = 24 if daily or len(hours) > DAILY else next((s for s in STEPS if len(hours) <= most * s), 24)
    groups: dict[datetime, list[tuple[Value, ...]]] = {_floor(at, zone, step): [] for at in hours if rows}
    for at, values in rows:
        groups.setdefault(_floor(at, zone, step), []).append(values)
    every = next((k for k in TICKS if len(groups) <= MOST_TICKS * k), TICKS[-1])
    several = len(hours) > 36
    columns = []
    for n, start in enumerate(sorted(groups)):
        local, parts = start.astimezone(zone), groups[start]
        said = f"{local:%m-%d}" if step == 24 else f"{local:%m-%d %H:%M}" if several else f"{local:%H:%M}"
        if local.fold:
            said += f" {local:%z}"  # the hour that the clock shows twice
        sums = tuple(_sum(p[i] for p in parts) for i in range(len(names)))
        partial = any(p[0] is None for p in parts) and sums[0] is not None if names else False
        columns.append(Column(said, _tick(local, n, every, step), sums, partial))
    return Timeline(names, tuple(columns), step)


def _floor(at: datetime, zone: ZoneInfo, step: int) -> datetime:
    """The start of the column on the local clock; an hour that the clock shows twice stays two."""
    if step == 1:
        return at
    local = at.astimezone(zone)
    hour = 0 if step == 24 else local.hour - local.hour % step
    return local.replace(hour=hour, minute=0, second=0, microsecond=0, fold=0)


def _tick(local: datetime, n: int, every: int, step: int) -> str:
    if step == 24:
        return f"{local:%m-%d}" if n % every == 0 else ""
    if local.hour // step % every == 0:
        return f"{local:%m-%d}" if local.hour == 0 and n else f"{local:%H}"
    return ""


def _sum(values: Iterable[Value]) -> Value:
    known = [v for v in values if v is not None]
    return sum(known) if known else None

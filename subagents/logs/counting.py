"""Error counts of services over time, from one grouped count: totals, hours, and when they rose and fell.

Pure: works on counts by service and minute, wherever they came from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from orchestrator.contracts import Json, Window
from subagents.asking import other_reading
from subagents.onset import Rise, rises
from subagents.sources import Count

LONG = timedelta(hours=48)  # longer windows are shown by day
TOGETHER = timedelta(minutes=10)  # rises that begin so near each other belong together
SMALL = 0.1  # a rise of less than this part of the largest is no incident of its own
FEW = 10  # nor is one of so few errors


@dataclass(frozen=True, slots=True)
class Errors:
    """One service. `n`: in the window, `before`: in the stretch before it; `rises`: all that touch it, `rise`: the
    strongest of them."""

    service: str
    n: int
    before: int | None  # None: the data doesn't reach back there
    slots: tuple[tuple[datetime, int], ...]  # by hour, in a long window by day, of the asker's zone; empty ones too
    rise: Rise | None
    elsewhere: Rise | None  # the strongest that doesn't touch the window
    rises: tuple[Rise, ...] = ()


def by_service(rows: Iterable[Count], unit: str) -> dict[str, Counter[datetime]]:
    """{service: {start of the bin: n}}; rows without a time are left out."""
    found: dict[str, Counter[datetime]] = {}
    for row in rows:
        if row.keys.get(unit):
            at = datetime.fromisoformat(row.keys[unit])
            found.setdefault(row.keys.get("service", ""), Counter())[at.astimezone(UTC)] += row.n
    return found


def edge(window: Window, width: timedelta) -> Window:
    """From the start of the bin that the window begins in to the window: empty where it begins with a bin."""
    over = timedelta(seconds=window.start.timestamp() % width.total_seconds())
    return replace(window, start=window.start - over, end=window.start)


def measure(
    service: str,
    bins: Counter[datetime],
    window: Window,
    data: Window,
    width: timedelta,
    early: int = 0,
    known: bool = True,
) -> Errors:
    """`data`: what was counted and can be spoken of; it may reach beyond the window on both sides. `early`: of the bin
    that the window begins in, what came before the window; `known`: enough lies before the window to compare with."""
    slots = dict.fromkeys(_slots(window, data), 0)
    for at, n in bins.items():
        if _inside(at, window, width):
            slot = _slot(max(at, window.start), window)
            slots[slot] = slots.get(slot, 0) + (n - early if at < window.start else n)
    found = rises(bins, data, width, window.start)
    touching = [r for r in found if r.overlaps(window)]
    other = [r for r in found if not r.overlaps(window)]
    return Errors(
        service,
        sum(slots.values()),
        _earlier(bins, window, data, width, early) if known else None,
        tuple(sorted(slots.items())),
        max(touching, key=lambda r: r.excess, default=None),
        max(other, key=lambda r: r.excess, default=None),
        tuple(touching),
    )


def _slots(window: Window, data: Window) -> Iterator[datetime]:
    """The hours or days of the window that the data can speak of."""
    at, step = max(window.start, data.start), timedelta(hours=1 if hourly(window) else 24)
    while at < min(window.end, data.end):
        yield (slot := _slot(at, window))
        at = slot + step


def _slot(at: datetime, window: Window) -> datetime:
    """When the hour or day of the asker's zone began."""
    local = at.astimezone(ZoneInfo(window.zone)).replace(minute=0, second=0, microsecond=0)
    return (local if hourly(window) else local.replace(hour=0)).astimezone(UTC if hourly(window) else local.tzinfo)


def _earlier(bins: Counter[datetime], window: Window, data: Window, width: timedelta, early: int) -> int | None:
    if data.start >= window.start:
        return None
    return early + sum(n for at, n in bins.items() if at < window.start and not _inside(at, window, width))


def hourly(window: Window) -> bool:
    return window.end - window.start <= LONG


def _inside(at: datetime, window: Window, width: timedelta) -> bool:
    """A bin that begins before the window, but reaches into it, holds the window's first events."""
    return at + width > window.start and at < window.end


def until(found: Sequence[Errors], later: Sequence[Errors]) -> list[Errors]:
    """The same, where a rise outlasts the window with the end that it has in `later`, which was counted further on."""
    ends = {(e.service, r.start): r.end for e in later for r in e.rises}

    def longer(e: Errors, r: Rise) -> Rise:
        return r if r.end else replace(r, end=ends.get((e.service, r.start)))

    return [
        replace(e, rise=longer(e, e.rise) if e.rise else None, rises=tuple(longer(e, r) for r in e.rises))
        for e in found
    ]


def together(found: Sequence[Errors], asked: Sequence[str]) -> list[Errors]:
    """The services whose errors rose with those of the asked ones (or of the worst), by onset."""
    rising = [e for e in found if e.rise]
    lead = max([e for e in rising if e.service in asked] or ([] if asked else rising), key=_excess, default=None)
    if lead is None or lead.rise is None:
        return []
    at = lead.rise.start
    return sorted((e for e in rising if e.rise and abs(e.rise.start - at) <= TOGETHER), key=_start)


def incidents(found: Sequence[Errors], asked: Sequence[str]) -> list[Json]:
    """The separate troubles that touch the window, by onset: {onset, services}; only those that touch an asked
    service, where one was asked."""
    rising = sorted(((r, e.service) for e in found for r in e.rises), key=lambda pair: pair[0].start)
    groups: list[list[tuple[Rise, str]]] = []
    for rise, service in rising:
        if groups and _continues(rise, service, groups[-1]):
            groups[-1].append((rise, service))
        else:
            groups.append([(rise, service)])
    mine = [g for g in groups if not asked or any(service in asked for _, service in g)]
    most = max((r.excess for g in mine for r, _ in g), default=0.0)
    large = [g for g in mine if max(r.excess for r, _ in g) >= max(FEW, SMALL * most)]
    return [
        {"onset": g[0][0].start.isoformat(), "services": list(dict.fromkeys(name for _, name in g if name))}
        for g in large
    ]


def _continues(rise: Rise, service: str, group: Sequence[tuple[Rise, str]]) -> bool:
    """Began with the others, or soon after an earlier rise of the same service."""
    again = (r.edge for r, name in group if name == service)
    return any(rise.start - at <= TOGETHER for at in (group[0][0].start, *again))


def _excess(e: Errors) -> float:
    return e.rise.excess if e.rise else 0.0


def _start(e: Errors) -> datetime:
    assert e.rise is not None
    return e.rise.start


def as_json(e: Errors) -> Json:
    return {
        "service": e.service,
        "n": e.n,
        "before": e.before,
        "slots": {at.isoformat(): n for at, n in e.slots},
        "onset": e.rise.start.isoformat() if e.rise else None,
        "known": e.rise.known if e.rise else True,
        "end": e.rise.end.isoformat() if e.rise and e.rise.end else None,
        "rise": int(e.rise.total) if e.rise else 0,
        "peak": int(e.rise.peak) if e.rise else 0,
        "width": e.rise.width if e.rise else 0,
    }


def elsewhere(found: Sequence[Errors], asked: Sequence[str], window: Window, zone: str) -> Json:
    """What begins at another time than was asked: outside the window, or inside it where only the data's own clock
    reads like the time that was named. None when nothing does."""
    mine = [e for e in found if e.service in asked] if asked else list(found)
    inside = [(e, e.rise) for e in mine if e.rise and other_reading(e.rise.start, window, zone)]
    outside = [(e, e.elsewhere) for e in mine if e.elsewhere] if not any(e.rise for e in mine) else []
    pairs = [(e, r) for e, r in (inside or outside) if r is not None]
    if not pairs:
        return None
    e, rise = max(pairs, key=lambda pair: pair[1].excess)
    return {
        "service": e.service,
        "onset": rise.start.isoformat(),
        "end": rise.end.isoformat() if rise.end else None,
        "n": int(rise.total),
        "inside": bool(inside),
        "own_clock": other_reading(rise.start, window, zone),
    }

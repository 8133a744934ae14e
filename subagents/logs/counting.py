"""Error counts of services over time, from one grouped count: totals, hours, and when they rose and fell.

Pure: works on counts by service and minute, wherever they came from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from orchestrator.contracts import Json, Window
from subagents.asking import other_reading
from subagents.onset import Rise, rises
from subagents.sources import Count

LONG = timedelta(hours=48)  # longer windows are shown by day
TOGETHER = timedelta(minutes=10)  # rises that begin so near each other belong together


@dataclass(frozen=True, slots=True)
class Errors:
    """One service. `n`: in the window, `before`: in the stretch before it; `rise`: the strongest that touches it."""

    service: str
    n: int
    before: int | None  # None: the data doesn't reach back there
    slots: tuple[tuple[datetime, int], ...]  # by hour, in a long window by day of the asker's zone
    rise: Rise | None
    elsewhere: Rise | None  # the strongest that doesn't touch the window


def by_service(rows: Iterable[Count], unit: str) -> dict[str, Counter[datetime]]:
    """{service: {start of the bin: n}}; rows without a time are left out."""
    found: dict[str, Counter[datetime]] = {}
    for row in rows:
        if row.keys.get(unit):
            at = datetime.fromisoformat(row.keys[unit])
            found.setdefault(row.keys.get("service", ""), Counter())[at.astimezone(UTC)] += row.n
    return found


def measure(service: str, bins: Counter[datetime], window: Window, data: Window, width: timedelta) -> Errors:
    """`data`: what was counted and can be spoken of; it may reach beyond the window on both sides."""
    slots: Counter[datetime] = Counter()
    zone = ZoneInfo(window.zone)
    for at, n in bins.items():
        if _inside(at, window, width):
            slots[at.replace(minute=0) if hourly(window) else at.astimezone(zone).replace(hour=0, minute=0)] += n
    found = rises(bins, data, width, window.start)
    touching = [r for r in found if r.overlaps(window)]
    other = [r for r in found if not r.overlaps(window)]
    return Errors(
        service,
        slots.total(),
        _earlier(bins, window, data, width),
        tuple(sorted(slots.items())),
        max(touching, key=lambda r: r.excess, default=None),
        max(other, key=lambda r: r.excess, default=None),
    )


def _earlier(bins: Counter[datetime], window: Window, data: Window, width: timedelta) -> int | None:
    if data.start >= window.start:
        return None
    return sum(n for at, n in bins.items() if at < window.start and not _inside(at, window, width))


def hourly(window: Window) -> bool:
    return window.end - window.start <= LONG


def _inside(at: datetime, window: Window, width: timedelta) -> bool:
    """A bin that begins before the window, but reaches into it, holds the window's first events."""
    return at + width > window.start and at < window.end


def together(found: Sequence[Errors], asked: Sequence[str]) -> list[Errors]:
    """The services whose errors rose with those of the asked ones (or of the worst), by onset."""
    rising = [e for e in found if e.rise]
    lead = max([e for e in rising if e.service in asked] or ([] if asked else rising), key=_excess, default=None)
    if lead is None or lead.rise is None:
        return []
    at = lead.rise.start
    return sorted((e for e in rising if e.rise and abs(e.rise.start - at) <= TOGETHER), key=_start)


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

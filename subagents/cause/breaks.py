"""Where a measured series left its usual level: change points by a robust cumulative sum, with their uncertainty.

The usual level is the median of a calm stretch, its spread the median absolute deviation. The sum of deviations over
one spread alarms when it is no chance; the change began where the sum last was nothing (Page's CUSUM), so slow ramps
are dated to their foot. With two days or more of history the median of the same time of day is taken off first; a
steady trend (a countdown, a filling counter) is no change. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

Points = Sequence[tuple[datetime, float]]

ENOUGH = 6
DRIFT, ALARM, CLIP = 1.5, 9.0, 6.0  # in spreads: let pass each step, summed up before it alarms, most of one step
BACK = 3  # so many values near the usual end a change
LEAST = 0.12  # of the usual level: a smaller change is none, however calm it was
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Break:
    """`at` to `sure`: between these it began; `end` None: not back where the data ends. `before` and `during` are
    medians; `spreads`: how far it moved, signed."""

    at: datetime
    sure: datetime
    end: datetime | None
    before: float
    during: float
    extreme: float
    spreads: float

    @property
    def up(self) -> bool:
        return self.spreads > 0

    def overlaps(self, start: datetime, end: datetime) -> bool:
        return self.at < end and (self.end is None or self.end > start)


def breaks(points: Points, usual_until: datetime | None = None) -> list[Break]:
    """The lasting changes, in order. `usual_until`: what lies before it is usual, if it is enough."""
    clean = [(at, v) for at, v in points if v == v]
    if len(clean) < ENOUGH + 2:
        return []
    flat = _untrended(_unseasoned(clean), usual_until)
    values = [v for _, v in flat]
    middle, spread = _usual(flat, usual_until)
    level = middle if middle else abs(median(v for _, v in clean))
    floor = max(LEAST * abs(level), 1e-9)
    scale = max(1.4826 * spread, floor / 4)
    found, start = [], 0
    while start < len(values):
        hit = _first(values, start, middle, scale)
        if hit is None:
            break
        begin, alarm, sign = hit
        end = _back(values, alarm, middle, scale, sign)
        inside = values[begin:end]
        core = [v for v in inside if sign * (v - middle) > scale] or inside
        moved = median(core) - middle
        if abs(moved) >= floor and (len(core) >= BACK):
            found.append(_break(clean, (begin, alarm, end), middle, moved, scale))
        start = end
    return found


def _break(clean: Points, place: tuple[int, int, int], middle: float, moved: float, scale: float) -> Break:
    begin, alarm, end = place
    real = [v for _, v in clean[begin:end]]
    sign = 1.0 if moved > 0 else -1.0
    before = median([v for _, v in clean[max(0, begin - 30) : begin]] or [middle])
    extreme = max(real) if sign > 0 else min(real)
    ended = clean[end][0] if end < len(clean) else None
    return Break(clean[begin][0], clean[alarm][0], ended, before, median(real), extreme, moved / scale)


def _first(values: Sequence[float], start: int, middle: float, scale: float) -> tuple[int, int, float] | None:
    """(index of the beginning, of the alarm, sign) of the next change."""
    sums, begins = {1.0: 0.0, -1.0: 0.0}, {1.0: start, -1.0: start}
    for n in range(start, len(values)):
        z = (values[n] - middle) / scale
        for sign in (1.0, -1.0):
            step = max(-CLIP, min(CLIP, sign * z)) - DRIFT
            if sums[sign] + step <= 0:
                sums[sign], begins[sign] = 0.0, n + 1
                continue
            sums[sign] += step
            if sums[sign] > ALARM:
                return begins[sign], n, sign
    return None


def _back(values: Sequence[float], alarm: int, middle: float, scale: float, sign: float) -> int:
    near = 0
    for n in range(alarm + 1, len(values)):
        near = near + 1 if sign * (values[n] - middle) / scale < DRIFT else 0
        if near == BACK:
            return n - BACK + 1
    return len(values)


def _usual(points: Points, until: datetime | None) -> tuple[float, float]:
    """Median and median absolute deviation of the stretch that stands for the usual."""
    before = [v for at, v in points if until is not None and at < until]
    calm = before if len(before) >= ENOUGH else [v for _, v in points[: max(ENOUGH, len(points) // 3)]]
    middle = median(calm)
    return middle, median(abs(v - middle) for v in calm)


def _unseasoned(points: Points) -> Points:
    """Less the median of the same time of day, where there are two days of history and they agree."""
    if points[-1][0] - points[0][0] < 2 * DAY:
        return points
    slots: dict[int, list[float]] = defaultdict(list)
    for at, v in points:
        slots[(at.hour * 60 + at.minute) // 30].append(v)
    whole = median(v for _, v in points)
    usual = {slot: median(vs) - whole for slot, vs in slots.items()}
    return [(at, v - usual[(at.hour * 60 + at.minute) // 30]) for at, v in points]


def _untrended(points: Points, until: datetime | None) -> Points:
    """Less a steady trend that the calm stretch already had."""
    before = [p for p in points if until is not None and p[0] < until]
    calm = before if len(before) >= 2 * ENOUGH else list(points[: max(2 * ENOUGH, len(points) // 3)])
    start = calm[0][0]
    far = len(calm) // 2
    slopes = [
        (b[1] - a[1]) / (b[0] - a[0]).total_seconds()
        for a, b in zip(calm[:-far], calm[far:], strict=True)
        if b[0] > a[0]
    ]
    if not slopes:
        return points
    slope = median(slopes)
    whole = abs(slope) * (calm[-1][0] - start).total_seconds()
    left = [v - slope * (at - start).total_seconds() for at, v in calm]
    noise = 1.4826 * median(abs(v - median(left)) for v in left)
    steady = sum((s > 0) == (slope > 0) for s in slopes) >= 0.95 * len(slopes)
    if not steady or whole <= 6 * noise or not _monotone(calm):
        return points
    return [(at, v - slope * (at - start).total_seconds()) for at, v in points]


def _monotone(points: Points) -> bool:
    steps = [b - a for (_, a), (_, b) in pairwise(points) if b != a]
    return bool(steps) and (all(s > 0 for s in steps) or all(s < 0 for s in steps))

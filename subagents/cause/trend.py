"""What few points around an alert show: back to usual, rising, draining, a plateau, or worse each time. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Literal

Trend = Literal["ratchet", "rising", "sustained", "plateau", "draining", "recovered", "unknown"]
Points = Sequence[tuple[datetime, float]]
FLAT = 0.06  # of the level: a smaller move is none


def trend(points: Points, since: datetime, threshold: float | None) -> Trend:
    """Of a metric after its alert fired at `since`; `threshold`: the alert's, which tells the bad side."""
    rows = sorted(p for p in points if p[1] == p[1])
    values = [v for _, v in rows]
    if len(values) < 2:
        return "unknown"
    after = [v for at, v in rows if at >= since] or values[-1:]
    before = [v for at, v in rows if at < since]
    base = before[0] if before else min(values)
    downward = threshold is not None and after[0] < threshold and base > threshold
    if downward:  # less is worse: the same upside down
        values, after, base = [-v for v in values], [-v for v in after], -base
        threshold = None if threshold is None else -threshold
    if worse_each_time(values):
        return "ratchet"
    return _after(values, after, base, threshold)


def _after(values: Sequence[float], after: Sequence[float], base: float, threshold: float | None) -> Trend:
    first, last, peak = after[0], after[-1], max(values)
    size = peak - min(base, min(values)) or 1.0
    over = last >= threshold if threshold is not None else last > base + 0.3 * size
    if not over:
        return "recovered"
    if len(after) < 2:
        return "sustained"
    if last < peak - 0.2 * size and after[-1] < after[-2]:
        return "draining"
    if last > first + FLAT * abs(first):
        tail = after[len(after) // 2 :]
        return "plateau" if len(tail) >= 3 and max(tail) - min(tail) <= FLAT * abs(peak) else "rising"
    falling = all(b <= a for a, b in pairwise(after)) and last < first
    return "draining" if falling and last < first - 0.04 * abs(first) else "plateau"


def worse_each_time(values: Sequence[float]) -> bool:
    """Up and down, but each low is higher than the one before, and so is each high: it never comes back."""
    swing = 0.1 * (max(values) - min(values))
    lows = [b for a, b, c in zip(values, values[1:], values[2:], strict=False) if b < a - swing and b <= c]
    highs = [b for a, b, c in zip(values, values[1:], values[2:], strict=False) if b > a + swing and b >= c]
    if len(lows) + (values[-1] < values[-2]) < 2 or len(highs) < 2:
        return False
    lows = [*lows, values[-1]] if values[-1] < values[-2] else lows
    rising = all(b > a for a, b in pairwise(lows))
    return rising and all(b > a for a, b in pairwise(highs)) and lows[0] > values[0]

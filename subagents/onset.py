"""When a series left its usual level, and when it came back: robust, simple, pure.

The usual level is the median of what came before, its spread the median absolute deviation (MAD). A rise is a run of
values over level + spread that lasts. Knows nothing of logs or metrics; the uncertainty of a time is its bin's width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import log, sqrt
from statistics import median

from orchestrator.contracts import Window

SPREADS = 6.0  # how many (normal-scaled) MADs over the median are no chance
LASTS = 3  # so many values over the limit make a run; one alone is noise
BURST = 5.0  # times the least change: so many events at once are no noise, however soon it is over
GAP = 4  # values under the limit that don't end a run
ENOUGH = 6  # values from which there is a usual level to speak of
SCALES = (1, 5, 15)  # bins are joined where the events are too rare for single ones
WHOLE = 1.15  # times the excess that narrow bins found: then they saw a part of the rise only


@dataclass(frozen=True, slots=True)
class Level:
    usual: float
    limit: float  # what is over it is out of the ordinary


@dataclass(frozen=True, slots=True)
class Run:
    """Indices [first, end) of values over a limit; `excess`: their sum over the usual level."""

    first: int
    end: int
    excess: float
    peak: float


@dataclass(frozen=True, slots=True)
class Rise:
    """A rise of a counted series. `end` None: still up where the data ends; `known` False: up from its first bin on.

    `total`: events in it; `peak`: the most in one bin; `width`: seconds of a bin, the uncertainty of both times;
    `edge`: after its last bin, whether it is over or not; `usual`: events in a bin at other times.
    """

    start: datetime
    end: datetime | None
    total: float
    peak: float
    excess: float
    width: float
    known: bool
    edge: datetime
    usual: float

    def overlaps(self, window: Window) -> bool:
        return self.start < window.end and (self.end is None or self.end > window.start)


def level(usual: Sequence[float], share: float, least: float) -> Level:
    """`share`: of the median, and `least`: absolute; a smaller change is never called one, however calm it was."""
    middle = median(usual)
    spread = 1.4826 * median(abs(v - middle) for v in usual)
    return Level(middle, middle + max(SPREADS * spread, share * abs(middle), least))


def runs(values: Sequence[float], at: Level, burst: float = float("inf")) -> list[Run]:
    """The lasting runs over the limit, in order; a short one counts when its excess reaches `burst`."""
    over = [i for i, v in enumerate(values) if v > at.limit]
    groups: list[list[int]] = []
    for i in over:
        if groups and i - groups[-1][-1] <= GAP + 1:
            groups[-1].append(i)
        else:
            groups.append([i])
    found = [(g, _run(values, at, g)) for g in groups]
    return [run for group, run in found if len(group) >= LASTS or run.excess >= burst]


def _run(values: Sequence[float], at: Level, group: list[int]) -> Run:
    inside = values[group[0] : group[-1] + 1]
    return Run(group[0], group[-1] + 1, sum(v - at.usual for v in inside), max(inside))


def spread_out(counts: Mapping[datetime, int], covered: Window, width: timedelta) -> list[float]:
    """Counts by the start of their bin as one value a bin over `covered`; a bin that isn't named had none."""
    values = [0.0] * max(0, -(-(covered.end - covered.start) // width))
    for at, n in counts.items():
        place = (at - covered.start) // width
        if 0 <= place < len(values):
            values[place] += n
    return values


def whole_bins(covered: Window, width: timedelta) -> Window:
    """Begun at a whole bin of the clock: counts come by whole minutes."""
    over = (covered.start - datetime(2000, 1, 1, tzinfo=UTC)) % width
    return replace(covered, start=covered.start - over)


def rises(counts: Mapping[datetime, int], covered: Window, width: timedelta, usual_until: datetime) -> list[Rise]:
    """The rises of a counted series, in order. `usual_until`: what lies before it counts as usual, if it is enough.

    `covered` is what the data can speak of: outside it, no events means nothing. Rare events need wide bins to be seen;
    a rise seen in wide bins takes the place of those in narrow ones where these hold a part of it only, or are pieces
    of one that went on between them.
    """
    kept: list[Rise] = []
    for scale in SCALES:
        for found in _at_scale(counts, covered, width * scale, usual_until):
            rise = found if scale == 1 else _refined(found, counts, covered, width)
            parts = [k for k in kept if k.start < rise.edge and rise.start < k.edge]
            if rise.excess > WHOLE * sum(k.excess for k in parts) or _filled(rise, parts, width):
                kept = [*(k for k in kept if k not in parts), rise]
    return sorted(kept, key=lambda r: r.start)


def _filled(rise: Rise, parts: Sequence[Rise], width: timedelta) -> bool:
    """Whether it went on between the parts: at a rate that is likelier the rise's own than the usual one."""
    held = [k for k in parts if rise.start <= k.start and k.edge <= rise.edge]
    apart = (rise.edge - rise.start - sum((k.edge - k.start for k in held), timedelta())) / width
    if len(held) < 2 or held != list(parts):
        return False
    return apart <= 0 or (rise.total - sum(k.total for k in held)) / apart > _toll(rise, width)


def _toll(rise: Rise, width: timedelta) -> float:
    """Events in a bin half-way, as likelihoods go, between the usual rate and the rise's own."""
    usual = max(rise.usual * (width / timedelta(seconds=rise.width)), 0.02)
    rate = max(rise.total / max(1, (rise.edge - rise.start) // width), 2 * usual)
    return (rate - usual) / log(rate / usual)


def _at_scale(counts: Mapping[datetime, int], covered: Window, wide: timedelta, usual_until: datetime) -> list[Rise]:
    values = spread_out(counts, covered := whole_bins(covered, wide), wide)
    if len(values) < LASTS:
        return []
    before = values[: max(0, (usual_until - covered.start) // wide)]
    # the calmest of these: the trouble itself may lie in any of them
    middle = min((v for v in (before, _first_third(values), values) if len(v) >= ENOUGH), key=median, default=values)
    least = max(2.0, 3 * sqrt(median(middle)))
    at = level(middle, 0.5, least)
    return [_rise(run, values, covered, wide, at.usual) for run in runs(values, at, BURST * least)]


def _refined(rise: Rise, counts: Mapping[datetime, int], covered: Window, width: timedelta) -> Rise:
    """The same rise with the times that narrow bins tell: the stretch that holds most over what lies half-way (as
    likelihoods go) between the usual rate and its own."""
    covered = whole_bins(covered, width)
    wide = timedelta(seconds=rise.width)
    first = max(0, (rise.start - wide - covered.start) // width)
    last = -(-(rise.edge + wide - covered.start) // width)
    values = spread_out(counts, covered, width)
    usual = max(rise.usual * (width / wide), 0.02)
    a, b = _densest(values[first:last], _toll(rise, width))
    run = Run(first + a, first + b, sum(v - usual for v in values[first + a : first + b]), rise.peak)
    return replace(_rise(run, values, covered, width, rise.usual), width=rise.width, excess=rise.excess)


def _densest(values: Sequence[float], toll: float) -> tuple[int, int]:
    """Where the sum of values, less a toll for each, is highest: indices [first, end)."""
    best, found, total, first = 0.0, (0, len(values)), 0.0, 0
    for i, value in enumerate(values):
        if total <= 0:
            total, first = 0.0, i
        total += value - toll
        if total > best:
            best, found = total, (first, i + 1)
    return found


def _first_third(values: Sequence[float]) -> Sequence[float]:
    """What stands for the usual where nothing lies before: trouble is rarely the first thing that data holds."""
    return values[: max(ENOUGH, len(values) // 3)]


def _rise(run: Run, values: Sequence[float], covered: Window, width: timedelta, usual: float) -> Rise:
    total = sum(values[run.first : run.end])
    silence = len(values) - run.end
    # its last bin may be a part of one, and at its own rate so long a silence may be chance
    over = silence > max(1.0, 5 * (run.end - run.first) / max(total, 1.0))
    start, edge = covered.start + run.first * width, covered.start + run.end * width
    known = run.first > 0
    return Rise(start, edge if over else None, total, run.peak, run.excess, width.total_seconds(), known, edge, usual)


@dataclass(frozen=True, slots=True)
class Shift:
    """How a measured series left its usual level. `during`: its median while away; `extreme`: the farthest, at `peak`;
    `factor`: spreads it moved by; `known` False: it was away from the first point on."""

    at: datetime
    end: datetime | None
    before: float
    during: float
    extreme: float
    factor: float
    peak: datetime
    known: bool = True


def shift(points: Sequence[tuple[datetime, float]], usual_until: datetime, least: float = 0.0) -> Shift | None:
    """The strongest lasting change, up or down, of a gauge or a rate after `usual_until`; None: it stayed as it was.

    `least`: a smaller change is none. With too few points before, its first third is the usual level. A rise that
    ends in a fall at once, as when what filled memory is restarted, is told as the rise: the fall is its end.
    """
    usual: Sequence[float] = [v for at, v in points if at < usual_until]
    later = [(at, v) for at, v in points if at >= usual_until]
    if len(usual) < ENOUGH:
        usual = _first_third([v for _, v in points])
    if len(usual) < ENOUGH or len(later) < LASTS:
        return None
    up, down = _directed(usual, later, 1.0, least), _directed(usual, later, -1.0, least)
    if up is None or down is None:
        return up or down
    step = later[1][0] - later[0][0]
    let_go = up.end is not None and abs(down.at - up.end) <= GAP * step and down.at - up.peak <= GAP * step
    return up if let_go or up.factor >= down.factor else down


def _directed(
    usual: Sequence[float], later: Sequence[tuple[datetime, float]], sign: float, least: float
) -> Shift | None:
    at = level([sign * v for v in usual], 0.3, max(least, 1e-9))
    values = [sign * v for _, v in later]
    found = max(runs(values, at), key=lambda r: r.excess, default=None)
    if found is None:
        return None
    inside = [v for v in values[found.first : found.end] if v > at.limit]
    end = later[found.end][0] if found.end < len(later) else None
    factor = (median(inside) - at.usual) / (at.limit - at.usual)
    peak = later[values.index(found.peak, found.first)][0]
    return Shift(
        later[found.first][0], end, sign * at.usual, sign * median(inside), sign * found.peak, factor, peak,
        found.first > 0,
    )  # fmt: skip

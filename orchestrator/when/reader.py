"""Where a phrase lies in time: calendar, local clocks and their changes → instants. The half of the time grammar that
knows the zone and "now"; `phrases` made the phrases, `window` chooses among them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from orchestrator.contracts import Window
from orchestrator.when.phrases import Moment, Phrase, Unreadable, days_of
from orchestrator.when.values import SAME, Clock, Length
from orchestrator.when.words import PARTS

AROUND, NOW, JUST = timedelta(minutes=30), timedelta(minutes=15), timedelta(minutes=30)
DAY, NIGHT = timedelta(days=1), timedelta(hours=16)  # "22:00 to 6:00" goes over midnight; "14:00 to 13:00" doesn't


@dataclass(slots=True)
class _Spot:
    """Where a moment lies. `at`: what "since" and "before" mean by it; `point`: a clock time, not a stretch."""

    lo: datetime
    hi: datetime
    at: datetime
    day: date
    zone: tzinfo
    point: bool


class Reader:
    """Gives phrases their instants. `anchor`: what clock times and lengths count back from, where not from now."""

    def __init__(self, now: datetime, zone: str, anchor: datetime | None = None) -> None:
        self.now, self.zone, self.name = now.astimezone(UTC), ZoneInfo(zone), zone
        self.anchor = (anchor or now).astimezone(UTC)
        self.limit = self.anchor - timedelta(microseconds=1) if anchor else self.anchor
        self.why: list[str] = []

    def window(self, start: datetime, end: datetime, said: str, why: str) -> Window:
        a, b = (t.astimezone(timezone(t.astimezone(self.zone).utcoffset() or timedelta(0))) for t in (start, end))
        return Window(a, b, self.name, said, why)

    def read(self, p: Phrase, said: str, base: date | None = None) -> Window:
        """Raises Unreadable. `base`: the day that the text names elsewhere."""
        self.why = ["month/day"] if p.slash else []
        try:
            lo, hi = self._bounds(p, base)
            self._check(lo, hi, p)
            if hi > self.now and not _dated(p):
                hi = self.now
                self.why.append("until now")
            return self.window(lo, hi, said, "; ".join(dict.fromkeys(self.why)))
        except (OverflowError, ValueError):
            raise Unreadable("no such time") from None

    def days(self, m: Moment) -> tuple[date, date]:
        """The days a moment names, half-open. Raises Unreadable."""
        try:
            return days_of(m.days, self.now.astimezone(self._zone(m.zone)).date())
        except (OverflowError, ValueError):
            raise Unreadable("no such day") from None

    def _check(self, lo: datetime, hi: datetime, p: Phrase) -> None:
        if lo >= hi:
            raise Unreadable("nothing lies between its ends")
        if lo >= self.now and not _dated(p):
            raise Unreadable("lies in the future, or nothing of it has passed yet")

    def _bounds(self, p: Phrase, base: date | None) -> tuple[datetime, datetime]:
        first = p.moments[0]
        alone = first.alone.kind if first.alone else ""
        if first.alone and alone in ("vague", "named"):
            raise Unreadable(first.alone.value)
        if len(p.moments) > 1 and not p.moments[1].empty:
            return self._range(first, p.moments[1], base)
        if first.alone and alone == "last":
            return self._last(first.alone.value.time)
        if alone in ("now", "just"):
            back = NOW if alone == "now" else JUST
            self.why.append(f"the {back.seconds // 60} minutes before")
            return self.now - back, self.now
        return self._single(p, first, base)

    def _last(self, back: timedelta) -> tuple[datetime, datetime]:
        if self.anchor != self.now:
            self.why.append("counted back from the end of the run's window")
        return self.anchor - back, self.anchor

    def _single(self, p: Phrase, m: Moment, base: date | None) -> tuple[datetime, datetime]:
        spot = self._place(m, base)
        bound = p.suf if p.pre in ("", "from") and p.suf else p.pre
        bound = "since" if bound == "from" and spot.point else bound
        if p.span and (bound in ("after", "before") or "from" in (p.pre, bound) or p.suf == "since"):
            return (spot.at - p.span.time, spot.at) if bound == "before" else (spot.at, spot.at + p.span.time)
        named = bool(m.days or base) and (spot.point or bool(m.part))
        midnight = self._wall(spot.at.astimezone(spot.zone).date(), 0, spot.zone)
        if bound in ("since", "after"):
            if not (p.framed or base or bound == "after") or not named:
                return spot.at, max(self.now, spot.at)
            self.why.append("to the end of that day")
            return spot.at, self._wall(spot.at.astimezone(spot.zone).date() + DAY, 0, spot.zone)
        if bound == "before":
            if not (spot.point or m.part) or m.alone:
                raise Unreadable("where it begins isn't said")
            self.why.append("from the beginning of that day")
            return midnight, spot.hi if spot.point else spot.at
        if spot.point:
            far = p.around.time if p.around else AROUND
            self.why.append(f"{far.total_seconds() / 60:g} minutes before and after")
            return spot.lo - far, spot.hi + far
        if m.part == "noon":
            self.why.append("taken as 11:00–13:00")
        return self._edge(spot, *p.edge) if p.edge else (spot.lo, spot.hi)

    def _edge(self, spot: _Spot, end: int, long: Length) -> tuple[datetime, datetime]:
        """The first or last so much of a stretch, by the clock on the wall."""
        lo, hi = (t.astimezone(spot.zone).replace(tzinfo=None) for t in (spot.lo, spot.hi))
        a, b = (lo, lo + long.time) if end > 0 else (hi - long.time, hi)
        start, stop = (t.replace(tzinfo=spot.zone).astimezone(UTC) for t in (a, b))
        return max(spot.lo, start), min(spot.hi, stop)

    def _range(self, a: Moment, b: Moment, base: date | None) -> tuple[datetime, datetime]:
        a, b = _share(a, b)
        for m in (a, b):
            if m.alone and m.alone.kind in ("last", "vague", "named", "just"):
                raise Unreadable("one of its ends isn't a point in time")
        if not a.days and not a.alone and b.days and base is None:
            base = self.days(b)[0]
        first = self._place(a, base)
        if b.alone and b.alone.kind == "now":
            return first.at, self.now
        last = self._place(b, first.day, after=first.day)
        wrapped = last.at <= first.at
        if wrapped and not b.days and not b.alone:
            last = self._place(b, first.day + DAY, after=first.day)
        elif wrapped and not a.days and not a.alone:
            first = self._place(a, first.day - DAY)
        if wrapped and last.at - first.at > NIGHT:
            raise Unreadable("it ends before it begins")
        return first.at, last.at if b.part == "noon" else last.hi

    def _place(self, m: Moment, base: date | None, after: date | None = None) -> _Spot:
        zone = self._zone(m.zone)
        if m.alone:
            if m.alone.kind != "ago":
                raise Unreadable("no beginning or end is said")
            at = self.anchor - m.alone.value.time
            return _Spot(at, at, at, at.astimezone(zone).date(), zone, True)
        clock_only = not m.days and base is None
        if m.clock == SAME and (clock_only or m.part):
            raise Unreadable("which time exactly isn't said")
        today = (self.limit if clock_only else self.now).astimezone(zone).date()
        d0, d1 = days_of(m.days, today, after) if m.days else (base or today, (base or today) + DAY)
        spot = self._spot(m, d0, d1, zone)
        back = 1 if clock_only else _repeats(m, self.now.astimezone(zone).hour)
        ahead = spot.lo > self.limit if clock_only else spot.lo >= self.now
        if back and ahead and after is None:
            spot = self._spot(m, d0 - back * DAY, d1 - back * DAY, zone)
            self.why.append(f"the latest one: {spot.day}")
        return spot

    def _spot(self, m: Moment, d0: date, d1: date, zone: tzinfo) -> _Spot:
        if m.clock == SAME:
            local = self.now.astimezone(zone)
            d0, d1 = (d0 + local.weekday() * DAY,) * 2 if d1 - d0 == 7 * DAY else (d0, d1)
            m = replace(m, clock=Clock(local.hour, local.minute, local.second), part="")
        if (m.clock or m.part) and d1 - d0 > DAY:
            raise Unreadable("a time of day needs one day")
        if m.clock:
            if 1 <= m.clock.h < 12 and not (m.clock.half or m.part):
                self.why.append("24-hour clock")
            seconds = _hour(m.clock, m.part) * 3600 + m.clock.m * 60 + m.clock.s
            lo, hi = self._wall(d0, seconds, zone), self._wall(d0, seconds, zone, late=True)
            return _Spot(lo, hi, lo, d0, zone, True)
        h0, h1 = PARTS[m.part] if m.part else (0, 0)
        lo, hi = self._wall(d0, h0 * 3600, zone), self._wall(d0 if m.part else d1, h1 * 3600, zone, late=True)
        if m.part and m.part != "noon":
            self.why.append(f"taken as {h0:02d}:00–{h1 % 24:02d}:00")
        return _Spot(lo, hi, self._wall(d0, 43200, zone) if m.part == "noon" else lo, d0, zone, False)

    def _wall(self, day: date, seconds: float, zone: tzinfo, late: bool = False) -> datetime:
        """A local time as an instant. One that a clock change skips is moved by the change; of one that comes twice
        it is the first, or the second for `late`. Both are told in `why`."""
        naive = datetime.combine(day, time()) + timedelta(seconds=seconds)
        first, second = (naive.replace(tzinfo=zone, fold=f).astimezone(UTC) for f in (0, 1))
        if first.astimezone(zone).replace(tzinfo=None) != naive:
            self.why.append(f"{naive:%H:%M} is skipped by the clock change of {naive:%Y-%m-%d}: moved by it")
            return first
        if first != second:
            self.why.append(f"{naive:%H:%M} comes twice on {naive:%Y-%m-%d}: a window holds both")
        return second if late else first

    def _zone(self, value: Any) -> tzinfo:
        if value is None:
            return self.zone
        if isinstance(value, tuple):
            if value[1] != "cst" or self.now.astimezone(self.zone).utcoffset() != timedelta(hours=8):
                raise Unreadable(f"{value[1].upper()} doesn't name one zone")
            value = timezone(timedelta(hours=8))
        try:
            zone: tzinfo = ZoneInfo(value) if isinstance(value, str) else value
        except (ValueError, OSError, KeyError):
            raise Unreadable("no such zone") from None
        self.why.append(f"on the clock of {zone}")
        return zone


def _hour(c: Clock, part: str) -> int:
    """The hour of the day; from 24 on it is the next one ("昨晚两点" is 02:00 of today)."""
    if c.h > 24 or c.m > 59 or c.s >= 60 or (c.half and not 1 <= c.h <= 23):
        raise Unreadable("there is no such clock time")
    if c.half:
        return c.h % 12 + 12 * (c.half == "pm") if c.h <= 12 else c.h
    if part in ("afternoon", "dusk", "evening") or (part == "noon" and c.h < 4):
        return c.h + 12 if c.h < 12 else c.h
    if part in ("night", "deep"):
        return c.h + 24 if c.h < 5 else c.h + 12 if c.h <= 12 else c.h
    return 0 if part == "small" and c.h == 12 else c.h


def _share(a: Moment, b: Moment) -> tuple[Moment, Moment]:
    """What is said of one end of a range holds for the other: the zone, and which half of the day."""
    a, b = replace(a, zone=a.zone or b.zone), replace(b, zone=b.zone or a.zone)
    x, y = a.clock, b.clock
    if x and y and b.part and not (a.part or x.half or y.half) and x < y:
        a = replace(a, part=b.part)
    if x and y and not (x.half or a.part) and y.half == "pm" and x.h < 12 and x.h + 12 <= _hour(y, ""):
        a = replace(a, clock=x._replace(half="pm"))
    elif x and y and (x.half or a.part) and not (y.half or b.part or b.days) and y.h <= 12:
        h = _hour(x, a.part)
        later = [c for c in (y.h, y.h + 12) if (c, y.m) > (h, x.m)]
        b = replace(b, clock=y._replace(h=later[0] if later else y.h))
    return a, b


def _repeats(m: Moment, hour: int) -> int:
    """Days to go back where a named day can be an earlier one: "Monday 14:00" said on Monday morning, "tonight" said
    after midnight, "半夜两点"."""
    if m.days and m.days[-1].kind == "wday" and m.days[-1].value[0] is None and len(m.days) == 1:
        return 7
    return 1 if m.part in ("night", "deep") and (hour < 6 or (m.clock and m.clock.h < 6)) else 0


def _dated(p: Phrase) -> bool:
    """A year was written: it is believed even ahead of now."""
    return any(t.kind == "date" and t.value[0] for m in p.moments for t in m.days)

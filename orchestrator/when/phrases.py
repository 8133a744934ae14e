"""From tokens to phrases: which words of a question belong together as one time, and which days they name.

Pure grammar and calendar: this module knows no zone and no clock; "today" is given to it. Weeks begin on Monday.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from orchestrator.when.values import Clock
from orchestrator.when.words import Token, fold, tokens

DAYS = frozenset({"date", "day", "wday", "span", "stretch", "month", "nth", "cut"})
ALONE = frozenset({"now", "just", "ago", "last", "vague", "named"})
SOON = timedelta(days=31)  # a date without a year that comes within this is meant ahead, not last year's
GAP = re.compile(
    r"[\s,，:：()（）\"'“”「」\[\]]*(?:(?:的时候|时候|那段|期间|之间|这段|一整天|整天|全天|一天|当地时间|时分|[的在于是时]"
    r"|(?:[这那]次)?(?:发布|上线|部署|变更|发版|重启)|\b(?:deploy(?:ment)?|release|rollout)\b"
    r"|\b(?:at|on|in|of|the|during|day|all|whole|local time|o'clock|s)\b|(?<=\d)t)[\s,，]*)*"
)
Days = tuple[date, date]  # half-open


class Unreadable(Exception):
    """These words look like a time but don't name one; the message says why."""


@dataclass(slots=True)
class Moment:
    days: list[Token] = field(default_factory=list)
    part: str = ""
    clock: Clock | None = None
    zone: Any = None
    alone: Token | None = None

    @property
    def empty(self) -> bool:
        return not (self.days or self.part or self.clock or self.alone)


@dataclass(slots=True)
class Phrase:
    """One moment or two, and how they bound a window: since, from, after, before, between."""

    start: int
    end: int
    compared: bool = False  # what the question compares with: "than yesterday"
    moments: list[Moment] = field(default_factory=lambda: [Moment()])
    pre: str = ""
    suf: str = ""
    span: Any = None  # the length in "two hours after 14:00"
    framed: bool = False  # the day stands outside: "yesterday, since 14:00"
    slash: bool = False
    around: Any = None  # how far to both sides of a point
    edge: Any = None  # (from which end, length) of the days

    def take(self, t: Token) -> bool:
        """Adds a token; False when it can't belong to this phrase."""
        m = self.moments[-1]
        if t.kind in DAYS:
            fits = not (self.suf or (m.alone and m.alone.kind != "named")) and (not m.days or _refines(m.days[-1], t))
            m.days += [t] if fits else []
        elif t.kind in ALONE:
            fits = not self.suf and (m.empty or (t.kind == "named" and not m.alone))
            m.alone = t if fits else m.alone
        elif t.kind in ("part", "clock", "zone"):
            fits = not (self.suf or (m.alone and t.kind != "zone")) and not getattr(m, t.kind)
            if fits:
                setattr(m, t.kind, t.value)
        else:
            fits = self._join(t, m)
        self.end = t.end if fits else self.end
        return fits

    def _join(self, t: Token, m: Moment) -> bool:
        if t.kind == "to" or (t.kind == "and" and self.pre == "between"):
            return self._to(t, m)
        if t.kind == "pre":
            fits = not (m.clock or m.alone or self.pre or self.suf or len(self.moments) > 1)
            self.pre, self.framed = (t.value, not m.empty) if fits else (self.pre, self.framed)
        elif t.kind == "suf":
            fits = not m.empty and self.suf in ("", "since") and not (m.alone and m.alone.kind == "last")
            self.suf = t.value if fits else self.suf
        elif t.kind == "dur":
            fits = self.span is None and ((m.empty and not self.pre) or self.suf != "")
            self.span = t.value if fits else self.span
        else:
            fits = t.kind in ("around", "slash") or (t.kind == "edge" and (m.empty or bool(m.days)))
            self.slash |= t.kind == "slash"
            self.around = self.around or (t.value if t.kind == "around" else None)
            self.edge = t.value if t.kind == "edge" and fits else self.edge
        return fits

    def _to(self, t: Token, m: Moment) -> bool:
        if m.empty:
            self.pre = self.pre or ("before" if t.value == "until" else "")
            return self.pre == "before"
        fits = len(self.moments) == 1 and self.suf in ("", "since")
        if fits:
            self.moments.append(Moment())
            self.suf = ""
        return fits


def _refines(base: Token, t: Token) -> bool:
    """Whether one picks days inside the other: "上个月" + "29号", "last Friday of" + "November"."""
    inside = {"week": ("wday",), "month": ("date", "nth", "cut", "stretch"), "year": ("date", "month", "stretch"),
              "date": ("cut",)}  # fmt: skip
    if base.kind in ("nth", "cut", "wday", "stretch"):
        base, t = t, base
    unit = base.value[0] if base.kind == "span" else base.kind
    return t.kind in inside.get(unit, ())


def phrases(text: str) -> list[Phrase]:
    """The time expressions of a text, in order. A token that can't go on with those before it begins a new one."""
    low = fold(text)
    found: list[Phrase] = []
    current: Phrase | None = None
    than: int | None = None
    for t in tokens(text):
        if t.kind == "than":
            both = current is not None and low[max(0, current.start - 2) : current.start].strip()[-1:] in [*"和跟与同"]
            if current is not None and both:
                current.compared = True
            current, than = None, None if both else t.end
            continue
        if current is not None and _near(low, current.end, t.start) and current.take(t):
            continue
        current = Phrase(t.start, t.end, compared=than is not None and _near(low, than, t.start))
        if current.take(t):
            found.append(current)
        else:
            current = None
    return [p for p in found if not p.moments[0].empty]


def _near(low: str, end: int, start: int) -> bool:
    return start <= end or (start - end < 24 and GAP.fullmatch(low, end, start) is not None)


# ── days ──────────────────────────────────────────────────────────────────────────────────────


def days_of(words: list[Token], today: date, after: date | None = None) -> Days:
    """The days that words name. `after`: the first day of a range whose end this is. Raises Unreadable."""
    got: Days | None = None
    order = {"span": 0, "month": 1, "cut": 3}
    for t in sorted(words, key=lambda t: order.get(t.kind, 2)):
        got = _READERS[t.kind](t.value, today, got, after)
    if got is None:
        raise Unreadable("no day is named")
    return got


def add_months(day: date, n: int) -> date:
    """The first of the month `n` months on."""
    months = day.year * 12 + day.month - 1 + n
    return date(months // 12, months % 12 + 1, 1)


def _one(day: date) -> Days:
    return day, day + timedelta(days=1)


def make(y: int, m: int, d: int) -> date:
    try:
        return date(y, m, d)
    except ValueError:
        raise Unreadable(f"there is no {y}-{m:02d}-{d:02d}") from None


def _day(n: int | None, today: date, inside: Days | None, after: date | None) -> Days:
    if n is None and not after:
        raise Unreadable("which time exactly isn't said")
    return _one(after + timedelta(days=1) if n is None and after else today + timedelta(days=n or 0))


def _date(value: tuple[int | None, int | None, int], today: date, inside: Days | None, after: date | None) -> Days:
    y, m, d = value
    if inside:
        return _one(make(inside[0].year, m or inside[0].month, d))
    if y:
        return _one(make(y, m or 1, d))
    if after:
        first = after if (m or after.month, d) >= (after.month, after.day) else add_months(after, 12 if m else 1)
        return _one(make(first.year, m or first.month, d))
    if not m:
        return _one(_day_of_month(d, today))
    day = make(today.year, m, d)
    if day > today and day - today <= SOON:
        raise Unreadable("lies in the future; for an earlier year say the year")
    return _one(day if day <= today else make(today.year - 1, m, d))


def _day_of_month(d: int, today: date) -> date:
    """The latest day of that number: "31号" asked in November is October's."""
    for back in range(0, -4, -1):
        first = add_months(today, back)
        last = add_months(first, 1) - timedelta(days=1)
        if 1 <= d <= last.day and first.replace(day=d) <= today:
            return first.replace(day=d)
    raise Unreadable(f"no month has a day {d}")


def _wday(value: tuple[Any, int], today: date, inside: Days | None, after: date | None) -> Days:
    which, d = value
    if inside:
        return _one(inside[0] + timedelta(days=d))
    if isinstance(which, int):
        return _one(today - timedelta(days=today.weekday() - d - 7 * which))
    if after:
        return _one(after + timedelta(days=(d - after.weekday()) % 7))
    back = (today.weekday() - d) % 7
    return _one(today - timedelta(days=back or (7 if which == "last" else 0)))


def _span(value: tuple[str, int], today: date, inside: Days | None, after: date | None) -> Days:
    unit, n = value
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=n)
    if unit == "week":
        return monday, monday + timedelta(days=7)
    if unit == "weekend":
        saturday = monday + timedelta(days=5)
        saturday -= timedelta(days=7 if saturday > today else 0)
        return saturday, saturday + timedelta(days=2)
    if unit in ("month", "quarter"):
        first, many = (today, 1) if unit == "month" else (today.replace(month=(today.month - 1) // 3 * 3 + 1), 3)
        return add_months(first, n * many), add_months(first, (n + 1) * many)
    return date(today.year + n, 1, 1), date(today.year + n + 1, 1, 1)


def _month(value: tuple[int | None, int | None], today: date, inside: Days | None, after: date | None) -> Days:
    y, m = value
    if not m:
        return date(y or today.year, 1, 1), date((y or today.year) + 1, 1, 1)
    first = make(y or (inside[0].year if inside else today.year), m, 1)
    if not (y or inside) and first > today:
        if first - today <= SOON:
            raise Unreadable("lies in the future; for an earlier year say the year")
        first = make(today.year - 1, m, 1)
    return first, add_months(first, 1)


def _stretch(value: tuple[int, int], today: date, inside: Days | None, after: date | None) -> Days:
    first = date(inside[0].year if inside else today.year - (value[0] > today.month), value[0], 1)
    return first, add_months(first, value[1])


def _nth(value: tuple[int, int], today: date, inside: Days | None, after: date | None) -> Days:
    n, d = value
    if not inside:
        raise Unreadable("of which month isn't said")
    first, end = inside
    day = first + timedelta(days=(d - first.weekday()) % 7 + 7 * (n - 1))
    if n < 0:
        day = end - timedelta(days=(end.weekday() - d - 1) % 7 + 1)
    if not first <= day < end:
        raise Unreadable("the month has no such day")
    return _one(day)


def _cut(name: str, today: date, inside: Days | None, after: date | None) -> Days:
    if name == "周":
        return _span(("week", 0), (inside or _one(today))[0], None, None)
    for first in [inside[0]] if inside else [add_months(today, 0), add_months(today, -1)]:
        end = add_months(first, 1)
        a, b = {"初": (1, 6), "中": (11, 21), "上旬": (1, 11), "中旬": (11, 21)}.get(name, (21, 0))
        start = end - timedelta(days=5) if name == "底" else first.replace(day=a)
        if inside or start <= today:
            break
    return start, first.replace(day=b) if b and name != "底" else end


_READERS: dict[str, Callable[[Any, date, Days | None, date | None], Days]] = {
    "day": _day, "date": _date, "wday": _wday, "span": _span, "month": _month, "nth": _nth, "cut": _cut,
    "stretch": _stretch,
}  # fmt: skip

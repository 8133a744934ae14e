"""Timestamps as people's locales and older programs spell them: 12-hour clocks, day or month first, month names of
other languages, dates without separators. The usual spellings are in `times`.

In `03/04/2026` nothing says which number is the day: one over 12 in either place does, else the file's other lines
(`order`), else the time before which it must lie. What can't be told is no time, rather than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta

from subagents.folder.clocks import Clock, ahead, latest, minute, yearless

MONTHS = {"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10,
          "nov": 11, "dec": 12}  # fmt: skip
_NAMES = {  # and how glibc's other locales abbreviate them (`%b`): French, German, Spanish, Italian, Portuguese
    **MONTHS, "janv": 1, "févr": 2, "mars": 3, "avril": 4, "mai": 5, "juin": 6, "juil": 7, "août": 8, "sept": 9,
    "déc": 12, "jän": 1, "mär": 3, "okt": 10, "dez": 12, "ene": 1, "abr": 4, "ago": 8, "dic": 12, "gen": 1, "mag": 5,
    "giu": 6, "lug": 7, "set": 9, "ott": 10, "fev": 2, "out": 10, "avr": 4,
}  # fmt: skip
_NAME = rf"(?P<name>(?i:{'|'.join(sorted(_NAMES, key=len, reverse=True))}))\.?(?![^\W\d_])"
_MONTH_FIRST = (  # as `%b %d` of the locale
    rf"{_NAME}[ -] ?(?P<day>\d\d?)(?:,? (?P<year>\d{{4}}))?",
    r"(?P<month>\d\d?)月 ?(?P<day>\d\d?)日?(?:,? (?P<year>\d{4}))?",
)
_DATES = (
    r"(?:[A-Z][a-z]{2},? )?(?P<year>\d{4})[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)",
    r"(?P<year>\d{4}) ?年 ?(?P<month>\d\d?) ?月 ?(?P<day>\d\d?) ?日(?: ?(?:星期|周)[一二三四五六日天])?",
    r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>\d{4})",
    r"(?P<one>\d\d?)[/-](?P<two>\d\d?)[/-](?P<year>\d{4})",
    r"(?P<first>\d\d)[/-](?P<second>\d\d)[/-](?P<third>\d\d)(?!\d)",
    rf"(?P<day>\d\d?)[ /-]{_NAME}(?:[ /-](?P<year>\d{{4}}))?",
    *_MONTH_FIRST,
    r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)",
    r"(?P<short>\d\d)(?P<month>\d\d)(?P<day>\d\d)",
    r"(?P<year>\d{4})-(?P<yday>\d{3})",
    r"(?P<one>\d\d?)[-/.](?P<two>\d\d?)",
)
_CLOCKS = (
    r"(?P<early>上午|下午|[AP]M)? ?(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d?)(?:[.,](?P<part>\d{1,9})"
    r"|:(?P<milli>\d{1,3}))?)?(?: ?(?P<late>[AaPp]\.?[Mm]\b\.?|上午|下午))?",
    r"(?P<early>上午|下午)? ?(?P<hour>\d\d?) ?[时時點点] ?(?P<minute>\d\d?) ?分 ?(?:(?P<second>\d\d?) ?秒)?",
    r"(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?(?!\d)",
)
_BETWEEN = r"(?: ?[T,] ?|[ ._-]{1,2}|::)"
_ZONE = r"(?: ?((?:Z|UTC|GMT|CES?T|[ECP][SD]T)(?![A-Za-z])|[+-]\d\d:?\d\d(?!\d)))?"
_PM, _AM = ("p", "下"), ("a", "上")


def _nameless(patterns: Iterable[str]) -> str:
    return "|".join(re.sub(r"\(\?P<\w+>", "(?:", pattern) for pattern in patterns)


PATTERN = rf"(?:{_nameless(_DATES)}){_BETWEEN}(?:{_nameless(_CLOCKS)}){_ZONE.replace('((', '(?:(')}"
MONTH_FIRST = rf"(?:{_nameless([_NAME])} {{1,2}}\d\d?|\d\d?月 ?\d\d?日?) \d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?"  # `%b %e %T`
_DATED = [re.compile(date + _BETWEEN) for date in _DATES]
_CLOCKED = [re.compile(clock + _ZONE) for clock in _CLOCKS]
_ORDERED = re.compile(r"(\d\d?)[/.-](\d\d?)(?=[/.-]\d{4}(?!\d)|[/-]\d\d[ T]|[ -]+\d\d?:)")


def parse(text: str, clock: Clock) -> float | None:
    """Seconds since 1970; None where it is no such time, or can't be told."""
    for dated in _DATED:
        date = dated.match(text)
        of_day = next((m for p in _CLOCKED if (m := p.match(text, date.end()))), None) if date else None
        if date and of_day:
            return _placed(date.groupdict(), of_day, clock)
    return None


def order(stamps: Iterable[str]) -> str:
    """What comes first in a file's numeric dates: "day", "month", or "" where they don't show it. A number over 12 is
    a day; else the one that changes is, where the other doesn't."""
    pairs = {(int(m[1]), int(m[2])) for stamp in stamps if (m := _ORDERED.match(stamp))}
    ones, twos = {one for one, _ in pairs}, {two for _, two in pairs}
    if max(ones, default=0) > 12 or max(twos, default=0) > 12:
        return "day" if max(ones) > 12 else "month"
    return "" if (len(ones) > 1) == (len(twos) > 1) else ("day" if len(ones) > 1 else "month")


def _placed(date: dict[str, str | None], of_day: re.Match[str], clock: Clock) -> float | None:
    got = of_day.groupdict()
    hour, minutes, half = int(got["hour"]), int(got["minute"]), (got.get("early") or got.get("late") or "").lower()
    hour = hour % 12 + (12 if half.startswith(_PM) else 0) if half.startswith((*_PM, *_AM)) and hour <= 12 else hour
    part, milli = got.get("part"), got.get("milli")
    rest = int(got["second"] or 0) + (int(part) / 10 ** len(part) if part else int(milli or 0) / 1000)
    stated = of_day.group(of_day.re.groups) or ""
    found = []
    for year, month, day in _readings(date, clock):
        if not year and not got["second"]:
            return None  # `1.5 12:30` may be anything
        if not year:
            return yearless(month, day, hour, minutes, rest, clock, stated)
        base = minute(year, month, day, hour, minutes)
        if base is not None and rest < 61:
            found.append(base + _later(date) + rest - ahead(stated, clock.zone, base))
    return latest(found, clock)


def _later(date: dict[str, str | None]) -> float:
    return timedelta(days=int(date.get("yday") or 1) - 1).total_seconds()


def _readings(date: dict[str, str | None], clock: Clock) -> list[tuple[int, int, int]]:
    """(year, month, day) in each way that it can be meant; year 0 where it has none."""
    year = int(date.get("year") or 0) or (2000 + int(date["short"] or 0) if date.get("short") else 0)
    if date.get("yday"):
        return [(year, 1, 1)]
    if date.get("first"):
        return [_short(int(date["first"] or 0), int(date["second"] or 0), int(date["third"] or 0), clock)]
    if not date.get("one"):
        month = int(date["month"] or 0) if date.get("month") else _NAMES.get((date.get("name") or "").lower(), 0)
        return [(year, month, int(date["day"] or 0))]
    one, two = int(date["one"] or 0), int(date["two"] or 0)
    if not year and clock.order != "day" and one <= 12:  # logcat, snort: without a year the month comes first
        return [(0, one, two)]
    ways = {"day": (year, two, one), "month": (year, one, two)}
    fitting = [way for name, way in ways.items() if clock.order in ("", name) and way[1] <= 12]
    return fitting if one != two else fitting[:1]


def _short(first: int, second: int, third: int, clock: Clock) -> tuple[int, int, int]:
    """Of a year of two digits: year, month and day; `%D`, month first, where that isn't in the calendar."""
    if clock.order != "month" and 0 < second <= 12:
        return 2000 + first, second, third
    return 2000 + third, first, second

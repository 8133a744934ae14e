"""What the words of the time grammar carry: numbers, lengths, clock times, dates, zones; each from a pattern's match.

Knows no clock and no calendar: `phrases` says which days words name, `reader` which instants.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta, timezone
from typing import Any, NamedTuple

Pairs = list[tuple[str, Any]]  # what one match means: (kind, value) of each token
Found = re.Match[str]


class Clock(NamedTuple):
    """`half`: "am" | "pm" | ""."""

    h: int
    m: int = 0
    s: float = 0.0
    half: str = ""


SAME = Clock(-1)  # the time of day it is now: "昨天这个时候"


class Length(NamedTuple):
    time: timedelta
    n: float  # of its first part
    unit: str


WEEK = r"(?:周|星期|礼拜)"
EN_N = (
    r"(?:\d{1,6}(?:\.\d{1,3})?|half\s+an?|a\s+couple\s+of|couple\s+of|an?|one|two|three|four|five|six|seven|eight"
    r"|nine|ten|twelve|fifteen|twenty|thirty|forty-five|forty|sixty|ninety)"
)
EN_U = r"(?:seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|wks?|w|months?|years?|yrs?)(?![a-z])"
ZH_N = r"(?:\d{1,6}(?:\.\d{1,3})?|[一二两三四五六七八九十廿卅]{1,4})"
_ONE = re.compile(
    rf"(?P<half>半)\s?个?(?P<u0>小时|钟头|天|月|年)|(?P<q>[一三])刻钟"
    rf"|(?P<n>{EN_N}|{ZH_N})[\s-]?个?(?P<h1>半?)\s?(?P<u>{EN_U}|秒|分钟|小时|钟头|天|{WEEK}|月|年)(?P<h2>半?)"
)
NUMBERS = {"half": 0.5, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
           "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30,
           "forty": 40, "forty-five": 45, "sixty": 60, "ninety": 90}  # fmt: skip
_UNITS = {"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week", "y": "year", "秒": "second",
          "分": "minute", "小": "hour", "钟": "hour", "天": "day", "周": "week", "星": "week", "礼": "week",
          "月": "month", "年": "year"}  # fmt: skip
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400, "month": 30 * 86400,
            "year": 365 * 86400}  # fmt: skip
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_BACK = {"上上": -2, "上": -1, "last": -1, "previous": -1}  # units back; "this", "本", "the" …: 0
_ORDER = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1, "最": -1, "首": 1, "头": 1}
ZONES = {"北京": "Asia/Shanghai", "beijing": "Asia/Shanghai", "东京": "Asia/Tokyo", "纽约": "America/New_York",
         "伦敦": "Europe/London", "美东": "America/New_York", "美西": "America/Los_Angeles",
         "新加坡": "Asia/Singapore", "香港": "Asia/Hong_Kong", "utc": 0, "gmt": 0, "z": 0, "jst": 9, "kst": 9, "hkt": 8,
         "sgt": 8, "cet": 1, "cest": 2, "est": -5, "edt": -4, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8,
         "pdt": -7}  # fmt: skip


def pick(m: Found, *names: str) -> str:
    """The first of these groups that took part, or ""."""
    groups = m.groupdict()
    return next((groups[n] for n in names if groups.get(n)), "")


def number(s: str) -> float:
    """15 of "15", "十五" and "fifteen"; 29 of "廿九"; 0.5 of "half an"."""
    s = s.strip()
    if s[0].isascii():
        return float(s) if s[0].isdigit() else NUMBERS["two" if "couple" in s else s.split()[0]]
    digits = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
    s = s.replace("廿", "二十").replace("卅", "三十")
    if "十" in s:
        tens, _, ones = s.partition("十")
        return digits.get(tens[-1:], 1) * 10 + digits.get(ones[:1], 0)
    return int("".join(str(digits[c]) for c in s))


def length(text: str) -> Length:
    """The length of "2h30m", "一个半小时", "half an hour"; a month counts 30 days, a year 365; at most 10,000 years."""
    parts = []
    for m in _ONE.finditer(text):
        word = m["u0"] or m["u"] or "分"
        unit = "month" if word.startswith("mo") else _UNITS[word[0]]
        n = 0.5 if m["half"] else number(m["q"]) * 15 if m["q"] else number(m["n"]) + bool(m["h1"] or m["h2"]) / 2
        parts.append((n, unit))
    seconds = sum(n * _SECONDS[u] for n, u in parts)
    return Length(timedelta(seconds=min(seconds, 10_000 * _SECONDS["year"])), *parts[0])


def edge(m: Found) -> Pairs:
    """The first or the last so much of some days."""
    said = pick(m, "t", "t2", "t3")
    long = length(f"1{said}" if re.match(r"个|小时|天|周|星|礼|hour|day|week", said) else said)
    return [("edge", (1 if m["t2"] or m["w2"] == "first" else -1, long))]


def constant(kind: str, value: Any = "") -> Callable[[Found], Pairs]:
    return lambda m: [(kind, value)]


def ago(m: Found) -> Pairs:
    """Whole days and more are calendar units, so that "3 days ago at 14:00" finds its day."""
    long = length(pick(m, "t", "t2"))
    if long.unit in ("second", "minute", "hour") or long.n % 1:
        return [("ago", long)]
    return [("day", -int(long.n))] if long.unit == "day" else [("span", (long.unit, -int(long.n)))]


def month(m: Found) -> Pairs:
    return [("month", _ymd(m, "")[:2])]


def dates(m: Found) -> Pairs:
    """One date, or both of "28-30号"."""
    first = ("date", _ymd(m, "d"))
    return [first, ("to", ""), ("date", _ymd(m, "e"))] if pick(m, "e") else [first]


def _ymd(m: Found, day: str) -> tuple[int | None, int | None, int | None]:
    y, mon, d = pick(m, "y"), pick(m, "m", "m2", "m3"), pick(m, day) if day else ""
    year = int(y) + (2000 if len(y) == 2 else 0) if y else None
    in_year = _MONTHS.index(mon[:3]) + 1 if mon[:3] in _MONTHS else int(number(mon)) if mon else None
    return year, in_year, int(number(d)) if d else None


def slash(m: Found) -> Pairs:
    """11/29, 11/29/2026; where both may be the month, it is month/day, and that is told."""
    a, b, y = int(m["m"]), int(m["d"]), _ymd(m, "")[0]
    told: Pairs = [("slash", "")] if max(a, b) <= 12 and a != b else []
    return [("date", (y, b, a) if a > 12 else (y, a, b)), *told]


def clock(m: Found) -> Pairs:
    minute = 30 if pick(m, "half") else 15 * number(m["q"]) if pick(m, "q") else number(pick(m, "mi", "mi2") or "0")
    seconds = int(pick(m, "s") or 0) + float(f"0.{pick(m, 'f') or 0}")
    return [("clock", Clock(int(number(pick(m, "h", "h2", "h3"))), int(minute), seconds, _half(m)))]


def past(m: Found) -> Pairs:
    """Half past two, quarter to three."""
    h, minute = int(number(m["h"])), 30 if m["q"] == "half" else 15
    return [("clock", Clock(h, minute, 0, _half(m)) if m["w"] == "past" else Clock((h - 1) % 24, 45, 0, _half(m)))]


def _half(m: Found) -> str:
    return {"a": "am", "p": "pm"}.get(pick(m, "ap")[:1], "")


def weekday(m: Found) -> Pairs:
    """English "last Friday" is the latest one before today; 上周五 is the one of the week before."""
    word, d = pick(m, "w"), pick(m, "d", "d2")
    if d == "末":
        return [("span", ("weekend", _BACK.get(word, 0)))]
    if not d.isascii():
        return [("wday", (_BACK.get(word, 0) if word else None, _weekday(d)))]
    which = "last" if word in ("last", "past", "previous") else 0 if word == "this" else None
    return [("wday", (which, _weekday(d)))]


def _weekday(d: str) -> int:
    return _DAYS.index(d[:3]) if d.isascii() else "一二三四五六日".index(d.replace("天", "日"))


def nth(m: Found) -> Pairs:
    n = pick(m, "n", "n2")
    which = _ORDER.get(n) or _ORDER.get(n[0]) or int(number(n.strip("第个")))
    return [("nth", (which, _weekday(pick(m, "d", "d2"))))]


def stretch(m: Found) -> Pairs:
    """A quarter or a half of a year: (its first month, how many)."""
    n, months = pick(m, "n", "n2", "n3", "n4"), 6 if m["n3"] or m["u"] == "half" else 3
    which = {"上": 1, "下": 2}.get(n) or _ORDER.get(n) or int(number(n[0]))
    return [("stretch", (months * (which - 1) + 1, months))]


def span(m: Found) -> Pairs:
    unit = {"月": "month", "季度": "quarter"}.get(m["u"], m["u"] if m["u"].isascii() else "week")
    return [("span", (unit, _BACK.get(m["w"], 0)))]


def cut(m: Found) -> Pairs:
    words = {"beginning": "初", "start": "初", "middle": "中", "end": "底", "末": "底", "月初": "初", "月中": "中",
             "月底": "底", "月末": "底"}  # fmt: skip
    word = pick(m, "c", "c2")
    return [("cut", words.get(word, word))]


def zone(m: Found) -> Pairs:
    """A fixed offset, an IANA name, or ("?", words) for what names no zone or several."""
    offset, name = pick(m, "o", "o2"), pick(m, "z", "z2")
    if not offset:
        value = ZONES.get(name, ("?", name))
        return [("zone", timezone(timedelta(hours=value)) if isinstance(value, int) else value)]
    digits = offset[1:].replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    east = timedelta(hours=int(hours), minutes=int(minutes))
    far = east > timedelta(hours=14)
    return [("zone", ("?", offset) if far else timezone(-east if offset[0] == "-" else east))]

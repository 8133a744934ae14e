"""Figures and names as text: how many digits, which unit, which clock. Unknown is a dash, never a zero.

Nothing is rounded over a line that matters: 99.9996 % isn't shown as 100 %. Names keep what they say, without what
would steer a terminal, hide, or turn the text around.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hermes_ops.report.model import Amount
from hermes_ops.report.view.words import bracket, say
from orchestrator import cleaning, when
from orchestrator.contracts import Window

DASH = "—"
SIGNS = {"approx": "≈", "least": "≥"}
HALVES = re.compile("[\ud800-\udfff\ufffe\uffff]")
DAY, HOUR, MINUTE = 86_400, 3_600, 60
FAR = timedelta(days=300)  # from a window, where a date needs its year


def visible(text: str) -> str:
    """Without what steers or hides, and without halves of characters, which no UTF-8 can hold."""
    return HALVES.sub("\ufffd", cleaning.clean(text))


def clean(name: str, most: int = 0) -> str:
    """`most`: characters that are kept, the rest told by an ellipsis; 0 keeps all."""
    text = " ".join(visible(" ".join(name.splitlines())).split())
    if not most or len(text) <= most:
        return text
    cut = most - 1
    while cut > 1 and unicodedata.combining(text[cut]):
        cut -= 1  # a letter keeps its marks
    return text[:cut] + "…"


def hidden(a: Amount) -> bool:
    """Nothing can be said with it: it is unknown, or none was found in the part that was seen."""
    return a.value is None or (a.sure == "least" and not a.value)


def zero(a: Amount) -> bool:
    """It is known that there are none."""
    return a.value == 0 and not hidden(a)


def count(a: Amount) -> str:
    """ "1,234", "≈1,234", "≥1,234" or "—"."""
    if a.value is None or hidden(a):
        return DASH
    return (SIGNS.get(a.sure, "") if a.value else "") + f"{round(a.value):,}"


def noted(a: Amount, lang: str) -> str:
    """The same with what it lacks, where a part is missing: "≥18（只覆盖 00:00–08:00）"; of nothing found, "—（只覆盖
    00:00–08:00，其间为 0）"."""
    lacks = lacking(a, lang)
    return count(a) + (bracket(lacks, lang) if lacks else "")


def lacking(a: Amount, lang: str) -> str:
    """What it lacks, in words; "" where nothing."""
    if a.sure == "known" or not a.why:
        return ""
    if a.value is None:
        return a.why
    return a.why + (say("zero_there", lang) if hidden(a) else "")


def spoken(a: Amount, lang: str) -> str:
    """For prose and lists: "1,234", "约 1,234", "至少 1,234", "未知"."""
    if a.value is None or hidden(a):
        return say("unknown", lang)
    n = f"{round(a.value):,}"
    return n if a.sure == "known" or not a.value else say(a.sure, lang, n=n)


def percent(a: Amount) -> str:
    """Of an availability: as many digits as tell it from 100 %, at least two."""
    if a.value is None:
        return DASH
    return SIGNS.get(a.sure, "") + share(a.value)


def share(value: float) -> str:
    """ "98.07%", "99.9996%", "100%"; what is missing to 100 keeps two digits and is never rounded away."""
    lost = round(100 - value, 9)
    if lost <= 0:
        return f"{value:g}%"
    digits = min(6, max(2, 1 - math.floor(math.log10(lost))))
    factor = 10.0**digits
    text = f"{min(round(value * factor), math.ceil(100 * factor) - 1) / factor:.{digits}f}"
    return text[: -digits + 2] + text[-digits + 2 :].rstrip("0") + "%" if digits > 2 else text + "%"


def budget(a: Amount) -> str:
    """Percent of an error budget that is left; "−1,827%" when overspent."""
    if a.value is None:
        return DASH
    n = f"{abs(a.value):,.0f}" if abs(a.value) >= 10 else f"{abs(a.value):.2g}"
    return SIGNS.get(a.sure, "") + ("−" if a.value < 0 and n != "0" else "") + n + "%"


def change(now: Amount, before: Amount) -> str:
    """ "+263", "−4", "±0"; "" where one of the two is unknown or of a part only."""
    if now.value is None or before.value is None or "least" in (now.sure, before.sure):
        return ""
    n = round(now.value) - round(before.value)
    about = "≈" if "approx" in (now.sure, before.sure) else ""
    return about + (f"+{n:,}" if n > 0 else f"−{-n:,}" if n else "±0")


def lasting(seconds: float, lang: str) -> str:
    """ "44 分 30 秒", "1 h 5 min", in its two greatest units."""
    left = round(abs(seconds))
    for unit, name, next_unit, next_name in (
        (DAY, "days", HOUR, "hours"),
        (HOUR, "hours", MINUTE, "minutes"),
        (MINUTE, "minutes", 1, "seconds"),
    ):
        if left >= unit:
            rest = left % unit // next_unit
            more = " " + say(next_name, lang, n=rest) if rest else ""
            return say(name, lang, n=left // unit) + more
    return say("seconds", lang, n=left)


def lasted(a: Amount, lang: str) -> str:
    """The same of an amount of seconds."""
    if a.value is None:
        return DASH
    return SIGNS.get(a.sure, "") + lasting(a.value, lang)


def clock(at: datetime, window: Window) -> str:
    """ "22:04" on the window's clock, with the day where it isn't the window's only one, and the year far from it."""
    zone = ZoneInfo(window.zone)
    local, first = at.astimezone(zone), window.start.astimezone(zone)
    last = (window.end - timedelta(seconds=1)).astimezone(zone)
    if abs(at - window.start) > FAR:
        return f"{local:%Y-%m-%d %H:%M}"
    return f"{local:%H:%M}" if local.date() == first.date() == last.date() else f"{local:%m-%d %H:%M}"


def edge(at: datetime, window: Window) -> str:
    """Where something known begins or ends: to five minutes of half a day and more, else to the minute, and never after
    the window. The end of the window's only day is "24:00"."""
    step = 5 * MINUTE if length(window) >= 12 else MINUTE
    near = datetime.fromtimestamp(round(at.timestamp() / step) * step, UTC)
    said = clock(min(near, max(at, window.end)), window)
    whole = clock(window.end - timedelta(seconds=1), window)
    return "24:00" if at == window.end and len(whole) == 5 and said.endswith("00:00") else said


def between(since: datetime, until: datetime, window: Window) -> str:
    """ "00:00–08:00"; the day stands once where it is the same, a moment once."""
    first, last = edge(since, window), edge(until, window)
    return first if first == last else f"{first}–{last.removeprefix(first[:-5]) if len(first) > 5 else last}"


def span(start: datetime, end: datetime | None, window: Window, lang: str, open_ended: str = "ongoing") -> str:
    """ "22:04–22:48", or that it isn't over; the day stands once where it is the same."""
    first = clock(start, window)
    if end is None:
        return f"{first} – {say(open_ended, lang)}"
    last = clock(end, window)
    return f"{first}–{last.removeprefix(first[:-5]) if len(first) > 5 else last}"


def day(window: Window, lang: str) -> str:
    """ "2026-11-29 周日" of a whole local day, "2026-11-23 – 11-29" of several, else from when to when."""
    zone = ZoneInfo(window.zone)
    start, end = (at.astimezone(zone).replace(second=0, microsecond=0) for at in (window.start, window.end))
    if is_day(window):
        return f"{start:%Y-%m-%d} {say('weekdays', lang).split()[start.weekday()]}"
    if start.utcoffset() == end.utcoffset() and start.time() == end.time() == datetime.min.time():
        return f"{start:%Y-%m-%d} – {end - timedelta(days=1):%m-%d}"
    if start.utcoffset() != end.utcoffset():
        return when.say(replace(window, start=start, end=end), lang="zh" if lang == "zh" else "en")
    return f"{start:%Y-%m-%d %H:%M} – " + (f"{end:%H:%M}" if start.date() == end.date() else f"{end:%m-%d %H:%M}")


def is_day(window: Window) -> bool:
    """A whole local day, 23 or 25 hours long ones too."""
    zone = ZoneInfo(window.zone)
    start, end = (t.astimezone(zone).replace(tzinfo=None) for t in (window.start, window.end))
    return start.time() == end.time() == datetime.min.time() and end - start == timedelta(days=1)


def length(window: Window) -> float:
    """Hours of real time."""
    return (window.end - window.start).total_seconds() / HOUR

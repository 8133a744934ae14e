"""Time: the words of a question, in Chinese or English → an absolute half-open window. Code does all date arithmetic.

`resolve` reads a whole question, `narrow` what a model gives for a tool's window, `say` prints one, `follow` moves one.
Readings that are a choice are told in `Window.why`; what looks like a time and can't be read is told in
`Reading.unread`, never guessed. A day of a clock change has its 23 or 25 hours. Results carry fixed offsets of the
asker's zone, so that they compare and subtract right on such days too. Knows nothing of sources, of events ("after
the deploy" is no time) or of holidays. Words: `words`; phrases: `phrases`; instants: `reader`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Literal
from zoneinfo import ZoneInfo

from orchestrator.contracts import Window
from orchestrator.when.phrases import Phrase, Unreadable, phrases
from orchestrator.when.reader import DAY, Reader
from orchestrator.when.values import length
from orchestrator.when.words import fold, tokens

LONG = 20_000  # characters read of one text: its first and its last half of them (a pasted log may stand between)
MOST = 50  # time expressions read in one text: the first and the last ones
FORMS = '"14:00-15:00", "2026-11-29T14:00+08:00/2026-11-29T15:00+08:00", "last 15 minutes", "yesterday", or "" for all'

_CLOCKLIKE = re.compile(r"(?<![\w.:/-])(\d\d)[:：](\d\d)(?![\w.:])(?=\s|[^\x00-\x7f]|[,?!;)]|$)")
_APART = re.compile(r"(?<!\S)(?:[\u3400-\u9fff]\s){3,}[\u3400-\u9fff](?!\S)")  # 昨 天 下 午


@dataclass(frozen=True, slots=True)
class Reading:
    """`said`: the words read as `window`; `unread`: words that look like a time, each with the reason it isn't read;
    `others`: further times of the text (what it compares with, a second date), in order."""

    window: Window | None = None
    said: str = ""
    unread: tuple[str, ...] = ()
    others: tuple[Window, ...] = ()


def resolve(text: str, now: datetime, zone: str) -> Reading:
    """The time a question is about. `now`: aware, when it was sent; `zone`: the asker's, by IANA name.

    No time in it: window None. A clock time without a day takes the day named elsewhere in the text, else its latest
    occurrence. Never raises for any text."""
    reading = _resolve(text, Reader(now, zone))
    odd = [f"{m[0]}: no such clock time" for m in _CLOCKLIKE.finditer(text) if int(m[1]) > 24 or int(m[2]) > 59]
    return reading if reading.window or reading.unread else replace(reading, unread=tuple(odd[:1]))


def narrow(text: str, window: Window | None, now: datetime, zone: str) -> Window:
    """The window a model asks a tool for, inside the run's `window`. "" is all of it; clock times and "last 15
    minutes" count from its end. Raises ValueError with a sentence for the model: unreadable, or outside."""
    if not text.strip():
        if window is None:
            raise ValueError(f"No window is fixed for this run; give one as {FORMS}.")
        return window
    reader = Reader(now, zone, window.end if window and window.end <= now else None)
    reading = _resolve(text, reader)
    got = reading.window
    if got is None or reading.unread or reading.others or re.search(r"\d", text.replace(reading.said, "")):
        reason = f" ({'; '.join(reading.unread)})" if reading.unread else ""
        raise ValueError(f'The window "{text[:80]}" can\'t be read{reason}; valid are {FORMS}.')
    if window is None:
        return got
    start, end = max(got.start, window.start), min(got.end, window.end)
    if start >= end:
        raise ValueError(f'The window "{text[:80]}" ({say(got, zone)}) lies outside this run\'s window '
                         f"{say(window, zone)}; give a part of that, or leave it empty.")  # fmt: skip
    cut = [] if (start, end) == (got.start, got.end) else ["clipped to the run's window"]
    return replace(got, start=start, end=end, why="; ".join(filter(None, [got.why, *cut])))


def say(window: Window, zone: str | None = None, lang: Literal["en", "zh"] = "en") -> str:
    """A window in words: "2026-11-29 14:00–15:00 +08:00"; dates and offsets of both where they differ."""
    tz = ZoneInfo(zone or window.zone)
    a, b = window.start.astimezone(tz), window.end.astimezone(tz)
    day_a, day_b, (clock_a, clock_b) = f"{a:%Y-%m-%d} ", f"{b:%Y-%m-%d} ", (_digits(a), _digits(b))
    off_a, off_b = (t.isoformat()[len(t.replace(tzinfo=None).isoformat()) :] for t in (a, b))
    dash = " 至 " if lang == "zh" else " – "
    if off_a != off_b:
        return f"{day_a}{clock_a} {off_a}{dash}{day_b}{clock_b} {off_b}"
    if day_a != day_b:
        return f"{day_a}{clock_a}{dash}{day_b}{clock_b} {off_a}"
    return f"{day_a}{clock_a}–{clock_b} {off_a}"


def _digits(t: datetime) -> str:
    return t.time().isoformat() if t.second or t.microsecond else f"{t:%H:%M}"


def follow(text: str, former: Window, now: datetime, zone: str) -> Window | None:
    """A window told by the one before: "再往前一小时", "the hour before", "前一天同一时段". None: the text isn't so."""
    low = fold(text)
    back, same = re.search(r"前|side|before|earlier|prior|previous", low), re.search(r"同一?时[段间]|同期|same", low)
    ahead = re.search(r"后|after|later|next|following", low)
    found = re.search(r"[一二两三半\d]+\s?(?:天|日)|\bday", low) if same else None
    units = [t.value for t in tokens(low) if t.value and t.kind in ("dur", "last", "ago", "around")] or [
        length(f"1 {m[1]}") for m in [re.search(r"(?:the|next|previous)\s+(?:\w+\s+)?(hour|minute|day|week)", low)] if m
    ]
    if not (back or ahead) or not (units or found):
        return None
    step = units[0].time if units and hasattr(units[0], "time") else DAY
    try:
        start, end = (former.start - step, former.start) if back else (former.end, former.end + step)
        if same or (step == DAY and former.end - former.start < DAY):
            start, end = (former.start - step, former.end - step) if back else (former.start + step, former.end + step)
        if back and re.search(r"前后|(?:both|either) sides?|before and after", low):
            start, end = former.start - step, former.end + step
        why = f"from {say(former, zone)}"
        return None if start >= now else Reader(now, zone).window(start, min(end, now), text.strip(), why)
    except (OverflowError, ValueError):  # before the first year, or after the last
        return None


def _resolve(text: str, reader: Reader) -> Reading:
    text = _APART.sub(lambda m: re.sub(r"\s", "", m[0]), text)
    text = text if len(text) <= LONG else f"{text[: LONG // 2]} … {text[-LONG // 2 :]}"
    found = phrases(text)
    found = found if len(found) <= MOST else found[: MOST // 2] + found[-MOST // 2 :]
    read: list[tuple[int, Window, Phrase]] = []
    unread: list[str] = []
    homes = [p for p in found if p.moments[0].days and not p.compared]
    lost = [p for p in found if p.moments[0].alone and p.moments[0].alone.kind in ("vague", "named")]
    used: list[Phrase] = []
    for p in found:
        said = text[p.start : p.end].strip()
        try:
            home = _home(p, homes)
            if home is None and _clock_only(p) and lost:
                raise Unreadable("its day can't be read")
            words = _words(text, p, home)
            read.append((_weight(p), reader.read(p, words, _borrow(p, home, reader) if home else None), p))
            used += [home] if home else []
        except Unreadable as e:
            unread.append(f"{said} ({e})")
            homes = [h for h in homes if h is not p]
            lost += [p] if p.moments[0].days else []
    read = [r for r in read if not any(r[2] is u for u in used)]
    best = max((r for r in read if not r[2].compared), key=lambda r: r[0], default=None)
    others = tuple(r[1] for r in read if r is not best and r[0] > 0)
    window = best[1] if best else None
    return Reading(window, window.said if window else "", tuple(dict.fromkeys(unread)), others)


def _weight(p: Phrase) -> int:
    m = p.moments[0]
    return 0 if m.alone and m.alone.kind == "now" else 2 if m.alone or m.clock else 1


def _clock_only(p: Phrase) -> bool:
    m = p.moments[0]
    return bool(m.clock or m.part) and not any(x.days for x in p.moments) and not p.compared


def _home(p: Phrase, homes: list[Phrase]) -> Phrase | None:
    """The phrase that names the day of a bare clock time: the nearest before it, else the next one."""
    if not _clock_only(p):
        return None
    before = [h for h in homes if h.start < p.start]
    return before[-1] if before else next(iter(homes), None)


def _borrow(p: Phrase, home: Phrase, reader: Reader) -> date:
    m, h = p.moments[0], home.moments[0]
    d0, d1 = reader.days(h)
    if d1 - d0 > DAY or len(home.moments) > 1:
        raise Unreadable("a time of day needs one day")
    if m.clock and not m.part and not m.clock.half:
        m.part = h.part
    return d0


def _words(text: str, p: Phrase, home: Phrase | None) -> str:
    said = text[p.start : p.end].strip()
    if home is None:
        return said
    day = text[home.start : home.end].strip()
    return f"{day} … {said}" if home.start < p.start else f"{said} … {day}"

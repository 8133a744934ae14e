"""Reads the numbers of a Chinese or English text, with unit, precision and hedge.

Units are brought to one of each kind: seconds, bytes, "%", "pp" (percentage points), "x" (times as much), "/s"; a
plain count has "". It deliberately doesn't know which numbers are claims and which are names (versions, clock times,
list numbers): `prose.py` tells those apart; nor what is true: `figures.py` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_SECONDS = {
    1e-9: "ns 纳秒",
    1e-6: "us µs μs 微秒",
    1e-3: "ms msec millisecond milliseconds 毫秒",
    1.0: "s sec secs second seconds 秒 秒钟",
    60.0: "m min mins minute minutes 分钟 分",
    3600.0: "h hr hrs hour hours 小时 个小时",
    86400.0: "d day days 天",
}
_BYTES = ("B byte bytes 字节", "KB KiB kB", "MB MiB", "GB GiB", "TB TiB")
_PLAIN = {
    ("%", 1.0): "% percent per\\ cent",
    ("%", 100.0): "ratio",
    ("pp", 1.0): "百分点 个百分点 pp pct\\ points percentage\\ points percentage\\ point percentage-point",
    ("x", 1.0): "倍 x X × -fold fold",
    ("/s", 1.0): "/s qps QPS rps RPS tps TPS req/s 次/秒 条/秒 个/秒 每秒 per\\ second /sec requests/s errors/s",
    ("/s", 1 / 60): "/min 次/分钟 次/分 条/分钟 每分钟 per\\ minute",
}


def _units() -> dict[str, tuple[str, float]]:
    table = {word: ("s", factor) for factor, words in _SECONDS.items() for word in words.split()}
    table |= {word: ("B", 1000.0**power) for power, words in enumerate(_BYTES) for word in words.split()}
    for unit, words in _PLAIN.items():
        table |= {word.replace("\\ ", " "): unit for word in re.split(r"(?<!\\) ", words)}
    return table


UNITS = _units()
MEASURES = "次个条起笔件台行例项种类家位名份张封组批轮处回遍只人单宗款"
_DIGIT = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_PLACE = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_SCALE = {"k": 1e3, "K": 1e3, "M": 1e6, "thousand": 1e3, "million": 1e6, "billion": 1e9} | {
    "千": 1e3, "百": 1e2, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8
}  # fmt: skip
_ENGLISH_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_ENGLISH = {w: n for n, w in enumerate(_ENGLISH_WORDS.split()) if w != "one"}
_WORDS = {"一半": 50.0, "半数": 50.0, "half of": 50.0, "half the": 50.0, "a third of": 100 / 3, "two thirds": 200 / 3,
          "a quarter of": 25.0, "three quarters": 75.0}  # fmt: skip
_TIMES = {"翻倍": 2.0, "翻了一番": 2.0, "翻番": 2.0, "翻了一倍": 2.0, "doubled": 2.0, "twice as": 2.0, "twice the": 2.0,
          "tripled": 3.0, "quadrupled": 4.0, "halved": 0.5, "减半": 0.5}  # fmt: skip

_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_CN = "零〇一二两三四五六七八九十百千万亿"
_UNITS_CN = frozenset(_CN[:11])
_BAR, _LETTER = r"(?![A-Za-z0-9_])", r"(?![A-Za-z_])"


def _any(words: dict[str, tuple[str, float]]) -> str:
    longest = sorted(words, key=len, reverse=True)
    bars = {w: _LETTER if w in ("h", "m", "s") else _BAR if re.search("[A-Za-z]$", w) else "" for w in longest}
    return "|".join(re.escape(w) + bars[w] for w in longest)


_CORE = (
    r"(?P<num>(?:\d{1,3}(?:,\d{3})++(?![\d,])|\d{1,3}(?:[\u00a0\u202f]\d{3})++(?!\d)"
    r"|\d{1,3}(?:\ \d{3})++(?![\d.])|\d++)(?:\.\d++)?+)"
)
_NUMBER = re.compile(
    rf"""(?=[\d百半h{_CN}])(?:(?<![A-Za-z0-9_.#])(?<![A-Za-z_]-)|(?<=\d[hm]))(?:
      百分之(?P<pct>[{_CN}]{{1,12}}(?:点[{_CN}]{{1,6}})?|\d++(?:\.\d++)?)
    | (?P<of>[二两三四五六七八九十])分之(?P<part>[一二两三四五六七八九])
    | (?P<cheng>[一二两三四五六七八九\d])\ ?成(?P<half>[一二三四五六七八九半]?)(?![功为立本员果绩长熟交分型都就单因])
    | (?:{_CORE}(?P<scale>\ ?(?:百万|千万|[百千万亿])|[kKM]{_BAR}|\ (?:thousand|million|billion){_BAR})?
       |(?<![A-Za-z0-9_第周期拜每数几上好统单唯之{_CN}])(?P<cn>[{_CN}]{{1,12}}(?:点[零〇一二三四五六七八九]{{1,6}})?)
        (?=[多余\ ]?\ ?(?:{_any(UNITS)}|[{MEASURES}]|(?<=[{_CN}]{{3}})
          |(?<=[十百千万亿][{_CN}])(?:\s|$|[|，。；、,;）)和]))))
      (?P<more>\ ?[多余+])?(?P<unit>[\ \u00a0-]?(?:{_any(UNITS)})|(?P<measure>\ ?(?:[{MEASURES}]|times{_BAR})))?
    | (?P<halfhour>半个?小时|half\ an\ hour)
    )""",
    re.VERBOSE,
)
_PROSE = re.compile(
    rf"(?P<share>(?<![a-z])(?:{'|'.join(_WORDS)}))|(?P<times>{'|'.join(_TIMES)})"
    rf"|(?<![A-Za-z0-9_-])(?P<en>{'|'.join(_ENGLISH)})(?![A-Za-z0-9_-])",
    re.IGNORECASE,
)
_PHRASES, _WORD = (*_WORDS, *_TIMES), re.compile("[a-z]+")
_HEDGES = {  # what a number's left side may end in
    "about": ("约", "大概", "大致", "近似", "~", "～", "≈", "about", "around", "roughly", "approximately", "approx",
              "approx.", "circa"),
    "over": ("超过", "逾", "不止", "至少", "高于", ">", ">=", "≥", "over", "more than", "at least", "above"),
    "under": ("近", "不到", "不足", "至多", "最多", "低于", "<", "<=", "≤", "nearly", "almost", "under", "less than",
              "fewer than", "up to", "at most", "below"),
}  # fmt: skip
_HEDGED = tuple(word for words in _HEDGES.values() for word in words)
_AFTER = re.compile(r"\s?(?:[\u4e00-\u9fff]{1,4})?(?:左右|上下)|\s?[a-z]{0,10} or so")
_RANGE = re.compile(
    r"\s?(?:[-–—~～/]|→|->|to|(?:上?升|下?降|上?涨|增加?|减少?|下?跌|恶化|变|扩大|缩短?|回落)?了?[到至为成])\s?"
)
_GROUPING = re.compile(r"[,\s]")
_AS_MUCH = re.compile(r"\s(?:as|more|higher|larger|greater|faster|slower|longer|the|that|what)\b")
_TIGHT = ("", " ", "零")
_WIDE = str.maketrans("０１２３４５６７８９．％＋＃：", "0123456789.%+#:")
_WIDE_COMMA = re.compile(r"(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")


class Number(NamedTuple):
    """`text[start:end]` reads as `value` of `unit`; `step` is one in the last place shown, in the same unit.

    `hedge`: "" | about | over | more | under ("more": 300 多, within the place of its last digit). `counted`: a measure
    word follows (412 次). `word`: written in words.
    """

    start: int
    end: int
    value: float
    unit: str = ""
    step: float = 1.0
    hedge: str = ""
    counted: bool = False
    word: bool = False


def plain(text: str) -> str:
    """The text with full-width digits and signs as ASCII ones; every character keeps its place."""
    return text if text.isascii() else _WIDE_COMMA.sub(",", text).translate(_WIDE)


def chinese(word: str) -> float:
    """二百七十二 → 272, 两千零三 → 2003, 三点五 → 3.5, 一二三 → 123 (digits in a row)."""
    whole, _, fraction = word.partition("点")
    tail = "".join(str(_DIGIT.get(c, 0)) for c in fraction)
    if not any(c in _PLACE for c in whole):
        return float(("".join(str(_DIGIT[c]) for c in whole) or "0") + "." + (tail or "0"))
    total = section = digit = 0
    for c in whole:
        if c in _DIGIT:
            digit = _DIGIT[c]
        elif _PLACE[c] < 10**4:
            section, digit = section + (digit or (1 if c == "十" or not section else 0)) * _PLACE[c], 0
        else:
            total, section, digit = (total + (section + digit or 1)) * _PLACE[c], 0, 0
    return float(total + section + digit) + (float("0." + tail) if tail else 0.0)


def unit_of(written: str) -> tuple[str, float]:
    """The kind of a figure's unit and the factor that brings a value to it: "ms" → ("s", 0.001); unknown → ("", 1)."""
    found = UNITS.get(written) or UNITS.get(written.strip().lower())
    if found:
        return found
    return ("/s", 1.0) if written.endswith("/s") else ("", 1.0)


def read(text: str) -> list[Number]:
    """All numbers of a text (as `plain` made it), in order, compound durations (1 小时 30 分) joined. Never raises."""
    vague = any(words in text for words in ("左右", "上下", " or so"))
    numbers = [_one(m, text, vague) for m in _NUMBER.finditer(text) if _whole(m, text)]
    numbers += _in_words(text)
    numbers.sort(key=lambda n: n.start)
    return list(_joined(numbers, text))


def reaches(n: Number) -> list[tuple[float, float]]:
    """Lowest and highest true value of each way to read the number (KB of 1,000 or of 1,024 bytes)."""
    low, high = reach(n)
    if n.unit != "B" or n.value < 1000:
        return [(low, high)]
    powers = [1.0, *(1.024**p for p in range(1, 5) if 1000**p <= n.value < 1000 ** (p + 1))]
    return [(low * power, high * power) for power in powers]


def reach(n: Number) -> tuple[float, float]:
    """Lowest and highest true value: half a step either way; hedged a bit more, towards where the hedge points."""
    half, slack = n.step / 2, 1e-9 * max(1.0, n.value)
    low, high = n.value - half - slack, n.value + half + slack
    if not n.hedge:
        return low, high
    place = _last_place(n)
    if n.hedge == "about":
        loose = min(place / 2, n.value * 0.08)
        return min(low, n.value - loose), max(high, n.value + loose)
    if n.hedge == "more":
        return n.value, n.value + place
    loose = min(place, n.value * 0.1)
    return (low, max(high, n.value + loose)) if n.hedge == "over" else (min(low, n.value - loose), high)


def _last_place(n: Number) -> float:
    """The place of the last digit that isn't 0: 400 → 100, 34,000 → 1,000, 412 → 1."""
    digits = round(n.value / n.step) if n.step and n.value < 1e15 else 1
    place = n.step
    while digits and digits % 10 == 0:
        digits, place = digits // 10, place * 10
    return place


def _whole(m: re.Match[str], text: str) -> bool:
    """Not the head of a longer word (3rd, 5xx, 0x1f), nor the article 一 (一个, 一次)."""
    num, cn, unit = m.group("num", "cn", "unit")
    if num:
        return unit is not None or text[m.end() : m.end() + 1] not in _LETTERS
    if not cn:
        return True
    if not unit and (_UNITS_CN.isdisjoint(cn) or _PLACE.keys().isdisjoint(cn)):
        return False
    return unit is not None and unit.strip() == "倍" if cn == "一" else not unit or unit.strip() not in "分mshdxXB"


def _one(m: re.Match[str], text: str, vague: bool) -> Number:
    start, end = m.span()
    hedge = "about" if vague and _AFTER.match(text, end) else _hedge(text, start)
    if m["num"] or m["cn"]:
        return _counted(m, hedge)
    if m["pct"]:
        value = float(m["pct"]) if m["pct"][0].isdigit() else chinese(m["pct"])
        return Number(start, end, value, "%", _step(m["pct"]), hedge, word=True)
    if m["of"]:
        return Number(start, end, 100 * chinese(m["part"]) / chinese(m["of"]), "%", 4.0, hedge, word=True)
    if m["cheng"]:
        tenth = float(m["cheng"]) if m["cheng"].isdecimal() else chinese(m["cheng"])
        extra = 5.0 if m["half"] == "半" else chinese(m["half"]) if m["half"] else 0.0
        return Number(start, end, 10 * tenth + extra, "%", 1.0 if m["half"] else 10.0, hedge, word=True)
    return Number(start, end, 1800.0, "s", 600.0, hedge, word=True)


def _counted(m: re.Match[str], hedge: str) -> Number:
    num, cn, written, scale, more, measure = m.group("num", "cn", "unit", "scale", "more", "measure")
    unit, factor = "", 1.0
    if written:
        written = written.strip(" \u00a0")
        if written == "times" and _AS_MUCH.match(m.string, m.end()):
            written = "x"
        unit, factor = UNITS.get(written) or UNITS.get(written.lstrip("-"), ("", 1.0))
    core = cn or (num if num.isdecimal() else _GROUPING.sub("", num))
    times = _SCALE[scale.strip()] if scale else 1.0
    value, step = (chinese(core) if cn else float(core)) * times * factor, _step(core) * times * factor
    counted = measure is not None and not unit
    return Number(m.start(), m.end(), value, unit, step, "more" if more else hedge, counted, bool(cn))


def _step(core: str) -> float:
    fraction = core.replace("点", ".").partition(".")[2].partition(".")[0]
    return float(10.0 ** -len(fraction)) if fraction else 1.0


def _hedge(text: str, start: int) -> str:
    before = text[max(0, start - 16) : start].lower()
    before = before[:-1] if before[-1:].isspace() else before
    before = before[:-1] if before.endswith(("为", "了")) else before
    before = before[:-1] if before[-1:].isspace() else before
    if not before.endswith(_HEDGED):
        return ""
    return next(hedge for hedge, words in _HEDGES.items() if before.endswith(words))


def _in_words(text: str) -> Iterator[Number]:
    low = text.lower()
    if _ENGLISH.keys().isdisjoint(_WORD.findall(low)) and not any(p in low for p in _PHRASES):
        return
    for m in _PROSE.finditer(text):
        found = m[0].lower()
        if m["share"]:
            yield Number(*m.span(), _WORDS[found], "%", 6.0, word=True)
        elif m["times"]:
            yield Number(*m.span(), _TIMES[found], "x", 0.5 if found not in ("halved", "减半") else 0.1, word=True)
        else:
            yield Number(*m.span(), float(_ENGLISH[found]), word=True)


def _joined(numbers: list[Number], text: str) -> Iterator[Number]:
    """1 小时 30 分 becomes one duration; in 120–180 ms the first number takes the second's unit."""
    held: Number | None = None
    for n in numbers:
        if held is None:
            held = n
            continue
        if held.unit == n.unit == "s" and n.value < held.step and text[held.end : n.start] in _TIGHT:
            held = n._replace(start=held.start, value=held.value + n.value)
            continue
        if not held.unit and not held.counted and (n.unit or n.counted) and _RANGE.fullmatch(text, held.end, n.start):
            factor = _factor(n, text)
            held = held._replace(value=held.value * factor, step=held.step * factor, unit=n.unit)
        yield held
        held = n
    if held:
        yield held


def _factor(n: Number, text: str) -> float:
    m = _NUMBER.match(text, n.start)
    return UNITS.get(m["unit"].strip(), ("", 1.0))[1] if m and m["unit"] else 1.0

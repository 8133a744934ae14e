"""What people say about schedules in chat: "每天18点发我 checkout 错误数", "send me … every weekday at 9", "我的定时",
"取消定时 2". Rules only; a message is such a wish as a whole, or it is none. Clock times are read by the grammar of
questions (`orchestrator.when`). It knows no store, and not whether the wish may be granted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from orchestrator import when

LONGEST = 500  # characters; a wish is short, and a pasted log is none
DAYS_ZH = {c: n for n, c in enumerate("日一二三四五六")} | {"天": 0, "末": -1}
DAYS_EN = {name: n for n, name in enumerate(("sun", "mon", "tue", "wed", "thu", "fri", "sat"))}
WEEKEND = "0,6"

_N = r"(?:\d{1,3}|[一二两三四五六七八九十]{1,3})"
_ZH_DAY = r"[一二三四五六日天末]"
_CLOCK_ZH = (
    rf"(?:(?:凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|早|晚)?\s?"
    rf"(?:\d\d?[:：]\d\d|{_N}\s?(?:点钟?|时)(?:\s?(?:半|[一三]刻|{_N}\s?分?))?整?)|中午|早上|上午)"
)
_EVERY_ZH = (
    rf"(?P<daily>每[天日]|每(?P<part>[早晚])(?:上)?)|(?P<work>(?:每个?|逢)?工作日(?:的?每天)?)"
    rf"|每(?:个)?(?:周|星期|礼拜)(?P<week>{_ZH_DAY}(?:(?:\s?[、,，和到至~-]\s?)(?:周|星期|礼拜)?{_ZH_DAY})*)"
    rf"|每(?:个)?月(?P<month>{_N})[日号]"
    rf"|每(?:隔)?(?P<step>{_N})?\s?个?(?P<unit>小时|分钟)|(?P<hourly>每个?钟头|每小时整?点?)"
)
_WHEN_ZH = rf"(?:{_EVERY_ZH})\s?的?\s?(?P<clock>{_CLOCK_ZH}(?:\s?[、,，和及]\s?{_CLOCK_ZH})*)?\s?[,，]?\s?"
_SEND_ZH = (
    r"(?:请|帮我|麻烦|给我|向我|自动|定时|都|就|在群里|往群里|在这里|[,，\s])*"
    r"(?:(?:发送|推送|发|推|播报|汇报|报告|通报|告诉|提醒|同步|通知|统计|查询?|看|汇总)(?:一下|一次|一份|一遍)?"
    r"(?:给我|给大家|到群里|到这里|到本群|到群|我|大家|群里)?(?:一下|一次|一份|一遍)?)"
)
_CLOCK_EN = (
    r"(?:(?:half|quarter)\s(?:past|to)\s\w+(?:\s[ap]\.?m\.?)?|\d\d?(?::\d\d)?\s?(?:[ap]\.?m\.?)?|noon|midnight)"
    r"(?:\s(?:in the )?(?:morning|afternoon|evening))?"
)
_DAY_EN = r"(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?s?"
_WHEN_EN = (
    r"(?:(?P<daily>every\s?day|each day|daily|every (?P<part>morning|evening|noon|night))"
    r"|(?P<work>(?:every|each)\s(?:weekday|work(?:ing)?\s?day)|(?:on )?(?:weekdays|work(?:ing)?\s?days))"
    rf"|(?:every|each|on)\s(?P<week>{_DAY_EN}(?:(?:\s?,\s?|\sand\s|\s?-\s?|\sto\s){_DAY_EN})*)"
    r"|(?P<hourly>every hour|hourly)|every\s(?P<step>\d{1,3})\s(?P<unit>hours?|minutes?))"
    rf"(?:\s(?:at\s)?(?P<clock>{_CLOCK_EN}(?:\s?(?:,|and)\s?{_CLOCK_EN})*))?"
)
_SEND_EN = (
    r"(?:please\s)?(?:can you\s|could you\s)?(?:send|post|tell|show|give|report|message|remind)\s"
    r"(?:(?:it\s)?(?:to\s)?(?:me|us|here|this (?:chat|group))\s)?(?:(?:of|about|with)\s)?"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:请|麻烦|帮我|以后|[\s,，])*{_WHEN_ZH}{_SEND_ZH}[\s:：,，]*(?P<text>.+)",
        rf"(?:请|麻烦|帮我)?把(?P<text>.+?)[\s,，]*{_WHEN_ZH}{_SEND_ZH}",
        rf"(?:please\s)?{_WHEN_EN}\s?,?\s{_SEND_EN}(?P<text>.+)",
        rf"{_SEND_EN}(?P<text>.+?)\s?,?\s{_WHEN_EN}",
    )
)
_LIST = re.compile(
    r"(?:我的?|看看|查看|列出|有哪些|我有哪些|所有)*(?:定时(?:任务|提醒|推送)?|订阅)(?:列表|有哪些)?|"
    r"(?:show |list )?(?:my )?schedules?",
    re.IGNORECASE,
)
_CANCEL = re.compile(
    rf"(?:取消|删除|删掉|停掉|关掉|停止|移除)(?P<all>所有|全部)?(?:我的)?(?:所有|全部)?的?"
    rf"(?:定时(?:任务|提醒|推送)?|订阅)\s?(?:第)?\s?[#＃]?(?P<n>{_N})?\s?[号个条]?|"
    rf"(?:cancel|remove|delete|stop)\s(?P<all2>all\s)?(?:my\s)?schedules?\s?#?(?P<n2>\d+)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wish:
    """A question at fixed times. `cron`: "" where the times can't be read, with the reason in `why`: "clock" none is
    named, "unread" one can't be read, "mixed" several with different minutes."""

    cron: str
    text: str
    workdays: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class Cancel:
    """`number` None: which one isn't said; `all`: every one of the person's."""

    number: int | None
    all: bool = False


@dataclass(frozen=True, slots=True)
class List:
    """Which schedules there are."""


def read(text: str) -> Wish | Cancel | List | None:
    """None: the message says nothing of schedules."""
    bare = text.strip().strip("。.!！~ ")
    if not bare or len(bare) > LONGEST:
        return None
    if _LIST.fullmatch(bare.rstrip("?？")) and len(bare) > 2:
        return List()
    if found := _CANCEL.fullmatch(bare):
        number = found["n"] or found["n2"]
        return Cancel(_number(number) if number else None, bool(found["all"] or found["all2"] or "所有" in bare))
    for form in _FORMS:
        if found := form.fullmatch(bare):
            return _wish(found)
    return None


def _wish(found: re.Match[str]) -> Wish:
    given = found.groupdict()
    text, work = found["text"].strip(" ,，:："), bool(given.get("work"))
    if given.get("step") or given.get("unit") or given.get("hourly"):
        return _often(text, _number(given.get("step") or "1"), str(given.get("unit") or "小时"))
    if not given.get("clock") and not given.get("part"):
        return Wish("", text, work, "clock")
    clocks = list(_clocks(given.get("clock") or "", given.get("part") or ""))
    if not clocks or None in clocks:
        return Wish("", text, work, "unread")
    if len({minute for _, minute in filter(None, clocks)}) > 1:
        return Wish("", text, work, "mixed")
    hours = ",".join(map(str, sorted({hour for hour, _ in filter(None, clocks)})))
    minute = next(minute for _, minute in filter(None, clocks))
    month = given.get("month")
    days = _days(given.get("week") or "")
    return Wish(f"{minute} {hours} {_number(month) if month else '*'} * {days}", text, work)


def _often(text: str, step: int, unit: str) -> Wish:
    minutes = unit.startswith(("分", "min"))
    whole = 60 if minutes else 24
    if not 0 < step <= whole or whole % step:
        return Wish("", text, False, "unread")
    if minutes:
        return Wish(f"*/{step} * * * *" if step < whole else "0 * * * *", text)
    return Wish("0 * * * *" if step == 1 else f"0 */{step} * * *" if step < whole else "0 0 * * *", text)


def _clocks(said: str, part: str) -> Iterator[tuple[int, int] | None]:
    """Hour and minute of each clock time; None for one that can't be read."""
    usual = {"早": "早上", "晚": "晚上8点", "evening": "8 pm", "night": "9 pm"}
    times = [t for t in re.split(r"\s?(?:[、,，和及]|\band\b)\s?", said) if t] or [usual.get(part, part)]
    before = ""
    for time in times:
        lead = re.match(r"(?:凌晨|清晨|早上|早晨|上午|下午|傍晚|晚上|夜里|早|晚)", time)
        before = lead[0] if lead else before
        again = before if not lead and re.match(r"\d|[一二两三四五六七八九十]", time) else ""
        day = {"早": "早上", "晚": "晚上"}.get(part, "") if not (lead or again) else ""
        yield _clock(f"{day or again}{time}")


def _clock(said: str) -> tuple[int, int] | None:
    if re.fullmatch(r"\d\d?", said):
        said = f"{said}:00"
    said = re.sub(r"^([早晚])(?=\d|[一二两三四五六七八九十])", r"\1上", said)
    said = re.sub(r"\s(?:in the )?morning$", " am", re.sub(r"\s(?:in the )?(?:afternoon|evening)$", " pm", said))
    day = datetime(2026, 1, 5, tzinfo=UTC)  # any day: only the clock is read
    reading = when.resolve(f"{day:%Y-%m-%d} {said}", day + timedelta(days=2), "UTC")
    window = reading.window
    if window is None or reading.unread or reading.others or window.end - window.start >= timedelta(days=1):
        return None
    middle = window.start + (window.end - window.start) / 2  # "18:00" means around it
    return middle.hour, middle.minute


def _days(said: str) -> str:
    """The weekday field of a cron expression."""
    if not said:
        return "*"
    found: list[str] = []
    parts = re.split(r"\s?(?:[、,，和]|\band\b)\s?(?:周|星期|礼拜)?", said.lower())
    for part in filter(None, parts):
        ends = [_day(p) for p in re.split(r"\s?(?:[到至~-]|\bto\b)\s?(?:周|星期|礼拜)?", part) if p]
        if -1 in ends:
            found.append(WEEKEND)
        elif len(ends) == 2:
            found.append(f"{ends[0]}-{ends[1] or 7}")
        else:
            found.append(str(ends[0]))
    return ",".join(found)


def _day(said: str) -> int:
    said = said.strip()
    return DAYS_ZH[said] if said in DAYS_ZH else DAYS_EN[said[:3]]


def _number(said: str) -> int:
    if said.isdecimal():
        return int(said)
    digits = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2}
    tens, _, ones = said.rpartition("十")
    if "十" in said:
        return (digits.get(tens, 1) if tens else 1) * 10 + digits.get(ones, 0)
    return digits.get(said, 0)

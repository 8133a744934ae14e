"""Whether a message asks for a report and nothing else: "/report 昨天", "生成昨天的运维日报", "yesterday's ops report",
"/handover", "交接班报告 昨晚21:00到今早9:00". A cheap pattern, for chat and command line, with a model and without one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

COMMANDS = ("report", "handover")
LONGEST = 200  # characters

_TIME = r"(?P<time>.{0,60}?)"
_ASK_ZH = (
    r"(?:请|麻烦|给我|帮我|帮忙|帮|我要|我想要?|想|可以|能|把|\s|,|，)*(?:生成|发送?|出|给|看看?|查看|来|做|写|拉|要|推送?)?"
    r"(?:一下|一份|一个|下|我|到群里)*\s*"
)
_NAME_ZH = (
    r"(?:(?:运维|值班|ops)\s?(?P<kind>日报|周报|报告)|(?P<kind2>日报|周报)"
    r"|(?P<shift>(?:值班)?交接(?:班)?(?:报告|单|清单)?))"
)
_ASK_EN = (
    r"(?:please\s|can you\s|could you\s)?(?:(?:generate|give|show|send|make|write|create|get|post|i (?:want|need))\s)?"
    r"(?:me\s|us\s)?(?:(?:an?|the)\s)?"
)
_NAME_EN = (
    r"(?:(?P<kind>daily|weekly)?\s?(?P<ops>ops|operations?|on-?call)?\s?(?P<report>report)"
    r"|(?P<shift>hand-?over(?:\sreport)?))"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_ASK_ZH}{_TIME}\s*的?\s*{_NAME_ZH}(?:发给?我|发出来|发一下|吧|。)*",
        rf"{_ASK_ZH}{_NAME_ZH}[\s:：,，]*{_TIME}",
        rf"{_ASK_EN}(?:(?P<time>[\w' :+/\-]{{0,60}}?)(?:'s)?\s)??{_NAME_EN}"
        r"(?:\s(?:for|of|from)\s(?P<time2>.{1,60}))?(?:\splease)?",
    )
)
_DAYLIKE = re.compile(  # what may stand before or behind a report's name: a time and nothing else
    r"(?:(?:从|到|至|在|前|后|的|这个?|本|上|去|昨|今|明|天|日|早|晚|夜|周|星期|礼拜|月|年|点|时|分|半|号|初|末|底|中|午|凌晨"
    r"|[一二三四五六七八九十两零\d]|[\s:：.,\-–~+/TZ]|一班|班次|小时|班)+"
    r"|(?:yesterday|today|last|this|the|night|day|week|shift|before|from|to|until|on|at|since|morning|evening"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|[ap]m|\d|[\s:.,\-–+/TZ'])+)*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AskedReport:
    """`handover`: of a shift; `week`; `time`: the words for its window, "" where none are said."""

    time: str = ""
    week: bool = False
    handover: bool = False


def read(text: str) -> AskedReport | None:
    """None: something else, or more than that."""
    bare = text.strip().strip("。.!！?？~ ")
    if not bare or len(bare) > LONGEST:
        return None
    if command := re.fullmatch(r"/(\w+)(?:\s+(.*))?", bare, re.DOTALL):
        return _command(command[1].lower(), (command[2] or "").strip())
    for form in _FORMS:
        if (found := form.fullmatch(bare)) and (asked := _found(found.groupdict())):
            return asked
    return None


def _command(name: str, rest: str) -> AskedReport | None:
    if name not in COMMANDS:
        return None
    week = re.fullmatch(r"(?:周报?|week(?:ly)?|--week)\s*(.*)|(.*?)\s*(?:周报|weekly)", rest, re.IGNORECASE)
    if name == "report" and week:
        return AskedReport((week[1] or week[2] or "").strip(), week=True)
    return AskedReport(rest, handover=name == "handover")


def _found(given: dict[str, str | None]) -> AskedReport | None:
    time = (given.get("time") or given.get("time2") or "").strip(" ,，:：的")
    kind = (given.get("kind") or given.get("kind2") or "").lower()
    time = re.sub(r"^(?:the|for|of)\s|(?:'s|’s)$|\b(?:last )?shift$", "", time).strip()
    if not _DAYLIKE.fullmatch(time) or (given.get("report") and not kind and not (given.get("ops") or time)):
        return None
    return AskedReport(time, week=kind in ("周报", "weekly"), handover=bool(given.get("shift")))

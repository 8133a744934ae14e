"""How a time was read, or why it wasn't, in Chinese: the reasons that the time grammar gives, which speak English.

One table; what isn't in it stays as it is. It reads no time itself.
"""

from __future__ import annotations

import re

from subagents.phrasebook import Phrases, phrase

CHINESE: Phrases = (
    (r"month/day", "按月/日读"),
    (r"until now", "到现在为止"),
    (r"the (\d+) minutes before", r"之前 \1 分钟"),
    (r"(\d+) minutes before and after", r"前后各 \1 分钟"),
    (r"counted back from the end of the run's window", "从本次时段末尾往回数"),
    (r"to the end of that day", "到当天结束"),
    (r"from the beginning of that day", "从当天开始"),
    (r"taken as (\S+)", r"按 \1 计"),
    (r"the latest one: (\S+)", r"取最近的一次：\1"),
    (r"24-hour clock", "按 24 小时制"),
    (r"(\S+) is skipped by the clock change of (\S+): moved by it", r"\1 在 \2 的时钟调整中被跳过，已顺延"),
    (r"(\S+) comes twice on (\S+): a window holds both", r"\1 在 \2 出现两次，时段包含两者"),
    (r"on the clock of (\S+)", r"按 \1 的时钟"),
    (r"from the question before", "沿用上一个问题"),
    (r"from the question before \((.+)\)", r"沿用上一个问题（\1）"),
    (r"from the quoted alert", "取自引用的告警"),
    (r"counted from the last record, (.+)", r"从数据的最后一条记录 \1 起算"),
    (r"no time was named: (.+)", r"没有说时间：\1"),
    (r"'(.+)' names no exact time: (.+)", r"“\1”不是确切时间：\2"),
    (r"the last hour", "最近一小时"),
    (r"all that the folder holds", "目录中的全部数据"),
    (r"the last 24 hours of the folder", "目录中最后 24 小时"),
    (r"its day can't be read", "日期看不懂"),
    (r"a time of day needs one day", "时刻需要指定某一天"),
    (r"no day is named", "没有说哪一天"),
    (r"there is no (\d{4}-\d\d-\d\d)", r"没有 \1 这一天"),
    (r"lies in the future; for an earlier year say the year", "在将来；若指往年请写明年份"),
    (r"no month has a day (\d+)", r"没有哪个月有 \1 日"),
    (r"of which month isn't said", "没有说哪个月"),
    (r"the month has no such day", "该月没有这一天"),
    (r"no such time", "没有这样的时间"),
    (r"no such day", "没有这样的日期"),
    (r"no such zone", "没有这个时区"),
    (r"nothing lies between its ends", "起止之间没有时间"),
    (r"it ends before it begins", "结束早于开始"),
    (r"lies in the future", "在将来"),
    (r"which time exactly isn't said", "没有说确切时间"),
    (r"a count of seconds isn't read here", "这里不认时间戳"),
    (r"which days these are, isn't known here", "不知道这是哪些日子"),
    (r"lies in the future, or nothing of it has passed yet", "在将来，或尚未开始"),
    (r"where it begins isn't said", "没有说从何时开始"),
    (r"one of its ends isn't a point in time", "起止之一不是确切时刻"),
    (r"no beginning or end is said", "没有说起止"),
    (r"(\w+) doesn't name one zone", r"\1 不能确定是哪个时区"),
    (r"there is no such clock time", "没有这样的钟点"),
)
_REASON = re.compile(r"(.*) \(([^()]*(?:\([^()]*\))?)\)", re.DOTALL)


def reasons(why: str, lang: str) -> str:
    """ "the latest one: 2026-11-29; until now" → “取最近的一次：2026-11-29；到现在为止”."""
    return "；".join(map(_one, why.split("; "))) if lang == "zh" else why


def unread(said: str, lang: str) -> str:
    """Words that couldn't be read, with the reason in brackets behind them."""
    found = _REASON.fullmatch(said) if lang == "zh" else None
    return f"{found[1]}（{reasons(found[2], lang)}）" if found else said


def _one(why: str) -> str:
    return phrase(why, CHINESE, _one) or why

"""Reasons of the cause analysis and of the triage in a report's language, their clock times on the report's clock.

The analysis speaks English and UTC. What the table doesn't hold stays as it is said.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hermes_ops.report.model import Lang
from hermes_ops.report.view.figures import clock
from orchestrator.contracts import Window
from subagents import gaps
from subagents.cause.model import Reason
from subagents.changes.chinese import in_words
from subagents.phrasebook import Phrases, phrase

DULL = frozenset(
    ("strength", "onset", "alert", "undecided", "place", "own share", "calm")
)  # said by the section itself
_CLOCK = re.compile(r"(?<=\b(?:at|to) )(\d\d):(\d\d)\b|(?<=\bsince )(\d\d):(\d\d)\b|(?<=\bfrom )(\d\d):(\d\d)\b")

OF_A_CHANGE = frozenset(("effect", "wording"))  # what its content can bring: worded as answers word it

CAUSE: Phrases = (
    (r"taken back at ([\d: -]+) by (.+)", r"\1 被 \2 回滚"),
    (r"the failing lines name (.+)", r"报错行里提到 \1"),
    (r"(-?\d+) min before the onset at ([\d: -]+)", r"早于故障开始（\2）\1 分钟"),
    (r"(-?\d+) min before the first signs at ([\d: -]+)", r"早于最早的迹象（\2）\1 分钟"),
    (r"its first midnight, at ([\d: -]+), is just before the onset", r"上线后的第一个零点（\1）紧接着故障开始"),
    (
        r"its flag (.+) was switched at ([\d: -]+), (\d+) min before the onset",
        r"开关 \1 在 \2 切换，早于故障开始 \3 分钟",
    ),
    (r"what it switches came with (\S+)", r"它切换的代码来自 \1"),
    (r"on (.+), of which no call is known", r"在 \1 上，其调用关系未知"),
    (r"planned work that was going on at the onset", "故障开始时这项计划内工作正在进行"),
    (r"(\S+) (\S+) rose from (\S+) to (\S+)", r"\1 的 \2 从 \3 升到 \4"),
    (r"(\S+) (\S+) fell from (\S+) to (\S+)", r"\1 的 \2 从 \3 降到 \4"),
    (r"(\S+) logged (\d+) errors since ([\d: -]+)", r"\1 自 \3 起报错 \2 条"),
    (r"(\S+) says (\d+) times \(before: (\d+)\): (.+)", r"\1 出现 \2 次（之前 \3 次）：\4"),
    (r"(.+) complain of (\S+)", r"\1 的报错指向 \2"),
    (r"(\S+) complains of (.+), which fails too", r"\1 的报错指向同样出错的 \2"),
    (r"(.+) ran from ([\d: -]+) to ([\d: -]+)", r"\1 在 \2 到 \3 之间进行"),
    (r"the same record fails again and again: (.+)", r"同一条记录反复失败：\1"),
    (r"the failures' own words say so", "报错内容本身如此说明"),
    (r"(\d+) new lines? says? so: (.+)", r"\1 条新日志本身如此说明：\2"),
    (r"(\d+) new lines blame (.+?): (.+)", r"\1 条新日志归因于 \2：\3"),
    (r"says that it has too much to do: (.+)", r"日志说明负载过高：\1"),
    (r"(\S+): (.+) since ([\d: -]+)", r"状态页：\1 自 \3 起 \2"),
    (r"(\S+) (\S+) reached 0 at ([\d: -]+)", r"\1 的 \2 在 \3 归零"),
    (r"(.+), ([\d.]+)-fold", r"\1（\2 倍）"),
    (r"(\S+) is a store of data or names, which others wait for", r"\1 是其他服务依赖的存储或域名服务"),
    (r"(\S+) itself tells of (.+)", r"\1 自己的日志或指标指向 \2"),
    (r"the deploy of (\S+) was made after it and may carry it", r"之后的 \1 部署可能带上了它"),
    (r"on (\S+), which failed first", r"\1 最先出错"),
)

TRIAGE: Phrases = (
    (r"new failing log lines \((\d+) times, before (\d+)\): (.+)", r"出现新的报错（\1 次，之前 \2 次）：\3"),
    (r"new failing log lines \((\d+) times\): (.+)", r"出现新的报错（\1 次）：\2"),
    (r"its log lines are the usual ones \((.+?) times, before (\d+)\): (.+)", r"日志与平时一样（\1 次，之前 \2 次）"),
    (r"its log lines are the usual ones \((.+?)\): (.+)", r"日志与平时一样（\1）"),
    (r"severity (.+)", r"级别 \1"),
    (r"not over", "未恢复"),
    (r"over by itself after (\d+) s", r"\1 秒后自行恢复"),
    (r"flapping: fired (\d+) times in an hour", r"抖动：一小时内触发 \1 次"),
    (r"a test environment or a test, not what users see", "测试环境，不影响用户"),
    (r"planned work: (.+)", r"计划内工作：\1"),
    (r"right after the deploy (\S+), and over by itself", r"发布 \1 之后出现，随后自行恢复"),
    (r"a symptom of (.+?)(?:@\S+)?, .+, which is paged", r"是 \1 的连带告警"),
    (r"known already: (.+) is being worked on", r"已知：\1 正在处理"),
    (r"its own rule says that it is to be ignored", "规则本身注明可忽略"),
    (r"(.+) comes back worse each time: .+", r"\1 一次比一次严重"),
    (r"(.+) goes on rising", r"\1 持续上升"),
    (r"(.+) stays over its threshold", r"\1 一直高于阈值"),
    (r"(.+) stays on a plateau", r"\1 停在高位"),
    (r"(.+) is going back", r"\1 正在回落"),
    (r"(.+) went back to its usual level", r"\1 已回到平时水平"),
    (r"nothing is known that speaks for it", "没有依据说明它重要"),
)


def worded(reason: Reason, near: datetime, window: Window, lang: Lang) -> str:
    """ "" for what a report says elsewhere."""
    if reason.signal in DULL:
        return ""
    text = timed(reason.text, near, window)
    said = _in(CAUSE, text, lang)
    if said == text and reason.signal in OF_A_CHANGE:
        said = in_words(text, lang == "zh").replace("`", "")
    return said


def lacking(gap: str, lang: Lang) -> str:
    """What a source could not tell."""
    return gaps.worded(gap, lang)


def triaged(why: str, lang: Lang) -> str:
    """The reasons of the triage, joined as it joined them."""
    return ("；" if lang == "zh" else "; ").join(_in(TRIAGE, part, lang) for part in why.split("; "))


def _in(table: Phrases, text: str, lang: Lang) -> str:
    if lang != "zh":
        text = re.sub(r"^([^\s,]+) complain of ", r"\1 complains of ", text)
        return re.sub(r"^(a symptom of [^/\s]+)\S*, .+, (which is paged)$", r"\1, \2", text)
    return phrase(text, table, lambda part: phrase(part, table) or part) or text


def timed(text: str, near: datetime, window: Window) -> str:
    """Clock times of UTC on the window's clock: each is taken as its occurrence nearest to `near`."""

    def moved(found: re.Match[str]) -> str:
        hour, minute = (int(n) for n in found.groups() if n is not None)
        if hour > 23 or minute > 59:
            return found[0]
        day = near.astimezone(UTC).replace(hour=hour, minute=minute, second=0, microsecond=0)
        at = min((day + timedelta(days=d) for d in (-1, 0, 1)), key=lambda t: abs(t - near))
        return clock(at, window)

    return _CLOCK.sub(moved, text)

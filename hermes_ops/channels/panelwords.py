"""What tools and routes say in English, as the panels of a Chinese answer say it: one table.

Tools speak to a model, and their results are evidence: figures, times, names and what a source wrote stay as they are,
and so does a sentence that isn't in the table. It reads words alone, and decides nothing.
"""

from __future__ import annotations

import re

from subagents.changes.chinese import CHINESE as EFFECTS
from subagents.gaps import CHINESE as GAPS
from subagents.phrasebook import Phrases, phrase

STATUS = {
    "ok": "有结果", "no_data": "无数据", "error": "出错", "denied": "无权限", "partial": "部分完成", "failed": "失败",
    "no_evidence": "没有证据", "needs_input": "待补充", "cancelled": "已停止", "done": "完成", "running": "进行中",
    "interrupted": "中断",
}  # fmt: skip
_AT = r"(?:\d\d-\d\d )?\d\d:\d\d(?::\d\d)?"
_REST = r"((?: ×\d+)?)((?: \((?:flapping|suppressed|first)[^()]*\))?)(.*)"
PARTS: Phrases = (
    (r" of (.+)", r" \1 的"),
    (r" that hold (.+)", r"（包含 \1）"),
    (r" \((.+)\)", r"（\1）"),
    (r"(flapping|suppressed|first)((?:: [^,]+)?), (.+)", r"\1\2，\3"),
    (r"first", "最早"), (r"flapping", "抖动"), (r"suppressed((?:: .+)?)", r"被抑制\1"), (r"suppressed ", "被抑制的"),
    (r"open", "未恢复"), (r"end unknown", "恢复时间未知"), (r"still", "仍在持续"), (r"no", "0"),
    (r"new((?:, .+)?)", r"新出现\1"), (r"no baseline((?:, .+)?)", r"没有之前的数据\1"),
    (r"before (\S+?)((?:, .+)?)", r"之前 \1\2"),
    (r"any service", "任一服务"), (r"already at ", "已从 "), (r", about", "，约"), (r", else 0", "，其余为 0"),
    (r"outside it|outside the window", "时段之外"), (r"far from its start", "离开头很远处"),
    (r"; the data's own clock reads like the time that was asked for", "；按数据自身的时钟正是所问的时间"),
    (r", where the data ends", "（数据末尾）"),
    (r"; of (\d+) more the end is unknown, so whether they fire can't be told",
     r"；另有 \1 个恢复时间未知，无法判断"),
    (r"content, closeness in time and dependency", "内容、时间和依赖远近"),
    (r"closeness in time, dependency and kind", "时间、依赖远近和类型"),
    (r"; objective (\S+) %, (\S+) % of its error budget used", r"；目标 \1%，错误预算已用 \2%"),
    (rf"({_AT})–the end of the window or data, still going on", r"\1–时段或数据末尾，仍在持续"),
)  # fmt: skip
LINES: Phrases = (
    (r"errors \(fatal\+error\)", "错误（fatal+error）"), (r"before = (.+)", r"对比时段 = \1"),
    (r"no data from before to compare with", "没有之前的数据可比"), (r"data ends (.+)", r"数据到 \1 为止"),
    (r"by (level|code|severity|service|name|hour): (.+)", r"按 \1：\2"),
    (r"no error lines( of .+?)? in the window, among ([\d,]+) log lines searched there(?:; (.+))?",
     r"该时段没有\1错误日志，共查 \2 行 \3"),
    (r"(.+) wrote no log lines at all(?: \(.+\))?, so nothing can be said of errors",
     r"\1 没有任何日志，无法判断有没有错误"),
    (r"no source has logs of (.+)", r"没有任何数据源有 \1 的日志"),
    (r"there are no log lines of any service(?: \(.+\))?", "没有任何日志"),
    (r"(\S+) (\d+) \(before (\d+)\)", r"\1 \2（之前 \3）"),
    (r"up (already at )?(.+?) ±(\S+) s, peak (\S+)", r"上升 \1\2（±\3 秒），峰值 \4"),
    (rf"((?:{_AT}|\d\d-\d\d) \d+(?:, .+)?)(, else 0)", r"\1\2"),
    (r"elsewhere: (.+) rises (outside it|far from its start), at (.+), (\d+) errors(;.+)?",
     r"别处：\1 在\2上升，\3，\4 条错误\5"),
    (r"elsewhere: (.+) begins (far from its start|outside the window), at ([^;]+)(;.+)?",
     r"别处：\1 在\2触发，\3\4"),
    (r"patterns", "日志模式"), (r"<\*> varies", "<*> 为可变部分"),
    (r"messages of (.+) name (.+): (\d+)", r"\1 的日志提到 \2：\3 条"),
    (r"no matching messages( of .+?)? in (.+)", r"没有\1匹配的日志 · \2"),
    (r"(\d+)× \((no baseline|new|before \d+)((?:, [^()]+)?)\) (.+)", r"\1×（\2\3）\4"),
    (r"no log lines( of .+?)?( that hold .+)? in (.+)", r"没有\1日志\2 · \3"),
    (r"lines( of .+?)?( that hold .+)?", r"\1日志\2"),
    (r"spans, failed first, then slowest", "span：先失败的，后最慢的"),
    (r"no spans( of .+?)? in (.+)", r"没有\1 span · \2"),
    (r"calls: (.+)", r"调用：\1"),
    (r"(\d+) episodes? of (\d+) alerts?", r"\2 个告警，共触发 \1 次"),
    (rf"((?:\* )?\S+ .+? {_AT})–(open|end unknown){_REST}", r"\1–\2\3\4\5"),
    (rf"((?:\* )?\S+ .+? {_AT}–{_AT})((?: ×\d+)?)( \((?:flapping|suppressed|first)[^()]*\))(.*)", r"\1\2\3\4"),
    (r"no alerts( of .+?)? in (.+)", r"没有\1告警 · \2"), (r"none of them of (.+)", r"其中没有 \1 的"),
    (r"no source holds alerts of (.+): whether any fired isn't known",
     r"没有数据源保存 \1 的告警，无法知道有没有触发"),
    (r"(\d+) alerts began( of .+)?", r"新触发\2告警 \1 个"),
    (r"(\d+) more had begun earlier and still fired", r"另有 \1 个更早触发且仍在触发"),
    (r"(\d+|no) (suppressed )?alerts( of .+?)? fire at ([^,;]+)(, where the data ends)?(; of .+)?",
     r"\4 \5正在触发\3\2告警：\1\6"),
    (r"no source tells what is silenced or inhibited", "没有数据源记录静默和抑制"),
    (r"availability", "可用率"), (r"no request metrics in (.+)", r"没有请求指标 · \1"),
    (r"(\S+) (\S+) % \((\S+) bad of (\S+) (\S+?)(, about)?(; .+)?\)", r"\1 \2%（\4 个 \5 中 \3 个失败\6\7）"),
    (r"no series( of .+?)? in (.+)", r"没有\1指标 · \2"), (r"metrics( of .+)?", r"\1指标"),
    (r"(\d+) of (\d+) series left the level before the window", r"\2 个序列中 \1 个偏离之前的水平"),
    (r"(\S+ .+? → \S+) \(extreme (\S+) at (.+?)\) (.+?)((?:–still)?)", r"\1（极值 \2，\3）\4\5"),
    (r"–still", "–仍在持续"),
    (r"(\S+ .+): unchanged, last (\S+)", r"\1：没有变化，最后为 \2"), (r"(\S+ .+): unchanged", r"\1：没有变化"),
    (r"no histogram( of .+?)? in (.+): (\S+) can't be told, only the mean",
     r"没有\1直方图，无法得出 \3，只有平均值 · \2"),
    (r"from histogram buckets", "取自直方图"), (r"(p[\d.]+)( of .+)", r"\2 \1"),
    (r"(\S+ \S+ p[\d.]+ .+?)( \(before \S+\))?, (\S+) observations", r"\1\2，共 \3 次"),
    (r"(\d+) changes", r"\1 个变更"), (r"first (.+)", r"先列 \1"), (r"carries (.+)", r"包含 \1"),
    (r"no changes( of .+?)? in (.+)", r"没有\1变更 · \2"), (r"no change (.+) in (.+)", r"没有变更 \1 · \2"),
    (r"suspects for the onset (.+?) of (.+), by (.+)", r"\2 于 \1 开始的可疑变更，按\3排序"),
    (r"searched (.+): (\d+) changes", r"查了 \1：\2 个变更"),
    (r"no change explains this: none near before the onset touches these services or what they depend on",
     "没有变更能解释：开始前不久没有变更涉及这些服务或其依赖"),
    (r"no change clearly explains this: the first is the nearest, and weak",
     "没有变更能明确解释：第一个最接近，但较弱"),
    (r"not a change: (.+)", r"不是变更引起：\1"),
    (r"a tie: the first (\d+) are equally near", r"并列：前 \1 个同样接近"),
    (r"not: (.+) — (.+?)", r"不是：\1 — \2"), (r"reverts (\S+)", r"回退 \1"), (r"files: (.+)", r"文件：\1"),
    (r"no diff is stored for it", "没有保存它的 diff"),
    (r"after the onset", "在开始之后"), (r"another environment", "其他环境"),
    (r"documents or tests only", "仅文档或测试"),
    (r"was over long before the onset", "早已结束"), (r"a service that is not involved", "无关服务"),
    (r"its link to what fails isn't known", "与出错服务的关系未知"),
    (r"says no service", "未标明服务"), (r"too far away in time or dependency", "时间或依赖太远"),
    (r"nothing of it can bring these failures", "内容不可能引起"),
    (r"(\d+\. .+) — (\S+ \S+) before the onset; (.+)", r"\1 — 开始前 \2；\3"),
    (r"(\d+\. .+) — with the onset; (.+)", r"\1 — 与开始同时；\2"),
    (r"on ([^;]+), which fails", r"就在出错的 \1 上"),
    (r"([^;]+), which fails, depends on it \((\d+) calls away\)", r"出错的 \1 依赖它（隔 \2 次调用）"),
    # why somebody was asked, and what a run says of itself
    (r"names '(.+)'", r"问题提到“\1”"), (r"asks for a cause", "问的是原因"),
    (r"offline", "未使用语言模型"), (r"run (\S+)", r"运行 \1"),
)  # fmt: skip
_TABLE: Phrases = (*LINES, *EFFECTS, *GAPS)
_MARK = " · "


def worded(text: str, lang: str) -> str:
    """Line by line, and within a line part by part, as " · " divides it."""
    return "\n".join(map(_line, text.split("\n"))) if lang == "zh" else text


def status(said: str, lang: str) -> str:
    return STATUS.get(said, said) if lang == "zh" else said


def _line(line: str) -> str:
    return _MARK.join(map(_part, line.split(_MARK)))


def _part(part: str) -> str:
    said = phrase(part, _TABLE, _inner)
    return part if said is None else re.sub(r"  +", " ", said).replace(" （", "（").strip()


def _inner(group: str) -> str:
    said = phrase(group, PARTS, _inner) or phrase(group, _TABLE, _inner)
    if said is None and "; " in group.strip("; "):
        return "；".join(map(_inner, group.split("; ")))
    return group if said is None else said

"""What sources say that they could not tell, in the asker's language: one table of the usual ones.

Sources speak English; a gap that isn't in the table stays as it is. Knows no source: it reads their words.
"""

from __future__ import annotations

from subagents import troubles
from subagents.phrasebook import Phrases, phrase

UNREACHED = "not reached: "
CHINESE: Phrases = (
    (r"no source of (\w+) is configured, so nothing was searched", r"没有配置 \1 的数据源，因此没有查询"),
    (r"no alerts in this folder", "目录里没有告警"),
    (r"no metrics in this folder", "目录里没有指标"),
    (r"no logs in this folder", "目录里没有日志"),
    (r"no changes in this folder", "目录里没有变更"),
    (r"the logs don't reach back over the baseline", "日志没有覆盖用来对比的之前时段"),
    (r"(\d+) pattern\(s\) come from a mined file, with its own window and counts",
     "有的日志模式来自事先挖掘的文件，其时段和计数以该文件为准"),
    (r"(\d+) log file\(s\) have no times and are in no window", r"有 \1 个日志文件没有时间，不在任何时段内"),
    (r"([\d,]+) log record\(s\) in (\d+) file\(s\) have no time and are in no window",
     r"\2 个文件中有 \1 条日志没有时间，不在任何时段内"),
    (r"([\d,]+) character\(s\) in (\d+) log file\(s\) could not be decoded; they show as .",
     r"\2 个日志文件中有 \1 个字符无法解码，显示为 �"),
    (r"(\d+) log file\(s\) write times without a zone; they were read as (.+)",
     r"有 \1 个日志文件的时间没有时区，按 \2 读取"),
    (r"(\d+) file\(s\) are copies of others and were read once", r"有 \1 个文件是其他文件的副本，只读一次"),
    (r"(\d+) file\(s\) may not be read \((.+)\)", r"有 \1 个文件无权读取（\2）"),
    (r"(\d+) file\(s\) hold no log that is known \((.+)\)", r"有 \1 个文件不是已知的日志（\2）"),
    (r"([\d,]+) of ([\d,]+) files were left out", r"\2 个文件中有 \1 个未读"),
    (r"(\d+) file\(s\) were rotated while they were read; lines may be missing or double",
     r"有 \1 个文件在读取时被轮转，可能缺行或重复"),
    (r"Loki leaves out lines of 3 to 5 h ago .+",
     "Loki 不会返回 3 到 5 小时前尚未落盘的日志，且不作提示；计数之后可能增加"),
    (r"a line stamped exactly on a minute, hour or day counts in the one before it",
     "恰在整分、整时或整日的日志计入前一段"),
    (r"templates come from (?:the first )?([\d,]+) of ([\d,]+) lines", r"日志模式取自 \2 行中的 \1 行"),
    (r"more than ([\d,]+) lines share one nanosecond; Loki gives no more of them",
     r"同一纳秒有超过 \1 行日志，Loki 无法给出其余的"),
    (r"(.+) was read for (\d+) s only; what is counted is a part", r"\1 只读了 \2 秒，计数只是一部分"),
    (r"a file holds more points than are read at once: narrow the window", "有文件的数据点过多，未读完：请缩小时段"),
    (r"no request counts by status for (.+)", r"\1 没有按状态码的请求计数"),
    (r"(\d+) of (\d+) spans: failed ones first, then the slowest", r"\2 个 span 中只取了 \1 个：先失败的，后最慢的"),
    (r"(\d+) span\(s\) name a parent that isn't in the folder", r"有 \1 个 span 的父级不在目录里"),
    (r"the files don't say whether (\d+) of these alerts are over", r"文件没有说明其中 \1 个告警是否已结束"),
    (r"the folder holds no diff of this change", "目录里没有这个变更的 diff"),
    (r"(\d+) value\(s\) are no numbers \(NaN or infinite\) and are left out",
     r"有 \1 个值不是数（NaN 或无穷大），已略去"),
    (r"(.+) has no data before (.+)", r"\1 在 \2 之前没有数据"),
    (r"the logs hold nothing before (.+)", r"日志在 \1 之前没有数据"),
    (r"the logs hold nothing after (.+)", r"日志在 \1 之后没有数据"),
    (r"(.+) keeps no history: alerts that are over aren't in it", r"\1 不保存历史：已恢复的告警不在其中"),
    (r"(.+) knows what fires now, not what fired at (.+)", r"\1 只知道现在触发的告警，不知道 \2 时的情况"),
    (r"(\d+) of these alerts fired already at (.+); their start isn't known",
     r"其中 \1 个告警在 \2 时已在触发，开始时间未知"),
    (r"alerts were looked for every (\d+) s; shorter ones may be missing", r"告警每 \1 秒查看一次，更短的可能缺失"),
    (r"the window lies in the future of (.+)", r"该时段在 \1 之后，尚未到来"),
    (r"only (\d+) series were read: name a metric or a service to see the others",
     r"只读了 \1 个序列：请指定指标或服务以查看其余"),
    (r"more samples of alerts than are read at once: narrow the window", "告警数据点过多，未读完：请缩小时段"),
    (r"the server warns: (.+)", r"服务端警告：\1"),
    (r"more than (\d+) alerts fired; the others are left out", r"触发的告警超过 \1 个，其余已略去"),
    (r"(\d+) alert rule\(s\) can't be evaluated: (.+)", r"有 \1 条告警规则无法求值：\2"),
    (r"(\d+) of these alerts began while (.+) was starting \((.+)\)", r"其中 \1 个告警在 \2 启动时（\3）触发"),
    (r"the server says that its answer is only a part", "服务端说明其结果只是一部分"),
    (r"the first ([\d,]+) of ([\d,]+) characters", r"只读了 \2 个字符中的前 \1 个"),
    (r"(.+) was last fetched at (.+): what came later isn't there",
     r"仓库 \1 最后一次 fetch 是 \2，之后的提交不在其中"),
    (r"(.+) is large: commits behind one that is dated before the window were not looked at",
     r"仓库 \1 很大：排在早于该时段的提交之后的提交没有查看"),
    (r"(.+): only the newest ([\d,]+) commits of the window were read", r"仓库 \1：该时段只读了最新的 \2 个提交"),
    (r"not read: (.+)", r"未能读取：\1"),
    (r"(\w+) gave no answer within (\S+) s and was ended", r"\1 在 \2 秒内没有结果，已中止"),
)  # fmt: skip


def worded(gap: str, lang: str) -> str:
    """A gap, or what stopped a source, as an answer in that language says it."""
    if lang != "zh":
        return gap
    if gap.startswith(UNREACHED):
        return f"未能访问：{troubles.worded(gap.removeprefix(UNREACHED), lang)}"
    return phrase(gap, CHINESE) or troubles.worded(gap, lang)

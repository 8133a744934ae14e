"""What sources say that they could not tell, in the asker's language.

Sources speak English; what isn't in the tables stays as it is. Knows no source: it reads their words.
"""

from __future__ import annotations

from collections.abc import Iterable

from subagents import troubles
from subagents.phrasebook import Phrases, phrase

UNREACHED = "not reached: "
CHINESE: Phrases = (
    (rf"{UNREACHED}(.+)", r"未能访问：\1"),
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
    (r"(\d+) (?:log )?file\(s\) write times without a zone; they were read as (.+)",
     r"有 \1 个文件的时间没有时区，按 \2 读取"),
    (r"records lie after the question's time, up to (.+)", r"有记录晚于提问时间，最晚到 \1"),
    (r"(\d+) file\(s\) weren't recognised and not searched: (.+)", r"有 \1 个文件没有识别，未查：\2"),
    (r"(\d+) log file\(s\) don't say whose they are, and may hold lines of (.+)",
     r"有 \1 个日志文件没有写明是哪个服务的，其中可能有 \2 的日志"),
    (r"no alerts in this folder; (\d+) file\(s\) weren't recognised and not searched: (.+)",
     r"目录里没有查到告警；有 \1 个文件没有识别，未查：\2"),
    (r"no metrics in this folder; (\d+) file\(s\) weren't recognised and not searched: (.+)",
     r"目录里没有查到指标；有 \1 个文件没有识别，未查：\2"),
    (r"no logs in this folder; (\d+) file\(s\) weren't recognised and not searched: (.+)",
     r"目录里没有查到日志；有 \1 个文件没有识别，未查：\2"),
    (r"no changes in this folder; (\d+) file\(s\) weren't recognised and not searched: (.+)",
     r"目录里没有查到变更；有 \1 个文件没有识别，未查：\2"),
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
    (r"only the first ([\d,]+) rows were read: .+", r"只读了前 \1 行：请在数据库中计数，或缩小范围"),
    (r"only the first ([\d,]+) characters", r"只有前 \1 个字符"),
    (r"(\d+) record\(s\) in recognised files were of no known kind and were left out",
     r"已识别的文件中有 \1 条记录类型未知，已略去"),
    (r"(\d+) file\(s\) could be read in part only \((.+)\)", r"有 \1 个文件只读了一部分（\2）"),
    (r"(\d+) file\(s\) have dates without a year; it was taken from the other files of the folder",
     r"有 \1 个文件的日期没有年份，按目录里其他文件的年份读取"),
    (r"(\d+) file\(s\) have dates without a year; it was taken from today, as no date in the folder has one",
     r"有 \1 个文件的日期没有年份，按今年读取：目录里没有带年份的日期"),
    (r"(\d+) file\(s\) have no times that can be placed on a calendar", r"有 \1 个文件的时间无法对应到日期"),
    (r"of the time before, (?:the first )?([\d,]+) lines were compared", r"之前的时段只对比了 \1 行"),
    (r"it knows only what fires now", "只知道现在触发的告警"),
    (r"it knows what was sent to it: .+", "只知道发送给它的数据：serve 长时间停止期间发送的不在其中"),
    (r"the store of web hooks was never filled: no hook runs", "web hook 从未收到过数据"),
    (r"the store of web hooks runs since (.+): what was before is missing", r"web hook 自 \1 起才有数据，之前的缺失"),
    (r"(\d+) of these alerts weren't told of again for long, and may be over",
     r"其中 \1 个告警很久没有再收到通知，可能已经恢复"),
    (r"only the last ([\d,]+) of ([\d,]+) (?:alerts|changes) .+", r"共 \2 条，只计了最新的 \1 条"),
)  # fmt: skip

REASONS: Phrases = (  # why a file, a repository or a database couldn't be read
    (r"it can't be (?:opened|read): (.+)", r"无法打开：\1"),
    (r"the archive breaks off: .+", "压缩文件不完整，断开处之后未读"),
    (r"it is zstd-compressed: .+", "zstd 压缩：请安装 Python 包 zstandard 或 zstd 命令"),
    (r"a JSON document over (\d+) MB: .+", r"JSON 文档超过 \1 MB：请导出为 JSON lines"),
    (r"only the first (\d+) MB of its JSON are read: .+", r"只读了 JSON 的前 \1 MB：请导出为 JSON lines"),
    (r"only the first (\d+) MB of its history are read", r"只读了提交历史的前 \1 MB"),
    (r"it begins like JSON but isn't valid: .+", "开头像 JSON，但不是有效的 JSON"),
    (r"its JSON is broken in (\d+) places, and not read after them", r"JSON 有 \1 处损坏，其后未读"),
    (r"its JSON holds no alerts, metrics, spans, patterns or changes that are known",
     "JSON 中没有已知的告警、指标、span、日志模式或变更"),
    (r"([\d,]+) records after the first ([\d,]+) were left out", r"前 \2 条记录之后的 \1 条未读"),
    (r"it is an empty list", "是空列表"),
    (r"it is empty", "是空文件"),
    (r"it is binary", "是二进制文件"),
    (r"it is a journal of systemd; .+", "是 systemd 的 journal：请用 `journalctl --file NAME -o json` 导出"),
    (r"no known format", "格式无法识别"),
    (r"it is a git repository, but (.+)", r"是 git 仓库，但\1"),
    (r"git couldn't read this repository: (.+)", r"git 无法读取这个仓库：\1"),
    (r"there is no git command here to read it with", "本机没有 git 命令"),
    (r"git can't be started: (.+)", r"git 无法启动：\1"),
    (r"git gave no answer within (\S+) s", r"git 在 \1 秒内没有结果"),
    (r"git ended with (\S+)", r"git 以状态 \1 退出"),
    (r"there is no change (.+) in this folder", r"目录里没有变更 \1"),
    (r"there is no commit (?:or tag )?(\S+)(?: \(.+\))?", r"没有提交或标签 \1"),
    (r"web hooks bring no diffs; .+", "web hook 不带 diff：请为此配置 kind 为 git 的数据源"),
    (r"(.+) is no cursor of a former answer", r"\1 不是之前结果的游标"),
    (r"it answered (?:something else than|rows of|hits of|with something that) .+", "返回的不是预期的内容"),
    (r"more than ([\d,]+) lines share the time (.+): narrow the query", r"同一时刻 \2 有超过 \1 行日志：请缩小查询"),
    (r"no hook for (\w+)s was ever heard: .+",
     r"web hook 从未收到过数据：请按 docs/HOOKS.md 配置并运行 hermes-ops serve"),
    (r"nothing was ever heard by the hook (.+?): .+", r"web hook \1 从未收到过数据：请确认 hermes-ops serve 在运行"),
    (r"store of web hooks: (.+)", r"web hook 的数据：\1"),
    (r"no spans in this folder", "目录里没有 span"),
    (r"no commits yet", "还没有提交"),
    (r"none of the files of (.+?) is a log that is known.*", r"\1 的文件中没有已知的日志"),
    (r"(?:Loki \S* answers|it answers), and has no values of (?:the )?(?:label|field)? ?(\S+?)(?: in the last .+)?: .+",
     r"有应答，但 \1 没有值：请检查该数据源的 service 设置"),
    (r"it was ended after (\S+) s: ask for less", r"运行超过 \1 秒，已中止：请缩小查询"),
    (r"a row, or a value in it, has over (\d+) KB: .+", r"有一行或其中的值超过 \1 KB：请去掉这样大的列"),
    (r"the database says: (.+)", r"数据库返回：\1"),
    (r"the database can't be reached: (.+)", r"无法连接数据库：\1"),
)  # fmt: skip


UNREAD = " file(s) weren't recognised and not searched: "
NAMELESS = " log file(s) don't say whose they are, and may hold lines of "


def unread(gaps: Iterable[str]) -> bool:
    """Whether files weren't looked into, or aren't known to be of what was asked for, so that to have found nothing
    says nothing."""
    return any(UNREAD in gap or NAMELESS in gap for gap in gaps)


def worded(gap: str, lang: str) -> str:
    """A gap, or what stopped a source, as an answer in that language says it."""
    if lang != "zh":
        return gap
    return _whole(gap) or _several(gap) or gap


def _whole(text: str) -> str:
    """The Chinese of one gap or reason, also after the name of what it is of; "" where it isn't known."""
    said = phrase(text, CHINESE, _inner) or phrase(text.rstrip("."), REASONS, _inner) or troubles.worded(text, "zh")
    if said != text:
        return said
    name, colon, rest = text.partition(": ")
    inner = (_whole(rest) or _several(rest)) if colon and ";" not in name else ""
    return f"{name}：{inner}" if inner else ""


def _several(text: str) -> str:
    """Of some that follow each other."""
    said = [_whole(part) for part in text.split("; ")]
    return "；".join(said) if len(said) > 1 and all(said) else ""


def _inner(part: str) -> str:
    return _whole(part) or _several(part) or part

"""What sources say that they could not tell, in the asker's language: one table of the usual ones.

Sources speak English; a gap that isn't in the table stays as it is. Knows no source: it reads their words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

CHINESE: Sequence[tuple[str, str]] = (
    (r"no source of (\w+) is configured, so nothing was searched", r"没有配置 \1 的数据源，因此没有查询"),
    (r"not reached: (.+)", r"未能访问：\1"),
    (r"the logs don't reach back over the baseline", "日志没有覆盖用来对比的之前时段"),
    (r"(\d+) pattern\(s\) come from a mined file, with its own window and counts",
     r"有 \1 个日志模式来自事先挖掘的文件，其时段和计数以该文件为准"),
    (r"(\d+) log file\(s\) have no times and are in no window", r"有 \1 个日志文件没有时间，不在任何时段内"),
    (r"(.+) was read for (\d+) s only; what is counted is a part", r"\1 只读了 \2 秒，计数只是一部分"),
    (r"a file holds more points than are read at once: narrow the window", "有文件的数据点过多，未读完：请缩小时段"),
    (r"no request counts by status for (.+)", r"\1 没有按状态码的请求计数"),
    (r"(\d+) of (\d+) spans: failed ones first, then the slowest", r"\2 个 span 中只取了 \1 个：先失败的，后最慢的"),
    (r"(\d+) span\(s\) name a parent that isn't in the folder", r"有 \1 个 span 的父级不在目录里"),
    (r"the files don't say whether (\d+) of these alerts are over", r"文件没有说明其中 \1 个告警是否已结束"),
    (r"the folder holds no diff of this change", "目录里没有这个变更的 diff"),
    (r"the first ([\d,]+) of ([\d,]+) characters", r"只读了 \2 个字符中的前 \1 个"),
)  # fmt: skip


def worded(gap: str, lang: str) -> str:
    """A gap as an answer in that language says it."""
    if lang != "zh":
        return gap
    for pattern, said in CHINESE:
        if found := re.fullmatch(pattern, gap, re.DOTALL):
            return found.expand(said)
    return gap

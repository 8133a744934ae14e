"""The logs sub-agent: what services write, and their spans. Doesn't know which backend answers."""

from __future__ import annotations

from orchestrator.agent import Agent
from orchestrator.tool import Tool
from subagents.gaps import worded
from subagents.logs.playbook import playbook
from subagents.logs.tools import LogTools
from subagents.prompts import load
from subagents.sources import Sources

DESCRIPTION = (
    "Logs and traces: error counts by service, level, hour and code, when errors began and ended, new message "
    "patterns, log lines, slow spans. Not for alerts, metrics or availability (alerts), nor for changes (changes)."
)
CUES = (
    "log", "logs", "error", "errors", "exception", "exceptions", "traceback", "stack", "stacktrace", "trace",
    "traces", "span", "spans", "5xx", "500", "502", "503", "504", "fail", "fails", "failing", "failed", "failure",
    "failures", "timeout", "timeouts", "slow", "slower", "slowest", "latency", "warn", "warning", "pattern",
    "patterns", "crash", "message", "logged", "grep", "日志", "报错", "错误", "异常", "堆栈", "失败", "超时", "慢",
    "变慢", "卡", "延迟", "耗时", "链路", "调用链", "警告", "崩溃", "模式", "关键字", "出错", "多少错", "几个错",
    "400", "401", "403", "404", "409", "429", "499", "declined", "rejected", "denied",
    "状态码", "返回码", "搜", "字样", "refused", "reset by peer", "error output",
    "deadlock", "out of memory", "oom", "no space left", "死锁", "溢出", "空指针",
)  # fmt: skip


def make(sources: Sources) -> Agent:
    """Tools for which there is no source at all aren't offered."""
    tools = LogTools(sources)
    offered = [tools.count_errors, tools.patterns, tools.search_logs, tools.count_field, tools.count_requests]
    if any("spans" in s.caps for s in sources.spans):
        offered.append(tools.slow_spans)
    return Agent(
        name="logs",
        description=DESCRIPTION,
        prompt=load("subagents.logs"),
        tools=tuple(Tool.of(fn) for fn in offered),
        letter="L",
        playbook=playbook,
        cues=CUES,
        wording=worded,
    )

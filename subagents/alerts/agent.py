"""The alerts sub-agent: monitoring. Doesn't know which backend answers."""

from __future__ import annotations

from orchestrator.agent import Agent
from orchestrator.tool import Tool
from subagents.alerts.playbook import playbook
from subagents.alerts.tools import AlertTools
from subagents.alerts.watching import WatchTools
from subagents.gaps import worded
from subagents.prompts import load
from subagents.sources import Sources

DESCRIPTION = (
    "Monitoring: which alerts fired or fire now, since when, which came first; alert counts; availability per service; "
    "metrics against their level before. Not for log lines and messages (logs), nor for what was changed (changes)."
)
CUES = (
    "target", "targets", "exporter", "rule", "rules",
    "alert", "alerts", "alarm", "alarms", "fire", "firing", "fired", "p0", "p1", "page", "pages", "paged",
    "pager", "monitor", "monitoring", "metric", "metrics", "slo", "sla", "availability", "available", "uptime",
    "success rate", "error rate", "qps", "rps", "cpu", "memory", "disk", "latency", "p99", "p95", "traffic", "load",
    "flapping", "告警", "报警", "警报", "预警", "监控", "指标", "可用率", "可用性", "成功率", "错误率", "触发", "恢复",
    "抖动", "响了", "响几", "error budget", "错误预算", "抓取", "采集", "规则", "流量", "内存", "磁盘", "延迟", "负载",
    "水位", "叫醒", "积压", "堆积", "queue", "backlog", "lag", "silenced", "silence", "inhibited", "静默", "抑制",
    "receiver", "receivers", "notified", "接收人", "接收者", "通知了谁",
)  # fmt: skip


def make(sources: Sources) -> Agent:
    """Tools for which there is no source at all aren't offered."""
    tools = AlertTools(sources)
    offered = [tools.list_alerts, tools.count_alerts, tools.firing_now]
    if sources.metrics:
        offered += [tools.availability, tools.metric]
    if sources.watched:
        watch = WatchTools(sources.watched)
        offered += [watch.alert_rules, watch.scrape_targets]
    return Agent(
        name="alerts",
        description=DESCRIPTION,
        prompt=load("subagents.alerts"),
        tools=tuple(Tool.of(fn) for fn in offered),
        letter="A",
        playbook=playbook,
        cues=CUES,
        wording=worded,
    )

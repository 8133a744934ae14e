"""The alerts sub-agent: monitoring. Doesn't know which backend answers."""

from __future__ import annotations

from orchestrator.agent import Agent
from orchestrator.tool import Tool
from subagents.alerts import gauges
from subagents.alerts.cues import CUES
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


def make(sources: Sources) -> Agent:
    """Tools for which there is no source at all aren't offered."""
    tools = AlertTools(sources)
    offered = [tools.list_alerts, tools.count_alerts, tools.firing_now]
    if sources.metrics:
        offered += [tools.availability, tools.metric]
    if sources.watched:
        watch = WatchTools(sources.watched)
        offered += [watch.alert_rules, watch.scrape_targets]
    named = (n for s in sources.metrics if isinstance(s, gauges.Named) for n in s.metrics)
    return Agent(
        name="alerts",
        description=DESCRIPTION,
        prompt=load("subagents.alerts"),
        tools=tuple(Tool.of(fn) for fn in offered),
        letter="A",
        playbook=playbook,
        cues=(*CUES, *(c for c in gauges.cues(named) if c not in CUES)),
        wording=worded,
    )

"""The changes sub-agent: what people and pipelines altered. Doesn't know which backend answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.agent import Agent
from orchestrator.tool import Tool
from subagents.changes.playbook import playbook
from subagents.changes.tools import ChangeTools
from subagents.gaps import worded
from subagents.prompts import load
from subagents.sources import Sources

DESCRIPTION = (
    "What was changed: deploys, releases, commits, flags, config, tickets; which change may explain a symptom, with "
    "reasons, once its onset is known (ask alerts and logs first). Not for how things run or fail (alerts, logs)."
)
CUES = (
    "change", "changes", "changed", "deploy", "deployed", "deploys", "deployment", "deployments", "release",
    "released", "releases", "commit", "commits", "merge", "merged", "rollback", "roll back", "rolled back",
    "rolling back", "revert", "reverted", "rollout", "flag", "flags", "config", "configuration", "version",
    "versions", "diff", "ticket", "tickets", "ship", "shipped", "upgrade", "upgraded", "maintenance", "planned work",
    "hotfix", "patch", "feature toggle", "变更", "改动", "改了", "部署", "发布", "上线", "提交", "合并", "回滚",
    "版本", "配置", "开关", "灰度", "工单", "升级",
    "谁发", "谁上", "谁推", "谁部", "谁合", "谁提", "发的版", "发了版", "migration", "迁移",
    "谁改", "谁把", "谁动", "动过", "加的", "打开的", "关掉的",
    "干了啥", "干了什么", "干了些", "改了啥", "动了啥", "做了啥", "维护窗口", "计划内", "撤回", "回退", "发版", "热修",
)  # fmt: skip


def make(sources: Sources, depends_on: Mapping[str, Sequence[str]] | None = None) -> Agent:
    """`depends_on`: service → what it calls, from settings; spans add what they show."""
    tools = ChangeTools(sources, depends_on or {})
    offered = [tools.list_changes, tools.suspects, tools.show_change]
    return Agent(
        name="changes",
        description=DESCRIPTION,
        prompt=load("subagents.changes"),
        tools=tuple(Tool.of(fn) for fn in offered),
        letter="C",
        playbook=playbook,
        cues=CUES,
        wording=worded,
        after=("alerts", "logs"),
    )

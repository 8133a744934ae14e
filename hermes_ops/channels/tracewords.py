"""A run's steps, which `hermes-ops trace` tells in English, as a Chinese chat tells them: one table, line by line.

Names of agents, tools, arguments and queries stay as they are, and so does a line that isn't in the table.
"""

from __future__ import annotations

import re

from hermes_ops.channels.panelwords import STATUS, worded
from hermes_ops.timewords import reasons
from subagents.phrasebook import Phrases, phrase

HEAD: Phrases = (
    (r"Run (\S+)   (\w+), answer (\w+)   (.+)", r"运行 \1   \2，回答：\3   \4"),
    (r"Run (\S+)   (.+)", r"运行 \1   \2"),
    (r"Asked +(.+)", r"提问      \1"), (r"Question +(.+)", r"问题      \1"), (r"Folder +(.+)", r"目录      \1"),
    (r"(Window|Scope) +(.*?) *", r"\1      \2"), (r"Window", "时段"), (r"Scope", "范围"), (r"all", "全部"),
    (r"(.*?) +\(read from “(.+?)”\)", r"\1   （取自“\2”）"),
    (r"(.*?) +\(read from “(.+?)”: (.+)\)", r"\1   （取自“\2”：\3）"), (r"(\S.*?) {3}\((.+)\)", r"\1   （\2）"),
    (r"Now +(.+)", r"现在      \1"), (r"Used +(.+?)   (.+)", r"用量      \1   \2"),
    (r"Unverified +(.+)", r"未证实    \1"), (r"no model calls", "没有调用模型"),
    (r"(\d+) model calls?, (.+)", r"调用模型 \1 次，\2"),
)  # fmt: skip
STEPS: Phrases = (
    (r"memory", "记忆"), (r"(\d+) earlier turns given", r"带上之前 \1 轮对话"),
    (r"nothing new is kept", "没有新记住的"),
    (r"now kept: (.+)", r"新记住：\1"), (r"window and scope, by code", "时段和范围，由代码得出"),
    (r"(\w+) begins", r"\1 开始"), (r"prompt (\w+)", r"提示词 \1"),
    (r"route, turn (\d+): asks nobody: it answers by itself", r"路由，第 \1 轮：不询问，自己回答"),
    (r"route, turn (\d+): asks (.+)", r"路由，第 \1 轮：询问 \2"),
    (r"because: (.+)", r"原因：\1"), (r"no reason was given", "没有说明原因"), (r"not asked: (.+)", r"未询问：\1"),
    (r"By rule: the question names no domain and no service, .+", "按规则：没有提到任何领域或服务，也没有问原因或状况"),
    (r"By rule: the question has words of other domains, .+", "按规则：问题只涉及其他领域的词，也没有问原因"),
    (r"By rule: .+ is asked where a cause is wanted or .+", "按规则：问原因或提到它的领域时才询问，这里问的是状况"),
    (r"No reason was given: neither its text nor its reasoning names .+", "模型没有说明原因"),
    (r"asked: (.+)", r"任务：\1"), (r"window:? (.+)", r"时段：\1"), (r"gaps: (.+)", r"缺口：\1"),
    (r"needs: (.+)", r"还需要：\1"), (r"unreachable: (.+)", r"未能访问：\1"), (r"stopped: (.+)", r"提前结束：\1"),
    (r"(\d+) of ([\d,]+) rows", r"\2 行中的 \1 行"), (r"model → answers", "模型 → 回答"),
    (r"model → (.+)", r"模型 → \1"),
    (r"last step: no more calls", "最后一步：不再调用"), (r"finish (\w+)", r"结束原因 \1"),
    (r"mended: (.+)", r"已修补：\1"),
    (r"plan of (\d+) parts: (.+)", r"分 \1 部分的计划：\2"), (r"didn't end", "没有结束"),
    (r"asked again: the answer cited no evidence", "再问一次：回答没有引用证据"),
    (r"without a model, by playbooks", "不用模型，按规则"), (r"no model could be used: (.+)", r"没有可用的模型：\1"),
    (r"context cut: (\S+) → (\S+) tokens, (\d+) messages shortened so far",
     r"上下文压缩：\1 → \2 tokens，共缩短 \3 条消息"),
    (r"model refused, the context was too long: (.+)", r"模型拒绝，上下文过长：\1"),
    (r"answer", "回答"), (r"unverified: (.+)", r"未证实：\1"), (r"\(the text was removed\)", "（文字已删除）"),
    (r"the run ends with that answer", "以该回答结束"), (r"(\w+) (\[\w+\])", r"\1 \2"),
)  # fmt: skip
_STEP = re.compile(r"(\s*(?:\d+  )?\s*)(.*)", re.DOTALL)


def traced(line: str, lang: str) -> str:
    if lang != "zh":
        return line
    if (head := phrase(line, HEAD, _inner)) is not None:
        return head
    before, said = _STEP.fullmatch(line).groups()  # type: ignore[union-attr]  # whatever the line, it fits
    return before + " · ".join(phrase(part, STEPS, _inner) or _inner(part) for part in said.split(" · "))


def _inner(group: str) -> str:
    said = phrase(group, HEAD, _inner) or STATUS.get(group)
    if said is None and "; " in group:
        return "；".join(map(_inner, group.split("; ")))
    return said or reasons(worded(group, "zh"), "zh")

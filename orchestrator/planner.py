"""Working without a language model: the same loop, the same tools, decided by code instead of a model.

Each sub-agent declares a playbook; who is asked follows from what the question names and is after; how the answer is
put together from their findings is given by whoever knows them. Knows no domain: words of one are its agent's `cues`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from orchestrator.agent import Agent, Playbook, Turn
from orchestrator.contracts import Json, Message, Reply, ToolCall, Usage

NAME = "offline"
CAUSE = re.compile(
    r"为什么|为何|为啥|怎么回事|原因|因为|根因|引起|导致|造成|哪次|谁[改干]|怎么了|出了什么|发生了什么|排查|定位|[搞弄打]挂"
    r"|\b(?:why|causes?|caused|because|root[- ]cause|what happened|what went wrong|break|broke|breaks|blame|culprit"
    r"|investigate|diagnose|which (?:deploy|release|change|commit)\w*)\b",
    re.IGNORECASE,
)
STATE = re.compile(
    r"正常吗|还好吗|怎么样|状态|健康|情况|有没有问题|有什么问题|稳定|慢|卡|超时|不可用|挂了|宕机|恢复|故障|事故|异常吗|有异常"
    r"|(?<![没我你还])有问题|出了?问题|不健康|(?<!no )\bproblems\b|\b(?:has|have|having) issues\b|\bunhealthy\b"
    r"|有什么异常|怎么回事|怎么了|出了什么|发生了?什么|\bwhat (?:happened|went wrong|broke)\b"
    r"|\b(?:status|healthy?|slow\w*|latency|down|outages?|broken|incidents?|recover\w*|degraded|unstable)\b"
    r"|\b(?:ok|okay|fine|up|alive|well) ?\?",
    re.IGNORECASE,
)
ABOUT = re.compile(
    r"是什么意思|什么是|什么叫|是什么[?？]|什么意思|含义|怎么写|如何写|区别|怎么用|如何使用|解释一下"
    r"|\bwhat(?: is| are|'s) (?!\w+ed\b)"
    r"(?!.*\b(?:\w+ing|most|top|main|number|total|current|left)\b)(?:an? |the )?[\w %/-]+\?*$"
    r"|\bwhat does .* (?:mean|stand for)\b|\b(?:explain|define|difference between)\b"
    r"|\bhow (?:(?:do|does) .* work|(?:to|do i|do you) write)\b",
    re.IGNORECASE,
)
OFF = re.compile(r"天气|股价|股票|吃什么|\b(?:weather|stock price|jokes?)\b|笑话", re.IGNORECASE)  # nobody's here
THEN = re.compile(  # a time makes it a question about what is or was, whatever its form
    r"现在|目前|当前|此刻|刚才|今天|今晚|今早|昨|前天|上周|上个月|最近|\d+ ?点|\d:\d\d|\bsince\b"
    r"|\b(?:now|currently|today|tonight|yesterday|at the moment|last (?:night|week|hour)|this (?:morning|week))\b",
    re.IGNORECASE,
)
HELLO_ZH = (
    "我是值班助手 hermes-ops，可以查询 {names}。没看懂这句话要查什么：未配置语言模型时不能闲聊或讲解通识，"
    "请直接问某个服务、时间和现象。"
)
HELLO_EN = (
    "I am hermes-ops, the on-call assistant; I can look into {names}. I don't understand what to look up here: without "
    "a language model I can't chat or explain general matters; ask about a service, a time and what you see."
)


class OfflineBrain:
    """Decides by the agent's playbook. Never presented as a model: its name is "offline"."""

    def __init__(self) -> None:
        self.name = NAME
        self.usage = Usage()

    async def decide(self, turn: Turn, final: bool) -> Reply:
        if turn.ctx.stop.reason or turn.agent.playbook is None:
            return Reply("", model=NAME)
        move = turn.agent.playbook(turn)
        if isinstance(move, str):
            return Reply(move, model=NAME)
        calls = tuple(ToolCall(f"p{turn.n}.{i}", name, args) for i, (name, args) in enumerate(move))
        return Reply("", () if final else calls, finish="tool_calls", model=NAME)

    def remember(self, reply: Reply) -> Message:
        calls = [{"id": c.id, "type": "function", "function": {"name": c.name, "arguments": ""}} for c in reply.calls]
        return {"role": "assistant", "content": reply.text, **({"tool_calls": calls} if calls else {})}


Aim = Literal["cause", "judged", "state", "plain", ""]
"""What a question is after, by its form: a cause; a cause, if it is about operations at all; how things are; that, if
it names nobody's matter; or that can't be told."""


@dataclass(frozen=True, slots=True)
class Way:
    """What the kernel can't know: the answer from what the sub-agents found, and what a question is after."""

    compose: Callable[[Turn, Sequence[Agent]], str]
    aim: Callable[[str], Aim]


def supervising(agents: Sequence[Agent], way: Way, before: Sequence[str] = ()) -> Playbook:
    """The supervisor's playbook: ask those whose domain is named, then put their summaries together. `before`: the
    questions that this one goes on from, the newest first."""

    def play(turn: Turn) -> str | Sequence[tuple[str, dict[str, Json]]]:
        if turn.taken:
            return way.compose(turn, agents)
        own, named = turn.ctx.question.text, bool(turn.ctx.scope.services or turn.ctx.scope.said)
        text = own if way.aim(own) else _telling((own, *before), agents)
        chosen = choose(text, agents, named, way.aim(text))
        if not chosen:
            return introduce(turn, agents)
        parts = [_part(a, chosen, turn) for a in chosen]
        if any(p["after"] for p in parts) and "investigate" in turn.agent.by_name:
            return [("investigate", {"parts": parts})]
        return [(f"ask_{p['agent']}", {k: p[k] for k in ("task", "reason")}) for p in parts]

    return play


def _telling(texts: Sequence[str], agents: Sequence[Agent]) -> str:
    """The first of the questions that says by itself whom it concerns: "and payment?" is asked like the one before."""
    return next((t for t in texts if CAUSE.search(t) or STATE.search(t) or any(_cue(t, a) for a in agents)), texts[0])


def choose(text: str, agents: Sequence[Agent], names_service: bool, aim: Aim = "") -> list[tuple[Agent, str]]:
    """Which sub-agents a question concerns, each with the reason. None for small talk and general knowledge."""
    named = [(a, f"names {word!r}") for a in agents if (word := _cue(text, a))]
    if OFF.search(text) or (ABOUT.search(text) and not (names_service or CAUSE.search(text) or THEN.search(text))):
        return []
    known = {a.name for a, _ in named}
    ours = bool(named or names_service or STATE.search(text))
    if aim == "cause" or (ours and (aim == "judged" or CAUSE.search(text))):
        return [*named, *((a, "asks for a cause") for a in agents if a.name not in known)]
    if aim == "state":
        return [*named, *((a, "asks how things are") for a in agents if not (a.after or a.name in known))]
    if named:
        return named
    if names_service or aim == "plain" or STATE.search(text):
        return [(a, "asks how things are") for a in agents if not a.after]
    return []


def _cue(text: str, agent: Agent) -> str:
    low = text.casefold()
    for cue in agent.cues:
        if cue.isascii() and cue.replace(" ", "").isalnum():
            if re.search(rf"(?<![a-z0-9_]){re.escape(cue)}(?:s|es|ed)?(?![a-z0-9_])", low):
                return cue
        elif cue in low:
            return cue
    return ""


def _part(choice: tuple[Agent, str], chosen: Sequence[tuple[Agent, str]], turn: Turn) -> dict[str, Json]:
    agent, reason = choice
    after = [i for i, (other, _) in enumerate(chosen, 1) if other.name in agent.after]
    return {"agent": agent.name, "task": turn.ctx.question.text, "reason": reason, "after": after}


def introduce(turn: Turn, agents: Sequence[Agent]) -> str:
    """For what needs no data: what can be asked, and that small talk needs a model."""
    zh = turn.ctx.lang == "zh"
    return (HELLO_ZH if zh else HELLO_EN).format(names=("、" if zh else ", ").join(a.name for a in agents))

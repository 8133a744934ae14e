"""The supervisor owns the conversation. Each sub-agent is an ordinary tool to it; sub-agents never talk to each other.

Asks, has every figure of the answer checked against evidence, and gives back an Answer. Knows no domain: what a
sub-agent can do stands in that agent's own description.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from orchestrator.agent import Agent, Outcome
from orchestrator.answer import assemble, weigh
from orchestrator.consult import Brains, consult, question, told
from orchestrator.context import UNSUPPORTED, Past, opening
from orchestrator.contracts import Answer, Findings, Json, Message, ToolResult, ToolStatus, to_json
from orchestrator.errors import ModelError
from orchestrator.loop import run
from orchestrator.plan import Part, parts_of, waves
from orchestrator.ports import Call, Context, Runtime
from orchestrator.tool import Tool, tool


@dataclass(frozen=True, slots=True)
class Manner:
    """`uncited`: an ops answer without evidence is sent back once, or only marked. `planning`: offers `investigate`."""

    uncited: Literal["send_back", "mark"] = "send_back"
    planning: bool = True
    asking: bool = True


class Supervisor:
    """`brains` makes the brain of an agent for one loop; `house`: tools of its own beside the delegates."""

    def __init__(
        self,
        agents: Sequence[Agent],
        prompt: str,
        brains: Brains,
        house: Sequence[Tool] = (),
        manner: Manner = Manner(),
        steps: int = 8,
        cast: Agent | None = None,
    ) -> None:
        if tangled := [a.name for a in agents if any(t.branch for t in a.tools)]:
            raise ValueError(f"sub-agents ask nobody, all passes through the supervisor; these do: {tangled}")
        self.agents = {a.name: a for a in agents}
        self.brains, self.manner = brains, manner
        tools = [self._delegate(a) for a in agents]
        if manner.planning and len(agents) > 1:
            tools.append(self._planner())
        if manner.asking:
            tools.append(Tool.of(ask_user))
        base = cast or Agent("supervisor", "", prompt, ())
        self.agent = replace(base, prompt=prompt, tools=(*tools, *house), steps=steps)

    async def answer(self, ctx: Context, past: Past) -> Answer:
        """Raises ModelError when no model can be used; all else ends in an Answer."""
        messages = opening(self.agent.prompt, past, question(ctx))
        brain = self.brains(self.agent)
        outcome = await run(self.agent, messages, ctx, brain)
        used, weighed = brain.usage, weigh(outcome, ctx)
        if self.manner.uncited == "send_back" and weighed.unsupported:
            outcome, more = await self._again(ctx, messages, outcome)
            used, weighed = used + more, weigh(outcome, ctx)
        if weighed.empty:
            tries = outcome.text.replace("\n", "; ")
            raise ModelError(f"the model only made calls that failed: {tries}")
        answer = assemble(ctx, weighed, used, brain.name)
        ctx.runtime.emit("checked", {"unverified": list(answer.unverified), "status": answer.status}, answer.text)
        return answer

    async def _again(self, ctx: Context, messages: list[Message], first: Outcome) -> tuple[Outcome, Json]:
        """Once more, with the reason, in a path of its own."""
        brain = self.brains(self.agent)
        outcomes: list[Outcome] = []

        async def work(runtime: Runtime) -> Json:
            inner = replace(
                ctx, runtime=runtime, asked=Counter(a.agent for t in first.taken for a in told(t.result.data))
            )
            outcomes.append(await run(self.agent, [*messages, {"role": "user", "content": UNSUPPORTED}], inner, brain))
            return {}

        try:
            await ctx.runtime.branch("again", work)
        except ModelError:
            return first, brain.usage
        second = outcomes[0]
        return replace(second, taken=(*first.taken, *second.taken)), brain.usage

    def _delegate(self, agent: Agent) -> Tool:
        @tool(timeout=None)
        async def ask(ctx: Context, task: str, reason: str, window: str = "") -> ToolResult:
            """Asks a sub-agent.

            Args:
                task: What to find out, in one sentence.
                reason: Why this sub-agent.
                window: A narrower part of the window, e.g. 14:00-14:30; empty: all of it.
            """
            return await consult(agent, self.brains, ctx, {"task": task, "reason": reason, "window": window})

        about = {"name": f"ask_{agent.name}", "description": agent.description}
        return Tool.of(ask, **about, branch=True, targets=lambda args: (agent.name,))

    def _planner(self) -> Tool:
        def targets(args: Json) -> list[str]:
            return [p["agent"] for p in parts_of(args, self.agents)]

        @tool(timeout=None)
        async def investigate(ctx: Context, parts: list[Part]) -> ToolResult:
            """Several sub-agents by a plan: for a question where some parts need the findings of others first
            (when did it begin, then what changed before that). Independent parts run together.

            Args:
                parts: The parts; `after` names the parts whose findings a part needs.
            """
            return await self._investigate(ctx, parts)

        return Tool.of(investigate, branch=True, many=True, targets=targets)

    async def _investigate(self, ctx: Context, parts: list[Part]) -> ToolResult:
        order = waves(parts, tuple(self.agents))
        ctx.runtime.emit("plan", {"parts": [p.model_dump() for p in parts], "waves": order})
        before = [Counter(p.agent for p in parts[:i]) + Counter(ctx.asked) for i in range(len(parts))]
        done: dict[int, Json] = {}
        for wave in order:
            calls = []
            for i in wave:
                inner = replace(ctx, asked=before[i])
                earlier = [f for a in parts[i].after for f in told(done[a - 1]["data"])]
                work = partial(self._part, inner, earlier)
                calls.append(Call(f"{i + 1}.{parts[i].agent}", work, (parts[i].model_dump(),), branch=True))
            values = await ctx.runtime.steps(calls, ctx.limits.parallel)
            done |= {i: value["result"] for i, value in zip(wave, values, strict=True)}
        text = "\n\n".join(f"({i + 1}) {parts[i].agent}\n{done[i]['text']}" for i in sorted(done))
        status: ToolStatus = "error" if all(result["status"] == "error" for result in done.values()) else "ok"
        return ToolResult(status, text, data=[row for i in sorted(done) for row in done[i]["data"] or ()])

    async def _part(self, ctx: Context, earlier: list[Findings], runtime: Runtime, part: Json) -> Json:
        try:
            found = await consult(self.agents[part["agent"]], self.brains, replace(ctx, runtime=runtime), part, earlier)
        except ValueError as e:  # a window that can't be read
            found = ToolResult("error", f"{part['agent']}: {e}")
        return {"note": {"agent": part["agent"], "status": found.status}, "result": to_json(found)}


@tool()
async def ask_user(question: str) -> ToolResult:
    """Asks the person one short question, and ends this turn. Only when a needed detail can't be found out otherwise.

    Args:
        question: The question, in the person's language.
    """
    return ToolResult("ok", question, ends=True)

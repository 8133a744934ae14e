"""The loop: perceive, decide, act, feed back. Supervisor and sub-agents run this same function.

It ends when the brain answers without calling a tool, at the step limit, at a deadline or cancellation, and when the
agent only repeats itself; never with a bare error. It knows no model, no domain and no storage.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

from orchestrator.agent import Agent, Brain, Outcome, Taken, Turn, key
from orchestrator.contracts import Json, Message, Reply, ToolCall, ToolResult, from_json
from orchestrator.errors import Fatal, ModelError, Stopped
from orchestrator.ports import Call, Context, Runtime
from orchestrator.route import record
from orchestrator.said import bare, digest, faulty, given_up, repeated, show
from orchestrator.tool import Tool

TRIES = 3  # a tool that failed so often is not tried again
READS = 2  # so often an unreadable call goes back to the model


async def run(agent: Agent, messages: list[Message], ctx: Context, brain: Brain, brief: Json = None) -> Outcome:
    """Works on `messages`, which only grows, until there is an outcome. Raises ModelError while it has nothing."""
    turn = Turn(agent, messages, ctx, brief)
    ctx.runtime.emit("agent", {"agent": agent.name, "prompt": agent.prompt_hash, "brain": brain.name}, *agent.stable)
    while True:
        turn.n += 1
        turn.final = turn.n >= agent.steps or ctx.stop.hurry or turn.idle >= 2
        try:
            reply = await brain.decide(turn, turn.final)
            record(turn, reply)
            messages.append(brain.remember(reply))
            if turn.final or not reply.calls:
                return _answered(turn, reply)
            await _act(turn, reply.calls)
        except Stopped as s:
            return _ended(turn, s.reason)
        except ModelError:
            if not turn.taken:  # nothing gathered that would be lost
                raise
            return _ended(turn, "model")
        except Fatal as e:
            return Outcome(str(e), tuple(turn.taken), "fatal")
        if outcome := _over(turn, reply):
            return outcome


def _over(turn: Turn, reply: Reply) -> Outcome | None:
    """What else ends a loop after its calls were answered."""
    if turn.unreadable > READS:
        return Outcome(bare(reply), tuple(turn.taken), "unreadable", reply)
    if asked := next((t for t in turn.taken if t.result.ends), None):
        return Outcome(asked.result.text, tuple(turn.taken), "needs_input", reply)
    return _ended(turn, turn.ctx.stop.reason) if turn.ctx.stop.reason else None


def _answered(turn: Turn, reply: Reply) -> Outcome:
    why = None
    if turn.final:
        why = "deadline" if turn.ctx.stop.hurry else "repeating" if turn.idle >= 2 else "steps"
    if reply.finish == "length":
        why = why or "length"
    return Outcome(reply.text.strip() or digest(turn), tuple(turn.taken), why, reply)


def _ended(turn: Turn, reason: str) -> Outcome:
    return Outcome(digest(turn), tuple(turn.taken), reason)


async def _act(turn: Turn, calls: tuple[ToolCall, ...]) -> None:
    """Runs the calls of one reply together and appends their results in call order."""
    keys = [key(call) for call in calls]
    answers: list[Taken | None] = [_known(turn, call, k) for call, k in zip(calls, keys, strict=True)]
    fresh = [i for i, answer in enumerate(answers) if answer is None and keys.index(keys[i]) == i]  # of twins the first
    ids = {i: turn.next_id() for i in fresh}
    values = await turn.ctx.runtime.steps([_call(turn, calls[i], i) for i in fresh], turn.ctx.limits.parallel)
    for i, value in zip(fresh, values, strict=True):
        answers[i] = taken = Taken(ids[i], calls[i], from_json(ToolResult, value["result"]))
        turn.seen[keys[i]] = taken
        turn.failed[calls[i].name] += taken.result.status == "error"
    for call, k, answer in zip(calls, keys, answers, strict=True):
        answer = answer or Taken(turn.seen[k].id, call, repeated(turn.seen[k].result), repeated=True)
        turn.taken.append(answer)
        content = show(answer, turn.ctx.guard.fence)
        turn.messages.append({"role": "tool", "tool_call_id": answer.call.id, "content": content})
    turn.unreadable = turn.unreadable + 1 if any(c.args is None for c in calls) else 0
    turn.idle = 0 if fresh or turn.unreadable else turn.idle + 1


def _known(turn: Turn, call: ToolCall, asked: str) -> Taken | None:
    """The answer that needs no run: an unreadable call, an unknown or given-up tool, a repetition."""
    if call.args is None or call.name not in turn.agent.by_name:
        return Taken("", call, faulty(call, turn.agent))
    if turn.failed[call.name] >= TRIES:
        return Taken("", call, given_up(turn, call.name), repeated=True)
    if (first := turn.seen.get(asked)) and first.result.status in ("ok", "no_data"):
        return Taken(first.id, call, repeated(first.result), repeated=True)
    return None


def _call(turn: Turn, call: ToolCall, i: int) -> Call:
    tool, args = turn.agent.by_name[call.name], call.args or {}
    if not tool.branch:
        return Call(f"tool {turn.n}.{i} {tool.name}", partial(tool.invoke, turn.ctx), (args,))
    ctx = replace(turn.ctx, asked=dict(turn.asked))
    targets = tool.targets(args)
    turn.asked.update(Counter(targets))
    return Call(f"{turn.n}.{i}.{'+'.join(targets) or tool.name}", partial(_in_branch, tool, ctx), (args,), branch=True)


async def _in_branch(tool: Tool, ctx: Context, runtime: Runtime, args: dict[str, Json]) -> Json:
    return await tool.invoke(replace(ctx, runtime=runtime), args)

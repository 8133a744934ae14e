"""hermes-ops: kernel, gateway and guard; events in memory. Three delegates, `window` optional, evidence only marked."""

from __future__ import annotations

PKG = "hermes-ops"
# BEGIN
from datetime import UTC, datetime
from itertools import count

from common import API_KEY, BASE_URL, DESCRIPTIONS, INSTRUCTIONS, LIMIT, MODEL, SUPERVISOR, TOOLS

from hermes_ops.runtime.local import LocalRuntime
from hermes_ops.runtime.sinks import MemorySink
from orchestrator.agent import Agent
from orchestrator.brain import ModelBrain
from orchestrator.context import Fitter, Past
from orchestrator.contracts import Incoming, Scope
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.gateway import Gateway
from orchestrator.guard import AllowAll
from orchestrator.ports import Context
from orchestrator.stop import Stop
from orchestrator.supervisor import Manner, Supervisor
from orchestrator.tool import Tool
from orchestrator.work import Threads

model = Gateway([Endpoint(base_url=BASE_URL, api_key=API_KEY, model=MODEL)])
agents = [
    Agent(n, DESCRIPTIONS[n], INSTRUCTIONS[n], tuple(map(Tool.of, TOOLS[n])), n[0].upper(), LIMIT or 10) for n in TOOLS
]
desk = Supervisor(
    agents, SUPERVISOR, lambda agent: ModelBrain(model, Fitter()), manner=Manner("mark", planning=False, asking=False)
)
numbers, guard, threads = count(), AllowAll(), Threads()


async def ask(question, past=Past(), sink=None, run=None):
    run = run or f"r{next(numbers)}"
    runtime = LocalRuntime(run, "supervisor", sink or MemorySink())
    now = datetime.now(UTC)
    ctx = Context(Incoming(run, question, now), None, Scope(), now, runtime, guard, Stop(), threads=threads)
    return (await desk.answer(ctx, past)).text


# END


def build():
    return ask


def build_session():
    async def open_(i):
        turns = []

        async def a(q):
            answer = await ask(q, Past(turns=tuple(turns)))
            turns.append((q, answer))
            return answer

        return a

    return open_

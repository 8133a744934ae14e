"""Prompt tokens of questions to a model, with the tiers that hold a context within its budget on and off.

    python bench/context.py [--budgets 24000,3000]

A generated incident is asked about through the application, with a scripted model over HTTP that uses the tools of all
three sub-agents as a model does: once with three calls each, once as a long investigation of eighteen, once as the last
of five questions. What was sent without any limit is then fitted anew under each choice of tiers. Tokens are those
that the application counts with (three bytes to a token); tool descriptions are counted too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from hermes_ops.app import open_app
from hermes_ops.demo.generate import generate
from hermes_ops.demo.variant import draw
from hermes_ops.runtime.local import LocalRuntime
from hermes_ops.settings import Settings
from hermes_ops.testing.script import Step, calls, says, tool_names
from hermes_ops.testing.scripted_model import ScriptedModel
from hermes_ops.testing.scripted_server import ScriptedServer
from orchestrator.context import Fitter, Tiers, tokens
from orchestrator.contracts import Event, Incoming, Json, Message, Scope
from orchestrator.guard.policy import AllowAll
from orchestrator.ports import Context
from orchestrator.stop import Stop

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
UNBOUNDED = 10_000_000
TURNS: dict[str, list[tuple[str, Json]]] = {
    "alerts": [("list_alerts", {}), ("availability", {}), ("count_alerts", {"by": "service"})],
    "logs": [("count_errors", {"by": "service"}), ("patterns", {}), ("search_logs", {"text": "error"})],
    "changes": [("list_changes", {}), ("suspects", {}), ("list_changes", {})],
}
CHOICES = {
    "none": Tiers(UNBOUNDED, slim=False, drop=False, summarise=False),
    "slim": Tiers(drop=False, summarise=False),
    "drop": Tiers(slim=False, summarise=False),
    "sum up": Tiers(slim=False, drop=False),
    "slim, drop": Tiers(summarise=False),
    "all": Tiers(),
}
Request = tuple[list[Message], list[Json]]


def player(rounds: int) -> object:
    """A model that asks all sub-agents, which take each of their tools `rounds` times."""

    def play(messages: Sequence[Message], tools: Sequence[Json]) -> Step:
        names = tool_names(tools)
        own = messages[max(i for i, m in enumerate(messages) if m["role"] == "user") :]
        said = sum(m["role"] == "assistant" for m in own)
        if "ask_alerts" in names and said == 0:
            return calls(*((f"ask_{who}", {"task": f"look into {who}", "reason": "it may tell"}) for who in TURNS))
        own_turns = next((t for t in TURNS.values() if t[0][0] in names), [])
        turns = [(tool, {**given, **_span(n)}) for n in range(rounds) for tool, given in own_turns]
        return calls(turns[said]) if said < len(turns) else says("What was found stands in the results.")

    return play


def _span(n: int) -> dict[str, Json]:
    """Another window for each round: the question's own at first."""
    return {"window": f"yesterday {7 + n}:00 to {12 + n}:00"} if n else {}


async def sent(folder: Path, rounds: int, questions: Sequence[str]) -> list[Request]:
    """The requests of the last of some questions of one conversation."""
    async with ScriptedServer(player(rounds)) as server:  # type: ignore[arg-type]
        with tempfile.TemporaryDirectory() as home:
            model = {"base_url": server.url, "model": "scripted"}
            limits = {"history_tokens": UNBOUNDED, "subagent_steps": 40}
            settings = Settings.model_validate({"data_dir": home, "model": model, "limits": limits})
            async with open_app(settings, folder) as app:
                for n, text in enumerate(questions):
                    before = len(server.requests)
                    asked = Incoming(f"m{n}", text, NOW, anchored=True)
                    answer = await app.answer(asked, session="bench", new=True)
                    assert answer.status not in ("failed", "cancelled"), answer.text
    return [(body["messages"], body.get("tools") or []) for body in server.requests[before:]]


async def fitted(requests: Sequence[Request], tiers: Tiers) -> list[int]:
    """Prompt tokens of each request, where each loop is held within its budget by itself."""
    light = ScriptedModel.by(lambda messages, tools: says("Summed up. " * 60))
    loops: dict[str, list[Request]] = defaultdict(list)
    for messages, tools in requests:
        loops[json.dumps(messages[:2])].append((messages, tools))
    found = []
    for loop in loops.values():
        fitter = Fitter(tiers, light)
        runtime = LocalRuntime("bench", "supervisor", _Nowhere())
        ctx = Context(Incoming("", "", NOW), None, Scope(), NOW, runtime, AllowAll(), Stop())
        for messages, tools in loop:
            view = await fitter.view(messages, ctx)
            found.append(sum(map(tokens, view)) + len(json.dumps(tools, ensure_ascii=False).encode()) // 3)
    return found


class _Nowhere:
    """Where events of the fitting go: they are of no use."""

    def emit(self, e: Event) -> None:
        pass

    async def commit(self) -> None:
        pass

    def tick(self, path: str, text: str) -> None:
        pass


async def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--budgets", default="24000,3000")
    budgets = [int(b) for b in options.parse_args().budgets.split(",")]
    with tempfile.TemporaryDirectory() as home:
        truth = generate(Path(home), 3, NOW, draw(3, "deploy"))
        asked = [f"Why did {truth.trouble.service} fail yesterday?", "And its alerts?", "Which changes were there?"]
        asked += ["Were other services affected?", f"What are the errors of {truth.trouble.service} now?"]
        kinds = {"one question": (1, asked[:1]), "long": (6, asked[:1]), "fifth question": (1, asked)}
        print("| question | requests | budget | " + " | ".join(CHOICES) + " |")
        print("|---" * (3 + len(CHOICES)) + "|")
        for name, (rounds, questions) in kinds.items():
            requests = await sent(Path(home), rounds, questions)
            for budget in budgets:
                cells = []
                for choice, tiers in CHOICES.items():
                    own = tiers if choice == "none" else replace(tiers, budget=budget)
                    sizes = await fitted(requests, own)
                    cells.append(f"{sum(sizes):,} ({sum(sizes) // len(sizes):,}, most {max(sizes):,})")
                print(f"| {name} | {len(requests)} | {budget:,} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    asyncio.run(main())

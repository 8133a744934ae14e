"""What kernel tests share: a context on a memory sink, and small agents."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hermes_ops.runtime.local import LocalRuntime
from hermes_ops.runtime.sinks import MemorySink
from orchestrator.agent import Agent
from orchestrator.brain import ModelBrain
from orchestrator.context import Fitter
from orchestrator.contracts import Incoming, Scope, Window
from orchestrator.guard import AllowAll
from orchestrator.ports import Context, Model
from orchestrator.stop import Stop
from orchestrator.tool import Tool

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
DAY = Window(datetime(2026, 11, 29, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC), "UTC", "yesterday")


def context(
    text: str = "why is checkout slow?",
    sink: MemorySink | None = None,
    recorded: Mapping[str, Any] | None = None,
    stop: Stop | None = None,
    **more: Any,
) -> Context:
    runtime = LocalRuntime("r1", "supervisor", sink or MemorySink(), recorded or {})
    asked = Incoming("m1", text, NOW)
    given: dict[str, Any] = {"window": None, **more}
    return Context(
        question=asked, scope=Scope(), now=NOW, runtime=runtime, guard=AllowAll(), stop=stop or Stop(), **given
    )


def agent(*fns: Any, name: str = "logs", steps: int = 10, **more: Any) -> Agent:
    return Agent(name, f"Knows {name}.", f"You are {name}.", tuple(Tool.of(f) for f in fns), "L", steps, **more)


def brain(model: Model) -> ModelBrain:
    return ModelBrain(model, Fitter())

"""An application that answers what it is told to, over the command line's real edge. Run as a script it takes a
behaviour's name: `hang` waits until it is cancelled, `stuck` ignores that too."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from hermes_ops.cli import asking
from hermes_ops.cli.inputs import Request
from hermes_ops.settings import Settings
from orchestrator.contracts import Answer, Asked, Event, Evidence, Figure, Incoming, Scope, ToolResult, Usage, Window

AT = datetime(2026, 11, 29, 14, tzinfo=UTC)
WINDOW = Window(AT, AT.replace(hour=15), "Asia/Shanghai", "昨天", "yesterday")
RESULT = ToolResult(
    "ok", "3 errors", figures=(Figure("errors", 3),), source="logs", query="count", window=WINDOW, total=3
)
FULL = Answer(
    "20261129-ab12",
    "ok",
    "**3** errors [L1]\x1b[31m",
    WINDOW,
    Scope("prod-sh", ("checkout",)),
    (Evidence("L1", "logs", "count_errors", {"by": "service"}, RESULT),),
    unverified=("7 %",),
    route=(Asked("logs", "count", "14:00–15:00", "errors", "ok", 12),),
    skipped=({"path": "x.bin", "why": "unknown"},),
    usage=Usage(2, 100, 20),
    model="m",
)


class FakeApp:
    def __init__(self, behaviour: str = "answer", answer: Answer = FULL, error: Exception | None = None) -> None:
        self.behaviour, self.given, self.error = behaviour, answer, error
        self.asked: list[Incoming] = []
        self.options: dict[str, object] = {}
        self.stopped = asyncio.Event()

    def cancel(self) -> None:
        self.stopped.set()

    async def answer(
        self,
        incoming: Incoming,
        *,
        session: str,
        resume: str | None,
        new: bool,
        on_event: Callable[[Event], None],
        on_tick: Callable[[str, str], None],
    ) -> Answer:
        self.asked.append(incoming)
        self.options = {"session": session, "resume": resume, "new": new}
        on_event(
            Event("r1", "supervisor/1.0.logs", 1, "tool", AT, {"tool": "count", "status": "ok", "total": 3, "shown": 3})
        )
        on_tick("supervisor", "thinking")
        if self.error:
            raise self.error
        if self.behaviour == "stuck":
            time.sleep(60)
        if self.behaviour == "hang":
            print("waiting", file=sys.stderr, flush=True)
            await self.stopped.wait()
            return Answer("r1", "cancelled", "partial finding")
        return self.given

    @asynccontextmanager
    async def open(self, settings: Settings, folder: Path | None, offline: bool) -> AsyncIterator[FakeApp]:
        yield self


def ask(request: Request, settings: Settings, app: FakeApp) -> int:
    return asking.ask(request, asking.make_incoming(request, settings), settings, app.open)


if __name__ == "__main__":
    app = FakeApp(sys.argv[1])
    sys.exit(ask(Request("why?", None), Settings(data_dir=Path(sys.argv[2])), app))

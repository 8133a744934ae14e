"""The inspector over a database of its own, for an HTTP client in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
from pydantic import SecretStr
from starlette.applications import Starlette

from hermes_ops.settings import Settings
from hermes_ops.web.inspector.routes import inspector
from memory import Memory, RunStatus, open_memory
from orchestrator.contracts import BlobRef, Event, Incoming, Json
from tests.inspect.hostile import events_of

TOKEN = "correct-horse-battery"
HOST = "http://ops.example"
HERE = {"Origin": HOST}
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@dataclass
class Bench:
    memory: Memory
    http: httpx.AsyncClient
    app: Starlette

    async def sign_in(self, token: str = TOKEN, to: str = "/traces") -> httpx.Response:
        return await self.http.post("/traces/sign-in", data={"token": token, "to": to}, headers=HERE)

    async def page(self, path: str = "", status: int = 200) -> str:
        answer = await self.http.get(f"/traces{path}")
        assert answer.status_code == status, (path, answer.status_code, answer.text[-400:])
        return answer.text

    async def made(
        self, run: str, text: str, user: str = "li", events: Sequence[Event] = (), status: RunStatus = "done"
    ) -> str:
        """A run with these events."""
        asked = Incoming(f"m-{run}", text, NOW, user=user)
        await self.memory.runs.create(run, asked, session="s1", folder="exported")
        for event in events:
            self.memory.events.emit(event)
        await self.memory.events.commit()
        if status != "running":
            await self.memory.runs.finish(run, status)
        return run


def routed(run: str, asked: str, answer: str = "It was the pool [L1].") -> list[Event]:
    """A run that asked one sub-agent of three, which had one tool called."""
    others = [a for a in ("alerts", "logs", "changes") if a != asked]
    used = {"model_calls": 1, "prompt_tokens": 100, "completion_tokens": 20, "cached_tokens": 50, "cost": 0.5}
    chosen = [{"agent": asked, "task": "look", "reason": f"it is about {asked}"}]
    inside = f"supervisor/1.0.{asked}"
    rows: list[tuple[str, int, str, Json, str]] = [
        ("supervisor", 0, "agent", {"agent": "supervisor", "prompt": "p1", "brain": "m"}, "You lead."),
        ("supervisor", 1, "model", {"step": "model 1", "model": "m", "usage": used, "ms": 30}, ""),
        (
            "supervisor",
            2,
            "route",
            {"offered": [asked, *others], "chosen": chosen, "not_chosen": others, "turn": 1},
            "",
        ),
        (inside, 0, "agent", {"agent": asked, "prompt": "p2", "brain": "m"}, "You look."),
        (inside, 1, "tool", {"step": "tool 1.0 find", "tool": "find", "args": {}, "status": "ok", "ms": 5}, ""),
        ("supervisor", 3, "branch", {"step": f"1.0.{asked}", "status": "ok", "ms": 20}, ""),
        ("supervisor", 4, "checked", {"status": "ok", "unverified": []}, answer),
    ]
    return [
        Event(run, path, n, kind, NOW + timedelta(milliseconds=i), body, (BlobRef.of(text),) if text else ())
        for i, (path, n, kind, body, text) in enumerate(rows)
    ]


def hostile(run: str, text: str, long: str = "") -> list[Event]:
    return events_of(run, text, text + long)


@asynccontextmanager
async def opened(home: Path, token: str = TOKEN, database: str = "") -> AsyncIterator[Bench]:
    """`token` "": none is set."""
    chosen = Settings.model_validate({"data_dir": home, "database_url": database, "zone": "UTC"})
    serve = chosen.serve.model_copy(update={"trace_token": SecretStr(token) if token else None})
    chosen = chosen.model_copy(update={"serve": serve})
    memory = open_memory(chosen.database_url)
    app = Starlette(routes=list(inspector(memory, chosen)))
    try:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HOST) as http:
            yield Bench(memory, http, app)
    finally:
        await memory.close()


@asynccontextmanager
async def entered(home: Path, database: str = "") -> AsyncIterator[Bench]:
    async with opened(home, database=database) as bench:
        assert (await bench.sign_in()).status_code == 303
        yield bench

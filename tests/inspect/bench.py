"""A data directory in which tests make runs of every kind and replay them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from hermes_ops.app import App, open_app
from hermes_ops.replay.run import Changes, Replayed, replay
from hermes_ops.replay.tape import same
from hermes_ops.settings import Settings
from hermes_ops.testing.script import Step
from hermes_ops.testing.scripted_server import ScriptedServer
from memory import open_memory
from memory.tables import events, runs
from orchestrator.contracts import Event, Incoming, Json, Message
from tests.e2e.place import QUESTION

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
Decide = Callable[[Sequence[Message], Sequence[Json]], Step]


@dataclass
class Bench:
    """A data directory with the runs that a test makes in it."""

    home: Path
    place: Path

    def settings(self, url: str = "", **more: Any) -> Settings:
        model = {"model": "scripted", "base_url": url, "timeout": 5} if url else {}
        given = {"data_dir": self.home / "data", "model": model, "log": {"level": "off"}, **more}
        return Settings.model_validate(given)

    async def ask(self, text: str = QUESTION, decide: Decide | None = None, stop_at: str = "", **more: Any) -> str:
        """A run, and its id. `stop_at`: the kind of step at whose event it is cancelled, "crash" breaks it off."""
        if decide is None:
            return await self._one(self.settings(**more), text, stop_at)
        async with ScriptedServer(decide) as server:
            return await self._one(self.settings(server.url, **more), text, stop_at)

    async def _one(self, settings: Settings, text: str, stop_at: str) -> str:
        async with open_app(settings, self.place) as app:
            seen: list[Event] = []
            work = asyncio.create_task(self._answer(app, text, seen, stop_at))
            await asyncio.wait({work})
            assert seen, work.exception()
            return seen[0].run

    async def _answer(self, app: App, text: str, seen: list[Event], stop_at: str) -> None:
        def watch(event: Event) -> None:
            seen.append(event)
            if event.kind == stop_at:
                app.cancel()

        await app.answer(Incoming("m", text, NOW, anchored=True), new=True, on_event=watch)

    async def replay(self, run: str, settings: Settings | None = None, **changes: Any) -> Replayed:
        chosen = settings or self.settings()
        memory = open_memory(chosen.database_url)
        try:
            info = await memory.runs.get(run)
            assert info is not None
            return await replay(memory, chosen, info, await memory.events.events(run), Changes(**changes))
        finally:
            await memory.close()

    async def events(self, run: str) -> list[Event]:
        memory = open_memory(self.settings().database_url)
        try:
            return await memory.events.events(run)
        finally:
            await memory.close()

    async def drop(self, run: str, path: str, numbers: Sequence[int]) -> None:
        """As if the process had been killed before these events of a path, which others beside it came before."""
        where = (events.c.run == run, events.c.path == path, events.c.n.in_(numbers))
        memory = open_memory(self.settings().database_url)
        try:
            await memory.db.write(lambda c: c.execute(events.delete().where(*where)) and None)
        finally:
            await memory.close()

    async def cut(self, run: str, keep: int) -> None:
        """As if the process had been killed after so many events."""
        memory = open_memory(self.settings().database_url)
        try:
            some = sa.select(events.c.seq).where(events.c.run == run).order_by(events.c.seq).limit(keep)
            gone = sa.delete(events).where(events.c.run == run, events.c.seq.not_in(some))
            await memory.db.write(lambda c: c.execute(gone) and None)
            left = runs.update().where(runs.c.id == run).values(status="interrupted")
            await memory.db.write(lambda c: c.execute(left) and None)
        finally:
            await memory.close()

    async def identical(self, run: str) -> None:
        """Holds the replay's events to the run's, path by path, in full."""
        done = await self.replay(run)
        old, new = by_path(await self.events(run)), by_path(await self.events(done.run))
        assert done.divergences == []
        assert new
        assert set(new) == set(old)
        for path, told in old.items():
            assert [(e.n, e.kind) for e in new[path]] == [(e.n, e.kind) for e in told], path
            assert all(same(a, b) for a, b in zip(told, new[path], strict=True)), path
        assert done.identical


def by_path(told: Sequence[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for event in sorted(told, key=lambda e: e.n):
        if event.path.startswith("supervisor"):
            found.setdefault(event.path, []).append(event)
    return found

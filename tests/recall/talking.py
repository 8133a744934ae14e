"""A small incident folder and an application on it, opened anew as if the process had been restarted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from hermes_ops.app import App, open_app
from hermes_ops.loading import load
from hermes_ops.testing.scripted_server import ScriptedServer
from orchestrator.contracts import Answer, Incoming
from tests.e2e.place import folder

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


class Place:
    """`url`: the database; "" for a SQLite file of its own. `server`: the model, none offline."""

    def __init__(self, path: Path, url: str = "", server: ScriptedServer | None = None, **settings: str) -> None:
        self.folder = folder(path / "incident")
        self.data = path / "data"
        self.asked = 0
        given = {"HERMES_OPS_DATA_DIR": str(self.data), "HERMES_OPS_LOG__LEVEL": "off", **settings}
        given |= {"HERMES_OPS_DATABASE_URL": url} if url else {}
        if server:
            given |= {"HERMES_OPS_BASE_URL": server.url, "HERMES_OPS_MODEL": "m", "HERMES_OPS_API_KEY": "sk-test"}
        self.settings = load(given)

    @asynccontextmanager
    async def app(self) -> AsyncIterator[App]:
        async with open_app(self.settings, self.folder) as app:
            yield app

    def message(self, text: str, **more: object) -> Incoming:
        self.asked += 1
        given = {"channel": "feishu", "chat": "oc_1", "user": "ana", "anchored": True, **more}
        return Incoming(f"m{self.asked}", text, NOW, **given)  # type: ignore[arg-type]

    async def ask(self, text: str, **more: object) -> Answer:
        """By a process of its own: everything is opened, and closed again."""
        async with self.app() as app:
            return await app.answer(self.message(text, **more))

    def holds(self, word: str) -> list[str]:
        """The files of the data directory in which a word stands as it is."""
        return [p.name for p in self.data.rglob("*") if p.is_file() and word.encode() in p.read_bytes()]

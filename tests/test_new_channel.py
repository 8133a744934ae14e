"""The guide for a new chat platform: its package, as it stands there, is installed, enabled, held to the contract of
channels, and answers a question."""

from __future__ import annotations

import asyncio
import itertools
import re
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hermes_ops.channels import plugins
from hermes_ops.channels.base import Address, Speaking
from hermes_ops.channels.plugins import plugged
from hermes_ops.cli.serve import plugs
from hermes_ops.serve import serving
from hermes_ops.settings import Settings
from hermes_ops.testing.channels import CHECKS, Check
from hermes_ops.web.server import Server
from memory import Memory, open_memory
from orchestrator.contracts import Incoming, Json
from orchestrator.errors import ConfigError
from tests.e2e.place import folder

GUIDE = Path(__file__).parents[1] / "docs/CHANNELS.md"
PINGS = re.compile(r"@\w+|<at|<!|\]\(|<script")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package and its entry point, written from the guide."""
    text = GUIDE.read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", text, re.S)
    [point] = re.findall(r'```toml\n\[project.entry-points."(.*?)```', text, re.S)
    group, _, lines = point.partition('"]\n')
    site = tmp_path / "site"
    (site / "hermes_mattermost").mkdir(parents=True)
    (site / "hermes_mattermost/__init__.py").write_text(code, encoding="utf-8")
    info = site / "hermes_mattermost-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hermes-mattermost\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{lines.replace(chr(34), '')}")
    monkeypatch.syspath_prepend(str(site))
    yield site
    sys.modules.pop("hermes_mattermost", None)


@dataclass
class Server_:
    """As much of Mattermost as the channel talks to."""

    url: str = ""
    posts: dict[str, dict[str, Any]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    fail: int = 0
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def write(self, user: str, chat: str, text: str) -> dict[str, Any]:
        post = {"id": f"p{next(self.numbers)}", "user_id": user, "channel_id": chat, "message": text, "root_id": ""}
        self.posts[post["id"]] = post
        return post

    def under(self, root: str) -> list[str]:
        return [p["message"] for p in self.posts.values() if p["root_id"] == root]

    async def me(self, request: Request) -> Response:
        return (
            JSONResponse({"id": "bot"}) if request.headers["authorization"] == "Bearer t" else Response(status_code=401)
        )

    async def get(self, request: Request) -> Response:
        return JSONResponse(self.posts[request.path_params["id"]])

    async def make(self, request: Request) -> Response:
        said = await request.json()
        if said["channel_id"] in self.gone:
            return JSONResponse({"message": "You do not have the appropriate permissions."}, 403)
        if self._refuses() or len(said["message"]) > 16_383:
            return Response(status_code=500 if len(said["message"]) <= 16_383 else 400)
        post = self.write("bot", said["channel_id"], said["message"])
        post["root_id"] = said["root_id"]
        return JSONResponse(post, 201)

    async def patch(self, request: Request) -> Response:
        if self._refuses():
            return Response("<html>bad gateway</html>", 502)
        self.posts[request.path_params["id"]]["message"] = (await request.json())["message"]
        return JSONResponse({})

    def _refuses(self) -> bool:
        self.fail -= self.fail > 0
        return self.fail > 0


@pytest.fixture
async def server() -> AsyncIterator[Server_]:
    fake = Server_()
    routes = [
        Route("/api/v4/users/me", fake.me),
        Route("/api/v4/posts/{id}", fake.get),
        Route("/api/v4/posts", fake.make, methods=["POST"]),
        Route("/api/v4/posts/{id}/patch", fake.patch, methods=["PUT"]),
    ]
    web = Server(uvicorn.Config(Starlette(routes=routes), port=0, log_config=None, lifespan="off"))
    task = asyncio.create_task(web.serve())
    while not web.started:
        await asyncio.sleep(0.01)
    fake.url = f"http://127.0.0.1:{web.servers[0].sockets[0].getsockname()[1]}"
    yield fake
    web.should_exit = True
    await task


def settings(place: Path, url: str, **more: Any) -> Settings:
    options = {"url": url, "token": SecretStr("t"), "hook_token": SecretStr("h"), "users": ["alice"], **more}
    base = Settings(data_dir=place / "data", zone="UTC", channels={"mattermost": options})
    return base.model_copy(
        update={
            "serve": base.serve.model_copy(update={"port": 0}),
            "sources": base.sources.model_copy(update={"folder": folder(place / "incident")}),
        }
    )


# ── the contract ──────────────────────────────────────────────────────────────────────────────


class Nobody:
    def take(self, asked: Incoming, kind: str, extra: Json) -> str:
        return "busy"

    def again(self, key: str) -> str:
        return "gone"

    def cancel(self, key: str, by: str) -> bool:
        return False


class InMattermost:
    def __init__(self, server: Server_, chosen: Settings, memory: Memory) -> None:
        self._server, self._chosen, self._memory = server, chosen, memory
        self.made: list[Any] = []
        self.channel: Speaking

    async def again(self) -> Speaking:
        [one] = plugged(self._chosen, self._memory.posts, lambda text: text)
        await one.channel.listen(Nobody())
        self.made.append(one.channel)
        return one.channel

    async def place(self) -> Address:
        n = next(self._server.numbers)
        post = self._server.write("alice", f"c{n}", "why?")
        return Address(post["channel_id"], None, post["id"], "alice", "zh")

    async def seen(self, to: Address) -> list[str]:
        return self._server.under(to.message)

    def fail(self) -> bool:
        self._server.fail = 2
        return True

    def vanish(self, to: Address) -> bool:
        self._server.gone.add(to.chat)
        return True

    def pinged(self) -> bool:
        return any(PINGS.search(p["message"]) for p in self._server.posts.values() if p["user_id"] == "bot")


@pytest.fixture
async def stage(installed: Path, server: Server_, tmp_path: Path) -> AsyncIterator[InMattermost]:
    memory = open_memory(f"sqlite:///{tmp_path / 'm.db'}")
    made = InMattermost(server, settings(tmp_path, server.url), memory)
    made.channel = await made.again()
    yield made
    for channel in made.made:
        await channel.close()
    await memory.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
async def test_the_guides_channel_passes_the_contract(check: Check, stage: InMattermost) -> None:
    await check(stage)


# ── served ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
async def test_a_message_by_web_hook_is_answered_in_its_thread(
    installed: Path, server: Server_, tmp_path: Path
) -> None:
    chosen = settings(tmp_path, server.url)
    async with (
        serving(chosen, lambda app: plugs(chosen, app), offline=True) as service,
        httpx2.AsyncClient() as http,
    ):

        async def push(user: str, text: str, token: str = "h") -> tuple[str, httpx2.Response]:
            post = server.write(user, "town", text)
            body = {"token": token, "post_id": post["id"], "channel_id": "town", "user_id": user, "text": text}
            return post["id"], await http.post(f"{service.url}/mattermost/messages", json=body)

        asked, told = await push("alice", "2026-11-29 14:00 到 15:00 checkout 为什么报错？")
        assert (told.status_code, told.json()) == (200, {})
        assert "users" in (await push("mallory", "hi"))[1].json()["text"]
        assert (await push("alice", "hi", token="guess"))[1].status_code == 401
        helped, _ = await push("alice", "/help")
        async with asyncio.timeout(20):
            while not any("[A1]" in text for text in server.under(asked)) or not server.under(helped):
                await asyncio.sleep(0.02)
        assert len(server.under(asked)) == 1
        assert "/forget" in server.under(helped)[0]
        assert service.ready()[0]


# ── enabling ──────────────────────────────────────────────────────────────────────────────────


def refusal(chosen: Settings, memory: Memory) -> str:
    with pytest.raises(ConfigError) as caught:
        plugged(chosen, memory.posts, str)
    return str(caught.value)


async def test_only_what_the_settings_name_is_loaded_and_what_is_wrong_is_said(installed: Path, tmp_path: Path) -> None:
    memory = open_memory(f"sqlite:///{tmp_path / 'm.db'}")
    try:
        base = Settings(data_dir=tmp_path)
        assert plugged(base, memory.posts, str) == []
        assert "hermes_mattermost" not in sys.modules
        named = base.model_copy(update={"channels": {"matermost": {}}})
        assert "Offered: mattermost" in refusal(named, memory)
        assert "built in" in refusal(base.model_copy(update={"channels": {"feishu": {}}}), memory)
        bare = base.model_copy(update={"channels": {"mattermost": {}}})
        assert "channels.mattermost.hook_token is needed" in refusal(bare, memory)
        code = installed / "hermes_mattermost/__init__.py"
        for wrong, said in (
            ("1 / 0", "ZeroDivisionError"),
            ("def make(kit): return kit", "lacks Plugged"),
            ("", "make"),
        ):
            code.write_text(wrong)
            sys.modules.pop("hermes_mattermost", None)
            assert said in refusal(bare, memory)
    finally:
        await memory.close()
    assert plugins.GROUP == "hermes_ops.channels"

"""A strict server that replays recorded exchanges: a request that wasn't recorded is refused, and fails the test.

Two requests are the same when method, path and parameters are, in any order. How long a server may take (`timeout`)
is no part of a question.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from aiohttp import web

Key = tuple[str, str, tuple[tuple[str, str], ...]]
NO_PART = {"timeout"}


@dataclass
class Replay:
    """`refused`: requests that weren't recorded; `played`: names of the exchanges that were asked for."""

    url: str = ""
    refused: list[Key] = field(default_factory=list)
    played: list[str] = field(default_factory=list)


def key(method: str, path: str, pairs: Iterable[tuple[str, str]]) -> Key:
    return method, path, tuple(sorted(p for p in pairs if p[0] not in NO_PART))


def recorded(folder: Path, prefix: str) -> dict[Key, tuple[str, Any]]:
    """The exchanges of a folder whose file names begin so."""
    found = {}
    for path in sorted(folder.glob(f"{prefix}*.json")):
        exchange = json.loads(path.read_text(encoding="utf-8"))
        if "request" not in exchange:
            continue
        request, parts = exchange["request"], urlsplit(exchange["request"]["url"])
        pairs = [*parse_qsl(parts.query, True), *parse_qsl(request["body"] or "", True)]
        found[key(request["method"], parts.path, pairs)] = path.stem, exchange
    assert found, f"no exchange {prefix}* in {folder}"
    return found


@asynccontextmanager
async def replaying(folder: Path, prefix: str) -> AsyncIterator[Replay]:
    """Fails at the end when something was asked that isn't recorded."""
    known, replay = recorded(folder, prefix), Replay()

    async def handle(request: web.Request) -> web.StreamResponse:
        form = [(k, str(v)) for k, v in (await request.post()).items()]
        asked = key(request.method, request.path, [*request.query.items(), *form])
        if asked not in known:
            replay.refused.append(asked)
            return web.Response(status=501, text=f"not recorded: {asked}")
        name, exchange = known[asked]
        replay.played.append(name)
        text = exchange["text"] if "text" in exchange else json.dumps(exchange["body"])
        kind = exchange["headers"].get("content-type", "text/plain")
        return web.Response(status=exchange["status"], body=text.encode(), headers={"Content-Type": kind})

    runner = web.ServerRunner(web.Server(handle), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    replay.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield replay
    finally:
        await runner.cleanup()
    assert replay.refused == []

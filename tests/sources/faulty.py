"""A real HTTP server on loopback that behaves as a test tells it, well or badly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Faulty:
    """`answer` is called for each request; `asked` holds "METHOD /path?query" of all of them."""

    answer: Answer
    url: str = ""
    asked: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    forms: list[dict[str, str]] = field(default_factory=list)


@asynccontextmanager
async def faulty(answer: Answer) -> AsyncIterator[Faulty]:
    server = Faulty(answer)

    async def handle(request: web.Request) -> web.StreamResponse:
        server.asked.append(f"{request.method} {request.path_qs}")
        server.headers.append(dict(request.headers))
        server.forms.append({k: str(v) for k, v in (await request.post()).items()})
        return await server.answer(request)

    runner = web.ServerRunner(web.Server(handle), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await runner.cleanup()


def says(body: Any, status: int = 200, kind: str = "application/json", **headers: str) -> Answer:
    """The same answer each time; what is no text is sent as JSON."""
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(text=text, status=status, content_type=kind, headers=headers)

    return answer


def hangs() -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(3600)
        raise AssertionError("nobody waits so long")

    return answer


def breaks_off(body: str, after: int) -> Answer:
    """Says that all of it comes, and goes after some bytes."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.content_length = len(body.encode())
        await response.prepare(request)
        await response.write(body.encode()[:after])
        assert request.transport is not None
        request.transport.close()
        return response

    return answer


def sends(pieces: Callable[[], Any]) -> Answer:
    """A long answer, piece by piece."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for piece in pieces():
            await response.write(piece)
        await response.write_eof()
        return response

    return answer

"""The chat page: its files, its state, its stream of changes, and the gestures of whoever sits before it.

Gestures are taken only from the page itself: JSON or raw bytes, and no foreign Origin.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from hermes_ops.sandbox.clicks import NoSuchButton
from hermes_ops.sandbox.errors import Refusal
from hermes_ops.sandbox.hands import Hands
from hermes_ops.sandbox.page import gestures, shown

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
KEEPALIVE = 15.0  # seconds

Endpoint = Callable[[Request], Awaitable[Response]]


def routes(hands: Hands) -> list[BaseRoute]:
    """The routes of the page."""

    async def state(request: Request) -> Response:
        return JSONResponse(shown.everything(hands), headers=HEADERS)

    async def stream(request: Request) -> Response:
        return StreamingResponse(changes(hands), media_type="text/event-stream", headers=HEADERS)

    async def blob(request: Request) -> Response:
        found = hands.media.blobs.get(request.path_params["key"])
        if found is None or found.kind != "image":
            return Response("no such picture", 404, headers=HEADERS)
        return Response(found.data, media_type=found.mime, headers=HEADERS)

    async def gesture(request: Request) -> Response:
        return await taken(hands, request)

    async def upload(request: Request) -> Response:
        if not own(request):
            return JSONResponse({"error": "only the page itself may do this"}, 403, headers=HEADERS)
        try:
            done = gestures.upload(hands, dict(request.query_params), await request.body())
        except (Refusal, KeyError) as e:
            return JSONResponse({"error": str(e)}, 400, headers=HEADERS)
        return JSONResponse(done, headers=HEADERS)

    return [
        Route("/", page, methods=["GET"]),
        Route("/page/{name}", page, methods=["GET"]),
        Route("/favicon.ico", no_icon, methods=["GET"]),
        Route("/sandbox/state", state, methods=["GET"]),
        Route("/sandbox/stream", stream, methods=["GET"]),
        Route("/sandbox/blob/{key}", blob, methods=["GET"]),
        Route("/sandbox/upload", upload, methods=["POST"]),
        Route("/sandbox/do/{name}", gesture, methods=["POST"]),
    ]


async def page(request: Request) -> Response:
    """A file of the page."""
    name = request.path_params.get("name", "index.html")
    kind, path = KINDS.get(name.rpartition(".")[2]), files(__package__) / "static" / name
    if kind is None or "/" in name or not path.is_file():
        return Response("no such file", 404, headers=HEADERS)
    return Response(path.read_bytes(), media_type=kind, headers=HEADERS)


async def no_icon(request: Request) -> Response:
    return Response(status_code=204, headers=HEADERS)


def own(request: Request) -> bool:
    """Whether the request comes from the page, or from a program that is no browser."""
    origin = request.headers.get("origin")
    return origin is None or origin == f"http://{request.headers.get('host')}"


async def taken(hands: Hands, request: Request) -> Response:
    """One gesture. What a person can't do is answered with one sentence."""
    if not own(request) or request.headers.get("content-type", "").partition(";")[0] != "application/json":
        return JSONResponse({"error": "only the page itself may do this"}, 403, headers=HEADERS)
    try:
        done = await gestures.do(hands, request.path_params["name"], await request.json())
    except (Refusal, NoSuchButton, LookupError, ValueError, TypeError) as e:
        return JSONResponse({"error": str(e)}, 400, headers=HEADERS)
    return JSONResponse(done, headers=HEADERS)


async def changes(hands: Hands) -> AsyncIterator[bytes]:
    """Server-sent events: what has changed, as the page shows it."""
    with hands.platform.feed.watch() as queue:
        yield b": hello\n\n"
        while True:
            try:
                kind, value = await asyncio.wait_for(queue.get(), KEEPALIVE)
            except TimeoutError:
                yield b": still here\n\n"
                continue
            yield event(kind, shown.change(hands, kind, value))


def event(kind: str, value: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n".encode()

"""Web hooks of channels: bytes in, a status and JSON out. What they mean is the channel's business."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hermes_ops.service import Hook, Service


def routes(service: Service) -> Sequence[Route]:
    return [Route(path, _taking(hook), methods=["POST"]) for p in service.plugged for path, hook in p.hooks.items()]


def _taking(hook: Hook) -> Callable[[Request], Awaitable[Response]]:
    async def take(request: Request) -> Response:
        status, answer = await hook(request.headers, await body(request))
        return JSONResponse(answer, status)

    return take


async def body(request: Request, most: int = 1 << 20) -> bytes:
    """At most so many bytes; of a longer one the beginning, which nobody can read."""
    read = b""
    async for part in request.stream():
        read += part
        if len(read) > most:
            return b""
    return read

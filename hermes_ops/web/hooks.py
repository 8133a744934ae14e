"""Web hooks of channels: bytes in, a status and JSON out. What they mean is the channel's business."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hermes_ops.service import Hook, Service
from hermes_ops.web.bodies import body

MOST = 1 << 20  # bytes of one; a larger one is nothing that a channel sends


def routes(service: Service) -> Sequence[Route]:
    return [Route(path, _taking(hook), methods=["POST"]) for p in service.plugged for path, hook in p.hooks.items()]


def _taking(hook: Hook) -> Callable[[Request], Awaitable[Response]]:
    async def take(request: Request) -> Response:
        status, answer = await hook(request.headers, await body(request, MOST) or b"")
        return JSONResponse(answer, status)

    return take

"""`POST /hooks/alerts/NAME` and `/hooks/changes/NAME`: what other systems tell.

Bytes in, a status and JSON out; what they mean is the ear's business (`hermes_ops.hooks`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hermes_ops.hooks.ear import Domain
from hermes_ops.service import Service
from hermes_ops.web.bodies import body


def routes(service: Service) -> Sequence[Route]:
    return [
        Route(f"/hooks/{domain}/{{name}}", _taking(service, domain), methods=["POST"])
        for domain in ("alerts", "changes")
    ]


def _taking(service: Service, domain: Domain) -> Callable[[Request], Awaitable[Response]]:
    most = service.app.settings.hooks.body_kb << 10

    async def take(request: Request) -> Response:
        read = await body(request, most)
        status, answer = await service.ear.take(domain, request.path_params["name"], request.headers, read)
        return JSONResponse(answer, status)

    return take

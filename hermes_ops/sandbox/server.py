"""One port for everything: REST, discovery, the long connection, the page. Requests for other hosts are refused."""

from __future__ import annotations

import json

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from hermes_ops.sandbox.api.rest import Rest
from hermes_ops.sandbox.link import DISCOVERY, PATH
from hermes_ops.sandbox.platform import Platform

HOSTS = ["127.0.0.1", "localhost", "[::1]", "::1"]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def application(platform: Platform, hosts: list[str], page: list[BaseRoute]) -> Starlette:
    """The ASGI application. `hosts` are allowed besides loopback; `page` are the routes of the chat page."""
    rest = Rest(platform)

    async def discover(request: Request) -> Response:
        raw = await request.body()
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        status, answer = await platform.link.discover(body if isinstance(body, dict) else {})
        platform.journal.add("discover", status=status, body=body, code=answer["code"], headers=dict(request.headers))
        return JSONResponse(answer, status)

    async def call(request: Request) -> Response:
        return await rest(request)

    routes = [
        Route(DISCOVERY, discover, methods=["POST"]),
        WebSocketRoute(PATH, platform.link.serve),
        Route("/open-apis/{path:path}", call, methods=METHODS),
        *page,
    ]
    return Starlette(routes=routes, middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS + hosts)])

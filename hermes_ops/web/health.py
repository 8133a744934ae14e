"""`/healthz`: the process lives. `/readyz`: messages come in and can be stored; 503 with the reason where not."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hermes_ops.service import Service


def routes(service: Service) -> Sequence[Route]:
    async def healthz(request: Request) -> Response:
        return JSONResponse({"ok": True})

    async def readyz(request: Request) -> Response:
        ok, told = service.ready()
        return JSONResponse(told, 200 if ok else 503)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]

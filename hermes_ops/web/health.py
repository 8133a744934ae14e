"""`/healthz`: the process lives. `/readyz`: messages come in and can be stored; 503 with the reason where not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hermes_ops.service import Service
from orchestrator.errors import StoreError

SECONDS = 3.0  # that the database has


def routes(service: Service) -> Sequence[Route]:
    async def healthz(request: Request) -> Response:
        return JSONResponse({"ok": True})

    async def readyz(request: Request) -> Response:
        ok, told = service.ready()
        broken = await database(service)
        told |= {"ready": ok and not broken, "database": {"ok": not broken, "says": broken or "It answers."}}
        return JSONResponse(told, 200 if told["ready"] else 503)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]


async def database(service: Service) -> str:
    """What is wrong with it, in a sentence; "" where it answers."""
    try:
        await asyncio.wait_for(service.app.memory.records.since("alert"), SECONDS)
    except TimeoutError:
        return f"It didn't answer within {SECONDS:.0f} s."
    except StoreError as e:
        return str(e)
    return ""

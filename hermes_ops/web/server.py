"""The server itself: from a bound port to a clean stop. uvicorn is known here and nowhere else."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager

import uvicorn

from hermes_ops.service import Service
from hermes_ops.settings import ServeSettings
from hermes_ops.web.routes import application
from orchestrator.errors import ConfigError


class Server(uvicorn.Server):
    """uvicorn without its hands on the process's signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


@asynccontextmanager
async def listening(service: Service, settings: ServeSettings) -> AsyncIterator[None]:
    """`service.url` is set inside. Raises ConfigError where the address can't be used."""
    config = uvicorn.Config(
        application(service),
        host=settings.host,
        port=settings.port,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = Server(config)
    task = asyncio.create_task(_bound(server, settings))
    try:
        while not server.started:
            if task.done():
                task.result()
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        service.url = f"http://{settings.host}:{port}"
        yield
    finally:
        server.should_exit = True
        await asyncio.wait({task})


async def _bound(server: Server, settings: ServeSettings) -> None:
    """uvicorn ends the process where it can't have the port."""
    try:
        await server.serve()
    except SystemExit:
        where = f"{settings.host}:{settings.port}"
        raise ConfigError(f"The address {where} can't be used; set serve.host and serve.port to a free one.") from None

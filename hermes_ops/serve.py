"""`hermes-ops serve`: channels, inbox, outbox and a small HTTP server in one process, from start to a clean stop.

`/healthz`: the process lives. `/readyz`: messages come in and can be stored; 503 with the reason where not. Starlette
and uvicorn are known here and nowhere else.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hermes_ops.app import App, open_app
from hermes_ops.channels.base import Served
from hermes_ops.host import Host
from hermes_ops.settings import Settings
from memory.hold import Hold, hold
from orchestrator.errors import ConfigError, HermesError, StoreError

TAKEN = "Another process consumes this inbox already: end it, or give this one another database."
KEPT = timedelta(days=30)  # what ended is known for so long; a message that comes again is a duplicate till then
SWITCH_SECONDS = 0.0005
HOURLY, WATCH = 3600.0, 5.0  # seconds

log = logging.getLogger("hermes_ops.serve")

Hook = Callable[[Mapping[str, str], bytes], Awaitable[tuple[int, dict[str, Any]]]]


@dataclass(frozen=True)
class Plugged:
    """A channel, and its web hook where it has one: path → (headers, body) to (status, JSON)."""

    channel: Served
    hooks: Mapping[str, Hook] = field(default_factory=dict)


@dataclass
class Service:
    """What serves: `url` once it listens; `ended` is set by a signal, or when it can't go on (`error`)."""

    host: Host
    app: App
    plugged: Sequence[Plugged]
    lock: Hold
    url: str = ""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    error: HermesError | None = None

    def ready(self) -> tuple[bool, dict[str, Any]]:
        channels = {p.channel.name: p.channel.health() for p in self.plugged}
        told = {name: {"ok": h.ok, "says": h.says, **h.figures} for name, h in channels.items()}
        ok = all(h.ok for h in channels.values()) and self.error is None
        return ok, {
            "ready": ok,
            "channels": told,
            "inbox": self.host.inbox.figures,
            "outbox": self.host.deliveries.waiting,
        }

    def fail(self, error: HermesError) -> None:
        self.error = self.error or error
        self.ended.set()


class Server(uvicorn.Server):
    """uvicorn without its hands on the process's signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


@asynccontextmanager
async def serving(
    settings: Settings, plugs: Callable[[App], Sequence[Plugged]], offline: bool = False
) -> AsyncIterator[Service]:
    """Everything started; at the end stopped: nothing new is taken, what runs may end, the rest is kept. Raises
    HermesError where it can't start."""
    lock = hold(settings.database_url, "inbox", TAKEN)
    try:
        async with open_app(settings, _folder(settings), offline) as app:
            plugged = plugs(app)
            host = Host(app, {p.channel.name: p.channel for p in plugged}, settings.serve)
            service = Service(host, app, plugged, lock)
            async with _brisk(), _http(service, settings), _working(service):
                yield service
    finally:
        lock.release()


@asynccontextmanager
async def _brisk() -> AsyncIterator[None]:
    """Threads take turns sooner: an acknowledgement passes through two of them, and each turn costs up to 5 ms for
    every thread that is busy (measured with 60 questions: p99 250 ms before, 26 ms with this)."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@asynccontextmanager
async def _working(service: Service) -> AsyncIterator[None]:
    host, tasks = service.host, list[asyncio.Task[None]]()
    try:
        for p in service.plugged:  # before anything is delivered by them
            await p.channel.listen(host)
        for work in (host.inbox.run, host.deliveries.run, lambda: _watch(service), lambda: _prune(service.app)):
            tasks.append(asyncio.create_task(_guarded(service, work)))
        yield
    finally:
        for p in service.plugged:
            await p.channel.deafen()
        await host.inbox.close()
        await host.deliveries.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for p in service.plugged:
            await p.channel.close()


async def _guarded(service: Service, work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()
    except HermesError as e:
        service.fail(e)
    except Exception:
        log.exception("serve: a part of it ended")
        service.fail(HermesError("A part of the service ended unexpectedly; the log has the details."))


async def _watch(service: Service) -> None:
    """The right to consume the inbox may be lost with a database connection; then another process may have it."""
    held = True
    while held:
        await asyncio.sleep(WATCH)
        held = await service.lock.held()
    raise StoreError("The connection that held the inbox was lost. Start serve again.")


async def _prune(app: App) -> None:
    while True:
        with contextlib.suppress(StoreError):
            await app.memory.inbox.prune(app.memory.inbox.clock() - KEPT)
        await asyncio.sleep(HOURLY)


@asynccontextmanager
async def _http(service: Service, settings: Settings) -> AsyncIterator[None]:
    config = uvicorn.Config(
        routes(service),
        host=settings.serve.host,
        port=settings.serve.port,
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
        service.url = f"http://{settings.serve.host}:{port}"
        yield
    finally:
        server.should_exit = True
        await asyncio.wait({task})


async def _bound(server: Server, settings: Settings) -> None:
    """uvicorn ends the process where it can't have the port."""
    try:
        await server.serve()
    except SystemExit:
        where = f"{settings.serve.host}:{settings.serve.port}"
        raise ConfigError(f"The address {where} can't be used; set serve.host and serve.port to a free one.") from None


def routes(service: Service) -> Starlette:
    async def healthz(request: Request) -> Response:
        return JSONResponse({"ok": True})

    async def readyz(request: Request) -> Response:
        ok, told = service.ready()
        return JSONResponse(told, 200 if ok else 503)

    def hooked(hook: Hook) -> Callable[[Request], Awaitable[Response]]:
        async def take(request: Request) -> Response:
            status, answer = await hook(request.headers, await _body(request))
            return JSONResponse(answer, status)

        return take

    hooks = [Route(path, hooked(hook), methods=["POST"]) for p in service.plugged for path, hook in p.hooks.items()]
    return Starlette(routes=[Route("/healthz", healthz), Route("/readyz", readyz), *hooks])


async def _body(request: Request, most: int = 1 << 20) -> bytes:
    """At most so many bytes; of a longer one the beginning, which nobody can read."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            return b""
    return body


def _folder(settings: Settings) -> Path | None:
    folder = settings.sources.folder
    if folder is None:
        return None
    path = folder.expanduser().absolute()
    if not path.is_dir():
        raise ConfigError(f"sources.folder: there is no folder {path}.")
    return path


async def until_signal(service: Service) -> None:
    """Comes back on SIGTERM, SIGINT, or when the service can't go on."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, service.ended.set)
    try:
        await service.ended.wait()
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
    if service.error is not None:
        raise service.error

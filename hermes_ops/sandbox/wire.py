"""The HTTP server inside our own event loop, and the hand on its sockets: cut a connection, or stop reading from it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Generator
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

LARGEST = 128 << 20  # bytes of a frame of the web socket


class Hand(H11Protocol):
    """One connection. It puts itself into the state of each scope, web sockets included."""

    def __init__(self, config: Any, server_state: Any, app_state: dict[str, Any], _loop: Any = None) -> None:
        super().__init__(config, server_state, {**app_state, "hand": self}, _loop)

    def cut(self) -> None:
        """Ends the connection without a goodbye: the peer sees a reset."""
        sock = self.transport.get_extra_info("socket")
        if sock is not None and not self.transport.is_closing():
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def deafen(self) -> None:
        """Stops reading: what the peer sends, pings included, stays unanswered."""
        self.transport.pause_reading()


def hand_of(scope: Scope) -> Hand:
    """The connection that a request or web socket came over."""
    hand: Hand = scope["state"]["hand"]
    return hand


def listening(host: str, port: int) -> socket.socket:
    """A bound socket. The protocol is named because asyncio turns Nagle's algorithm off only then: 40 ms a call."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError:
        bound.close()
        raise
    return bound


class Server(uvicorn.Server):
    """Serves an application on a socket of its own, without touching the signals of the process."""

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        self.socket = listening(host, port)
        self.port: int = self.socket.getsockname()[1]
        self._task: asyncio.Task[None] | None = None
        self._end = asyncio.Event()
        super().__init__(
            uvicorn.Config(
                app,
                http=Hand,
                ws="websockets-sansio",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                ws_max_size=LARGEST,
                ws_ping_interval=None,
                timeout_keep_alive=75,
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def main_loop(self) -> None:
        await self._end.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """At once: nobody's request is worth waiting for."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        tasks = list(self.server_state.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def start(self) -> None:
        self._task = asyncio.create_task(self.serve([self.socket]))
        while not self.started:
            await asyncio.sleep(0.005)
            if self._task.done():
                self._task.result()

    async def stop(self) -> None:
        """Ends every connection and waits until the server has gone."""
        self._end.set()
        if self._task is not None:
            await self._task
        self.socket.close()

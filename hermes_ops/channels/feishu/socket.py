"""The long connection, supervised: a thread with a loop of its own, so that acknowledgements never wait for anybody.

The SDK reads and writes the frames; discovery, connecting, watching, coming back and stopping are ours, since the SDK
can hang in the first for ever, can be deaf without knowing, gives up silently, and can't stop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

from hermes_ops.channels.base import Health
from hermes_ops.channels.feishu import sdk
from hermes_ops.channels.feishu.errors import Refusal

DISCOVERY = "/callback/ws/endpoint"
WAITS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0)  # seconds before the next try
# Seconds of a good connection, after whose end the first wait is enough: the platform repeats what it could not push
# after 15 s, 5 min and an hour, so an asker waits far longer than we do. Where in WAITS those that end at once stay.
LASTED, FLAPPING = 3.0, 2
DEAF = 3  # ping intervals without a frame
PING = 120.0
CLOSE_SECONDS = 2.0
FRAME = 16 << 20

log = logging.getLogger("hermes_ops.feishu")


class Handler:
    """What the SDK calls with an event's bytes. `handle`: JSON bytes → what a callback answers, or None; it is quick,
    and raises only where the platform shall push again."""

    def __init__(self, handle: Callable[[bytes], Any]) -> None:
        self._do_without_validation = handle
        self.do_without_validation = handle


class LongConnection:
    """`start()`, `stop()`, and the truth about it in `health()`."""

    def __init__(self, app_id: str, secret: str, domain: str, proxy: str, handle: Callable[[bytes], Any]) -> None:
        self._app_id, self._secret, self._domain = app_id, secret, domain
        self._proxy, self._handler = sdk.proxy_for(domain, proxy), Handler(handle)
        self._thread = threading.Thread(target=self._run, name="feishu-socket", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._http = sdk.session(self._proxy)
        self._conn: Any = None
        self._heard = self._since = 0.0
        self._ping = PING
        self._problem = "It has not connected yet."
        self._connects = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float = 5.0) -> bool:
        """Closes the connection with a close frame, so that the platform sends no more events to it. Blocks. Whether
        the thread has ended."""
        if self._loop is not None and self._over is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._over.set)
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def health(self) -> Health:
        """Connected means: there is a connection, and something came over it lately."""
        if not self._thread.is_alive():
            return Health(False, f"The long connection has ended: {self._problem}", {"connects": self._connects})
        silent = time.monotonic() - self._heard
        figures: dict[str, int | float | str] = {"connects": self._connects}
        if self._conn is None:
            return Health(False, f"The long connection is down: {self._problem}", figures)
        if silent > self._deaf:
            return Health(False, f"Nothing has come over the long connection for {silent:.0f} s.", figures)
        return Health(True, "The long connection is up.", figures | {"since": round(time.time() - self._since)})

    @property
    def _deaf(self) -> float:
        return DEAF * self._ping + 1.0

    # ── in its thread ─────────────────────────────────────────────────────────────────────────

    def _run(self) -> None:
        try:
            asyncio.run(self._live())
        except Exception as e:
            self._problem = f"{type(e).__name__} inside hermes-ops."
            log.exception("feishu: the long connection's thread ended")
        finally:
            self._conn = None

    async def _live(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        failed = 0
        while not self._over.is_set():
            begun, connects = time.monotonic(), self._connects
            try:
                await self._once(self._over)
            except Exception as e:
                self._problem = _why(e)
                log.warning("feishu: %s", self._problem)
            finally:
                self._conn = None
            failed = failures(failed, self._connects > connects, time.monotonic() - begun)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), WAITS[failed] * (0.5 + random.random() / 2))

    async def _once(self, over: asyncio.Event) -> None:
        """One connection, from discovery to its end."""
        from websockets.asyncio.client import connect

        client = sdk.socket_client(self._app_id, self._secret, self._handler, self._domain)
        url = await self._discover(client)
        options: dict[str, Any] = {"proxy": self._proxy or None, "open_timeout": sdk.TIMEOUT, "max_size": FRAME}
        async with connect(url, close_timeout=CLOSE_SECONDS, **options) as conn:
            query = parse_qs(urlsplit(url).query)
            client._conn, client._conn_id = conn, query["device_id"][0]
            client._service_id = query["service_id"][0]
            self._conn, self._heard, self._since = conn, time.monotonic(), time.time()
            self._connects += 1
            log.info("feishu: connected")
            work = [self._read(client, conn), client._ping_loop(), self._watch(client), over.wait()]
            tasks = [asyncio.ensure_future(w) for w in work]
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                await _end(tasks)

    async def _read(self, client: Any, conn: Any) -> None:
        busy: set[asyncio.Task[None]] = set()
        try:
            async for message in conn:
                self._heard = time.monotonic()
                task = asyncio.create_task(client._handle_message(message))
                busy.add(task)
                task.add_done_callback(busy.discard)
        finally:
            if busy:
                await asyncio.wait(busy, timeout=1.0)
        raise ConnectionError(f"the platform closed it (code {conn.close_code})")

    async def _watch(self, client: Any) -> None:
        """Ends a connection over which nothing comes, pongs included."""
        while time.monotonic() - self._heard <= self._deaf:
            await asyncio.sleep(min(1.0, self._ping))
            self._ping = float(client._ping_interval)
        raise ConnectionError("nothing came over it, not even pongs")

    async def _discover(self, client: Any) -> str:
        """The address to connect to. The platform's numbers are taken where they are sound."""
        body = {"AppID": self._app_id, "AppSecret": self._secret}
        post = partial(self._http.post, self._domain + DISCOVERY, json=body, headers={"locale": "zh"})
        answer = await asyncio.to_thread(post, timeout=sdk.TIMEOUT)
        try:
            told = answer.json()
            code = told.get("code")
        except ValueError:
            raise Refusal("passing", None, f"discovery answered HTTP {answer.status_code}") from None
        if answer.status_code != 200 or code != 0:
            raise Refusal("setup", code, f"discovery was refused: {told.get('msg')}")
        given = (told["data"].get("ClientConfig") or {}).get("PingInterval")
        self._ping = float(given) if isinstance(given, int) and given > 0 else PING
        client._ping_interval = self._ping
        client._configure = partial(_configure, client)
        return str(told["data"]["URL"])


def failures(before: int, connected: bool, seconds: float) -> int:
    """How many tries have failed in a row, as a place in WAITS, after one of so many seconds."""
    if connected and seconds > LASTED:
        return 0
    return min(before + 1, FLAPPING if connected else len(WAITS) - 1)


def _configure(client: Any, conf: Any) -> None:
    """What a pong may bring; a missing number would end the SDK's pings for good."""
    interval = getattr(conf, "PingInterval", None)
    if isinstance(interval, int) and interval > 0:
        client._ping_interval = interval


def _why(error: Exception) -> str:
    """One sentence, without the address, which holds a ticket."""
    if isinstance(error, Refusal):
        return f"{error}."
    status = getattr(getattr(error, "response", None), "status_code", None)
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    if status is not None:
        said = headers.get("handshake-msg") or ""
        return f"the connection was refused: HTTP {status} {said} ({headers.get('handshake-status') or 'no reason'})."
    return f"{error}." if isinstance(error, ConnectionError) and str(error) else f"{type(error).__name__}."


async def _end(tasks: list[asyncio.Future[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

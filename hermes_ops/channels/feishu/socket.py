"""The long connection, supervised: a thread with a loop of its own, so that acknowledgements never wait for anybody.

The SDK reads and writes the frames; discovery, connecting, pinging, watching, coming back and stopping are ours, since
the SDK can hang in the first for ever, can be deaf without knowing, gives up silently, and can't stop; so is answering
events, which it does one after the other.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import logging
import random
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

from hermes_ops.channels.base import Health
from hermes_ops.channels.feishu import sdk
from hermes_ops.channels.feishu.content import within
from hermes_ops.channels.feishu.errors import Refusal
from orchestrator.contracts import Json
from orchestrator.errors import HermesError

DISCOVERY = "/callback/ws/endpoint"
WAITS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0)  # seconds before the next try
# Seconds of a good connection, after whose end the first wait is enough: the platform repeats what it could not push
# after 15 s, 5 min and an hour, so an asker waits far longer than we do. Where in WAITS those that end at once stay.
LASTED, FLAPPING = 3.0, 2
DEAF = 3  # ping intervals without a frame
PING = 120
CLOSE_SECONDS, DISCOVERY_SECONDS = 2.0, 20.0
FRAME = 16 << 20

Handle = Callable[[bytes], Awaitable[Json]]

log = logging.getLogger("hermes_ops.feishu")


class LongConnection:
    """`start()`, `stop()`, and the truth about it in `health()`. `handle`: an event's bytes → what a callback answers,
    or None; awaited on this connection's own loop, it raises only where the platform shall push again."""

    def __init__(self, app_id: str, secret: str, domain: str, proxy: str, handle: Handle) -> None:
        self._app_id, self._secret, self._domain = app_id, secret, domain
        self._proxy, self._handle = sdk.proxy_for(domain, proxy), handle
        self._thread = threading.Thread(target=self._run, name="feishu-socket", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._http = sdk.session(self._proxy)
        self._conn: Any = None
        self._heard = self._since = 0.0
        self._ping = float(PING)
        self._stopping = False
        self._problem = "It has not connected yet."
        self._connects = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float = 5.0) -> bool:
        """Closes the connection with a close frame, so that the platform sends no more events to it. Blocks. Whether
        the thread has ended."""
        self._stopping = True
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
        if self._stopping:  # before there was a loop to tell
            return
        over = asyncio.ensure_future(self._over.wait())
        failed = 0
        while not over.done():
            begun, connects = time.monotonic(), self._connects
            trying = asyncio.ensure_future(self._once())
            await asyncio.wait({trying, over}, return_when=asyncio.FIRST_COMPLETED)
            [ended] = await _end([trying])
            self._conn = None
            if isinstance(ended, Exception):
                self._problem = _why(ended)
                log.warning("feishu: %s", self._problem)
            failed = failures(failed, self._connects > connects, time.monotonic() - begun)
            await asyncio.wait({over}, timeout=WAITS[failed] * (0.5 + random.random() / 2))

    async def _once(self) -> None:
        """One connection, from discovery to its end."""
        from websockets.asyncio.client import connect

        client = sdk.socket_client(self._app_id, self._secret, self._domain)
        client._configure = partial(_configure, client)
        client._handle_data_frame = partial(self._event, client)
        url = await self._discover(client)
        options: dict[str, Any] = {"proxy": self._proxy or None, "open_timeout": sdk.TIMEOUT, "max_size": FRAME}
        async with connect(url, close_timeout=CLOSE_SECONDS, **options) as conn:
            query = parse_qs(urlsplit(url).query)
            client._conn, client._conn_id = conn, query["device_id"][0]
            client._service_id = query["service_id"][0]
            self._conn, self._heard, self._since = conn, time.monotonic(), time.time()
            self._connects += 1
            log.info("feishu: connected")
            tasks = [asyncio.ensure_future(work) for work in (self._read(client, conn), self._beat(client))]
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

    async def _event(self, client: Any, frame: Any) -> None:
        """Takes an event and sends its frame back with the answer. In the place of the SDK's own, which lets every
        other frame wait meanwhile, and drops presses on buttons that come as frames of their own."""
        head = {header.key: header.value for header in frame.headers}
        payload, parts = frame.payload, int(head.get("sum") or 1)
        if parts > 1:
            payload = client._combine(head["message_id"], parts, int(head["seq"]), payload)
        if payload is None:  # the rest is to come
            return
        begun = time.monotonic()
        answer: dict[str, int | str] = {"code": 200}
        try:
            told = await self._handle(payload)
            frame.headers.add(key="biz_rt", value=str(round((time.monotonic() - begun) * 1000)))
            if told is not None:
                answer["data"] = base64.b64encode(json.dumps(told, ensure_ascii=False).encode()).decode()
        except Exception as e:
            log.error("feishu: an event could not be taken: %s", e, exc_info=not isinstance(e, HermesError))
            answer = {"code": 500}
        frame.payload = json.dumps(answer).encode()
        await client._write_message(frame.SerializeToString())

    async def _beat(self, client: Any) -> None:
        """Pings as often as the platform last asked for; ends a connection over which nothing comes, pongs included."""
        pinged = 0.0
        while time.monotonic() - self._heard <= self._deaf:
            self._ping = float(client._ping_interval)
            if not pinged or time.monotonic() - pinged >= self._ping:
                await client._write_message(sdk.ping(client._service_id))
                pinged = time.monotonic()
            await asyncio.sleep(min(1.0, self._ping / 2))
        raise ConnectionError("nothing came over it, not even pongs")

    async def _discover(self, client: Any) -> str:
        """The address to connect to. The platform's numbers are taken where they are sound."""
        body = {"AppID": self._app_id, "AppSecret": self._secret}
        post = partial(self._http.post, self._domain + DISCOVERY, json=body, headers={"locale": "zh"})
        async with asyncio.timeout(DISCOVERY_SECONDS):
            answer = await _on_a_thread(partial(post, timeout=sdk.TIMEOUT, allow_redirects=False))
        try:
            told = answer.json()
            code, data = told.get("code"), within(told, "data")
        except (ValueError, AttributeError):
            said = f"discovery answered HTTP {answer.status_code}, and not as the platform does"
            raise Refusal("passing", None, said) from None
        if answer.status_code != 200 or code != 0:
            raise Refusal("setup", code, f"discovery was refused: {told.get('msg')}")
        given = within(data, "ClientConfig").get("PingInterval")
        client._ping_interval = given if isinstance(given, int) and given > 0 else PING
        self._ping = float(client._ping_interval)
        url = str(data.get("URL") or "")
        if not {"device_id", "service_id"} <= parse_qs(urlsplit(url).query).keys():
            raise Refusal("passing", None, "discovery named no address to connect to")
        return url


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


def _on_a_thread(work: Callable[[], Any]) -> asyncio.Future[Any]:
    """Blocking work on a thread that nobody waits for: neither who stops, nor the end of the process."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: Exception | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)

    def run() -> None:
        result, failed = None, None
        try:
            result = work()
        except Exception as e:
            failed = e
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, result, failed)

    threading.Thread(target=run, name="feishu-discovery", daemon=True).start()
    return done


async def _end(tasks: Sequence[asyncio.Future[Any]]) -> list[Any]:
    """What became of each; those that aren't done are cancelled."""
    for task in tasks:
        task.cancel()
    return await asyncio.gather(*tasks, return_exceptions=True)

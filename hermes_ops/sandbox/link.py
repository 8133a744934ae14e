"""The long connection: discovery, web sockets, frames, and the answers to what was pushed. Source: protocol, 2.

It pushes once and says what came back; repeats are in `pushes.py`. The faults of this side are plain attributes.
"""

from __future__ import annotations

import asyncio
import base64
import json
import random
import time
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from hermes_ops.sandbox import frames
from hermes_ops.sandbox.errors import Json
from hermes_ops.sandbox.ids import fresh
from hermes_ops.sandbox.journal import Journal
from hermes_ops.sandbox.model import App
from hermes_ops.sandbox.wire import hand_of
from hermes_ops.sandbox.world import World

PATH, DISCOVERY = "/ws/v2", "/callback/ws/endpoint"
MOST, WITHIN, SERVICE = 50, 3.0, 33554678
FRAGMENT = 512 << 10
CLIENT_CONFIG = {"ReconnectCount": -1, "ReconnectInterval": 1, "ReconnectNonce": 1, "PingInterval": 120}


@dataclass(eq=False)
class Connection:
    """One web socket of an app."""

    device_id: str
    app: App
    socket: WebSocket
    deaf: bool = False
    pings: int = 0


@dataclass(frozen=True)
class Ack:
    """What came back for a push: the code, the callback's answer, real seconds it took, the handler's own ms."""

    code: int
    data: Any = None
    after: float = 0.0
    biz_rt: str = ""
    device_id: str = ""
    bad: str = ""  # why the answer could not be read


@dataclass
class Faults:
    """Switches of the long connection. `discovery` is (HTTP status, code, text); `handshake` headers of a refusal."""

    discovery: tuple[int, int, str] | None = None
    discovery_hangs: bool = False
    handshake: dict[str, str] | None = None
    pong: bool = True
    card_frames: bool = False  # clicks come as frames of type "card"
    lose_last_fragment: bool = False
    shuffle_fragments: bool = False  # the last part comes first, and every part twice


class Link:
    """All long connections of one sandbox. `client_config` is what discovery and, if set, pongs hand out."""

    def __init__(self, world: World, journal: Journal) -> None:
        self.world, self.journal = world, journal
        self.client_config: Json = dict(CLIENT_CONFIG)
        self.config_in_pong: Json | None = None
        self.faults = Faults()
        self.fragment = FRAGMENT
        self.within = WITHIN
        self.base = ""  # ws://127.0.0.1:PORT
        self.connections: dict[str, Connection] = {}
        self._tickets: dict[str, App] = {}
        self._waiting: dict[str, asyncio.Future[Ack]] = {}
        self._sent: dict[str, float] = {}

    def of(self, app: App) -> list[Connection]:
        return [c for c in self.connections.values() if c.app is app]

    # ── discovery and handshake ──────────────────────────────────────────────────────────────

    async def discover(self, body: Json) -> tuple[int, Json]:
        """(HTTP status, answer) of POST /callback/ws/endpoint."""
        while self.faults.discovery_hangs:  # noqa: ASYNC110  a switch that anybody may turn, not an event
            await asyncio.sleep(0.02)
        status, code, msg = self.faults.discovery or self._credentials(body)
        answer: Json = {"code": code, "msg": msg}
        if code == 0 and status == 200:
            answer["data"] = {"URL": self._address(self.world.apps[body["AppID"]]), "ClientConfig": self.client_config}
        return status, answer

    def _credentials(self, body: Json) -> tuple[int, int, str]:
        app = self.world.apps.get(str(body.get("AppID")))
        if not body.get("AppID") or not body.get("AppSecret"):
            return 200, 1000040344, "no credential"
        if app is None or app.secret != body["AppSecret"]:
            return 200, 514, "auth failed"
        if not app.enabled:
            return 200, 403, "forbidden"
        if len(self.of(app)) >= MOST:
            return 200, 1000040350, "the number of connections exceeded the limit"
        return 200, 0, ""

    def _address(self, app: App) -> str:
        device, ticket = str(random.randrange(10**18, 10**19)), fresh("")
        self._tickets[ticket] = app
        query = f"fpid=493&aid=552564&device_id={device}&access_key={fresh('')}&service_id={SERVICE}&ticket={ticket}"
        return f"{self.base}{PATH}?{query}"

    async def serve(self, socket: WebSocket) -> None:
        """One connection from its handshake to its end."""
        app = self._tickets.pop(socket.query_params.get("ticket", ""), None)
        refusal = self.faults.handshake
        if app is None and refusal is None:
            refusal = {"handshake-status": "514", "handshake-msg": "bad ticket", "handshake-autherrcode": "1000040346"}
        if refusal is not None or app is None:
            self.journal.add("socket", what="refused", headers=refusal)
            await socket.send_denial_response(Response(status_code=403, headers=refusal))
            return
        connection = Connection(socket.query_params["device_id"], app, socket)
        await socket.accept()
        self.connections[connection.device_id] = connection
        self.journal.add("socket", what="connected", app=app.app_id, device=connection.device_id)
        code = 1006
        try:
            code = await self._listen(connection)
        finally:
            self.connections.pop(connection.device_id, None)
            self.journal.add("socket", what="closed", app=app.app_id, device=connection.device_id, code=code)

    async def _listen(self, connection: Connection) -> int:
        """Reads until the end; returns the close code that the client sent, 1006 without one."""
        while True:
            try:
                message = await connection.socket.receive()
            except WebSocketDisconnect as e:
                return e.code
            if message["type"] == "websocket.disconnect":
                code = int(message.get("code") or 1006)
                return 1006 if code == 1005 else code
            if message.get("bytes") is None:
                self.journal.odd("a text message on the long connection", text=str(message.get("text"))[:200])
                continue
            await self._take(connection, message["bytes"])

    async def _take(self, connection: Connection, data: bytes) -> None:
        try:
            frame = frames.decode(data)
        except frames.BadFrame as e:
            self.journal.odd(f"a frame that can't be read: {e}", size=len(data))
            return
        self.journal.add("frame", way="in", method=frame.method, headers=frame.headers, size=len(frame.payload))
        if frame.method == frames.CONTROL and frame.headers.get("type") == "ping":
            connection.pings += 1
            if self.faults.pong:
                payload = json.dumps(self.config_in_pong).encode() if self.config_in_pong else b""
                pong = frames.Frame(service=frame.service, headers={"type": "pong"}, payload=payload)
                await self._send(connection, pong)
        elif frame.method == frames.DATA:
            self._acknowledged(connection, frame)
        else:
            self.journal.odd("a control frame that is no ping", headers=frame.headers)

    # ── pushing ──────────────────────────────────────────────────────────────────────────────

    async def push(self, app: App, payload: Json, kind: str = "event") -> Ack | None:
        """Sends one event to one of the app's connections, drawn by lot. None: no connection, or no answer in 3 s."""
        connections = self.of(app)
        if not connections:
            return None
        connection, mark = random.choice(connections), fresh("")
        answer: asyncio.Future[Ack] = asyncio.get_running_loop().create_future()
        self._waiting[mark], self._sent[mark] = answer, time.monotonic()
        try:
            await self._send_parts(connection, json.dumps(payload, ensure_ascii=False).encode(), mark, kind)
            return await asyncio.wait_for(answer, self.within)
        except TimeoutError:
            return None
        finally:
            del self._waiting[mark], self._sent[mark]

    async def _send_parts(self, connection: Connection, data: bytes, mark: str, kind: str) -> None:
        parts = [data[i : i + self.fragment] for i in range(0, len(data), self.fragment)]
        sending = parts[:-1] if self.faults.lose_last_fragment and len(parts) > 1 else parts
        stamp = int(time.time() * 1000)
        numbered = list(enumerate(sending))
        for seq, part in [*reversed(numbered), *numbered] if self.faults.shuffle_fragments else numbered:
            headers = {
                "type": kind,
                "message_id": mark,
                "sum": str(len(parts)),
                "seq": str(seq),
                "trace_id": fresh(""),
                "timestamp": str(stamp),
            }
            frame = frames.Frame(stamp, stamp, SERVICE, frames.DATA, headers, payload=part)
            await self._send(connection, frame)

    async def _send(self, connection: Connection, frame: frames.Frame) -> None:
        self.journal.add(
            "frame",
            way="out",
            method=frame.method,
            headers=frame.headers,
            size=len(frame.payload),
            device=connection.device_id,
        )
        if connection.deaf:
            return  # into the void, as with a half-open connection
        try:
            await connection.socket.send_bytes(frames.encode(frame))
        except (RuntimeError, WebSocketDisconnect, OSError) as e:
            self.journal.odd(f"a frame could not be sent: {type(e).__name__}", device=connection.device_id)

    def _acknowledged(self, connection: Connection, frame: frames.Frame) -> None:
        mark = frame.headers.get("message_id", "")
        waiting = self._waiting.get(mark)
        if waiting is None or waiting.done():
            self.journal.odd("an answer that nobody waits for any more", headers=frame.headers)
            return
        after = time.monotonic() - self._sent[mark]
        waiting.set_result(read_ack(frame, after, connection.device_id))

    # ── what goes wrong ──────────────────────────────────────────────────────────────────────

    async def drop(self, app: App | None = None, code: int = 1000) -> int:
        """Closes the connections with a close frame; returns how many."""
        closing = [c for c in self.connections.values() if app in (None, c.app)]
        for connection in closing:
            await connection.socket.close(code)
        return len(closing)

    def cut(self, app: App | None = None) -> int:
        """Ends the connections without a close frame; returns how many."""
        cutting = [c for c in self.connections.values() if app in (None, c.app)]
        for connection in cutting:
            hand_of(connection.socket.scope).cut()
        return len(cutting)

    def deafen(self, app: App | None = None) -> int:
        """Makes the present connections half-open: nothing is read or answered, pushes vanish; returns how many.

        They stay, and get their share of the events, until `bury`: the platform needs minutes to notice.
        """
        deafening = [c for c in self.connections.values() if app in (None, c.app)]
        for connection in deafening:
            connection.deaf = True
            hand_of(connection.socket.scope).deafen()
        return len(deafening)

    def bury(self) -> int:
        """The platform has noticed: the half-open connections are gone; returns how many."""
        dead = [c for c in self.connections.values() if c.deaf]
        for connection in dead:
            hand_of(connection.socket.scope).cut()
        return len(dead)


def read_ack(frame: frames.Frame, after: float, device_id: str) -> Ack:
    """The answer in a frame: `{"code": 200, "data": base64 of JSON}`."""
    biz_rt = frame.headers.get("biz_rt", "")
    code = 0
    try:
        body = json.loads(frame.payload)
        code = int(body["code"])
        data = json.loads(base64.b64decode(body["data"], validate=True)) if body.get("data") else None
    except (ValueError, KeyError, TypeError) as e:
        return Ack(code, None, after, biz_rt, device_id, bad=f"{type(e).__name__}: {e}")
    return Ack(code, data, after, biz_rt, device_id)

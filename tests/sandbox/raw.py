"""A client of our own for the sandbox: plain HTTP calls, and a long connection that answers as it is told."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from websockets.asyncio.client import ClientConnection, connect

from hermes_ops.sandbox import App, Sandbox
from hermes_ops.sandbox.frames import DATA, Frame, decode, encode

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1" + b"\0" * 20
Answering = Callable[[dict[str, Any]], Any]


@dataclass
class Answer:
    """`code` and `msg` of the platform, `data` or the flat fields, HTTP status and headers."""

    status: int
    body: dict[str, Any]
    headers: Any

    @property
    def code(self) -> int:
        return int(self.body["code"])

    @property
    def msg(self) -> str:
        return str(self.body["msg"])

    @property
    def data(self) -> Any:
        return self.body.get("data")


class Api:
    """REST calls of one app, with a token that is fetched once."""

    def __init__(self, box: Sandbox, app: App | None = None) -> None:
        self.box, self.app, self.token = box, app or box.app, ""
        self.http = httpx2.AsyncClient(base_url=box.domain + "/open-apis", trust_env=False, verify=False, timeout=10)

    async def __aenter__(self) -> Api:
        self.token, _ = self.box.tokens.issue(self.app.app_id, self.app.secret)
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.http.aclose()

    async def __call__(self, method: str, path: str, body: Any = None, *, files: Any = None, **query: Any) -> Answer:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        got = await self.http.request(method, path, json=body, files=files, params=query, headers=headers)
        return Answer(got.status_code, got.json(), got.headers)

    async def send(self, chat: Any, msg_type: str = "text", content: Any = None, **more: Any) -> Answer:
        text = json.dumps({"text": "hello"} if content is None else content, ensure_ascii=False)
        body = {"receive_id": chat.chat_id, "msg_type": msg_type, "content": text, **more}
        return await self("POST", "/im/v1/messages", body, receive_id_type="chat_id")

    async def reply(self, message_id: str, content: Any = None, msg_type: str = "text", **more: Any) -> Answer:
        text = json.dumps({"text": "hello"} if content is None else content, ensure_ascii=False)
        body = {"msg_type": msg_type, "content": text, **more}
        return await self("POST", f"/im/v1/messages/{message_id}/reply", body)


@dataclass
class Client:
    """A long connection. `answer` gets an event and returns an acknowledgement's JSON, or None to say nothing."""

    socket: ClientConnection
    answer: Answering
    frames: list[Frame] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    async def listen(self) -> None:
        parts: dict[str, dict[int, bytes]] = {}
        async for data in self.socket:
            assert isinstance(data, bytes)
            frame = decode(data)
            self.frames.append(frame)
            if frame.method != DATA:
                continue
            got = parts.setdefault(frame.headers["message_id"], {})
            got[int(frame.headers["seq"])] = frame.payload
            if len(got) == int(frame.headers["sum"]):
                await self._event(frame, b"".join(got[n] for n in sorted(got)))

    async def _event(self, frame: Frame, data: bytes) -> None:
        event = json.loads(data)
        self.events.append(event)
        answer = self.answer(event)
        if asyncio.iscoroutine(answer):
            answer = await answer
        if answer is not None:
            frame.payload = json.dumps(answer).encode()
            await self.socket.send(encode(frame))


def ok(data: Any = None) -> dict[str, Any]:
    """The acknowledgement of a handler that returned this."""
    return {"code": 200} | ({"data": base64.b64encode(json.dumps(data).encode()).decode()} if data is not None else {})


async def discover(box: Sandbox, app: App | None = None) -> dict[str, Any]:
    who = app or box.app
    async with httpx2.AsyncClient(trust_env=False, verify=False) as http:
        body = {"AppID": who.app_id, "AppSecret": who.secret}
        got = await http.post(box.domain + "/callback/ws/endpoint", json=body)
    return {"status": got.status_code, **got.json()}


@asynccontextmanager
async def connected(box: Sandbox, answer: Answering | None = None, app: App | None = None) -> AsyncIterator[Client]:
    """A long connection that is read from until the end of the block."""
    address = (await discover(box, app))["data"]["URL"]
    async with connect(address, proxy=None, close_timeout=1) as socket:
        client = Client(socket, answer or (lambda event: ok()))
        reading = asyncio.create_task(client.listen())
        await box.connected(app)
        yield client
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)

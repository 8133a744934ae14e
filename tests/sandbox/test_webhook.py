"""The webhook mode, against a small receiver of our own: signature, encryption, challenge, repeats."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from Crypto.Cipher import AES
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hermes_ops.sandbox import Sandbox
from hermes_ops.sandbox.wire import Server
from tests.sandbox.raw import Api
from tests.sandbox.test_cards import BUTTON, card, md

KEY, TOKEN = "an-encrypt-key", "a-verification-token"


def opened(body: bytes, key: str = KEY) -> dict[str, Any]:
    data = base64.b64decode(json.loads(body)["encrypt"])
    plain = AES.new(hashlib.sha256(key.encode()).digest(), AES.MODE_CBC, data[:16]).decrypt(data[16:])
    found: dict[str, Any] = json.loads(plain[: -plain[-1]])
    return found


@dataclass
class Receiver:
    """Answers challenges; everything else as `status` and `answer` say."""

    url: str = ""
    status: int = 200
    answer: bytes = b'{"msg": "success"}'
    pause: float = 0.0
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    async def __call__(self, request: Request) -> Response:
        body = await request.body()
        self.got.append((dict(request.headers), body))
        await asyncio.sleep(self.pause)
        data = opened(body) if b'"encrypt"' in body else json.loads(body)
        if data.get("type") == "url_verification":
            return Response(json.dumps({"challenge": data["challenge"]}))
        return Response(self.answer, self.status)


@pytest.fixture
async def receiver(box: Sandbox) -> AsyncIterator[Receiver]:
    receiver = Receiver()

    async def receive(request: Request) -> Response:
        return await receiver(request)

    server = Server(Starlette(routes=[Route("/hook", receive, methods=["POST"])]), "127.0.0.1", 0)
    await server.start()
    receiver.url = box.app.webhook = f"http://127.0.0.1:{server.port}/hook"
    box.app.verification_token = TOKEN
    yield receiver
    await server.stop()


async def test_a_plain_event_carries_the_token(box: Sandbox, receiver: Receiver) -> None:
    said = await box.say("alice", box.p2p("alice"), "hello")
    delivery = await box.deliveries(said)[0].settled()
    assert delivery.taken
    headers, body = receiver.got[0]
    assert json.loads(body)["header"]["token"] == TOKEN
    assert "x-lark-signature" not in headers


async def test_with_a_key_it_is_sealed_and_signed(box: Sandbox, receiver: Receiver) -> None:
    box.app.encrypt_key = KEY
    said = await box.say("alice", box.p2p("alice"), "你好")
    await box.deliveries(said)[0].settled()
    headers, body = receiver.got[0]
    assert json.loads(opened(body)["event"]["message"]["content"])["text"] == "你好"
    stamp, nonce = headers["x-lark-request-timestamp"], headers["x-lark-request-nonce"]
    assert headers["x-lark-signature"] == hashlib.sha256((stamp + nonce + KEY).encode() + body).hexdigest()


def test_the_documented_example_of_the_cipher() -> None:
    data = base64.b64decode("P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=")
    plain = AES.new(hashlib.sha256(b"test key").digest(), AES.MODE_CBC, data[:16]).decrypt(data[16:])
    assert plain[: -plain[-1]] == b"hello world"


@pytest.mark.parametrize("key", ["", KEY])
async def test_the_challenge_is_unsigned(box: Sandbox, receiver: Receiver, key: str) -> None:
    box.app.encrypt_key = key
    ack = await box.webhook.challenge(box.app)
    assert ack is not None
    assert (ack.code, ack.bad) == (200, "")
    assert "x-lark-signature" not in receiver.got[0][0]


async def test_faults_of_the_signature(box: Sandbox, receiver: Receiver) -> None:
    box.app.encrypt_key, faults = KEY, box.webhook.faults

    async def headers() -> tuple[dict[str, str], bytes]:
        await box.webhook.push(box.app, {"schema": "2.0"})
        return receiver.got[-1]

    faults.bad_signature = True
    assert (await headers())[0]["x-lark-signature"] == "0" * 64
    faults.bad_signature, faults.age, faults.nonce = False, 3600, "same"
    first, body = await headers()
    assert first["x-lark-request-nonce"] == "same"
    stamp = first["x-lark-request-timestamp"]
    assert first["x-lark-signature"] == hashlib.sha256((stamp + "same" + KEY).encode() + body).hexdigest()
    faults.unsigned, faults.plain = True, True
    bare, body = await headers()
    assert "x-lark-signature" not in bare
    assert json.loads(body) == {"schema": "2.0"}


@pytest.mark.parametrize("status", [500, 301, 204])
async def test_anything_but_200_is_repeated(box: Sandbox, receiver: Receiver, status: int) -> None:
    receiver.status = status
    box.pushes.repeats = (15,)
    said = await box.say("alice", box.p2p("alice"), "hello")
    await box.until(lambda: len(receiver.got) == 1)
    receiver.status = 200
    await box.until(lambda: len(box.deliveries(said)[0].acks) == 1)
    box.clock.advance(15)
    delivery = await box.deliveries(said)[0].settled()
    assert [ack.code for ack in delivery.acks if ack] == [status, 200]


async def test_slow_and_absent_receivers(box: Sandbox, receiver: Receiver) -> None:
    assert box.webhook.within == 3.0
    box.webhook.within, receiver.pause = 0.1, 0.3
    assert await box.webhook.push(box.app, {}) is None
    box.app.webhook = "http://127.0.0.1:1/hook"
    assert await box.webhook.push(box.app, {}) is None
    box.app.webhook = "file:///etc/hosts"
    assert await box.webhook.push(box.app, {}) is None


async def test_a_press_is_answered_in_the_body_and_not_repeated(box: Sandbox, api: Api, receiver: Receiver) -> None:
    sent = await api.send(box.group, "interactive", card(md("x"), BUTTON))
    message = box.world.messages[sent.data["message_id"]]
    receiver.answer = b'{"toast": {"type": "info", "content": "ok"}}'
    click = await box.click("alice", message, "停止")
    assert (click.code, click.toast["content"]) == (0, "ok")
    receiver.status = 500
    assert (await box.click("alice", message, "停止")).code == 200671
    assert len(receiver.got) == 2

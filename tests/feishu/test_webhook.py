"""Web hook mode: what the platform sends gets through, what anybody else sends doesn't."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from hermes_ops.channels.feishu.webhook import WebHook
from hermes_ops.sandbox import Sandbox
from hermes_ops.settings import FeishuSettings
from orchestrator.errors import StoreError
from tests.feishu.rig import QUESTION, bot, words

KEY, TOKEN = "an encrypt key", "a verification token"
PATH = "/feishu/events"


@pytest.mark.parametrize("key", [KEY, ""])
async def test_questions_and_clicks_come_by_web_hook(tmp_path: Path, key: str) -> None:
    box = Sandbox()
    box.app.encrypt_key, box.app.verification_token = key, TOKEN
    given = {"mode": "webhook", "verification_token": SecretStr(TOKEN), "encrypt_key": SecretStr(key) if key else None}
    async with box, bot(box, tmp_path, **given) as b:
        box.app.webhook = b.service.url + PATH
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        card = await b.done(asked)
        assert "[A1]" in words(card)
        click = await box.click("alice", card, "👎")
        assert (click.code, click.changed) == (0, True)
        assert b.service.ready()[0]
        assert box.link.connections == {}


class Heard:
    """A channel that keeps what comes through."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.incomings: Any = self
        self.hook_problem = ""
        self.error: Exception | None = None

    async def handle(self, payload: bytes) -> None:
        if self.error:
            raise self.error
        self.events.append(json.loads(payload))


def hook(key: str = "", token: str = TOKEN) -> tuple[WebHook, Heard]:
    given = {"encrypt_key": SecretStr(key) if key else None, "verification_token": SecretStr(token) if token else None}
    heard = Heard()
    return WebHook(FeishuSettings().model_copy(update=given), heard), heard


def encrypted(key: str, event: Any) -> bytes:
    import base64
    import secrets

    from Crypto.Cipher import AES
    from Crypto.Util.Padding import pad

    iv = secrets.token_bytes(16)
    cipher = AES.new(sha256(key.encode()).digest(), AES.MODE_CBC, iv)
    sealed = base64.b64encode(iv + cipher.encrypt(pad(json.dumps(event).encode(), 16))).decode()
    return json.dumps({"encrypt": sealed}).encode()


def signed(key: str, body: bytes, at: float | None = None, nonce: str = "n1") -> dict[str, str]:
    stamp = str(int(at if at is not None else time.time()))
    mark = sha256(f"{stamp}{nonce}{key}".encode() + body).hexdigest()
    return {"x-lark-request-timestamp": stamp, "X-Lark-Request-Nonce": nonce, "X-LARK-SIGNATURE": mark}


EVENT = {"schema": "2.0", "header": {"event_type": "x", "token": TOKEN}, "event": {}}


async def test_the_challenge_is_answered_unsigned_and_only_with_the_token() -> None:
    challenge = {"challenge": 'a"b', "token": TOKEN, "type": "url_verification"}
    plain, _ = hook()
    assert await plain({}, json.dumps(challenge).encode()) == (200, {"challenge": 'a"b'})
    assert (await plain({}, json.dumps({**challenge, "token": "x"}).encode()))[0] == 403
    sealed, _ = hook(KEY)
    assert await sealed({}, encrypted(KEY, challenge)) == (200, {"challenge": 'a"b'})
    assert (await sealed({}, json.dumps(challenge).encode()))[0] == 403


async def test_only_fresh_signed_and_encrypted_events_get_through_once() -> None:
    sealed, heard = hook(KEY)
    body = encrypted(KEY, EVENT)
    good = signed(KEY, body)
    refused = [
        ({}, body),
        (signed("another", body), body),
        (signed(KEY, body, time.time() - 3600, "n2"), body),
        (signed(KEY, json.dumps(EVENT).encode()), json.dumps(EVENT).encode()),
        (good, body + b" "),
        ({}, b""),
        ({}, b"[1]"),
    ]
    for headers, given in refused:
        assert (await sealed(headers, given))[0] == 403
    assert heard.events == []
    assert await sealed(good, body) == (200, {})
    assert (await sealed(good, body))[0] == 403  # the same request a second time
    assert heard.events == [EVENT]


async def test_a_body_without_the_token_is_refused_where_there_is_no_key() -> None:
    plain, heard = hook()
    assert (await plain({}, json.dumps({**EVENT, "header": {"event_type": "x"}}).encode()))[0] == 403
    assert (await plain({}, json.dumps(EVENT).encode()))[0] == 200
    await asyncio.sleep(0)
    assert len(heard.events) == 1


@pytest.mark.parametrize("error", [StoreError("away"), RuntimeError("a fault of ours")])
async def test_what_could_not_be_stored_may_come_again_as_it_was(error: Exception) -> None:
    sealed, heard = hook(KEY)
    body = encrypted(KEY, EVENT)
    good = signed(KEY, body)
    heard.error = error
    assert (await sealed(good, body))[0] == 503
    heard.error = None
    assert (await sealed(good, body))[0] == 200
    assert len(heard.events) == 1


async def test_why_requests_are_refused_is_told_until_one_is_good() -> None:
    sealed, heard = hook(KEY)
    body = encrypted(KEY, EVENT)
    for skew in (-400, 400):
        assert (await sealed(signed(KEY, body, time.time() + skew), body))[0] == 403
        assert "clock" in heard.hook_problem
    assert (await sealed(signed(KEY, body), body))[0] == 200
    assert heard.hook_problem == ""


async def test_bodies_that_come_in_pieces_are_read_and_too_large_ones_are_not(tmp_path: Path) -> None:
    box = Sandbox()
    box.app.verification_token = TOKEN
    async with box, bot(box, tmp_path, mode="webhook", verification_token=SecretStr(TOKEN)) as b:
        box.app.webhook = b.service.url + PATH
        asked = await box.say("alice", box.p2p("alice"), "/help")
        await box.answered(asked)
        [delivery] = box.deliveries(asked)
        whole = json.dumps(delivery.payload).encode()

        async def pieces(data: bytes) -> AsyncIterator[bytes]:
            for start in range(0, len(data), 100):
                yield data[start : start + 100]

        async with httpx2.AsyncClient(base_url=b.service.url) as http:
            assert (await http.post(PATH, content=pieces(whole))).status_code == 200
            assert (await http.post(PATH, content=whole + b" " * (2 << 20))).status_code == 403
        assert len(box.answers(asked)) == 1


DEEP = 100_000
HOSTILE = (
    b"[" * DEEP,
    b"[" * DEEP + b"]" * DEEP,
    b'{"header":' * 20_000,
    b'{"header":[1]}',
    b'{"header":"x","token":["x"]}',
    b'{"token":' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"header":{"token":"\\ud800"}}',
    b'{"encrypt":[1]}',
    b'{"encrypt":' + b"[" * 900 + b"]" * 900 + b"}",
    b"\xff\xfe",
    b"null",
    b"NaN",
)


@pytest.mark.parametrize("key", [KEY, ""])
@pytest.mark.parametrize("body", HOSTILE, ids=lambda body: body[:24].decode("ascii", "replace"))
async def test_no_body_breaks_anything(key: str, body: bytes) -> None:
    given, heard = hook(key)
    status, said = await given(signed(KEY, body), body)
    assert status == 403
    assert said["msg"] == heard.hook_problem
    assert heard.events == []


async def test_what_is_let_through_is_handed_on_whatever_it_holds() -> None:
    given, heard = hook("", "")
    for depth in (500, 900, 960, 980, 990, 1_000, 100_000):
        body = b'{"header": {}, "event": ' + b"[" * depth + b"]" * depth + b"}"
        assert (await given({}, body))[0] in (200, 403)
    assert (await given({}, b'{"event": "\\ud800"}'))[0] == 200
    assert heard.events[-1] == {"event": "\ud800"}

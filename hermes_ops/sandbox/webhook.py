"""The webhook mode: one push as a signed, and if there is a key encrypted, HTTP request. Source: protocol, 3.

It sends once; repeats are in `pushes.py`. Requests go to the address that the app's console would hold.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from Crypto.Cipher import AES

from hermes_ops.sandbox.errors import Json
from hermes_ops.sandbox.ids import fresh
from hermes_ops.sandbox.journal import Journal
from hermes_ops.sandbox.link import Ack
from hermes_ops.sandbox.model import App

WITHIN, CHALLENGE_WITHIN = 3.0, 1.0


@dataclass
class Faults:
    """Switches of the webhook mode. `age` is subtracted from the timestamp, in seconds, and signed as it then is."""

    bad_signature: bool = False
    unsigned: bool = False
    plain: bool = False  # not encrypted although there is a key
    age: float = 0.0
    nonce: str = ""  # the same one again


class Webhook:
    """Posts pushes to apps with a `webhook` address."""

    def __init__(self, journal: Journal) -> None:
        self.journal, self.faults, self.within = journal, Faults(), WITHIN

    async def push(self, app: App, payload: Json) -> Ack | None:
        """One request. None: no answer within 3 s, or no connection. A code other than 200 is a failure."""
        body = sealed(payload, "" if self.faults.plain else app.encrypt_key)
        headers = self._signed(app, body)
        return await self._post(app, body, headers, self.within)

    async def challenge(self, app: App, token: str | None = None) -> Ack | None:
        """The check of the address when it is saved: unsigned, even with a key; `data` is what was answered."""
        asked = {"challenge": fresh(""), "type": "url_verification"}
        body = sealed({**asked, "token": app.verification_token if token is None else token}, app.encrypt_key)
        ack = await self._post(app, body, {}, CHALLENGE_WITHIN)
        if ack is not None and ack.code == 200 and ack.data != {"challenge": asked["challenge"]}:
            return Ack(ack.code, ack.data, ack.after, bad="the challenge did not come back")
        return ack

    def _signed(self, app: App, body: bytes) -> dict[str, str]:
        stamp = str(int(time.time() - self.faults.age))
        nonce = self.faults.nonce or fresh("", 16)
        headers = {"X-Lark-Request-Timestamp": stamp, "X-Lark-Request-Nonce": nonce, "X-Request-Id": fresh("")}
        if app.encrypt_key and not self.faults.unsigned:
            good = signature(stamp, nonce, app.encrypt_key, body)
            headers["X-Lark-Signature"] = "0" * 64 if self.faults.bad_signature else good
        return {} if self.faults.unsigned else headers

    async def _post(self, app: App, body: bytes, headers: dict[str, str], within: float) -> Ack | None:
        began = time.monotonic()
        try:
            status, answer = await asyncio.to_thread(post, app.webhook, body, headers, within)
        except OSError as e:
            self.journal.add("webhook", app=app.app_id, failed=f"{type(e).__name__}: {e}")
            return None
        after = time.monotonic() - began
        self.journal.add(
            "webhook", app=app.app_id, status=status, after=after, answer=answer[:500].decode("utf-8", "replace")
        )
        try:
            return Ack(status, json.loads(answer) if answer.strip() else None, after)
        except ValueError as e:
            return Ack(status, None, after, bad=str(e))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def post(address: str, body: bytes, headers: dict[str, str], within: float) -> tuple[int, bytes]:
    """(status, body) of a POST; redirects and proxies are not followed. Raises OSError."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())
    full = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "Go-http-client/1.1", **headers}
    if not address.startswith(("http://", "https://")):
        raise OSError(f"the webhook address {address!r} is neither http nor https")
    request = urllib.request.Request(address, body, full, method="POST")  # noqa: S310
    try:
        with opener.open(request, timeout=within) as answer:
            return answer.status, answer.read(1 << 20)
    except urllib.error.HTTPError as e:
        with e:
            return e.code, e.read(1 << 20)


def signature(stamp: str, nonce: str, key: str, body: bytes) -> str:
    """Hexadecimal SHA-256 over timestamp, nonce, key and the body as it is sent."""
    return hashlib.sha256((stamp + nonce + key).encode() + body).hexdigest()


def sealed(payload: Json, key: str) -> bytes:
    """The body of a push: `{"encrypt": …}` with a key (AES-256-CBC, PKCS7, random IV in front), else plain JSON."""
    data = json.dumps(payload, ensure_ascii=False).encode()
    if not key:
        return data
    padding, iv = 16 - len(data) % 16, os.urandom(16)
    cipher = AES.new(hashlib.sha256(key.encode()).digest(), AES.MODE_CBC, iv)
    secret = cipher.encrypt(data + bytes([padding]) * padding)
    return json.dumps({"encrypt": base64.b64encode(iv + secret).decode()}).encode()

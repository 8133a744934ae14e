"""Events by web hook: challenge, signature, freshness, encryption; what is let through goes the way of every event.

Source: the platform's documentation of request security. Its SDK checks neither freshness nor that a body is encrypted
where it must be, and answers 500 where a header is written in lower case; so the checks are ours.
"""

from __future__ import annotations

import hmac
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Protocol

from hermes_ops.channels.feishu import sdk
from hermes_ops.channels.feishu.content import within
from hermes_ops.channels.feishu.incoming import Incomings
from hermes_ops.settings import FeishuSettings
from orchestrator.contracts import Json
from orchestrator.errors import HermesError

FRESH = 300  # seconds between the platform's clock and ours
NONCES = 10_000  # that are remembered

log = logging.getLogger("hermes_ops.feishu")

Answer = tuple[int, dict[str, Any]]


class Listening(Protocol):
    """`hook_problem`: why the last request was refused, "" after a good one."""

    incomings: Incomings | None
    hook_problem: str


class Refused(Exception):
    """Why a request isn't let through."""


class WebHook:
    """`await hook(headers, body)` → status and JSON. Header names in any case."""

    def __init__(self, settings: FeishuSettings, channel: Listening) -> None:
        key, token = settings.encrypt_key, settings.verification_token
        self._key = key.get_secret_value() if key else ""
        self._token = token.get_secret_value() if token else ""
        self._channel = channel
        self._nonces: OrderedDict[str, None] = OrderedDict()

    async def __call__(self, headers: Mapping[str, str], body: bytes) -> Answer:
        named = {name.lower(): value for name, value in headers.items()}
        try:
            event = self._opened(body)
            self._known(event)
            if event.get("type") == "url_verification":  # comes without a signature
                return 200, {"challenge": str(event.get("challenge") or "")}
            nonce = self._signed(named, body)
            payload = json.dumps(event).encode()
        except (Refused, RecursionError) as e:
            return self._refused(str(e) if isinstance(e, Refused) else "the body is nested too deeply")
        if self._channel.incomings is None:
            return 503, {"msg": "not ready"}
        self._once(nonce)
        try:
            answer = await self._channel.incomings.handle(payload)
        except Exception as e:
            self._nonces.pop(nonce, None)  # it has to come again
            log.error("feishu: an event could not be taken: %s", e, exc_info=not isinstance(e, HermesError))
            return 503, {"msg": "not stored"}
        self._channel.hook_problem = ""
        return 200, answer if isinstance(answer, dict) else {}

    def _refused(self, why: str) -> Answer:
        self._channel.hook_problem = why
        log.warning("feishu: a request was refused: %s", why)
        return 403, {"msg": why}

    def _opened(self, body: bytes) -> Json:
        try:
            told = json.loads(body)
            if self._key:
                told = json.loads(sdk.decrypt(self._key, told["encrypt"]))
        except (ValueError, KeyError, TypeError):
            raise Refused("the body is not encrypted as it must be" if self._key else "the body is no JSON") from None
        if not isinstance(told, dict):
            raise Refused("the body is no JSON object")
        return told

    def _known(self, event: Json) -> None:
        """The token is inside: at the top of a challenge, in the header of an event."""
        given = str(event.get("token") or within(event, "header").get("token") or "")
        if self._token and not hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode()):
            raise Refused("the verification token is wrong")

    def _signed(self, headers: Mapping[str, str], body: bytes) -> str:
        """The request's nonce, "" where nothing is signed."""
        if not self._key:
            return ""
        at, nonce = headers.get("x-lark-request-timestamp", ""), headers.get("x-lark-request-nonce", "")
        wanted = sha256(f"{at}{nonce}{self._key}".encode() + body).hexdigest()
        if not hmac.compare_digest(headers.get("x-lark-signature", "").encode(), wanted.encode()):
            raise Refused("the signature is wrong or missing")
        if not at.isdecimal() or abs(time.time() - int(at)) > FRESH:
            raise Refused("the request is not fresh, or this machine's clock is wrong")
        if nonce in self._nonces:
            raise Refused("the request came before")
        return nonce

    def _once(self, nonce: str) -> None:
        if nonce:
            self._nonces[nonce] = None
        if len(self._nonces) > NONCES:
            self._nonces.popitem(last=False)

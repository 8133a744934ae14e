"""Calls of the platform: one narrow door through the SDK. Failures of all three kinds that the SDK has become Refusals;
what passes is tried again, a revoked token renewed once, no chat is written to faster than it may be.

Neither what is sent nor a secret is ever logged, but the platform's `log_id` is.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from hermes_ops.channels.feishu import sdk
from hermes_ops.channels.feishu.errors import QUOTA, Refusal, sort_of
from orchestrator.contracts import Json

ATTEMPTS = 5
FIRST_WAIT, LONGEST_WAIT = 0.4, 15.0  # seconds between attempts
PER_CHAT, PER_APP = 0.25, 0.025  # seconds between messages: the platform takes 5 a second in a chat, 50 of an app
THREADS = 16

log = logging.getLogger("hermes_ops.feishu")


class Api:
    """`count`: told of each call that counts against the tenant's monthly quota; `exhausted`: it is used up."""

    def __init__(self, app_id: str, secret: str, domain: str, proxy: str, count: Callable[[], None]) -> None:
        self.app_id, self._secret, self._domain, self._count = app_id, secret, domain, count
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="feishu-rest")
        self._http: Any = None
        self._proxy = sdk.proxy_for(domain, proxy)
        self._client: Any = None
        self._free: dict[str, float] = {}
        self.exhausted = False

    async def open(self) -> None:
        """Imports the SDK, which takes seconds. Raises ValueError for a domain that it refuses."""
        self._http = sdk.session(self._proxy)
        make = partial(sdk.client, self.app_id, self._secret, self._domain, self._http)
        self._client = await asyncio.get_running_loop().run_in_executor(self._pool, make)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._http is not None:
            self._http.close()

    async def call(
        self,
        method: str,
        path: str,
        body: Json = None,
        query: dict[str, str] | None = None,
        chat: str = "",
        attempts: int = ATTEMPTS,
    ) -> Json:
        """The whole answer. `chat`: it puts a message there. Raises Refusal."""
        raw = await self._tried(partial(self._once, method, path, body, query or {}, "json"), chat, attempts)
        return json.loads(raw)

    async def download(self, path: str, query: dict[str, str]) -> bytes:
        """Raises Refusal, also for what is larger than `sdk.MOST`."""
        return await self._tried(partial(self._once, "GET", path, None, query, "bytes"), "", ATTEMPTS)

    async def _tried(self, once: Callable[[], bytes], chat: str, attempts: int) -> bytes:
        """A token that is renewed makes no attempt."""
        wait, renewed, failed = FIRST_WAIT, False, 0
        while True:
            await self._turn(chat)
            self._count()
            try:
                got = await asyncio.get_running_loop().run_in_executor(self._pool, once)
                self.exhausted = False
                return got
            except Refusal as e:
                if e.code == QUOTA and not self.exhausted:
                    self.exhausted = True
                    log.error("feishu: the tenant's calls of this month are used up: nobody can be answered")
                if e.sort == "token" and not renewed:
                    renewed = True
                    sdk.forget_token(self.app_id)
                    continue
                failed += 1
                if e.sort != "passing" or failed >= attempts:
                    raise
                await asyncio.sleep(min(max(e.wait, wait * (0.5 + random.random())), LONGEST_WAIT))
                wait *= 2

    async def _turn(self, chat: str) -> None:
        """Waits until this chat, and then the app, may be written to; a chat that has to wait holds up no other."""
        for which, apart in ((chat, PER_CHAT), ("", PER_APP)) if chat else ():
            now = time.monotonic()
            at = max(now, self._free.get(which, 0.0))
            self._free[which] = at + apart
            if len(self._free) > 1000:
                self._free = {k: v for k, v in self._free.items() if v > now}
            await asyncio.sleep(at - now)

    # ── in a thread ───────────────────────────────────────────────────────────────────────────

    def _once(self, method: str, path: str, body: Json, query: dict[str, str], want: str) -> bytes:
        try:
            answer = self._client.request(sdk.request(method, path, query, body))
        except Exception as e:
            refusal = _raised(e)
            log.info("feishu: %s %s: %s", method, _shape(path), refusal)
            raise refusal from None
        raw, content = answer.raw, bytes(answer.raw.content or b"")
        headers = {str(name).lower(): str(value) for name, value in raw.headers.items()}  # the SDK looks by exact case
        told = _told(content) if headers.get("content-type", "").startswith("application/json") else None
        file = want == "bytes" and (told is None or "content-disposition" in headers)  # one may be JSON itself
        if (file and 200 <= raw.status_code < 300) or (told or {}).get("code") == 0:
            return content
        refusal = _refused(told, raw.status_code, headers)
        log.info("feishu: %s %s: %s, %s", method, _shape(path), refusal.sort, refusal.marks)
        raise refusal


def _told(content: bytes) -> dict[str, Json] | None:
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _refused(told: dict[str, Json] | None, status: int, headers: dict[str, str]) -> Refusal:
    log_id = headers.get("x-tt-logid", "")
    reset = headers.get("x-ogw-ratelimit-reset") or headers.get("retry-after") or ""  # the latter is a gateway's
    wait = float(reset) if reset.isdecimal() else 0.0
    if told is None:
        return Refusal(sort_of(None, status), None, f"HTTP {status}, no answer of the platform's", log_id, wait)
    given, msg = told.get("code"), str(told.get("msg") or "")[:500]
    code = given if isinstance(given, int) else None
    return Refusal(sort_of(code, status, msg), code, msg + _scopes(told.get("error")), log_id, wait)


def _raised(error: Exception) -> Refusal:
    """What the SDK throws: no token, a network that failed, an answer that can't be read or isn't of the form that the
    SDK expects."""
    code = getattr(error, "code", None)
    if type(error).__name__ == "ObtainAccessTokenException":
        code = code if isinstance(code, int) else None
        sort = sort_of(code, 400)
        return Refusal("setup" if sort == "never" else sort, code, f"no access token: {getattr(error, 'msg', '')}")
    if isinstance(error, sdk.TooLarge):
        return Refusal("never", None, str(error))
    if isinstance(error, OSError) and not isinstance(error, ValueError):  # requests' exceptions are; one is both
        return Refusal("passing", None, f"no connection: {type(error).__name__}")
    return Refusal("passing", None, f"the answer can't be read ({type(error).__name__})")


def _scopes(error: Any) -> str:
    """The scopes that an app lacks, named."""
    violations = (error.get("permission_violations") or ()) if isinstance(error, dict) else ()
    names = [str(v.get("subject")) for v in violations if isinstance(v, dict) and v.get("subject")]
    return f"; missing scope: {', '.join(names)}" if names else ""


def _shape(path: str) -> str:
    """A path without the ids in it."""
    return "/".join(
        ":id" if any(c.isdigit() or c == "_" for c in part) and part != "v1" else part for part in path.split("/")
    )

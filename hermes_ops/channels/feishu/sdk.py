"""The door to `lark_oapi`: imported once, late, in whatever thread asks first. What we need of it, and how we bend it.

Bent is one thing: its HTTP calls go through one `requests` session, so that connections are kept and a proxy applies
(the SDK has no setting for either).
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from hermes_ops.channels.keeping import MOST

TIMEOUT = 10.0  # seconds of a call, and of the connection's discovery
CONNECTIONS = 32  # that are kept
PIECE = 1 << 16  # bytes of an answer that are read at a time
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_importing = threading.Lock()


def proxy_for(domain: str, setting: str) -> str:
    """The HTTP proxy to the platform: the setting, else the environment's, never one for loopback; "" for none."""
    host = urlsplit(domain).hostname or ""
    if setting:
        return setting
    if host in LOOPBACK or proxy_bypass(host):
        return ""
    found = getproxies().get(urlsplit(domain).scheme, "")
    return found if found.startswith("http") else ""  # a SOCKS proxy would need another library


class TooLarge(Exception):
    """An answer that isn't read to its end."""


def session(proxy: str) -> Any:
    """A `requests` session that takes nothing from the environment, and follows nobody elsewhere: what is sent holds
    secrets. An answer is read as far as MOST: raises TooLarge."""
    import requests

    made = requests.Session()
    made.trust_env = False
    made.max_redirects = 0
    made.hooks["response"].append(_bounded)
    made.mount("https://", requests.adapters.HTTPAdapter(pool_maxsize=CONNECTIONS))
    made.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=CONNECTIONS))
    made.proxies = {"http": proxy, "https": proxy} if proxy else {}
    return made


def _bounded(response: Any, **options: Any) -> None:
    """Before it is read whole, as a session does by itself."""
    got = bytearray()
    for piece in response.iter_content(PIECE):
        got += piece
        if len(got) > MOST:
            response.close()
            raise TooLarge(f"it is larger than {MOST >> 20} MB")
    response._content = bytes(got)


def client(app_id: str, secret: str, domain: str, http: Any) -> Any:
    """The SDK's REST client, on a session. Its token cache is emptied of this app: it knows no domains."""
    lark_oapi = _imported()
    from lark_oapi.core.http import transport

    transport.requests = http
    forget_token(app_id)
    build = lark_oapi.Client.builder().app_id(app_id).app_secret(secret).domain(domain)
    return build.timeout(TIMEOUT).log_level(lark_oapi.LogLevel.ERROR).build()


def _imported() -> Any:
    """The SDK takes the thread's event loop for its own when it is imported, or makes one; ours don't depend on it."""
    with _importing:
        if "lark_oapi.ws.client" in sys.modules:
            return sys.modules["lark_oapi"]
        spare = asyncio.new_event_loop()
        former = _current_loop()
        asyncio.set_event_loop(spare)
        try:
            with _never_garbage():
                import lark_oapi
                import lark_oapi.ws.client
        finally:
            asyncio.set_event_loop(former)
            spare.close()
        return lark_oapi


@contextlib.contextmanager
def _never_garbage() -> Iterator[None]:
    """What is loaded inside stays. Its 11,000 modules would else be looked through by every full garbage collection:
    230 ms in which no thread runs, and nothing is acknowledged."""
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def _current_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def forget_token(app_id: str) -> None:
    """A revoked token would be used until it "expires"."""
    from lark_oapi.core.token import TokenManager

    TokenManager.cache.set(f"self_tenant_token:{app_id}", "", 0)


def request(method: str, path: str, query: dict[str, str], body: Any) -> Any:
    """A new one for every attempt: some can't be sent twice."""
    from lark_oapi import AccessTokenType, BaseRequest, HttpMethod

    build = BaseRequest.builder().http_method(HttpMethod[method]).uri(f"/open-apis{path}")
    build = build.token_types({AccessTokenType.TENANT}).queries(list(query.items()))
    if body is not None:
        build = build.body(body).headers({"Content-Type": "application/json; charset=utf-8"})
    return build.build()


def decrypt(key: str, text: str) -> str:
    """An encrypted web hook body. Raises ValueError."""
    from lark_oapi.core.utils import AESCipher

    try:
        return str(AESCipher(key).decrypt_str(text))
    except Exception as e:
        raise ValueError("the body can't be decrypted") from e


def socket_client(app_id: str, secret: str, domain: str) -> Any:
    """The SDK's long connection client; made on a running loop, which it needs."""
    lark_oapi = _imported()
    from lark_oapi.ws.client import Client

    return Client(app_id, secret, lark_oapi.LogLevel.ERROR, None, domain, auto_reconnect=False)


def ping(service_id: str) -> bytes:
    """The frame that asks whether anybody is there."""
    from lark_oapi.ws.client import _new_ping_frame

    return bytes(_new_ping_frame(int(service_id)).SerializeToString())

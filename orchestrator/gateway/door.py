"""The only place that opens the `openai` SDK. It is imported at the first request, because that costs a second.

Used lean: the SDK gives the HTTP client, its headers and the key, once. Its own `post` copies the options and builds
address and headers anew for each request, which costs as much CPU as sending the request and reading the stream.
"""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, suppress
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from orchestrator.contracts import Json, dumps
from orchestrator.gateway import sse
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.failures import Failure, Refusal, classify, clean, describe

if TYPE_CHECKING:
    import httpx2

CONNECT = 10.0  # seconds; a host that is there answers sooner
ENDING = 0.1  # seconds that a server has to end its answer after [DONE], as in the SDK


class Door:
    """One endpoint's HTTP client. Belongs to the event loop of its first request."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._at = endpoint
        self._opened: tuple[httpx2.AsyncClient, httpx2.URL] | None = None

    async def chunks(self, body: Mapping[str, Json]) -> AsyncGenerator[list[Json], None]:
        """The chunks of the answer as they come together, or the one whole body that a server sends instead. Raises
        Failure."""
        from aiohttp import ClientError
        from httpx2 import Request, RequestError

        http, url = self._opened or self._open()
        request = Request("POST", url, headers=http.headers, content=dumps(body).encode("utf-8", "replace"))
        request.headers.encoding = http.headers.encoding  # else found out anew for each request
        began = False
        try:
            async with (
                aclosing(await http.send(request, stream=True)) as response,
                aclosing(self._read(response, bool(body.get("stream")))) as parts,
            ):
                async for together in parts:
                    began = True
                    yield together
        except (RequestError, ClientError, OSError) as e:  # the transport maps most of its errors, not all
            why = clean(str(e), self._at.api_key)
            if _timed_out(e):
                raise Failure("timeout", why) from None
            raise Failure("broken" if began else "network", f"the stream was cut: {why}" if began else why) from None
        except (ValueError, RecursionError) as e:  # json and UTF-8
            raise Failure("broken", f"a part of it can't be decoded: {clean(str(e), self._at.api_key)}") from None

    async def _read(self, response: httpx2.Response, stream: bool) -> AsyncGenerator[list[Json], None]:
        kind = response.headers.get("content-type", "")
        if not response.is_success:
            await response.aread()
            words = clean(describe(_loose(response.text)), self._at.api_key)
            raise classify(Refusal(response.status_code, words, _retry_after(response.headers)))
        pieces = response.aiter_bytes()
        parts = sse.events(pieces) if stream and not re.search("json|html", kind) else _whole(response, kind)
        async for together in parts:
            for part in together:
                if isinstance(part, dict) and part.get("error"):
                    raise refused(part, self._at.api_key)
            yield together
        with suppress(Exception):  # all is said; a connection that was read to its end can be used again
            async with asyncio.timeout(ENDING):
                async for _ in pieces:
                    pass

    def _open(self) -> tuple[httpx2.AsyncClient, httpx2.URL]:
        from httpx2 import URL
        from openai import AsyncOpenAI, DefaultAioHttpClient, Timeout

        at = self._at
        limit = Timeout(at.timeout, connect=min(CONNECT, at.timeout))
        parts = urlsplit(at.url)
        # loading certificates takes a tenth of a second, and plain http has no use for them
        verify = ssl.create_default_context(cafile=at.ca) if at.ca else parts.scheme == "https" or bool(at.proxy)
        # a redirected POST comes back as a GET, and the key would go to whoever it points to
        http = DefaultAioHttpClient(timeout=limit, verify=verify, proxy=at.proxy or None, follow_redirects=False)
        # local servers want no key, the SDK wants one
        sdk = AsyncOpenAI(base_url=at.url, api_key=at.api_key or "none", http_client=http)
        http.headers.update({k: v for k, v in sdk.default_headers.items() if isinstance(v, str)})
        http.headers.update(_basic(parts) if parts.username and not at.api_key else sdk.auth_headers)
        host, path = parts.netloc.rpartition("@")[2], parts.path.rstrip("/") + "/chat/completions"
        self._opened = http, URL(urlunsplit((parts.scheme, host, path, parts.query, "")))
        return self._opened

    async def aclose(self) -> None:
        if self._opened is not None:
            await self._opened[0].aclose()
            self._opened = None


def whole(data: bytes, kind: str) -> Json:
    """A body that came in one piece. Raises Failure when it is no completion: a sign-in page, an error with 200."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        page = "a web page" if "html" in kind or data.lstrip()[:1] == b"<" else "something that isn't JSON"
        words = describe(data.decode("utf-8", "replace"))[:80]
        raise Failure("broken", f"{page} came instead of a completion ({words})") from None
    if not isinstance(value, dict):
        raise Failure("broken", "the body is no JSON object")
    return value


async def _whole(response: httpx2.Response, kind: str) -> AsyncIterator[list[Json]]:
    yield [whole(await response.aread(), kind)]


def _loose(text: str) -> Json:
    """The body of an error: JSON, or whatever text it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def refused(body: Json, key: str) -> Failure:
    """The failure that an error object with status 200, or inside a stream, stands for."""
    error = body["error"]
    code = str(error.get("code") if isinstance(error, dict) else "")
    status = int(code) if code.isdecimal() and len(code) == 3 else 500
    return classify(Refusal(status, clean(describe(body), key)))


def _basic(parts: SplitResult) -> dict[str, str]:
    """Credentials of the address as a header, for servers behind a proxy that asks for a password."""
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return {"Authorization": "Basic " + b64encode(pair.encode()).decode()}


def _timed_out(e: BaseException | None) -> bool:
    # the transport calls a lost connection a timeout as well; only the innermost cause tells them apart
    while e is not None and not isinstance(e, TimeoutError):
        e = e.__cause__ or e.__context__
    return e is not None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from Retry-After (seconds or a date)."""
    given = headers.get("retry-after") or ""
    with suppress(ValueError):
        return max(0.0, float(given))
    with suppress(ValueError):
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    return None

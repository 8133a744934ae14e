"""The only place that opens the `openai` SDK. It is imported at the first request, because that costs a second.

Used lean: plain dicts in, plain dicts out, no walk over the messages. The SDK's own retries are off.
"""

from __future__ import annotations

import json
import ssl
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from orchestrator.contracts import Json
from orchestrator.gateway import sse
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.failures import Failure, Refusal, classify, clean, describe

if TYPE_CHECKING:
    import httpx2
    import openai

CONNECT = 10.0  # seconds; a host that is there answers sooner


class Door:
    """One endpoint's HTTP client. Belongs to the event loop of its first request."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._at = endpoint
        self._client: openai.AsyncOpenAI | None = None

    async def chunks(self, body: Mapping[str, Json]) -> AsyncGenerator[Json, None]:
        """The chunks of the answer, or the one whole body that a server sends instead. Raises Failure."""
        import httpx2
        import openai

        client = self._client or self._open()
        began = False
        try:
            async with aclosing(self._read(client, body)) as parts:
                async for part in parts:
                    began = True
                    yield part
        except openai.APIStatusError as e:
            words = clean(describe(e.body), self._at.api_key)
            raise classify(Refusal(e.status_code, words, _retry_after(e.response.headers))) from None
        except (openai.APIConnectionError, httpx2.RequestError) as e:
            why = clean(str(e.__cause__ or e), self._at.api_key)
            if _timed_out(e):
                raise Failure("timeout", why) from None
            raise Failure("broken" if began else "network", f"the stream was cut: {why}" if began else why) from None
        except ValueError as e:  # json and UTF-8
            raise Failure("broken", f"a part of it can't be decoded: {clean(str(e), self._at.api_key)}") from None

    async def _read(self, client: openai.AsyncOpenAI, body: Mapping[str, Json]) -> AsyncGenerator[Json, None]:
        import httpx2

        stream = bool(body.get("stream"))
        # asking for the plain response leaves it to us to look at its type before anything is parsed
        answer = client.post("/chat/completions", cast_to=httpx2.Response, stream=stream, body=body)
        response: httpx2.Response = await answer
        kind = response.headers.get("content-type", "")
        if stream and "json" not in kind and "html" not in kind:
            parts = sse.events(response.aiter_bytes())
        else:
            parts = _whole(response, kind)
        try:
            async for part in parts:
                if isinstance(part, dict) and part.get("error"):
                    raise refused(part, self._at.api_key)
                yield part
        finally:
            await response.aclose()

    def _open(self) -> openai.AsyncOpenAI:
        from openai import AsyncOpenAI, DefaultAioHttpClient, Timeout

        at = self._at
        limit = Timeout(at.timeout, connect=min(CONNECT, at.timeout))
        parts = urlsplit(at.url)
        # loading certificates takes a tenth of a second, and plain http has no use for them
        verify = ssl.create_default_context(cafile=at.ca) if at.ca else parts.scheme == "https" or bool(at.proxy)
        # a redirected POST comes back as a GET, and the key would go to whoever it points to
        http = DefaultAioHttpClient(timeout=limit, verify=verify, proxy=at.proxy or None, follow_redirects=False)
        self._client = AsyncOpenAI(
            base_url=urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")),
            api_key=at.api_key or "none",  # local servers want no key, the SDK wants one
            default_headers=_basic(parts) if parts.username and not at.api_key else None,
            default_query=dict(parse_qsl(parts.query)),
            http_client=http,
            max_retries=0,
            timeout=limit,
        )
        return self._client

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None


def whole(data: bytes, kind: str) -> Json:
    """A body that came in one piece. Raises Failure when it is no completion: a sign-in page, an error with 200."""
    try:
        value = json.loads(data)
    except ValueError:
        page = "a web page" if "html" in kind or data.lstrip()[:1] == b"<" else "something that isn't JSON"
        raise Failure(
            "broken", f"{page} came instead of a completion ({describe(data.decode('utf-8', 'replace'))[:80]})"
        ) from None
    if not isinstance(value, dict):
        raise Failure("broken", "the body is no JSON object")
    return value


async def _whole(response: httpx2.Response, kind: str) -> AsyncIterator[Json]:
    yield whole(await response.aread(), kind)


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
    given = headers.get("retry-after")
    if not given:
        return None
    try:
        return max(0.0, float(given))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except ValueError:
        return None

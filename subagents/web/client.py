"""Asking a live source over HTTP: one client, one pool of connections, for all of them.

Only reads are made: GET, or POST of a form where a query is too long for an address; so that trying again is safe. Host
and redirects are checked against the site's allow-list, answers are capped, and what was found dead rests (`breaker`).
It knows no product. Every error is a SourceError in words for a person.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urljoin, urlsplit

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.stop import stop_base

from orchestrator.contracts import Json
from subagents.sources import SourceError
from subagents.web import failures
from subagents.web.breaker import Breaker
from subagents.web.elements import Elements, Malformed
from subagents.web.failures import Broken, Refused
from subagents.web.site import Site

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")
Params = Sequence[tuple[str, str]]

CONNECT = 5.0  # seconds; a host that is there answers sooner
TRIES = 3
REDIRECTS = 5
ERROR_BYTES = 64 << 10  # of an error's body that are read
CHUNK = 64 << 10
STREAMED = 1 << 30  # bytes of an answer that is read piece by piece
LINE = 16 << 20  # bytes of one line of such an answer


class Web:
    """Opens connections at the first request, in that event loop; `aclose` ends them."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._contexts: dict[object, ssl.SSLContext] = {}
        self._breakers: dict[tuple[str, str], Breaker] = {}

    def at(self, site: Site) -> Caller:
        breaker = self._breakers.setdefault((site.name, site.url), Breaker(site.name))
        return Caller(self, site, breaker)

    def session(self) -> aiohttp.ClientSession:
        import aiohttp

        if self._session is None or self._session.closed:
            # no cookies: sources are asked by token, and one source's cookies are nothing to another
            self._session = aiohttp.ClientSession(
                cookie_jar=aiohttp.DummyCookieJar(), headers={"User-Agent": "hermes-ops"}, max_line_size=32 << 10
            )
        return self._session

    def context(self, site: Site) -> ssl.SSLContext:
        """Raises SourceError when the files can't be used."""
        if site.tls not in self._contexts:
            self._contexts[site.tls] = _context(site)
        return self._contexts[site.tls]

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


class Caller:
    """One site through the client. `form`: sent as POST instead of `params` in the address."""

    def __init__(self, web: Web, site: Site, breaker: Breaker) -> None:
        self.site, self._web, self._breaker = site, web, breaker
        self.skew = 0.0  # seconds that the server's clock was ahead of ours at its last answer

    async def json(self, path: str, params: Params = (), form: Params | None = None) -> Json:
        """A whole answer of at most `site.most_bytes`. Raises SourceError (Refused when the server said no)."""
        text = await self.text(path, params, form)
        try:
            return json.loads(text)
        except ValueError:
            raise failures.no_json(self.site, text, path) from None

    async def text(self, path: str, params: Params = (), form: Params | None = None) -> str:
        async def read() -> str:
            response = await self._open(path, params, form)
            try:
                return (await self._whole(response, path)).decode("utf-8-sig", "replace")
            finally:
                _close(response)

        return await self._tried(read)

    async def items(
        self,
        path: str,
        inside: Sequence[str],
        params: Params = (),
        form: Params | None = None,
        rest: dict[str, Json] | None = None,
    ) -> AsyncGenerator[Json, None]:
        """The elements of the array at `inside` ("data", "result") as they arrive; what stands beside it goes to
        `rest` when all are read. Close it (`aclosing`) when it isn't read to its end."""
        async with aclosing(self._chunks(path, params, form)) as chunks:
            elements = Elements(chunks, inside)
            try:
                async for element in elements:
                    yield element
            except Malformed as e:
                raise failures.no_json(self.site, e.head, path) from None
            if rest is not None:
                rest.update(elements.rest)

    async def lines(self, path: str, params: Params = (), form: Params | None = None) -> AsyncGenerator[bytes, None]:
        """The lines of an answer as they arrive, without their ends; empty ones are left out."""
        async with aclosing(self._chunks(path, params, form)) as chunks:
            kept = bytearray()  # the line that has no end yet: pieces of it are searched and copied once
            async for chunk in chunks:
                head, end, rest = chunk.rpartition(b"\n")
                kept += head
                for line in filter(bytes.strip, bytes(kept).split(b"\n") if end else ()):
                    yield line
                kept = bytearray() if end else kept
                kept += rest
                self._within(len(kept), LINE, path)
            if kept.strip():
                yield bytes(kept)

    async def _chunks(self, path: str, params: Params, form: Params | None) -> AsyncGenerator[bytes, None]:
        """Tried again only until something came; then `site.timeout` is how long nothing may come."""

        async def begin() -> aiohttp.ClientResponse:
            return await self._open(path, params, form)

        response = await self._tried(begin)
        n = 0
        try:
            with self._worded():
                async for chunk in response.content.iter_chunked(CHUNK):
                    n = self._within(n + len(chunk), STREAMED, path)
                    yield chunk
        finally:
            _close(response)

    async def _tried(self, read: Callable[[], Awaitable[T]]) -> T:
        """Once, and again where that may help, all within `site.timeout`; a dead source then rests."""
        self._breaker.check()
        again = AsyncRetrying(
            retry=retry_if_exception(_passing),
            wait=_wait,
            stop=stop_after_attempt(TRIES) | _Late(self.site),
            reraise=True,
        )
        try:
            with self._worded():
                async with asyncio.timeout(self.site.timeout):
                    answer: T = await again(read)
        except Broken as e:
            if e.dead:
                self._breaker.failed(e)
            raise
        except SourceError:
            self._breaker.worked()  # it answered, if not what was wanted
            raise
        self._breaker.worked()
        return answer

    async def _open(self, path: str, params: Params, form: Params | None) -> aiohttp.ClientResponse:
        """A 2xx answer whose body is still to be read; redirects are followed where they are allowed."""
        url, query = self.site.address(path), list(params)
        with self._worded():
            for left in reversed(range(REDIRECTS + 1)):
                response = await self._request(url, query, form)
                target = response.headers.get("Location", "")
                if not (300 <= response.status < 400 and target and left):
                    break
                url, query = urljoin(str(response.url), target), []
                _close(response)
                if not self.site.allows(url):
                    raise failures.elsewhere(self.site, url)
            self.skew = _ahead(response.headers.get("Date", ""))
            if 200 <= response.status < 300:
                return response
            try:
                body = await response.content.read(ERROR_BYTES)
            finally:
                _close(response)
            asks = response.headers.get("Retry-After", "")
            raise failures.refused(self.site, response.status, body, urlsplit(str(response.url)).path, asks)

    async def _request(self, url: str, query: Params, form: Params | None) -> aiohttp.ClientResponse:
        import aiohttp

        site = self.site
        return await self._web.session().request(
            "GET" if form is None else "POST",
            url,
            params=list(query) or None,
            data=None if form is None else list(form),
            headers=dict(site.headers) if site.trusts(url) else None,
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(None, None, site.timeout, min(CONNECT, site.timeout)),
            ssl=self._web.context(site) if url.startswith("https") or site.proxy else True,
            proxy=site.proxy or None,
        )

    @contextmanager
    def _worded(self) -> Iterator[None]:
        """What the HTTP library raises becomes a sentence."""
        import aiohttp

        try:
            yield
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as e:
            raise failures.broken(self.site, e, self.site.timeout) from None

    async def _whole(self, response: aiohttp.ClientResponse, path: str) -> bytes:
        body = bytearray()
        async for chunk in response.content.iter_chunked(CHUNK):
            body += chunk
            self._within(len(body), self.site.most_bytes, path)
        return bytes(body)

    def _within(self, n: int, most: int, path: str) -> int:
        if n > most:
            raise failures.too_big(self.site, path, most)
        return n


class _Late(stop_base):
    """No other try when its wait would leave less than half of the time."""

    def __init__(self, site: Site) -> None:
        self._most = site.timeout / 2

    def __call__(self, state: RetryCallState) -> bool:
        return (state.seconds_since_start or 0.0) + _wait(state) >= self._most


def _wait(state: RetryCallState) -> float:
    """Seconds: what the server asks for, else a little more each time."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.wait if isinstance(error, Refused) and error.wait is not None else 0.0
    return max(asked, 0.2 * 2.0 ** (state.attempt_number - 1))


def _passing(error: BaseException) -> bool:
    return isinstance(error, Broken | Refused) and error.passing


def _ahead(date: str) -> float:
    """Seconds from our clock to a Date header's, which knows whole seconds only; 0 where it says nothing."""
    try:
        ahead = (parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return 0.0
    return 0.0 if abs(ahead) < 2 else ahead


def _close(response: aiohttp.ClientResponse) -> None:
    """Back to the pool when it was read to its end; else its connection is of no more use."""
    response.release() if response.content.at_eof() else response.close()


def _context(site: Site) -> ssl.SSLContext:
    """Raises SourceError. ssl.SSLError is an OSError."""
    asked: list[str] = []

    def no_phrase() -> str:
        """Without it OpenSSL would ask at the terminal, and wait."""
        asked.append("")
        return ""

    try:
        context = ssl.create_default_context(cafile=site.ca or None)
    except OSError as e:
        raise failures.unusable(site, "ca", e) from None
    if not site.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    try:
        if site.cert:
            context.load_cert_chain(site.cert, site.key or None, no_phrase)
    except OSError as e:
        raise failures.encrypted(site) if asked else failures.unusable(site, "cert or key", e) from None
    return context

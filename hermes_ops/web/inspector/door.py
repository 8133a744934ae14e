"""Who may look: one token from the settings, a cookie for those who gave it, a brake on guessing.

Without a token nobody may. The cookie holds when it ends and a signature under the token: it needs no store, every
replica knows it, and another token ends them all. It knows no page.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

COOKIE = "hermes_ops_traces"
SECONDS = 12 * 3600  # that a cookie holds
TRIES, PER = 5, 60.0  # wrong tokens from one address in so many seconds
ALL_TRIES = 60  # from all addresses together
ADDRESSES = 10_000  # that are remembered


class Door:
    """`clock`: seconds, UTC."""

    def __init__(self, token: str, clock: Callable[[], float] = time.time) -> None:
        self._token, self._clock = token.encode(), clock
        self._wrong: dict[str, deque[float]] = {}
        self._all: deque[float] = deque()
        self._left: dict[str, float] = {}  # cookies that were signed out, until they would have ended

    @property
    def shut(self) -> bool:
        """No token is set."""
        return not self._token

    def opens(self, token: str) -> bool:
        return not self.shut and hmac.compare_digest(_hash(token.encode("utf-8", "replace")), _hash(self._token))

    # ── cookies ───────────────────────────────────────────────────────────────────────────────

    def cookie(self) -> str:
        said = f"{int(self._clock()) + SECONDS}.{secrets.token_urlsafe(12)}"
        return f"{said}.{self._sign(said)}"

    def knows(self, cookie: str) -> bool:
        said, _, sign = cookie.rpartition(".")
        end = said.partition(".")[0]
        if self.shut or not hmac.compare_digest(sign.encode(), self._sign(said).encode()):
            return False
        return end.isdecimal() and int(end) > self._clock() and cookie not in self._left

    def leave(self, cookie: str) -> None:
        """Whoever has a copy of it can't use it here any more."""
        now = self._clock()
        self._left = {old: end for old, end in self._left.items() if end > now}
        if self.knows(cookie):
            self._left[cookie] = now + SECONDS

    def _sign(self, said: str) -> str:
        key = hmac.digest(self._token, b"hermes-ops inspector", "sha256")
        return hmac.new(key, said.encode("utf-8", "replace"), "sha256").hexdigest()

    # ── guessing ──────────────────────────────────────────────────────────────────────────────

    def wait(self, address: str) -> int:
        """Seconds until this address may try again; 0: now."""
        now = self._clock()
        own = self._recent(self._wrong.get(address, deque()), now)
        rest = [own[-TRIES] + PER - now] if len(own) >= TRIES else []
        everybody = self._recent(self._all, now)
        rest += [everybody[-ALL_TRIES] + PER - now] if len(everybody) >= ALL_TRIES else []
        return math.ceil(max(rest, default=0.0))

    def wrong(self, address: str) -> None:
        """Somebody gave a wrong token."""
        now = self._clock()
        self._all.append(now)
        if address not in self._wrong and len(self._wrong) >= ADDRESSES:
            self._wrong.clear()  # the brake on all together holds meanwhile
        self._wrong.setdefault(address, deque()).append(now)

    def _recent(self, times: deque[float], now: float) -> deque[float]:
        while times and times[0] <= now - PER:
            times.popleft()
        return times


def same_origin(headers: Mapping[str, str]) -> bool:
    """A form of ours was sent: the browser says so, or names an origin that is this host. What says nothing isn't."""
    if site := headers.get("sec-fetch-site"):
        return site == "same-origin"
    origin = headers.get("origin", "")
    return bool(urlsplit(origin).netloc) and urlsplit(origin).netloc == headers.get("host")


def _hash(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()

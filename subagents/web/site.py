"""Where one source is reached and how: plain data, made from settings. It opens nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from subagents.web.paths import below

PORTS = {"http": 80, "https": 443}
Origin = tuple[str, str, int]  # scheme, host, port


@dataclass(frozen=True, slots=True)
class Site:
    """`name`: the source's, for errors. `headers` may hold secrets: they go to `url`'s own origin only. `hosts`:
    further ones ("host" or "host:port") that a redirect may lead to. `timeout`: seconds for an answer with its retries;
    `most_bytes`: of one that is read as a whole. `ca`, `cert`, `key`: PEM files; "" = the system's, none.
    `paths`: below which of them, seen from `url`, a request may go; () = all."""

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    hosts: tuple[str, ...] = ()
    timeout: float = 10.0
    most_bytes: int = 64 << 20
    verify: bool = True
    ca: str = ""
    cert: str = ""
    key: str = ""
    proxy: str = field(default="", repr=False)
    paths: tuple[str, ...] = ()

    @property
    def tls(self) -> tuple[bool, str, str, str]:
        return self.verify, self.ca, self.cert, self.key

    def address(self, path: str) -> str:
        """The absolute address of a path below `url`."""
        return f"{self.url.rstrip('/')}/{path.lstrip('/')}"

    def allows(self, url: str) -> bool:
        """Whether a request may go there at all. From https it never falls back to http."""
        own, other = origin(self.url), origin(url)
        if own is None or other is None or (own[0] == "https" and other[0] != "https"):
            return False
        if self.paths and not below(self._seen(url, own == other), self.paths):
            return False
        return own[1:] == other[1:] or other[1] in self.hosts or f"{other[1]}:{other[2]}" in self.hosts

    def _seen(self, url: str, own: bool) -> str:
        """An address's path as `paths` write it: below our own `url`; "" where it lies beside that."""
        path, base = urlsplit(url).path, urlsplit(self.url).path.rstrip("/") if own else ""
        return path.removeprefix(base) if path.startswith(f"{base}/") else ""

    def trusts(self, url: str) -> bool:
        """Whether credentials may go there."""
        return origin(self.url) == origin(url)

    def secrets(self) -> tuple[str, ...]:
        """What must stand in no message."""
        words = [w for value in self.headers.values() for w in (value, value.rpartition(" ")[2])]
        return tuple(sorted({w for w in (*words, *_userinfo(self.proxy)) if len(w) > 3}, key=len, reverse=True))


def origin(url: str) -> Origin | None:
    """None for what is no web address."""
    try:
        parts: SplitResult = urlsplit(url)
        if parts.scheme not in PORTS or not parts.hostname:
            return None
        return parts.scheme, parts.hostname, parts.port or PORTS[parts.scheme]
    except ValueError:
        return None


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def basic(user: str, password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + b64encode(f"{user}:{password}".encode()).decode()}


def _userinfo(url: str) -> tuple[str, ...]:
    at = urlsplit(url).netloc.rpartition("@")[0]
    return (at, at.partition(":")[2]) if at else ()

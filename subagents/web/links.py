"""Deep links: a console's address at one query and window, from a template. Knows no console."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import quote, unquote, urlsplit

from orchestrator.contracts import Window

FIELDS = ("query", "start", "end", "start_s", "end_s", "start_ms", "end_ms", "seconds")
_PLAIN = re.compile(r"[^\s\x00-\x1f\x7f-\x9f<>\"`\\]{1,2000}")  # one word, without what ends it in a text or page
_FIELD = re.compile(r"\{(\w+)\}")


def unknown(template: str) -> list[str]:
    """What a template asks for that there is not."""
    return [name for name in _FIELD.findall(template) if name not in FIELDS]


def allowed(url: str, prefixes: Sequence[str]) -> str:
    """The address if it lies below one of these ("https://wiki.example/runbooks/"), else "". It comes from labels and
    annotations that anybody may have written: nothing in it may lead out of there, or be more than an address."""
    if not _PLAIN.fullmatch(url):
        return ""
    for prefix in prefixes:
        given, own = urlsplit(url), urlsplit(prefix)
        path, below = unquote(given.path).replace("\\", "/"), own.path.rstrip("/") + "/"
        same = (given.scheme, given.netloc) == (own.scheme, own.netloc)
        if same and f"{path}/".startswith(below) and not {"..", "."} & set(path.split("/")):
            return url
    return ""


def filled(template: str, query: str, window: Window | None) -> str:
    """`{query}` and the window's ends as ISO 8601 in UTC (`{start}`), Unix seconds (`{start_s}`) or milliseconds; ""
    without a template."""
    if not template:
        return ""
    values = {"query": query, **times(window)}
    return _FIELD.sub(lambda m: quote(values.get(m[1], ""), safe=""), template)


def times(window: Window | None) -> dict[str, str]:
    """What stands for a window in a template; nothing without one."""
    if window is None:
        return {}
    values = {"seconds": f"{(window.end - window.start).total_seconds():.0f}"}
    for name, at in (("start", window.start), ("end", window.end)):
        seconds = at.timestamp()
        values |= {name: _iso(at), f"{name}_s": f"{seconds:.0f}", f"{name}_ms": f"{seconds * 1000:.0f}"}
    return values


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

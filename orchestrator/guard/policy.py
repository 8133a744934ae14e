"""What stands between the world and the model: permission, masking, fencing. One policy so far: all may read all.

It doesn't know where a text comes from beyond the name it is given, nor what the model does with it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from orchestrator.cleaning import clean
from orchestrator.contracts import Json, Principal
from orchestrator.guard.masking import mask
from orchestrator.ports import Denied

_MARKER = re.compile(r"<(?=\s{0,8}/?\s{0,8}data\b)", re.IGNORECASE)
LONG = 10**9  # smaller numbers are no phone, card or identity
_NOT_IN_NAME = re.compile(r"[^\w.:/ -]+")


class AllowAll:
    """The guard that permits everything, and masks and fences like every other. `key`: kept per installation, so that
    a value has one tag over the years; without one, a key of this object's own."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or os.urandom(32)

    def allow(self, who: Principal, permission: str, resource: str) -> Denied | None:
        return None

    def mask(self, text: str) -> str:
        return mask(text, self._key)

    def fence(self, text: str, source: str) -> str:
        """`<data source="logs">…</data>`; a marker that stands in the text itself loses its "<" to "‹"."""
        name = _NOT_IN_NAME.sub("_", clean(source))[:80]
        return f'<data source="{name}">\n{_MARKER.sub("‹", clean(text))}\n</data>'


def masked(data: Json, mask: Callable[[str], str], key: str = "") -> Json:
    """JSON data with every string and key masked; a value is looked at with its key (`{"password": …}`), a long number
    like the string it may be (a phone's)."""
    if isinstance(data, dict):
        return {mask(k) if isinstance(k, str) else k: masked(v, mask, str(k)) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return [masked(v, mask, key) for v in data]
    if data is None or isinstance(data, bool | float) or (isinstance(data, int) and abs(data) < LONG):
        return data
    text = str(data)
    found = mask(f"{key}={text}") if key else mask(text)
    found = found[len(key) + 1 :] if key and found.startswith(f"{key}=") else mask(text)
    return data if isinstance(data, int) and found == text else found

"""What stands between the world and the model: permission, masking, fencing. One policy so far: all may read all.

It doesn't know where a text comes from beyond the name it is given, nor what the model does with it.
"""

from __future__ import annotations

import os
import re

from orchestrator.contracts import Principal
from orchestrator.masking import mask
from orchestrator.ports import Denied

# CSI and OSC sequences whole, then what is left of C0, C1, zero-width characters and changes of direction
_CONTROL = re.compile(
    r"\x1b\[[0-?]{0,64}[ -/]{0,16}[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)"
    r"|\x1b[ -/]{0,4}[0-~]"
    r"|\r(?=\n)"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_MARKER = re.compile(r"<(?=\s{0,8}/?\s{0,8}data\b)", re.IGNORECASE)
_NOT_IN_NAME = re.compile(r"[^\w.:/ -]+")


def clean(text: str) -> str:
    """`text` without what would steer a terminal or hide from a reader: escape sequences, control characters except
    newline and tab, zero-width characters, overrides of direction."""
    return _CONTROL.sub("", text)


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

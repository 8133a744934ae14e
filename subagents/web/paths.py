"""Whether an address's path lies below an allowed one, whatever it is written with. Knows no host.

Refused rather than cleaned: what one program takes for a step up, another takes for a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_PLAIN = re.compile(r"/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2}|[^\x00-\x7f])*")
_TRICK = re.compile(
    r"%(?:2[EF5]|5C|[01][0-9A-F]|7F)", re.IGNORECASE
)  # . / % \ and control characters, written otherwise
LONGEST = 2_000


def below(path: str, prefixes: Sequence[str]) -> bool:
    """ "/api/stock/7" lies below "/api/stock" and "/api/stock/", not "/api/stockings"; no path does with a "..", an
    empty step or an escaped separator."""
    if len(path) > LONGEST or not _PLAIN.fullmatch(path) or _TRICK.search(path) or "//" in path:
        return False
    if {".", ".."} & set(path.split("/")):
        return False
    return any(path == p or path.startswith(p.rstrip("/") + "/") for p in prefixes)

"""Identifiers in the shapes of the platform. They tell nothing of what they name."""

from __future__ import annotations

import hashlib
import secrets
import time


def fresh(prefix: str, size: int = 32) -> str:
    """A new identifier: the prefix (`om_`, `oc_`, `omt_`, `img_v3_`, …) and hexadecimal digits."""
    return prefix + secrets.token_hex(size // 2)


def stable(prefix: str, *parts: str) -> str:
    """The same identifier for the same parts, as an open_id is the same for a person and an app."""
    return prefix + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def log_id() -> str:
    """What X-Tt-Logid looks like: time and digits."""
    return time.strftime("%Y%m%d%H%M%S") + secrets.token_hex(9).upper()


def card_id() -> str:
    """The number of a card entity, a string of 19 digits."""
    return str(7_000_000_000_000_000_000 + secrets.randbelow(999_999_999_999_999_999))

"""Whether who posts to a hook knows its secret, compared in constant time; where none is set nobody does.

GitHub signs (`X-Hub-Signature-256`: HMAC-SHA256 of the body), GitLab sends the secret (`X-Gitlab-Token`); all others
may sign like GitHub, or send it as a bearer token or a password (RFC 6750, RFC 7617). Never in the address: those are
logged.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping

from hermes_ops.hooks.settings import Hook

SIGNED = "x-hub-signature-256"
TOKEN = "x-gitlab-token"  # noqa: S105  the name of a header
WAYS = {"github": (SIGNED,), "gitlab": (TOKEN,)}
ANY = (SIGNED, "authorization")


def wrong(place: str, kind: str, hook: Hook, headers: Mapping[str, str], body: bytes) -> tuple[int, str] | None:
    """A status and a sentence; None: it is genuine. `place`: the hook's table in the settings; `headers`: lower
    case names."""
    secret = hook.secret.get_secret_value() if hook.secret else ""
    if not secret:
        return 403, f'{place} has no secret, so it takes nothing: set {place}.secret = {{ env = "NAME" }}.'
    ways = WAYS.get(kind, ANY)
    given = [(way, headers[way]) for way in ways if headers.get(way)]
    if not given:
        return 401, f"Nothing proves who sends this: {' or '.join(ways)} is missing (docs/HOOKS.md)."
    if any(_proves(way, value, hook.user, secret, body) for way, value in given):
        return None
    return 401, f"What {given[0][0]} says doesn't fit {place}.secret."


def _proves(way: str, value: str, user: str, secret: str, body: bytes) -> bool:
    if way == SIGNED:
        return _same(value, "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest())
    if way == TOKEN:
        return _same(value, secret)
    scheme, _, rest = value.partition(" ")
    if scheme.lower() == "bearer":
        return _same(rest.strip(), secret)
    if scheme.lower() != "basic":
        return False
    try:
        name, _, password = base64.b64decode(rest, validate=True).decode("utf-8", "replace").partition(":")
    except (binascii.Error, ValueError):
        return False
    return _same(password, secret) & (not user or _same(name, user))


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())

"""Tenant access tokens: given out, kept, expired, revoked. Their life goes by the platform's clock."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_ops.sandbox.clock import Clock
from hermes_ops.sandbox.errors import Refusal
from hermes_ops.sandbox.ids import fresh
from hermes_ops.sandbox.model import App
from hermes_ops.sandbox.world import World

LIFE, RENEW_BELOW = 7200.0, 1800.0
ADVICE = "Please make a test attempt at authentication with the correct token."


@dataclass
class Token:
    value: str
    app: App
    expires: float
    revoked: bool = False


class Tokens:
    """`life` is how long the next ones live, in seconds; the SDK renews 600 s earlier than it is told."""

    def __init__(self, clock: Clock, world: World) -> None:
        self.life = LIFE
        self._clock, self._world = clock, world
        self._tokens: dict[str, Token] = {}

    def issue(self, app_id: str, secret: str) -> tuple[str, int]:
        """(token, seconds it still lives): the same one while it lives for half an hour more, then a new one.

        Raises Refusal 10003 for an unknown app, 10014 for a wrong secret, 99991662 for an app that is switched off.
        """
        app = self._world.apps.get(app_id)
        if app is None:
            raise Refusal(10003, "invalid param", 200)
        if secret != app.secret:
            raise Refusal(10014, "app secret invalid", 200)
        if not app.enabled:
            raise Refusal(99991662, "app is disabled", 200)
        now = self._clock.now()
        for token in self._tokens.values():
            if token.app is app and not token.revoked and token.expires - now >= RENEW_BELOW:
                return token.value, int(token.expires - now)
        token = Token(fresh("t-"), app, now + self.life)
        self._tokens[token.value] = token
        return token.value, int(self.life)

    def app_of(self, authorization: str) -> App:
        """Whose token the header carries. Raises Refusal 9999166x."""
        value = authorization.removeprefix("Bearer ").strip()
        if not value:
            raise Refusal(99991661, "Missing access token for authorization. " + ADVICE)
        if not value.startswith(("t-", "u-")):
            raise Refusal(99991671, "Invalid access token for authorization, it must start with t- or u-. " + ADVICE)
        if value.startswith("u-"):
            raise Refusal(99991668, "Invalid access token for authorization. " + ADVICE)
        token = self._tokens.get(value)
        if token is None or token.revoked or token.expires <= self._clock.now():
            raise Refusal(99991663, "Invalid access token for authorization. " + ADVICE)
        if not token.app.enabled:
            raise Refusal(99991662, "app is disabled")
        return token.app

    def revoke(self, app: App | None = None) -> int:
        """Makes all tokens, or those of one app, invalid from now on; returns how many there were."""
        gone = [t for t in self._tokens.values() if not t.revoked and app in (None, t.app)]
        for token in gone:
            token.revoked = True
        return len(gone)

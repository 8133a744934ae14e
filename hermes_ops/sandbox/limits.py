"""Calls a second: sliding windows in real time, and the month's quota. What is counted is the caller's business."""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque

from hermes_ops.sandbox.errors import Refusal

PER_CHAT, PER_MESSAGE, PER_CARD, PER_APP, PER_APP_MINUTE = 5, 5, 10, 50, 1000


class Limits:
    """`on` switches the windows; `quota` is the number of calls a month, none by default."""

    def __init__(self) -> None:
        self.on = True
        self.quota: int | None = None
        self.calls: Counter[str] = Counter()
        self._hits: dict[tuple[str, str], deque[float]] = defaultdict(deque)

    def count(self, app_id: str) -> None:
        """Every call of the month, token calls excepted. Raises 99991403 when the quota is used up."""
        self.calls[app_id] += 1
        if self.quota is not None and self.calls[app_id] > self.quota:
            raise Refusal(99991403, "This month's API call quota has been exceeded.", 429)

    def app(self, app_id: str) -> None:
        """Sending, replying, changing: 50 a second and 1000 a minute. Raises 99991400."""
        for span, most in ((1.0, PER_APP), (60.0, PER_APP_MINUTE)):
            if not self._room(("app", f"{app_id} {span}"), span, most):
                raise frequency(most, span)

    def chat(self, chat_id: str) -> None:
        """5 a second to one chat or person, all bots together. Raises 230020."""
        if not self._room(("chat", chat_id), 1.0, PER_CHAT):
            raise Refusal(230020, "This operation triggers the frequency limit, ext=chat rate limit.")

    def message(self, message_id: str) -> None:
        """5 changes a second of one message. Raises 230020."""
        if not self._room(("message", message_id), 1.0, PER_MESSAGE):
            raise Refusal(230020, "This operation triggers the frequency limit, ext=message rate limit.")

    def card(self, card_id: str) -> None:
        """10 operations a second on one card entity. Raises 99991400."""
        if not self._room(("card", card_id), 1.0, PER_CARD):
            raise frequency(PER_CARD, 1.0)

    def _room(self, key: tuple[str, str], span: float, most: int) -> bool:
        if not self.on:
            return True
        hits, now = self._hits[key], time.monotonic()
        while hits and hits[0] <= now - span:
            hits.popleft()
        if len(hits) >= most:
            return False
        hits.append(now)
        return True


def frequency(most: int, reset: float) -> Refusal:
    """99991400 with the headers that say how much is allowed and in how many seconds it is again."""
    headers = {"x-ogw-ratelimit-limit": str(most), "x-ogw-ratelimit-reset": str(max(1, round(reset)))}
    return Refusal(99991400, "request trigger frequency limit", 429, headers)

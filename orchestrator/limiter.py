"""How fast the models may be asked: not at all limited, or so many calls a minute for the whole process."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

MINUTE = 60.0


class NoLimit:
    async def acquire(self, model: str, tokens: int) -> None:
        """Never waits."""

    def cool(self, seconds: float) -> None:
        """Nothing to slow down: the call that met the 429 waits by itself."""


class RateLimiter:
    """At most `calls_per_minute` in any 60 seconds, first come first served; a 429 stops everyone for a while.

    Whoever is cancelled while waiting has used nothing up. `clock` gives monotonic seconds.
    """

    def __init__(
        self,
        calls_per_minute: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if calls_per_minute < 1:
            raise ValueError("calls_per_minute must be at least 1")
        self._most = calls_per_minute
        self._clock = clock
        self._sleep = sleep
        self._made: deque[float] = deque(maxlen=calls_per_minute)
        self._cool_until = 0.0
        self._turn = asyncio.Lock()

    async def acquire(self, model: str, tokens: int) -> None:
        async with self._turn:
            while (wait := self._wait()) > 0:
                await self._sleep(wait)
            self._made.append(self._clock())

    def cool(self, seconds: float) -> None:
        self._cool_until = max(self._cool_until, self._clock() + seconds)

    def _wait(self) -> float:
        now = self._clock()
        free = self._made[0] + MINUTE if len(self._made) == self._most else now
        return max(free, self._cool_until) - now

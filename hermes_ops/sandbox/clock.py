"""The platform's clock: it can run faster than ours, and it can be put forward.

What the platform counts in minutes, hours and days goes by this clock: repeats of a push, tokens, the streaming window,
the memory for a uuid, the life of a card. What the client feels in seconds (the 3 s for an answer, calls a second) goes
by real time, whatever this clock says. It doesn't know who asks.
"""

from __future__ import annotations

import asyncio
import time


class Clock:
    """Seconds since the epoch, UTC. `speed` 60 makes a minute of the platform out of each of our seconds."""

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self._began, self._zero, self._added = time.monotonic(), time.time(), 0.0
        self._moved = asyncio.Event()

    def now(self) -> float:
        return self._zero + self._added + (time.monotonic() - self._began) * self.speed

    def ms(self, at: float | None = None) -> str:
        """Milliseconds as the platform writes them: a string of digits."""
        return str(int((self.now() if at is None else at) * 1000))

    def advance(self, seconds: float) -> None:
        """Puts the clock forward; what was due until then happens now."""
        self._added += seconds
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    async def sleep(self, seconds: float) -> None:
        """Waits for so many seconds of this clock."""
        due = self.now() + seconds
        while (left := due - self.now()) > 0:
            moved = self._moved
            try:
                await asyncio.wait_for(moved.wait(), left / self.speed)
            except TimeoutError:
                continue

"""A circuit breaker: what was found dead isn't asked again for a while. Knows no HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable

from subagents.sources import SourceError

REST = 30.0  # seconds; longer than a question's tools take, shorter than a person waits before asking again
FRESH = 5.0  # seconds for which what was found needs no word on its age


class Breaker:
    """Open after one timeout or refused connection, since each further call would cost the same again; after `REST`
    seconds one call may try."""

    def __init__(self, source: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._source, self._clock = source, clock
        self._until, self._found = 0.0, 0.0
        self._why = SourceError(source, "")

    def check(self) -> None:
        """Raises SourceError while the source rests."""
        if self._clock() < self._until:
            said = str(self._why).removeprefix(f"{self._source}: ")
            if (ago := self._clock() - self._found) >= FRESH:
                said = f"{said.rstrip('.')} (found {ago:.0f} s ago, and not asked again yet)."
            raise SourceError(self._source, said, self._why.kind)
        if self._until:  # one may try; the others wait for what it finds
            self._until = self._clock() + REST

    def failed(self, why: SourceError) -> None:
        self._found, self._why = self._clock(), why
        self._until = self._found + REST

    def worked(self) -> None:
        self._until = 0.0

"""A source that may not be asked, in the place of the one it stands for: each question gets the reason, as an error of
that source, so that a result says what it lacks. It knows no model and no setting."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, NoReturn

from subagents.sources import Coverage, Health, LogLine, LogQuery, SourceError


class Withheld:
    """Fits every protocol of `subagents.sources`. `why`: a clause after the source's name."""

    caps: frozenset[str] = frozenset()

    def __init__(self, name: str, why: str) -> None:
        self.name, self._why = name, why

    async def probe(self) -> Health:
        return Health(False, self._why)

    async def coverage(self) -> Coverage:
        self._refuse()

    async def _asked(self, *asked: Any, **more: Any) -> NoReturn:
        self._refuse()

    count = search = patterns = episodes = current = series = ratio = spans = edges = list = diff = _asked

    async def batches(self, q: LogQuery) -> AsyncIterator[tuple[LogLine, ...]]:
        self._refuse()
        yield ()

    def _refuse(self) -> NoReturn:
        raise SourceError(self.name, self._why, "denied")

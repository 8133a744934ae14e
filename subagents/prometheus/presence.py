"""What a Prometheus can speak of: since when it has data, which services its labels name, whether it answers.

Asked at most every few minutes. It knows no question.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from itertools import product

from subagents.prometheus.api import Api
from subagents.sources import Health, SourceError

KEPT = 300.0  # seconds
FAR = timedelta(days=400)
LEARNT = timedelta(days=31)  # also of an hour's data that the coarse steps miss
LATELY = timedelta(days=2)  # of what is younger than one coarse step
POINTS = 1000  # of one look: 400 days in steps of ten hours, and then the step that has the first data
NAMES = 1000
SKEW = 30.0  # seconds that two clocks may differ before it is worth a word


class Presence:
    """`always`: series that are there whenever there is any data, the likeliest first."""

    def __init__(self, api: Api, always: Sequence[str]) -> None:
        self._api, self._always = api, tuple(always)
        self._since: tuple[float, datetime | None] | None = None
        self._services: tuple[float, tuple[str, ...]] | None = None
        self._asking = asyncio.Lock()

    async def probe(self) -> Health:
        """Raises SourceError."""
        now = datetime.now(UTC)
        (row,) = await self._api.instant("time()", now)
        version = await self._version()
        skew = self._api.skew
        said = f"{version} answers in {(datetime.now(UTC) - now).total_seconds():.2f} s" if row else version
        said += await self._scraped()
        if abs(skew) > SKEW:
            said += f"; its clock is {abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} ours"
        return Health(True, said)

    async def _scraped(self) -> str:
        try:
            n, down = await self.targets()
        except (SourceError, KeyError, TypeError):  # it only stores, or may not be asked this
            return ""
        said = f"; {n - len(down)} of {n} targets answer" if n else ""
        return f"{said}, not {', '.join(down[:3])}" if down else said

    async def _version(self) -> str:
        try:
            built = await self._api.get("status/buildinfo")
        except SourceError:  # not every server has it
            return "a Prometheus API"
        return f"Prometheus API {built['data'].get('version', '')}".strip()

    async def since(self) -> datetime | None:
        """The time of the first sample; None where it can't be told."""
        async with self._asking:
            if self._since is None or time.monotonic() - self._since[0] > KEPT:
                self._since = time.monotonic(), await self._first()
            return self._since[1]

    async def started(self) -> datetime | None:
        """When the server came up last; None where it doesn't say."""
        try:
            told = await self._api.get("status/runtimeinfo")
            return datetime.fromisoformat(told["data"]["startTime"]).astimezone(UTC)
        except (SourceError, KeyError, TypeError, ValueError):
            return None

    async def targets(self) -> tuple[int, tuple[str, ...]]:
        """How many targets are scraped, and which of them don't answer, with why. Raises SourceError."""
        active = (await self._api.get("targets", {"state": "active"}))["data"].get("activeTargets") or []
        down = [t for t in active if t.get("health") == "down"]
        return len(active), tuple(f"{t.get('scrapeUrl', '?')} ({t.get('lastError') or 'no answer'})" for t in down)

    async def services(self, labels: Sequence[str]) -> tuple[str, ...]:
        """The values of the first of these labels that has any. Raises SourceError."""
        async with self._asking:
            if self._services is None or time.monotonic() - self._services[0] > KEPT:
                self._services = time.monotonic(), await self._named(labels)
            return self._services[1]

    async def _named(self, labels: Sequence[str]) -> tuple[str, ...]:
        now = datetime.now(UTC)
        for label in labels:
            if found := await self._api.values(label, now - LEARNT, now, NAMES):
                return tuple(found)
        return ()

    async def _first(self) -> datetime | None:
        now = datetime.now(UTC)
        try:
            for series, far in product(self._always, (FAR, LEARNT, LATELY)):
                if found := await self._look(series, now - far, now):
                    return await self._refined(series, found, far / POINTS)
        except SourceError:
            pass
        return None

    async def _refined(self, series: str, found: datetime, step: timedelta) -> datetime:
        """A thousand times finer each time, to less than a second."""
        while step >= timedelta(seconds=1):
            found = await self._look(series, found - step, found) or found
            step /= POINTS
        return found

    async def _look(self, series: str, start: datetime, end: datetime) -> datetime | None:
        """The first point of a coarse look that has data; exact where the look-back of the server found it early."""
        step = (end - start).total_seconds() / POINTS
        query = f"min(timestamp({series}))"
        async with aclosing(self._api.range(query, start, end, step)) as rows:
            async for row in rows:
                return datetime.fromtimestamp(row.points[0][1], UTC)
        return None

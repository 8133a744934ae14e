"""The query API of Prometheus as data (HTTP API v1: prometheus.io/docs/prometheus/latest/querying/api).

Times are aware UTC, steps seconds. Values that are no numbers (NaN, ±Inf; they come as strings) are left out and
counted. It knows no alerts and no services.
"""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from orchestrator.contracts import Json
from subagents.sources import SourceError
from subagents.web import Caller, Refused

POINTS = 10_000  # of a series in one answer; a server refuses more than 11,000
LONG = 1500  # characters of a query that still goes into the address
PATIENCE = 0.9  # of our time that the server may take: a slow query is then its error, and not a dead server

Points = tuple[tuple[datetime, float], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One series of an answer."""

    labels: Mapping[str, str]
    points: Points

    @property
    def value(self) -> float:
        return self.points[-1][1]

    @property
    def key(self) -> frozenset[tuple[str, str]]:
        """What it is, whatever a function did to its name."""
        return frozenset(item for item in self.labels.items() if item[0] != "__name__")


@dataclass(slots=True)
class Said:
    """What answers said beside their data."""

    odd: int = 0  # values that are no numbers
    warnings: dict[str, None] = field(default_factory=dict)

    def gaps(self) -> tuple[str, ...]:
        odd = (f"{self.odd} value(s) are no numbers (NaN or infinite) and are left out",) if self.odd else ()
        return (*odd, *self.warnings)


class Api:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    @property
    def name(self) -> str:
        return self._caller.site.name

    def address(self, page: str) -> str:
        """Of a page of its own console."""
        return self._caller.site.address(page)

    @property
    def skew(self) -> float:
        """Seconds that the server's clock was ahead of ours at its last answer."""
        return self._caller.skew

    async def instant(self, query: str, at: datetime, said: Said | None = None) -> list[Row]:
        """One value for each series, at a time. A scalar is one row without labels; text is refused."""
        body = await self._asked("query", {"query": query, "time": _stamp(at)}, said)
        data = body["data"] if isinstance(body["data"], dict) else {}
        kind, found = data.get("resultType"), data.get("result")
        if kind == "scalar":
            return self._rows([{"metric": {}, "value": found}], said)
        if kind not in ("vector", "matrix"):
            raise SourceError(self.name, f"the query {query!r} gives a {kind}, no series.", "bad_query")
        return self._rows(found or [], said)

    async def range(
        self, query: str, start: datetime, end: datetime, step: float, said: Said | None = None
    ) -> AsyncGenerator[Row, None]:
        """Series with a point for each step at which they had one; `end` is the last point that may be there. Longer
        stretches than a server gives at once are asked for in parts: a series may come several times, in order."""
        stretch = timedelta(seconds=step * (POINTS - 1))
        while start <= end:
            until = min(start + stretch, end)
            given = {"query": query, "start": _stamp(start), "end": _stamp(until), "step": f"{step:g}"}
            async with aclosing(self._streamed("query_range", given, said)) as rows:
                async for row in rows:
                    yield row
            start = until + timedelta(seconds=step)

    async def values(self, label: str, start: datetime, end: datetime, limit: int) -> list[str]:
        """The values of a label in a time, as many as `limit`."""
        given = {"start": _stamp(start), "end": _stamp(end), "limit": str(limit)}
        body = await self.get(f"label/{label}/values", given)
        return [str(v) for v in body["data"]][:limit]

    async def get(self, path: str, given: Mapping[str, str] | None = None) -> Json:
        """The whole body; it has "data"."""
        return self._whole(await self._worded(path, given or {}))

    async def _asked(self, path: str, given: Mapping[str, str], said: Said | None) -> Json:
        body = self._whole(await self._worded(path, {**given, "timeout": self._patience}))
        _heard(body, said)
        return body

    async def _worded(self, path: str, given: Mapping[str, str]) -> Json:
        params, form = _sent(given)
        try:
            return await self._caller.json(f"api/v1/{path}", params, form)
        except Refused as e:
            raise self._refusal(e) from None

    async def _streamed(self, path: str, given: Mapping[str, str], said: Said | None) -> AsyncGenerator[Row, None]:
        rest: dict[str, Json] = {}
        params, form = _sent({**given, "timeout": self._patience})
        async with aclosing(self._caller.items(f"api/v1/{path}", ("data", "result"), params, form, rest)) as items:
            async for row in self._made(items, said):
                yield row
        if "resultType" not in self._good(rest):  # it stands beside the series
            raise self._without()
        _heard(rest, said)

    async def _made(self, items: AsyncGenerator[Json, None], said: Said | None) -> AsyncGenerator[Row, None]:
        try:
            async for item in items:
                for row in self._rows([item], said):
                    yield row
        except Refused as e:
            raise self._refusal(e) from None

    def _refusal(self, e: Refused) -> SourceError:
        """A query that took too long is refused by the server itself."""
        if "timed out" in e.said or "deadline" in e.said:
            what = f"the query took longer than {self._patience}. Narrow the window or the scope."
            return SourceError(self.name, what, "timeout")
        return e

    def _good(self, body: Json) -> Json:
        if not isinstance(body, dict) or body.get("status") not in ("success", "error"):
            said = "it answers JSON, but not as Prometheus does. Check this source's url."
            raise SourceError(self.name, said, "bad_answer")
        if body["status"] == "error":
            raise SourceError(self.name, f"it refuses the query: {body.get('error', '')}.", "bad_query")
        return body

    def _whole(self, body: Json) -> Json:
        if self._good(body).get("data") is None:
            raise self._without()
        return body

    def _without(self) -> SourceError:
        return SourceError(self.name, "it answers without data. Check this source's url.", "bad_answer")

    def _rows(self, items: list[Json], said: Said | None) -> list[Row]:
        try:
            return _rows(items, said)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise SourceError(
                self.name, "it answers series of an unknown form. Check this source's url.", "bad_answer"
            ) from None

    @property
    def _patience(self) -> str:
        return f"{self._caller.site.timeout * PATIENCE * 1000:.0f}ms"


def _sent(given: Mapping[str, str]) -> tuple[list[tuple[str, str]], list[tuple[str, str]] | None]:
    pairs = list(given.items())
    return ([], pairs) if sum(len(v) for _, v in pairs) > LONG else (pairs, None)


def _heard(body: Json, said: Said | None) -> None:
    if said is not None:
        said.warnings |= dict.fromkeys(f"the server warns: {w}" for w in body.get("warnings") or ())
        if body.get("isPartial"):
            said.warnings["the server says that its answer is only a part"] = None


def _rows(items: list[Json], said: Said | None) -> list[Row]:
    found = []
    for item in items:
        pairs = item.get("values") or ([item["value"]] if item.get("value") else [])
        points = tuple((_time(at), float(v)) for at, v in pairs)
        good = tuple(p for p in points if math.isfinite(p[1]))
        if said is not None:
            said.odd += len(points) - len(good)
        if good:
            found.append(Row(item.get("metric", {}), good))
    return found


def _time(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def _stamp(at: datetime) -> str:
    """Unix seconds, to the millisecond that a server knows."""
    return f"{at.timestamp():.3f}".rstrip("0").rstrip(".")

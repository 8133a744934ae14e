"""Loki's HTTP API, as far as it is asked: series, lines, names. (grafana.com/docs/loki/latest/reference/loki-http-api)

Times go there in nanoseconds. Errors come as 400 in plain text, which the client words. Observed on Loki 3.4.6.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from subagents.sources import SourceError
from subagents.web import Caller

PREFIX = "loki/api/v1"
LIMIT = 5_000  # max_entries_limit_per_query; more is a 400


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. `ns`: since 1970; `labels`: its stream's, its metadata's, and what the pipeline made."""

    ns: int
    line: str
    labels: Mapping[str, str]

    @property
    def at(self) -> datetime:
        return datetime.fromtimestamp(self.ns // 1000 / 1e6, UTC)

    def key(self) -> tuple[int, str, tuple[tuple[str, str], ...]]:
        return self.ns, self.line, tuple(sorted(self.labels.items()))


@dataclass(frozen=True, slots=True)
class Point:
    labels: Mapping[str, str]
    at: datetime
    value: float


class Api:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    @property
    def name(self) -> str:
        return self._caller.site.name

    async def range(self, query: str, start: datetime, end: datetime, step: int) -> AsyncGenerator[Point, None]:
        """Points at each step, both ends included; each covers the step before it."""
        params = [("query", query), ("step", str(step)), *_span(start, end)]
        async with aclosing(self._caller.items(f"{PREFIX}/query_range", ("data", "result"), params)) as rows:
            async for row in rows:
                for at, value in self._fields(row, "metric", "values")[1]:
                    yield Point(row["metric"], datetime.fromtimestamp(float(at), UTC), float(value))

    async def instant(self, query: str, at: int | datetime) -> list[Point]:
        params = [("query", query), ("time", nanoseconds(at))]
        answer = await self._caller.json(f"{PREFIX}/query", params)
        found = []
        for row in self._rows(answer, "vector"):
            labels, (seconds, value) = self._fields(row, "metric", "value")
            found.append(Point(labels, datetime.fromtimestamp(float(seconds), UTC), float(value)))
        return found

    async def lines(
        self, query: str, start: int | datetime, end: int | datetime, limit: int, direction: str = ""
    ) -> list[Entry]:
        """At most `limit` lines of `[start, end)`, in order of time; the youngest unless `direction` is "forward"."""
        params = [("query", query), ("limit", str(limit)), *_span(start, end)]
        if direction:
            params.append(("direction", direction))
        answer = await self._caller.json(f"{PREFIX}/query_range", params)
        found: list[Entry] = []
        for row in self._rows(answer, "streams"):
            labels, values = self._fields(row, "stream", "values")
            for value in values:
                more = value[2].get("structuredMetadata", {}) if len(value) > 2 else {}
                found.append(Entry(int(value[0]), value[1], {**labels, **more} if more else labels))
        return sorted(found, key=lambda entry: entry.ns)

    async def values(self, label: str, start: datetime, end: datetime) -> tuple[str, ...]:
        answer = await self._caller.json(f"{PREFIX}/label/{label}/values", _span(start, end))
        return tuple(answer.get("data") or ()) if isinstance(answer, dict) else ()

    async def patterns(self, selector: str, start: datetime, end: datetime, step: int) -> list[tuple[str, str, int]]:
        """(template, level, how many) that Loki mined itself; [] where it mines none."""
        params = [("query", selector), ("step", f"{step}s"), *_span(start, end)]
        answer = await self._caller.json(f"{PREFIX}/patterns", params)
        rows = answer.get("data") or () if isinstance(answer, dict) else ()
        return [(r["pattern"], r.get("level", ""), sum(int(n) for _, n in r["samples"])) for r in rows]

    async def ready(self) -> str:
        """The version."""
        answer = await self._caller.json(f"{PREFIX}/status/buildinfo")
        return str(answer.get("version", "")) if isinstance(answer, dict) else ""

    def _rows(self, answer: Any, kind: str) -> list[dict[str, Any]]:
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, dict) or data.get("resultType") != kind:
            raise SourceError(self.name, f"it answered something else than {kind}.", "bad_answer")
        return data.get("result") or []

    def _fields(self, row: Any, labels: str, values: str) -> tuple[Mapping[str, str], Any]:
        try:
            return row[labels], row[values]
        except (KeyError, TypeError):
            raise SourceError(self.name, "it answered rows of an unknown form.", "bad_answer") from None


def nanoseconds(at: int | datetime) -> str:
    return str(at if isinstance(at, int) else round(at.timestamp() * 1e6) * 1000)


def _span(start: int | datetime, end: int | datetime) -> list[tuple[str, str]]:
    return [("start", nanoseconds(start)), ("end", nanoseconds(end))]

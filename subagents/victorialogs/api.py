"""VictoriaLogs' HTTP API, as far as it is asked. (docs.victoriametrics.com/victorialogs/querying)

Answers to `query` are JSON lines, no match is an empty body, errors are 400 in plain text. Observed on 1.26.0.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from subagents.sources import SourceError
from subagents.web import Caller

PREFIX = "select/logsql"


@dataclass(frozen=True, slots=True)
class Hit:
    fields: Mapping[str, str]
    at: datetime
    n: int


class Api:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    @property
    def name(self) -> str:
        return self._caller.site.name

    async def query(self, query: str, start: datetime, end: datetime) -> AsyncGenerator[dict[str, str], None]:
        """Rows as they arrive, in no order unless the query sorts them."""
        form = [("query", query), *_span(start, end)]
        async with aclosing(self._caller.lines(f"{PREFIX}/query", form=form)) as lines:
            async for line in lines:
                yield self._row(line)

    async def hits(
        self, query: str, start: datetime, end: datetime, step: str, fields: Sequence[str]
    ) -> AsyncGenerator[Hit, None]:
        """Counts by steps of UTC ("1m", "1h", "1d") and these fields; a hit's time is its step's begin."""
        params = [("query", query), ("step", step), *(("field", f) for f in fields), *_span(start, end)]
        async with aclosing(self._caller.items(f"{PREFIX}/hits", ("hits",), params)) as rows:
            async for row in rows:
                for hit in self._hits(row):
                    yield hit

    def _hits(self, row: Any) -> list[Hit]:
        try:
            pairs = zip(row["timestamps"], row["values"], strict=True)
            return [Hit(row["fields"], datetime.fromisoformat(at), int(n)) for at, n in pairs]
        except (KeyError, TypeError, ValueError):
            raise SourceError(self.name, "it answered hits of an unknown form.", "bad_answer") from None

    async def values(self, field: str, start: datetime, end: datetime) -> tuple[str, ...]:
        """Of a field, in the order of its names."""
        params = [("query", "*"), ("field", field), *_span(start, end)]
        answer = await self._caller.json(f"{PREFIX}/field_values", params)
        rows = answer.get("values") or () if isinstance(answer, dict) else ()
        return tuple(sorted(str(row["value"]) for row in rows if row.get("value")))

    def _row(self, line: bytes) -> dict[str, str]:
        try:
            row: Any = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            what = "with something that is no JSON line, or only half of one. Check this source's url."
            raise SourceError(self.name, f"it answered {what}", "bad_answer")
        return row


def _span(start: datetime, end: datetime) -> list[tuple[str, str]]:
    return [("start", _seconds(start)), ("end", _seconds(end))]


def _seconds(at: datetime) -> str:
    return f"{at.timestamp():.6f}".rstrip("0").rstrip(".")

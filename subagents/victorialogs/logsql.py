"""LogsQL for one query, every name and word quoted. (docs.victoriametrics.com/victorialogs/logsql) Knows no HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from subagents import near
from subagents.logs import remote
from subagents.near import Words


@dataclass(frozen=True, slots=True)
class Fields:
    """`filter`: what every query adds; `service`, `level`, `code`: names of fields, "" = there is none. `values`:
    level → how it is written, exactly; without it all usual words, in any case."""

    filter: str = ""
    service: str = "service"
    level: str = "level"
    code: str = ""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def names(self) -> dict[str, str]:
        return {"service": self.service, "level": self.level, "code": self.code}

    def query(self, services: Sequence[str], levels: Sequence[str], text: Sequence[str], words: Words = ()) -> str:
        patterns = [*map(re.escape, text), *([near.pattern(words)] if words else ())]
        parts = [f"({self.filter})" if self.filter else "", _exactly(self.service, services), self._levels(levels)]
        parts += [f"_msg:~{quoted('(?i)' + pattern)}" for pattern in patterns]
        return " ".join(filter(None, parts)) or "*"

    def _levels(self, levels: Sequence[str]) -> str:
        if not levels:
            return ""
        if all(self.values.get(level) for level in levels):
            given = [word for level in levels for word in self.values[level]]
            plain = len(given) == 1 and re.fullmatch(r"[a-z]+", given[0])
            return f"{self.level}:{given[0]}" if plain else _exactly(self.level, given)
        pattern = remote.written(levels, self.values, re.escape)
        return f"{name(self.level)}:~{quoted(f'^(?:{pattern})$')}"


def within(query: str, start: datetime | str, end: datetime | str) -> str:
    """Of `[start, end)`, exactly: the API's own arguments take in the second that begins at the end."""
    return f"_time:[{moment(start)}, {moment(end)}) {query}"


def moment(at: datetime | str) -> str:
    return at if isinstance(at, str) else at.isoformat().replace("+00:00", "Z")


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def name(field_name: str) -> str:
    """A field's name, quoted where it isn't a plain word."""
    return field_name if re.fullmatch(r"[A-Za-z_][\w.]*", field_name) else quoted(field_name)


def _exactly(field_name: str, values: Sequence[str]) -> str:
    if not values:
        return ""
    if len(values) == 1:
        return f"{name(field_name)}:={quoted(values[0])}"
    return f"{name(field_name)}:in({', '.join(map(quoted, values))})"

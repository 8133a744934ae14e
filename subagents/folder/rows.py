"""Rows of log scans, plain JSON, as the contracts' objects."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from subagents.folder import keys, times
from subagents.folder.records import Row
from subagents.sources import Level, LogLine, Pattern


def shown(dimension: str, key: str) -> str:
    if dimension in ("hour", "minute", "day"):
        return times.iso(float(key)) if key else ""
    return key


def line(row: Row, names: dict[int, str]) -> LogLine:
    name = names[row["place"][1]]
    return LogLine(
        at=None if row["at"] is None else times.aware(row["at"]),
        service=row["service"],
        level=cast(Level, row["level"]),
        message=row["message"],
        origin=f"{name}:{row['line']}" if row["line"] else f"{name}@{row['offset']}",
        fields=row["fields"],
        context=tuple(row["context"]),
    )


def pattern(row: Row, covered: bool) -> Pattern:
    return Pattern(
        template=row["template"],
        service=row["service"],
        level=cast(Level, row["level"]),
        n=row["n"],
        before=row["before"] if covered else None,
        first=_time(row["first"]),
        last=_time(row["last"]),
        sample=row["sample"],
    )


def told(row: Row) -> Pattern:
    """A pattern as a mined file tells it; its mood stands for a level where it has none."""
    level = row["level"] if row["level"] in ("fatal", "error", "warn", "info", "debug") else "unknown"
    if level == "unknown" and row["mood"] == "negative":
        level = "error"
    return Pattern(
        template=row["template"],
        service=row["service"],
        level=cast(Level, level),
        n=row["n"],
        before=row["before"],
        first=_time(row["first"]),
        last=_time(row["last"]),
        sample=row["template"],
        name=next((v for k, v in row["fields"].items() if keys.norm(k) in ("patternid", "id")), ""),
    )


def _time(at: float | None) -> datetime | None:
    return None if at is None else times.aware(at)

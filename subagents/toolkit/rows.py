"""Rows that a database gave, as a tool's result: a table in text, cells as figures, what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from orchestrator.contracts import Figure, Json, ToolResult, Window
from subagents.saying import short

CELL = 200  # characters of one cell
FIGURES = 400


@dataclass(frozen=True, slots=True)
class Rows:
    """`more`: there are others that weren't fetched."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool = False


def result(name: str, query: str, window: Window, found: Rows, link: str = "") -> ToolResult:
    """A model reads the table; code finds the numbers as figures named by column, told apart by the row's words."""
    cells = [[_plain(value) for value in row] for row in found.rows]
    n = len(cells)
    head = f"{n} row{'s' * (n != 1)}" + (" and more, which were not read" if found.more else "")
    lines = [head, " | ".join(found.columns), *(" | ".join(_cell(v) for v in row) for row in cells)]
    figures = [Figure("rows", n, approx=found.more)]
    for row in cells:
        words = {c: v for c, v in zip(found.columns, row, strict=True) if isinstance(v, str)}
        numbers = [(c, v) for c, v in zip(found.columns, row, strict=True) if _number(v)]
        figures += [Figure(c, v, labels={k: short(w, 60) for k, w in words.items()}) for c, v in numbers]
    gaps = (f"only the first {n:,} rows were read: count in the database, or narrow it",) if found.more else ()
    return ToolResult(
        "ok" if n else "no_data", "\n".join(lines), {"columns": list(found.columns), "rows": cells},
        tuple(figures[:FIGURES]), name, query, window, link, n, None if found.more else n, not found.more, gaps,
    )  # fmt: skip


def _plain(value: Any) -> Json:
    """As JSON: exact numbers as they are, times in ISO 8601, bytes by their length."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if isinstance(value, Decimal):
        return _plain(float(value)) if value % 1 else int(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return f"({len(bytes(value)):,} bytes)"
    return str(value)


def _number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: Json) -> str:
    return "NULL" if value is None else short(str(value), CELL)

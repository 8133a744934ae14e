"""A long list in pages, by a cursor that a caller hands back. Knows no row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def paged(rows: Sequence[T], limit: int, cursor: str | None) -> tuple[tuple[T, ...], str | None]:
    """So many rows from where the page before ended, and the next one's cursor, None after the last. A cursor that is
    none of ours begins at the beginning."""
    start = int(cursor) if cursor and len(cursor) < 10 and cursor.isdecimal() else 0
    end = start + limit
    return tuple(rows[start:end]), str(end) if end < len(rows) else None

"""How the folder's sources word the exact query that an answer states, and how they order and page rows."""

from __future__ import annotations

from orchestrator.contracts import Window
from subagents.folder import times


def query(kind: str, window: Window | None, by: tuple[str, ...] = (), /, **filters: object) -> str:
    """`folder logs: level=error service=checkout 2026-11-29T14:00:00Z..2026-11-29T15:00:00Z by hour`."""
    parts = [f"{key}={_value(value)}" for key, value in filters.items() if value not in ((), None, "")]
    if window is not None:
        parts.append(f"{times.iso(window.start.timestamp())}..{times.iso(window.end.timestamp())}")
    if by:
        parts.append("by " + ", ".join(by))
    return f"folder {kind}: " + (" ".join(parts) or "all")


def _value(value: object) -> str:
    if isinstance(value, tuple | list):
        return ",".join(_value(v) for v in value)
    return repr(value) if isinstance(value, str) and (" " in value or "," in value) else str(value)

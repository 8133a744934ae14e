"""Alerts that the report has fetched already, as a source for the cause analysis: nothing is asked twice.

Of a crowd it gives the worst alerts and a few firings of each, since the analysis compares every one with every other.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC

from hermes_ops.report.judging import few
from orchestrator.contracts import Window
from subagents.alerts.episodes import grouped
from subagents.severity import rank
from subagents.sources import AlertQuery, Answered, Coverage, Episode, Health

CROWD = 1_000  # firings in a window from which on it is a crowd
ALERTS = 120


class Recorded:
    """An `AlertSource` of episodes that are known."""

    name = "alerts"
    caps = frozenset(("history",))

    def __init__(self, rows: Iterable[Episode]) -> None:
        self._rows = tuple(rows)

    async def probe(self) -> Health:
        return Health(True, f"{len(self._rows)} alert firing(s) of this report")

    async def coverage(self) -> Coverage:
        return Coverage(None, None, sparse=True)

    async def episodes(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        rows = [e for e in self._rows if _fits(e, q)]
        total = len(rows)
        if total > CROWD:
            groups = sorted(grouped(rows), key=lambda g: (rank(g.severity), -len(g.episodes), g.start))[:ALERTS]
            rows = sorted((e for g in groups for e in few(g)), key=lambda e: e.start)
        return Answered(tuple(rows), f"alerts {_said(q.window)}", q.window, total=total)

    async def current(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        found = await self.episodes(q)
        rows = tuple(e for e in found.rows if e.end is None or e.end >= q.window.end)
        return Answered(rows, found.query, q.window, total=len(rows))


def _fits(e: Episode, q: AlertQuery) -> bool:
    inside = e.start < q.window.end and (e.end is None or e.end > q.window.start)
    return inside and (not q.services or e.service in q.services) and (not q.names or e.name in q.names)


def _said(window: Window) -> str:
    return "..".join(f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" for at in (window.start, window.end))

"""Trace spans of a folder: slowest first where they are many, and who calls whom."""

from __future__ import annotations

from collections import Counter

from orchestrator.contracts import Window
from subagents.folder import times
from subagents.folder.material import Material, covering
from subagents.folder.records import Row
from subagents.folder.wording import query
from subagents.sources import Answered, Coverage, Edge, Health, Span


class FolderSpans:
    name = "folder spans"
    caps = frozenset(("spans", "edges"))

    def __init__(self, material: Material) -> None:
        self._material = material
        self._rows = sorted(material.of("span"), key=lambda r: (r["start"], r["id"]))

    async def probe(self) -> Health:
        n = len(self._rows)
        return Health(n > 0, f"{n} span(s) in {self._material.root}" if n else "no spans in this folder")

    async def coverage(self) -> Coverage:
        return covering((r["start"] for r in self._rows), (r["service"] for r in self._rows), self._material.notes)

    async def spans(
        self, window: Window, services: tuple[str, ...] = (), limit: int = 50
    ) -> Answered[tuple[Span, ...]]:
        """Spans that began in the window, oldest first; of more than `limit` the failed and the slowest."""
        rows = [r for r in self._inside(window) if not services or r["service"] in services]
        kept = sorted(rows, key=lambda r: (not r["error"], -r["seconds"]))[:limit] if len(rows) > limit else rows
        shown = tuple(_span(r) for r in sorted(kept, key=lambda r: (r["start"], r["id"])))
        gaps = (f"{len(shown)} of {len(rows)} spans: failed ones first, then the slowest",) if len(rows) > limit else ()
        return Answered(
            shown, query("spans", window, service=services), window, total=len(rows), complete=not gaps, gaps=gaps
        )

    async def edges(self, window: Window | None) -> Answered[tuple[Edge, ...]]:
        """Calls from one service to another, told by a span and its parent."""
        rows = self._rows if window is None else self._inside(window)
        owner = {(r["trace"], r["id"]): r["service"] for r in self._rows}
        calls: Counter[tuple[str, str]] = Counter()
        orphans = 0
        for row in rows:
            caller = owner.get((row["trace"], row["parent"])) if row["parent"] else None
            orphans += bool(row["parent"]) and caller is None
            if caller and row["service"] and caller != row["service"]:
                calls[caller, row["service"]] += 1
        edges = tuple(Edge(a, b, n) for (a, b), n in sorted(calls.items()))
        gaps = (f"{orphans} span(s) name a parent that isn't in the folder",) if orphans else ()
        return Answered(edges, query("calls between services", window), window, total=len(edges), gaps=gaps)

    def _inside(self, window: Window) -> list[Row]:
        since, until = window.start.timestamp(), window.end.timestamp()
        return [r for r in self._rows if since <= r["start"] < until]


def _span(row: Row) -> Span:
    return Span(
        trace=row["trace"],
        id=row["id"],
        parent=row["parent"],
        service=row["service"],
        name=row["name"],
        start=times.aware(row["start"]),
        seconds=row["seconds"],
        error=row["error"],
        fields=row["fields"],
    )

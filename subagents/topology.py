"""Who calls whom: distance and reach in the graph of services, from settings, spans, or both.

An edge goes from the caller to what it depends on. Doesn't know what a call is, nor which service is ill.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.contracts import Window
from subagents.asking import ask_all
from subagents.sources import Answered, Coverage, Edge, Health, SourceError, Span, SpanSource

Pairs = frozenset[tuple[str, str]]


def declared(depends_on: Mapping[str, Sequence[str]]) -> Pairs:
    """Edges that the settings name: service → what it depends on."""
    return frozenset((caller, callee) for caller, callees in depends_on.items() for callee in callees)


async def learnt(spans: Sequence[SpanSource], window: Window | None) -> Pairs:
    """Edges that traces show; none where there are no traces or they can't be reached."""
    if not spans:
        return frozenset()
    try:
        found = await ask_all(spans, "spans", lambda s: s.edges(window))
    except SourceError:
        return frozenset()
    return frozenset((e.caller, e.callee) for e in found.rows)


class Declared:
    """The graph that settings name, as a source beside those that learn it. It has no spans."""

    name = "settings"
    caps = frozenset({"edges"})

    def __init__(self, depends_on: Mapping[str, Sequence[str]]) -> None:
        self._edges = tuple(Edge(a, b, 0) for a, b in sorted(declared(depends_on)))

    async def probe(self) -> Health:
        return Health(True, f"{len(self._edges)} dependencies")

    async def coverage(self) -> Coverage:
        return Coverage(None, None, services=tuple(dict.fromkeys(s for e in self._edges for s in (e.caller, e.callee))))

    async def spans(
        self, window: Window, services: tuple[str, ...] = (), limit: int = 50
    ) -> Answered[tuple[Span, ...]]:
        return Answered((), "", window, total=0)

    async def edges(self, window: Window | None) -> Answered[tuple[Edge, ...]]:
        return Answered(self._edges, "services.NAME.depends_on", window, total=len(self._edges))


class Topology:
    def __init__(self, edges: Iterable[tuple[str, str]]) -> None:
        self.edges = frozenset((a, b) for a, b in edges if a and b and a != b)

    def callees(self, service: str) -> tuple[str, ...]:
        """What it calls itself."""
        return tuple(sorted(b for a, b in self.edges if a == service))

    def callers(self, service: str) -> tuple[str, ...]:
        return tuple(sorted(a for a, b in self.edges if b == service))

    def knows(self, service: str) -> bool:
        return any(service in edge for edge in self.edges)

    def distance(self, service: str, other: str) -> int | None:
        """Calls from `service` down to `other`: 0 for itself, None when it doesn't depend on it."""
        if service == other:
            return 0
        return dict(self._reach(service)).get(other)

    def downstream(self, service: str) -> tuple[str, ...]:
        """All that it depends on, nearest first."""
        return tuple(name for name, _ in self._reach(service))

    def _reach(self, service: str) -> list[tuple[str, int]]:
        """(name, calls away), nearest first."""
        beside: dict[str, set[str]] = {}
        for a, b in self.edges:
            beside.setdefault(a, set()).add(b)
        far, edge = {service: 0}, [service]
        while edge:
            edge = sorted({n for here in edge for n in beside.get(here, ())} - far.keys())
            far |= dict.fromkeys(edge, max(far.values()) + 1)
        return sorted(((n, d) for n, d in far.items() if n != service), key=lambda pair: (pair[1], pair[0]))

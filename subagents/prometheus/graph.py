"""Who calls whom, from metrics that name both ends: Istio, Linkerd, or service graphs made from traces.

It has no spans, as its `caps` say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from orchestrator.contracts import Window
from subagents.prometheus.api import Api
from subagents.prometheus.labels import selector
from subagents.prometheus.presence import Presence
from subagents.sources import Answered, Coverage, Edge, Health, Span

USUAL = timedelta(hours=1)
MOST = 5_000  # edges


@dataclass(frozen=True, slots=True)
class Mesh:
    """A counter of calls, and the labels that name its two ends; `seen`: the label that tells which end counted a call,
    where both do."""

    metric: str
    caller: str
    callee: str
    seen: str = ""


MESHES = (
    Mesh("istio_requests_total", "source_canonical_service", "destination_canonical_service", "reporter"),
    Mesh("traces_service_graph_request_total", "client", "server"),
    Mesh("response_total", "deployment", "dst_deployment"),  # Linkerd
)


class PrometheusGraph:
    caps = frozenset({"edges"})

    def __init__(self, name: str, api: Api, presence: Presence, meshes: Sequence[Mesh], matchers: str) -> None:
        self.name = name
        self._api, self._presence, self._meshes, self._matchers = api, presence, meshes, matchers

    async def probe(self) -> Health:
        return await self._presence.probe()

    async def coverage(self) -> Coverage:
        return Coverage(await self._presence.since(), None)

    async def spans(
        self, window: Window, services: tuple[str, ...] = (), limit: int = 50
    ) -> Answered[tuple[Span, ...]]:
        return Answered((), "", window, total=0)

    async def edges(self, window: Window | None) -> Answered[tuple[Edge, ...]]:
        """Calls in the window, else in the last hour, by the first of the known meshes that has any. About: the counts
        are `increase()`'s."""
        now = datetime.now(UTC)
        span = window or Window(now - USUAL, now)
        length, asked = max(round((span.end - span.start).total_seconds()), 1), list[str]()
        for mesh in self._meshes:
            named = (f'{end}!~"|unknown"' for end in (mesh.caller, mesh.callee))
            ends, which = f"{mesh.caller}, {mesh.callee}", selector(mesh.metric, *named, self._matchers)
            by = f"{ends}, {mesh.seen}" if mesh.seen else ends
            query = f"sum by ({by}) (increase({which}[{length}s]))"
            query = f"max by ({ends}) ({query}) > 0" if mesh.seen else f"{query} > 0"
            asked.append(query)
            rows = await self._api.instant(query, min(span.end, now))
            edges = sorted(
                (Edge(r.labels[mesh.caller], r.labels[mesh.callee], round(r.value)) for r in rows),
                key=lambda e: -e.calls,
            )
            if edges:
                found = tuple(edges[:MOST])
                return Answered(found, query, span, total=len(edges), complete=len(edges) <= MOST, approx=True)
        return Answered((), "; ".join(asked), span, total=0)

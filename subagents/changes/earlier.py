"""What earlier findings tell about a symptom: when it began, what fails, and whom the failing ones complain about.

Pure: reads the JSON of Findings as other domains' tools leave it (`onset`, `services`, `names`, `calls`, `elsewhere`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from orchestrator.agent import Turn
from orchestrator.contracts import Json
from subagents.topology import Topology


@dataclass(frozen=True, slots=True)
class Earlier:
    """`services`: what fails, the likely origin first; `named`: {service: (who complains about it, evidence id)}.

    `aside`: the onset lies at another time than was asked about.
    """

    onset: datetime | None
    services: tuple[str, ...]
    named: dict[str, tuple[str, str]]
    aside: bool = False

    def why(self, service: str, zh: bool) -> str:
        """ "，checkout 的日志提到它 [L2]": why a service other than the asked one is looked at."""
        if service not in self.named:
            return ""
        who, id = self.named[service]
        return f"，{who} 的日志提到它 [{id}]" if zh else f", and the logs of {who} name it [{id}]"


def read(turn: Turn) -> Earlier:
    earlier: list[Json] = (turn.brief or {}).get("earlier") or []
    found = list(_data(earlier))
    onsets = [datetime.fromisoformat(f["onset"]) for f in earlier if f.get("onset")]
    other = [d["elsewhere"] for _, d in found if d.get("elsewhere")]
    aside = not onsets
    if aside:
        onsets = [datetime.fromisoformat(o["onset"]) for o in other]
    failing = list(dict.fromkeys([s for f in earlier for s in f.get("services") or ()]))
    failing = list(dict.fromkeys([*failing, *(o["service"] for o in other if o["service"])]))
    asked = turn.ctx.scope.services
    complaints = [(str(a), str(b), id) for id, d in found for a, b, _ in d.get("names") or d.get("calls") or ()]
    known = {*failing, *asked}
    involved = list(dict.fromkeys([*failing, *asked, *(b for a, b, _ in complaints if a in known)]))
    named = {b: (a, id) for a, b, id in reversed(complaints) if a in known and b != a and b not in asked}
    graph = Topology((a, b) for a, b, _ in complaints)
    return Earlier(min(onsets, default=None), tuple(_origin_first(involved, failing, graph)), named, aside)


def _data(earlier: list[Json]) -> Iterator[tuple[str, Json]]:
    for finding in earlier:
        for piece in finding.get("evidence") or ():
            data = piece["result"].get("data")
            if isinstance(data, dict):
                yield piece["id"], data


def _origin_first(services: list[str], failing: list[str], graph: Topology) -> list[str]:
    """A failing service that failing ones complain about stands before them; what doesn't fail itself stands last."""

    def place(name: str) -> tuple[bool, int, int]:
        under = sum(other in failing for other in graph.callers(name))
        over = sum(other in failing for other in graph.callees(name))
        return name not in failing, over - under, services.index(name)

    return sorted(services, key=place)

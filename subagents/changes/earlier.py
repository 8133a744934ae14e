"""What earlier findings tell about a symptom: when it began, what fails, and whom the failing ones complain about.

What most of them agree on is the onset; one that stands alone hours before is another matter. Pure: reads the JSON of
Findings as other domains' tools leave it (`onset`, `services`, `names`, `calls`, `elsewhere`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from orchestrator.agent import Turn
from orchestrator.contracts import Json
from subagents.topology import Topology

TOGETHER = timedelta(minutes=30)  # onsets that lie so near each other are one
SURE = ("count_errors", "list_alerts", "metric")  # tools by how surely their onset is that of a failure


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
    onset = _agreed(earlier)
    # what begins at another time is no answer, but where the data's own clock reads like the time that was asked for
    other = [d["elsewhere"] for _, d in found if d.get("elsewhere") and d["elsewhere"]["own_clock"]]
    aside = onset is None
    if aside:
        onset = min((datetime.fromisoformat(o["onset"]) for o in other), default=None)
    failing = list(dict.fromkeys([s for f in earlier for s in f.get("services") or ()]))
    failing = list(dict.fromkeys([*failing, *(o["service"] for o in other if o["service"])]))
    asked = turn.ctx.scope.services
    complaints = [(str(a), str(b), id) for id, d in found for a, b, _ in d.get("names") or d.get("calls") or ()]
    known = {*failing, *asked}
    involved = list(dict.fromkeys([*failing, *asked, *(b for a, b, _ in complaints if a in known)]))
    named = {b: (a, id) for a, b, id in reversed(complaints) if a in known and b != a and b not in asked}
    graph = Topology((a, b) for a, b, _ in complaints)
    return Earlier(onset, tuple(_origin_first(involved, failing, graph)), named, aside)


def _agreed(earlier: list[Json]) -> datetime | None:
    """The first of those onsets that most tools tell of together; of as many, those that errors tell of, then alerts,
    then metrics."""
    told = [(name, datetime.fromisoformat(at)) for f in earlier for name, at in _onsets(f)]
    groups: list[list[tuple[str, datetime]]] = []
    for row in sorted(told, key=lambda row: row[1]):
        if groups and row[1] - groups[-1][-1][1] <= TOGETHER:
            groups[-1].append(row)
        else:
            groups.append([row])

    def weight(group: list[tuple[str, datetime]]) -> tuple[int, int]:
        names = {name for name, _ in group}
        return len(names), -min(SURE.index(n) if n in SURE else len(SURE) for n in names)

    best = max(groups, key=weight, default=[])
    return best[0][1] if best else None


def _onsets(finding: Json) -> Iterator[tuple[str, str]]:
    """(tool, onset) of each piece; that of the finding where its pieces aren't told."""
    pieces = [(p["tool"], p["result"].get("data")) for p in finding.get("evidence") or ()]
    rows = [(tool, data["onset"]) for tool, data in pieces if isinstance(data, dict) and data.get("onset")]
    yield from rows or ([("", finding["onset"])] if finding.get("onset") else [])


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

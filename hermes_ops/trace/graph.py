"""The route of a run as a graph: the question, who was asked by whom and why, who wasn't, with which tools, the answer.

Calls of one tool in one loop are one node. How it is written down is in `graph_formats.py` and `graph_svg.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from hermes_ops.trace.story import Beat, Story
from orchestrator.cleaning import clean

LABEL = 60  # characters of a label
Kind = Literal["question", "supervisor", "agent", "unasked", "tool", "answer"]


@dataclass(frozen=True, slots=True)
class Node:
    """`step`: where the run says more, 0: nowhere; `note`: a second line; `column`: from left to right."""

    id: str
    kind: Kind
    label: str
    note: str = ""
    step: int = 0
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """`kind` "not": nobody went that way; "waits": the second part of a plan had the findings of the first."""

    start: str
    end: str
    label: str = ""
    kind: Literal["asks", "not", "waits", "calls", "ends"] = "asks"


@dataclass(slots=True)
class Graph:
    """`title`: for whoever can't see it."""

    title: str
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)


def route(story: Story) -> Graph:
    graph = Graph(f"Route of run {story.run['run']}")
    graph.nodes.append(Node("question", "question", plain(story.run["question"], 2 * LABEL)))
    for place, lane in enumerate(story.lanes):
        if lane.agent == "supervisor":
            name = "supervisor" if lane.depth == 0 else f"supervisor, {lane.path.rpartition('/')[2]}"
            own = [b for b in story.steps if b.lane == place]
            first = next((b.n for b in own if b.kind == "agent"), 0)
            graph.nodes.append(Node(f"l{place}", "supervisor", plain(name), plain(lane.brain, 30), first))
            graph.edges.append(Edge("question", f"l{place}"))
            _unasked(graph, story, place)
    for place, lane in enumerate(story.lanes):
        if lane.agent not in ("supervisor", "plan"):
            _asked(graph, story, place)
    _waits(graph, story)
    _answer(graph, story)
    return graph


def _asked(graph: Graph, story: Story, place: int) -> None:
    lane = story.lanes[place]
    asked = lane.asked or {}
    opener = next((b for b in story.steps if b.n == lane.step), None)
    status = str(asked.get("status") or "") if lane.ended else "didn't end"
    note = plain(" · ".join(filter(None, (status, took(lane.end - lane.start)))))
    graph.nodes.append(Node(f"l{place}", "agent", plain(lane.agent), note, lane.step, bool(opener and opener.bad)))
    graph.edges.append(Edge(f"l{_asker(story, place)}", f"l{place}", plain(asked.get("reason") or "")))
    tools: dict[str, list[Beat]] = {}
    for beat in story.steps:
        if beat.lane == place and beat.kind == "tool":
            tools.setdefault(str(beat.detail["tool"]), []).append(beat)
    for n, (name, beats) in enumerate(tools.items()):
        ids = [b.evidence for b in beats if b.evidence]
        said = f"{', '.join(ids[:4])}{' …' if len(ids) > 4 else ''}" if ids else f"{len(beats)} calls"
        node = Node(f"l{place}t{n}", "tool", plain(name), said, beats[0].n, any(b.bad for b in beats))
        graph.nodes.append(node)
        graph.edges.append(Edge(f"l{place}", node.id, "", "calls"))


def _asker(story: Story, place: int) -> int:
    """The nearest lane above that is a supervisor's."""
    path = story.lanes[place].path
    above = [i for i, lane in enumerate(story.lanes) if lane.agent == "supervisor" and path.startswith(f"{lane.path}/")]
    return max(above, key=lambda i: len(story.lanes[i].path), default=0)


def _unasked(graph: Graph, story: Story, place: int) -> None:
    """Who no turn of this loop asked; the reasons are those of its last decision."""
    routes = [b for b in story.steps if b.lane == place and b.kind == "route"]
    asked = {c["agent"] for b in routes for c in b.detail["chosen"]}
    left = {row["agent"]: (row, b.n) for b in routes for row in b.detail["not_asked"] if row["agent"] not in asked}
    for n, (row, step) in enumerate(left.values()):
        node = Node(f"l{place}n{n}", "unasked", plain(row["agent"]), "not asked", step)
        graph.nodes.append(node)
        graph.edges.append(Edge(f"l{place}", node.id, plain(row["why"]), "not"))


def _waits(graph: Graph, story: Story) -> None:
    """Parts of a plan that waited for others."""
    for beat in (b for b in story.steps if b.kind == "plan"):
        inside = story.lanes[beat.lane].path
        places = {lane.path: i for i, lane in enumerate(story.lanes)}
        parts = [p for p in beat.detail.get("parts") or () if isinstance(p, dict)]
        named = {n: places.get(f"{inside}/{n}.{p.get('agent')}") for n, p in enumerate(parts, 1)}
        pairs = [
            (named.get(earlier), named[n]) for n, part in enumerate(parts, 1) for earlier in part.get("after") or ()
        ]
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        graph.edges += [Edge(f"l{a}", f"l{b}", "its findings", "waits") for a, b in known]


def _answer(graph: Graph, story: Story) -> None:
    end = next((b for b in reversed(story.steps) if b.kind == "checked"), None)
    status = str(story.run.get("answer") or story.run["status"])
    wrong = story.run.get("unverified") or ()
    note = f"{len(wrong)} not borne out" if wrong else ""
    bad = bool(wrong) or status in ("failed", "interrupted")
    graph.nodes.append(Node("answer", "answer", plain(f"answer: {status}"), note, end.n if end else 0, bad))
    last = max((i for i, lane in enumerate(story.lanes) if lane.agent == "supervisor"), default=None)
    if last is not None:
        graph.edges.append(Edge(f"l{last}", "answer", "", "ends"))


def ends(graph: Graph) -> Iterator[tuple[Edge, Node, Node]]:
    """Each edge with its two nodes."""
    by_id = {n.id: n for n in graph.nodes}
    return ((e, by_id[e.start], by_id[e.end]) for e in graph.edges)


def plain(text: object, most: int = LABEL) -> str:
    """One line that can neither steer nor hide anything, cut."""
    flat = " ".join(clean(str(text)[: 8 * most]).encode("utf-8", "replace").decode().split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def took(ms: float) -> str:
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"

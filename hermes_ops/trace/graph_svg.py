"""A route as SVG: four columns from the question to the tools. Inside a page the page's styles draw it; as a file it
brings its own."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from hermes_ops.trace.graph import Edge, Graph, Node, ends, plain

X = {"question": 0, "supervisor": 180, "agent": 360, "unasked": 360, "tool": 540, "answer": 0}
WIDE, HIGH, GAP = 148, 44, 10
PAD = 8
FITS = 20  # characters in a box
STYLE = """
svg{font:12px system-ui,sans-serif;background:#fff;color:#1c2430}
.box rect{fill:#f4f6f9;stroke:#8a94a3}.box.agent rect,.box.supervisor rect{fill:#e8f0fe;stroke:#3b6fd4}
.box.unasked rect{fill:none;stroke-dasharray:4 3}.box.bad rect{stroke:#c0362c;stroke-width:2}
.box.answer rect,.box.question rect{fill:#eef7ee;stroke:#3c8a4e}.note{fill:#5b6675;font-size:11px}
.edge{fill:none;stroke:#8a94a3}.edge.not,.edge.waits{stroke-dasharray:4 3}
"""


@dataclass(frozen=True, slots=True)
class Placed:
    node: Node
    x: int
    y: int


def svg_file(graph: Graph) -> str:
    """A file of its own."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + svg(graph, STYLE) + "\n"


def svg(graph: Graph, style: str = "") -> str:
    """For inside a page; nodes link to `#step-N`."""
    placed = _places(graph)
    height = max((p.y for p in placed.values()), default=0) + HIGH + PAD
    width = max((p.x for p in placed.values()), default=0) + WIDE + PAD
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [f'{head} role="group" aria-label="{escape(graph.title)}">', f"<title>{escape(graph.title)}</title>"]
    parts += [f"<style>{style}</style>"] if style else []
    parts += [_edge(edge, placed[a.id], placed[b.id]) for edge, a, b in ends(graph)]
    parts += [_node(p) for p in placed.values()]
    return "".join([*parts, "</svg>"])


def _places(graph: Graph) -> dict[str, Placed]:
    """Agents below each other, each with its tools beside it; the rest in the middle of what it is joined to."""
    placed: dict[str, Placed] = {}
    row = PAD
    kids = {n.id: [e.end for e in graph.edges if e.start == n.id and e.kind == "calls"] for n in graph.nodes}
    by_id = {n.id: n for n in graph.nodes}
    for node in graph.nodes:
        if node.kind not in ("agent", "unasked"):
            continue
        tools = kids[node.id]
        for i, tool in enumerate(tools):
            placed[tool] = Placed(by_id[tool], X["tool"] + PAD, row + i * (HIGH + GAP))
        high = max(1, len(tools)) * (HIGH + GAP)
        placed[node.id] = Placed(node, X[node.kind] + PAD, row + (high - HIGH - GAP) // 2)
        row += high
    _middle(graph, placed, max(row, PAD + 2 * (HIGH + GAP)))
    return {n.id: placed[n.id] for n in graph.nodes}


def _middle(graph: Graph, placed: dict[str, Placed], height: int) -> None:
    bosses = [n for n in graph.nodes if n.kind == "supervisor"]
    for i, node in enumerate(bosses):
        y = PAD + (height - PAD) * (2 * i + 1) // (2 * len(bosses)) - HIGH // 2
        placed[node.id] = Placed(node, X["supervisor"] + PAD, y)
    centre = PAD + (height - PAD) // 2
    for node, y in zip((n for n in graph.nodes if n.kind in ("question", "answer")), (-HIGH - 8, 8), strict=False):
        placed[node.id] = Placed(node, PAD, max(PAD, centre + y))


def _node(placed: Placed) -> str:
    node, x, y = placed.node, placed.x, placed.y
    tip = f"<title>{escape(' · '.join(filter(None, (node.label, node.note))))}</title>"
    label = f'<text x="{x + 10}" y="{y + (19 if node.note else 27)}" fill="currentColor">{_cut(node.label)}</text>'
    note = f'<text class="note" x="{x + 10}" y="{y + 35}">{_cut(node.note, FITS + 3)}</text>' if node.note else ""
    box = f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="7"/>'
    inside = f'<g class="box {node.kind}{" bad" if node.bad else ""}">{tip}{box}{label}{note}</g>'
    return f'<a href="#step-{node.step}">{inside}</a>' if node.step else inside


def _edge(edge: Edge, a: Placed, b: Placed) -> str:
    tip = f"<title>{escape(edge.label)}</title>" if edge.label else ""
    start, end = (a.x + WIDE, a.y + HIGH // 2), (b.x, b.y + HIGH // 2)
    if edge.kind == "ends":
        start, end = (a.x, a.y + HIGH // 2), (b.x + WIDE, b.y + HIGH // 2)
    if edge.kind == "waits":
        start, end = (a.x + WIDE // 2, a.y + HIGH), (b.x + WIDE // 2, b.y)
        if end[1] < start[1]:
            start, end = (a.x + WIDE // 2, a.y), (b.x + WIDE // 2, b.y + HIGH)
        bend = f"L{end[0]} {end[1]}"
    else:
        half = (start[0] + end[0]) // 2
        bend = f"C{half} {start[1]} {half} {end[1]} {end[0]} {end[1]}"
    return f'<path class="edge {edge.kind}" d="M{start[0]} {start[1]}{bend}">{tip}</path>'


def _cut(text: str, most: int = FITS) -> str:
    """What is wider than a Latin letter counts twice."""
    shown, room = "", most
    for c in text:
        room -= 2 if ord(c) > 0x2E7F else 1
        if room < 0:
            return escape(plain(shown)) + "…"
        shown += c
    return escape(shown)

"""A route as Mermaid, DOT and GraphML. Each writes labels so that nothing in them can be read as its syntax."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape, quoteattr

from hermes_ops.trace.graph import Edge, Graph, Node
from hermes_ops.trace.graph_svg import svg_file

MERMAID_SHAPES = {
    "question": ("([", "])"),
    "supervisor": ("{{", "}}"),
    "agent": ("[", "]"),
    "unasked": ("[", "]"),
    "tool": ("(", ")"),
    "answer": ("([", "])"),
}
DOT_SHAPES = {"question": "oval", "supervisor": "hexagon", "agent": "box", "unasked": "box", "tool": "note",
              "answer": "oval"}  # fmt: skip


def mermaid(graph: Graph) -> str:
    lines = ["flowchart LR"]
    for node in graph.nodes:
        left, right = MERMAID_SHAPES[node.kind]
        lines.append(f'  {node.id}{left}"{_mermaid(node)}"{right}')
    for edge in graph.edges:
        arrow = "-.->" if edge.kind in ("not", "waits") else "-->"
        label = f'|"{coded(edge.label)}"|' if edge.label else ""
        lines.append(f"  {edge.start} {arrow}{label} {edge.end}")
    unasked = [n.id for n in graph.nodes if n.kind == "unasked"]
    bad = [n.id for n in graph.nodes if n.bad]
    for name, ids, look in (
        ("unasked", unasked, "stroke-dasharray:4 3,opacity:0.7"),
        ("bad", bad, "stroke:#c0362c,stroke-width:2px"),
    ):
        lines += [f"  classDef {name} {look}", f"  class {','.join(ids)} {name}"] if ids else []
    return "\n".join(lines) + "\n"


def _mermaid(node: Node) -> str:
    return coded(node.label) + (f"<br/>{coded(node.note)}" if node.note else "")


def coded(text: str) -> str:
    """For a quoted label of Mermaid: all but letters, digits and blanks as its entity codes."""
    return "".join(c if c.isalnum() or c == " " else f"#{ord(c)};" for c in text)


def dot(graph: Graph) -> str:
    lines = ["digraph route {", "  rankdir=LR;", "  node [fontname=sans];", f"  label={_quoted(graph.title)};"]
    for node in graph.nodes:
        text = _quoted(node.label, node.note)
        style = ", style=dashed" if node.kind == "unasked" else ""
        color = ', color="#c0362c"' if node.bad else ""
        lines.append(f"  {node.id} [label={text}, shape={DOT_SHAPES[node.kind]}{style}{color}];")
    for edge in graph.edges:
        style = ", style=dashed" if edge.kind in ("not", "waits") else ""
        lines.append(f"  {edge.start} -> {edge.end} [label={_quoted(edge.label)}{style}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(*lines: str) -> str:
    r"""One of DOT's quoted strings, where `\n` divides lines and a backslash would begin an escape."""
    safe = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines if line)
    return '"' + "\\n".join(safe) + '"'


def graphml(graph: Graph) -> str:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    for name in ("label", "note", "kind"):
        lines.append(f'  <key id="{name}" for="all" attr.name="{name}" attr.type="string"/>')
    lines.append('  <key id="step" for="node" attr.name="step" attr.type="int"/>')
    lines.append('  <key id="bad" for="node" attr.name="bad" attr.type="boolean"/>')
    lines.append('  <graph id="route" edgedefault="directed">')
    lines += [line for node in graph.nodes for line in _node(node)]
    lines += [line for n, edge in enumerate(graph.edges) for line in _edge(n, edge)]
    return "\n".join([*lines, "  </graph>", "</graphml>"]) + "\n"


def _node(node: Node) -> list[str]:
    told = {"label": node.label, "note": node.note, "kind": node.kind, "step": str(node.step)}
    rows = [*_data(told), f'      <data key="bad">{str(node.bad).lower()}</data>']
    return [f"    <node id={quoteattr(node.id)}>", *rows, "    </node>"]


def _edge(n: int, edge: Edge) -> list[str]:
    head = f'    <edge id="e{n}" source={quoteattr(edge.start)} target={quoteattr(edge.end)}>'
    return [head, *_data({"label": edge.label, "kind": edge.kind}), "    </edge>"]


def _data(told: Mapping[str, str]) -> list[str]:
    return [f'      <data key="{key}">{escape(value)}</data>' for key, value in told.items() if value]


FORMATS: Mapping[str, Callable[[Graph], str]] = {"mermaid": mermaid, "dot": dot, "graphml": graphml, "svg": svg_file}

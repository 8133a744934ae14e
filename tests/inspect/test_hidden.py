"""What can't be seen: the page's list is the kernel's, and no export of a route holds what its readers refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.resources import files
from xml.etree import ElementTree

import pytest

from hermes_ops.trace.graph import Edge, Graph, Node, plain
from hermes_ops.trace.graph_formats import graphml
from hermes_ops.trace.graph_svg import svg_file
from orchestrator.cleaning import HIDDEN


def test_the_page_shows_by_number_what_the_kernel_drops() -> None:
    source = files("hermes_ops.trace").joinpath("page", "text.js").read_text(encoding="utf-8")
    strings = source.partition("new RegExp(")[2].partition(");")[0]
    shown = re.compile("".join(json.loads(s) for s in re.findall(r'"[^"]*"', strings)))
    everything = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    for hidden in re.findall(f"[{HIDDEN}]", everything):
        halves = hidden.encode("utf-16-be")
        told = "".join(chr(int.from_bytes(halves[i : i + 2])) for i in range(0, len(halves), 2))
        assert shown.fullmatch(told), hex(ord(hidden))


@pytest.mark.parametrize("written", [graphml, svg_file])
def test_every_character_may_stand_in_a_label(written: Callable[[Graph], str]) -> None:
    for first in range(0, 0x20000, 64):
        label = plain("".join(map(chr, range(first, first + 64))), 64)
        nodes = [Node("question", "question", label, label), Node("l0", "supervisor", label, label, 1)]
        graph = Graph("t", [*nodes, Node("answer", "answer", label)], [Edge("question", "l0", label)])
        ElementTree.fromstring(written(graph).encode())

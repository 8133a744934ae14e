"""Rooms of sources import each other one way only: none leads back to itself."""

from __future__ import annotations

import ast
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import subagents

ROOT = Path(subagents.__file__).parent
SOURCES = {"alertmanager", "folder", "git", "logfiles", "loki", "prometheus", "store", "toolkit", "victorialogs", "web"}


def _imported(path: Path) -> set[str]:
    """The rooms of `subagents` that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "subagents":
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("subagents."):
            names.add(str(node.module).split(".")[1])
        elif isinstance(node, ast.Import):
            names |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("subagents.")}
    return names


def test_no_room_of_sources_leads_back_to_itself() -> None:
    arrows: dict[str, set[str]] = defaultdict(set)
    for room in sorted(SOURCES):
        for path in (ROOT / room).rglob("*.py"):
            arrows[room] |= (_imported(path) & SOURCES) - {room}
    assert {"folder"} <= arrows["git"]
    order = list(TopologicalSorter(arrows).static_order())  # raises CycleError
    assert set(order) >= {"folder", "git"}

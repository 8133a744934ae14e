"""Whether a card is within every limit, told before it is sent. Source: the card documentation, and live reports.

It measures what the platform measures: UTF-8 bytes of the JSON, elements with their text nodes, tables of both kinds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hermes_ops.channels.feishu.markdown import TABLES, count_tables
from orchestrator.contracts import Json

BYTES = 28_000  # the platform's 30 KB, less what it adds itself
ELEMENTS = 180  # of 200
DEPTH = 5
CONTAINERS = ("column_set", "collapsible_panel", "interactive_container", "form")
ROOT_ONLY = ("table", "form")


def size(card: Json) -> int:
    return len(json.dumps(card, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))


def troubles(card: Json) -> list[str]:
    """What the platform would refuse it for; empty: it fits."""
    found: list[str] = []
    nodes = list(_elements(card))
    if (measured := size(card)) > BYTES:
        found.append(f"{measured} bytes of {BYTES}")
    if len(nodes) > ELEMENTS:
        found.append(f"{len(nodes)} elements of {ELEMENTS}")
    markdown = [str(n.get("content")) for n, _ in nodes if n["tag"] == "markdown"]
    tables = sum(map(count_tables, markdown)) + sum(n["tag"] == "table" for n, _ in nodes)
    if tables > TABLES:
        found.append(f"{tables} tables of {TABLES}")
    deepest = max((depth for _, depth in nodes), default=0)
    if deepest > DEPTH:
        found.append(f"nested {deepest} deep of {DEPTH}")
    found += [f"a {n['tag']} that isn't at the root" for n, depth in nodes if n["tag"] in ROOT_ONLY and depth > 1]
    ids = [n["element_id"] for n, _ in nodes if "element_id" in n]
    found += [f"element_id {id} twice" for id in {i for i in ids if ids.count(i) > 1}]
    return found


def cut(text: str, most: int) -> tuple[str, str]:
    """The beginning within so many UTF-8 bytes, at a line's end where there is one, and the rest."""
    if len(text.encode("utf-8", "replace")) <= most:
        return text, ""
    head = text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
    at = head.rfind("\n")
    at = at if at > len(head) // 2 else len(head)
    return text[:at].rstrip(), text[at:].lstrip("\n")


def _elements(node: Any, depth: int = 0) -> Iterator[tuple[Json, int]]:
    """Every object with a tag, with the number of containers around it and itself, if it is one."""
    if isinstance(node, list):
        for item in node:
            yield from _elements(item, depth)
    elif isinstance(node, dict):
        if isinstance(node.get("tag"), str):
            depth += node["tag"] in CONTAINERS
            yield node, depth
        for key, value in node.items():
            if key not in ("chart_spec", "rows", "value", "behaviors"):
                yield from _elements(value, depth)

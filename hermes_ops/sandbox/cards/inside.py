"""What stands inside one element: markdown, tables, charts, buttons, and where an element may stand.

Each function raises CardFault with the code of the protocol notes (7, 9). It doesn't look at an element's children.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from hermes_ops.sandbox.cards import charts, components
from hermes_ops.sandbox.cards.faults import CardFault
from hermes_ops.sandbox.cards.rules import Lookup, Rules
from hermes_ops.sandbox.errors import Json

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*\s*$|\Z)", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\(\s*([^)\s]*)[^)]*\)")
AT = re.compile(r"<at\s+(?:id|user_id|ids)=[\"']?([^\"'>\s]+)[\"']?[^>]*>")
TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)([^<>]*)(>?)")
RULE = re.compile(r"^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
KNOWN = frozenset(
    {"at", "font", "text_tag", "person", "number_tag", "local_datetime", "br", "hr", "a", "link", "b", "i"}
)
AUTOLINK = re.compile(r"<(?:https?|mailto):[^<>\s]*>", re.IGNORECASE)
AT_ROOT = frozenset({"table", "form"})
BEHAVIORS = frozenset({"callback", "open_url", "form_action"})


def content(node: Json, rules: Rules, lookup: Lookup, path: str) -> int:
    """Checks one element; returns how many tables it shows."""
    tag = node["tag"]
    if tag in ("markdown", "lark_md"):
        return markdown(node.get("content", ""), rules, lookup, path)
    if tag == "table":
        table(node, rules, lookup, path)
        return 1
    if tag == "chart":
        charts.chart(node, path)
    elif tag in ("img", "img_combination", "select_img"):
        for picture in (node, *node.get("img_list", []), *node.get("options", [])):
            _picture(picture.get("img_key"), lookup)
    elif tag in ("person", "person_list"):
        for who in [node.get("user_id"), *(p.get("id") for p in node.get("persons", []))]:
            _person(who, lookup)
    return 0


def place(node: Json, within: tuple[str, ...], path: str) -> None:
    """Tables and forms stand at the root; a submit button and named inputs belong to forms."""
    tag = node["tag"]
    if tag in AT_ROOT and within:
        raise _parse(f"{tag} is only supported at the root", path)
    in_form = "form" in within
    if node.get("form_action_type") and not in_form:
        raise _parse("formActionType only in form", path)
    if in_form and (tag in components.INPUTS or node.get("form_action_type")) and not node.get("name"):
        raise CardFault(200530, "name is required in form", path)


def markdown(text: str, rules: Rules, lookup: Lookup, path: str) -> int:
    """Pictures by key, mentions of known people, known tags; returns the number of tables outside of code."""
    open_text = AUTOLINK.sub("", INLINE.sub("", FENCE.sub("", text)))
    for key in PICTURE.findall(open_text):
        _picture(key, lookup)
    for who in AT.findall(open_text):
        for one in who.split(","):
            _person(one, lookup)
    for _, name, _, end in TAG.findall(open_text):
        if name not in KNOWN or not end:
            raise CardFault(200621, "parse card json err", f"markdown: unexpected tag <{name}, path: {path}")
    found = tables(open_text)
    if found > rules.tables_in_markdown:
        raise CardFault(11310, "card table number over limit", "table")
    return found


def tables(text: str) -> int:
    """Markdown tables: a line with a bar over a line of dashes."""
    lines = text.split("\n")
    return sum(1 for above, below in pairwise(lines) if "|" in above and "|" in below and RULE.match(below))


def table(node: Json, rules: Rules, lookup: Lookup, path: str) -> None:
    columns, rows = node["columns"], node["rows"]
    if not 1 <= len(columns) <= rules.columns:
        raise _parse(f"a table has 1 to {rules.columns} columns", path)
    page = node.get("page_size", 5)
    if not isinstance(page, int) or not 1 <= page <= 10:
        raise _parse(f"page_size is 1 to 10, not {page}", path)
    kinds = {c["name"]: c.get("data_type", "text") for c in columns}
    if len(kinds) != len(columns) or not set(kinds.values()) <= components.CELLS:
        raise _parse("column names repeat, or a data_type is unknown", path)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise CardFault(200914, "table rows is invalid", path)
    for row in rows:
        for name, value in row.items():
            if name not in kinds or not cell(value, kinds[name]):
                raise CardFault(200915, "table row data is invalid", f"column {name}, path: {path}")
            if kinds[name] in ("lark_md", "markdown"):
                markdown(str(value), rules, lookup, path)


def cell(value: Any, kind: str) -> bool:
    """Whether the value suits a column of the kind; an empty cell may be null."""
    if value is None:
        return True
    if kind in ("number", "date"):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "options":
        return isinstance(value, str) or (
            isinstance(value, list) and all(isinstance(o, dict) and "text" in o for o in value)
        )
    if kind == "persons":
        return isinstance(value, str) or (isinstance(value, list) and all(isinstance(p, str) for p in value))
    return isinstance(value, str)


def behavior(node: Json, path: str) -> None:
    if node["type"] not in BEHAVIORS:
        raise _parse(f"unknown behavior {node['type']}", path)
    address = node.get("default_url", "")
    if node["type"] == "open_url" and not address.startswith(("http://", "https://", "lark://", "feishu://")):
        raise _parse(f"invalid default_url {address}", path)


def _picture(key: Any, lookup: Lookup) -> None:
    if key is not None and not lookup.image(str(key)):
        raise CardFault(200570, "card contains invalid image keys", f"image key: {key}")


def _person(who: Any, lookup: Lookup) -> None:
    if who is None or (who == "all" and lookup.everyone):
        return
    if not lookup.person(str(who)):
        raise CardFault(100290, "There is an invalid user resource(at/person) in your card", str(who))


def _parse(why: str, path: str) -> CardFault:
    return CardFault(200621, "parse card json err", f"{why}, path: {path}")

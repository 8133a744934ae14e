"""Whether the platform would take a card: structure, known properties, limits. Source: protocol, 7 and 9.

A refusal carries the card service's own code; which answer it becomes depends on the interface. Cards of version 1 are
only looked at from outside: they are taken so that robots of others can post, and shown as well as can be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hermes_ops.sandbox.cards import components, inside
from hermes_ops.sandbox.cards.faults import CardFault
from hermes_ops.sandbox.cards.rules import Lookup, Rules
from hermes_ops.sandbox.errors import Json

ELEMENT_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
TYPES: dict[str, tuple[type, ...]] = {"s": (str,), "b": (bool,), "n": (int, float, str), "o": (dict,), "a": (object,)}
NAMES = {"s": "string", "b": "bool", "n": "number", "o": "object"}


def check(card: Json, rules: Rules, lookup: Lookup, sized: bool = True) -> None:
    """Raises CardFault. `sized=False` leaves the 30 KB alone, as when an entity is made but not yet sent."""
    if not isinstance(card, dict):
        raise CardFault(200621, "parse card json err", "the card is not a JSON object")
    if card.get("schema") == "2.0":
        _Walk(rules, lookup).card(card)
    elif not isinstance(card.get("elements"), list) and "i18n_elements" not in card and "header" not in card:
        raise CardFault(200621, "parse card json err", "neither schema 2.0 nor elements")
    if sized and size(card) > rules.size:
        raise CardFault(200860, "card content exceeds the limit of 30 KB", kit=200860)


def size(card: Json) -> int:
    """Bytes of the card's JSON in UTF-8, written without spaces."""
    return len(json.dumps(card, ensure_ascii=False, separators=(",", ":")).encode())


def elements(node: Any) -> Iterator[Json]:
    """Every object with a tag, text nodes included; what stands in chart specs, rows and values is not looked at."""
    if isinstance(node, list):
        for item in node:
            yield from elements(item)
    if not isinstance(node, dict):
        return
    if isinstance(node.get("tag"), str):
        yield node
    for key, value in node.items():
        if key not in ("chart_spec", "rows", "value", "behaviors"):
            yield from elements(value)


def find(card: Json, element_id: str) -> Json | None:
    """The element with this element_id."""
    return next((e for e in elements(card) if e.get("element_id") == element_id), None)


@dataclass
class _Walk:
    """One pass over one card."""

    rules: Rules
    lookup: Lookup
    ids: set[str] = field(default_factory=set)
    tables: int = 0
    charts: int = 0

    def card(self, card: Json) -> None:
        if (count := sum(1 for _ in elements(card))) > self.rules.elements:
            raise CardFault(11310, "element exceeds the limit", f"{count} elements", kit=300305)
        self.object(card, components.SPECS["root"], "ROOT", ())
        if card.get("config", {}).get("update_multi") is False:
            raise CardFault(300302, "update_multi must be true in schema 2.0")
        header = card.get("header", {})
        if header.get("template", "default") not in components.TEMPLATES:
            raise _parse(f"unknown template {header['template']}", "ROOT -> header")
        if len(header.get("text_tag_list", [])) > 3:
            raise _parse("at most 3 text tags", "ROOT -> header -> text_tag_list")

    def object(self, node: Json, spec: components.Spec, path: str, within: tuple[str, ...]) -> None:
        for name in node:
            if name not in spec:
                raise _parse(f"unknown property, property: {name}", path)
        for rule in spec.values():
            if rule.name in node:
                self.value(node[rule.name], rule, f"{path} -> {rule.name}", within)
            elif rule.required:
                raise _parse(f"missing property, property: {rule.name}", path)

    def value(self, value: Any, rule: components.Property, path: str, within: tuple[str, ...]) -> None:
        if rule.many:
            if not isinstance(value, list):
                raise _parse(f"expected array for {rule.name}, but: {_short(value)}", path)
            single = components.Property(rule.name, rule.type)
            for n, item in enumerate(value):
                tag = f"(tag: {item['tag']})" if isinstance(item, dict) and "tag" in item else ""
                self.value(item, single, f"{path} -> [{n}]{tag}", within)
        elif rule.type in TYPES:
            allowed = TYPES[rule.type]
            if not isinstance(value, allowed) or (rule.type == "n" and isinstance(value, bool)):
                raise _parse(f"expected {NAMES[rule.type]} for {rule.name}, but: {_short(value)}", path)
        elif not isinstance(value, dict):
            raise _parse(f"expected object for {rule.name}, but: {_short(value)}", path)
        elif rule.type == "element":
            self.element(value, path, within)
        else:
            self.object(value, components.SPECS[rule.type], path, within)
            self.special(rule.type, value, path)

    def element(self, node: Json, path: str, within: tuple[str, ...]) -> None:
        tag = node.get("tag")
        if not isinstance(tag, str):
            raise _parse(f"not support tag: {tag}", path)
        if tag in components.GONE:
            why = f"unsupported tag {tag}; cards of schema V2 no longer support this capability"
            raise CardFault(200861, why, path)
        if tag not in components.TAGS:
            raise _parse(f"not support tag: {tag}", path)
        if tag in components.CONTAINERS and sum(1 for t in within if t in components.CONTAINERS) >= self.rules.depth:
            raise _parse(f"containers nest deeper than {self.rules.depth}", path)
        self.object(node, components.TAGS[tag], path, (*within, tag))
        self.identity(node, path)
        inside.place(node, within, path)
        self.tables += inside.content(node, self.rules, self.lookup, path)
        if self.tables > self.rules.tables:
            raise CardFault(11310, "card table number over limit", "table")
        self.charts += tag == "chart"
        if self.charts > self.rules.charts:
            raise CardFault(11310, "card chart number over limit", "chart")

    def identity(self, node: Json, path: str) -> None:
        element_id = node.get("element_id")
        if element_id is None:
            return
        if not ELEMENT_ID.fullmatch(element_id):
            raise _parse(f"invalid element_id {element_id}", path)
        if element_id in self.ids:
            raise CardFault(200621, "duplicate element_id", element_id, kit=300301)
        self.ids.add(element_id)

    def special(self, kind: str, node: Json, path: str) -> None:
        if kind == "text" and node["tag"] not in ("plain_text", "lark_md"):
            raise _parse(f"not support tag: {node['tag']}", path)
        if kind == "text" and node["tag"] == "lark_md":
            inside.markdown(str(node.get("content", "")), self.rules, self.lookup, path)
        if kind == "icon" and node["tag"] == "custom_icon" and not self.lookup.image(str(node.get("img_key"))):
            raise CardFault(200570, "card contains invalid image keys", str(node.get("img_key")))
        if kind == "behavior":
            inside.behavior(node, path)


def _parse(why: str, path: str) -> CardFault:
    return CardFault(200621, "parse card json err", f"{why}, path: {path}")


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:60]

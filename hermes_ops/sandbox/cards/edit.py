"""Changes to the JSON of a card, as CardKit's operations make them. Each gets a copy and returns the new card.

Raises CardFault with CardKit's code. Whether the result is a card at all is checked afterwards, by whoever called.
"""

from __future__ import annotations

from typing import Any

from hermes_ops.sandbox.cards.check import find
from hermes_ops.sandbox.cards.faults import CardFault
from hermes_ops.sandbox.errors import Json

TEXTS = frozenset({"markdown", "plain_text", "lark_md"})


def streaming(card: Json) -> bool:
    """Whether the card says of itself that it is still being written."""
    config = card.get("config")
    return isinstance(config, dict) and config.get("streaming_mode") is True


def settings(card: Json, changes: Json) -> Json:
    """Merges config and card_link."""
    if unknown := set(changes) - {"config", "card_link"}:
        raise CardFault(300122, "changing the configuration failed", f"unknown property {sorted(unknown)[0]}")
    for name, value in changes.items():
        if not isinstance(value, dict):
            raise CardFault(300122, "changing the configuration failed", f"{name} is no object")
        card[name] = {**card.get(name, {}), **value}
    return card


def text(card: Json, element_id: str, content: str) -> Json:
    element = find(card, element_id)
    if element is None:
        raise CardFault(300313, "updating the element failed", f"unknown element {element_id}")
    if element["tag"] not in TEXTS:
        raise CardFault(300310, "element is not a text", element_id)
    element["content"] = content
    return card


def partial(card: Json, element_id: str, changes: Json) -> Json:
    element = find(card, element_id)
    if element is None:
        raise CardFault(300313, "updating the element failed", f"unknown element {element_id}")
    if changes.get("tag", element["tag"]) != element["tag"]:
        raise CardFault(300312, "tag may not change", element_id)
    element.update(changes)
    return card


def replace(card: Json, element_id: str, new: Json) -> Json:
    siblings, at = _place(card, element_id, 300121, "replacing the element failed")
    siblings[at] = new
    return card


def delete(card: Json, element_ids: list[str]) -> Json:
    for element_id in element_ids:
        siblings, at = _place(card, element_id, 300314, "deleting the element failed")
        del siblings[at]
    return card


def add(card: Json, where: str, target: str, new: list[Json]) -> Json:
    """`append` goes to the end of the card or of the container `target`; the others stand beside `target`."""
    if where == "append":
        _inside(card, target).extend(new)
        return card
    if where not in ("insert_before", "insert_after"):
        raise CardFault(10002, f"unknown type {where}")
    siblings, at = _place(card, target, 300315, "adding elements failed")
    at += where == "insert_after"
    siblings[at:at] = new
    return card


def batch(card: Json, actions: list[Any]) -> Json:
    for action in actions:
        params = action.get("params") if isinstance(action, dict) else None
        if not isinstance(params, dict):
            raise CardFault(10002, "an action has an action and params")
        card = _action(card, str(action.get("action")), params)
    return card


def _action(card: Json, name: str, params: Json) -> Json:
    element_id = str(params.get("element_id", ""))
    try:
        if name == "partial_update_setting":
            return settings(card, params["settings"])
        if name == "add_elements":
            where, target = params.get("type", "append"), params.get("target_element_id", "")
            return add(card, where, target, params["elements"])
        if name == "delete_elements":
            return delete(card, params["element_ids"])
        if name == "partial_update_element":
            return partial(card, element_id, params["partial_element"])
        if name == "update_element":
            return replace(card, element_id, params["element"])
    except (KeyError, TypeError) as e:
        raise CardFault(10002, f"params of {name} are wrong", str(e)) from None
    raise CardFault(10002, f"unknown action {name}")


def _inside(card: Json, target: str) -> list[Json]:
    holder = find(card, target) if target else card["body"]
    if holder is None or not isinstance(holder.setdefault("elements", []), list):
        raise CardFault(300315, "adding elements failed", f"unknown element {target}")
    inside: list[Json] = holder["elements"]
    return inside


def _place(card: Json, element_id: str, code: int, why: str) -> tuple[list[Json], int]:
    """The list that holds the element, and where in it."""
    queue: list[Any] = [card["body"]]
    while queue:
        node = queue.pop()
        if isinstance(node, list):
            ids = [item.get("element_id") if isinstance(item, dict) else None for item in node]
            if element_id and element_id in ids:
                return node, ids.index(element_id)
        queue += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    raise CardFault(code, why, f"unknown element {element_id}")

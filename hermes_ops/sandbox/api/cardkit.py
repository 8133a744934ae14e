"""CardKit: card entities, one strictly growing sequence per card, the ten minutes of streaming. Source: protocol, 6.

What an operation does to the card's JSON is in `cards/edit.py`; here are the rules around it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from hermes_ops.sandbox.api import outgoing
from hermes_ops.sandbox.api.call import Answer, Call, Route
from hermes_ops.sandbox.cards import edit
from hermes_ops.sandbox.cards.check import check, size
from hermes_ops.sandbox.cards.faults import CardFault
from hermes_ops.sandbox.errors import Json, Refusal
from hermes_ops.sandbox.ids import card_id
from hermes_ops.sandbox.model import Card
from hermes_ops.sandbox.platform import Platform

WINDOW, LIFE = 600.0, 14 * 86400.0
CREATE_CHARS, CONTENT_CHARS, UUID = 3_000_000, 100_000, 64
INT32 = 2**31 - 1
SCOPE = ("cardkit:card:write",)


def create(p: Platform, call: Call) -> Answer:
    """POST /cardkit/v1/cards"""
    if call.body["type"] not in ("card_json", "template"):
        raise refused(10002, "type is card_json or template")
    if call.body["type"] == "template":
        raise refused(200220, "template is not visible to the app")
    json_card = _card_json(call.body["data"])
    _check(p, call, json_card, sized=False)
    now = p.clock.now()
    card = Card(json_card, call.app, card_id(), now)
    card.opened = now if edit.streaming(json_card) else None
    p.world.cards[card.card_id] = card
    return {"card_id": card.card_id}


def replace(p: Platform, call: Call) -> Answer:
    """PUT /cardkit/v1/cards/:card_id: the whole card."""
    body = call.body["card"]
    if body.get("type") != "card_json" or not isinstance(body.get("data"), str):
        raise refused(10002, "card.type is card_json, card.data its JSON")
    new = _card_json(body["data"])
    return _operate(p, call, "card", lambda card: new)


def settings(p: Platform, call: Call) -> Answer:
    """PATCH …/settings: config, opening and closing of streaming."""
    changes = _parsed(call.body["settings"], dict, "settings")
    return _operate(p, call, "settings", lambda card: edit.settings(card, changes))


def batch(p: Platform, call: Call) -> Answer:
    """POST …/batch_update: several operations, all or none."""
    actions = _parsed(call.body["actions"], list, "actions")
    return _operate(p, call, "batch_update", lambda card: edit.batch(card, actions))


def add(p: Platform, call: Call) -> Answer:
    """POST …/elements"""
    new, body = _parsed(call.body["elements"], list, "elements"), call.body
    where, target = str(body.get("type", "append")), str(body.get("target_element_id") or "")
    return _operate(p, call, "add", lambda card: edit.add(card, where, target, new))


def update(p: Platform, call: Call) -> Answer:
    """PUT …/elements/:element_id: another element in its place."""
    new, name = _parsed(call.body["element"], dict, "element"), call.path["element_id"]
    return _operate(p, call, f"element {name}", lambda card: edit.replace(card, name, new))


def partial(p: Platform, call: Call) -> Answer:
    """PATCH …/elements/:element_id: some of its properties."""
    new, name = _parsed(call.body["partial_element"], dict, "partial_element"), call.path["element_id"]
    return _operate(p, call, f"partial {name}", lambda card: edit.partial(card, name, new))


def delete(p: Platform, call: Call) -> Answer:
    """DELETE …/elements/:element_id"""
    name = call.path["element_id"]
    return _operate(p, call, f"delete {name}", lambda card: edit.delete(card, [name]))


def text(p: Platform, call: Call) -> Answer:
    """PUT …/elements/:element_id/content: the whole text so far, typed out by the client while streaming is open."""
    new, name = call.body["content"], call.path["element_id"]
    if not 1 <= len(new) <= CONTENT_CHARS:
        raise refused(10002, f"content has 1 to {CONTENT_CHARS} characters")
    return _operate(p, call, f"content {name}", lambda card: edit.text(card, name, new), streams=True)


def id_convert(p: Platform, call: Call) -> Answer:
    """POST …/id_convert: the entity of a message."""
    message = p.world.messages.get(call.body["message_id"])
    if message is None or message.card is None or not message.card.card_id:
        raise refused(200740, "cardid is invalid")
    return {"card_id": message.card.card_id}


def _operate(p: Platform, call: Call, name: str, change: Callable[[Json], Json], streams: bool = False) -> Answer:
    """One operation: the rules of the entity, then the change on a copy, then its checks, then it counts."""
    card = _entity(p, call)
    p.limits.card(card.card_id)
    sequence, uuid = call.body["sequence"], call.body.get("uuid") or ""
    if len(uuid) > UUID:
        raise refused(10002, f"uuid has at most {UUID} characters")
    if uuid and uuid in card.uuids:
        raise refused(200770, "uuid conflict")
    if not card.sequence < sequence <= INT32:
        raise refused(300317, "sequence number compare failed")
    if card.locked:
        raise refused(200810, "card is interacting")
    close_when_due(p, card)
    if streams:
        _streaming(card)
    new = _changed(card, change)
    _check(p, call, new, sized=card.message is not None)
    card.sequence = sequence
    card.uuids |= {uuid} - {""}
    if name == "settings" or edit.streaming(new) != edit.streaming(card.json):
        card.opened, card.timed_out = (p.clock.now() if edit.streaming(new) else None), False
    card.json = new
    card.history.append((sequence, name, call.body.get("content")))
    p.world.changed(card.message)
    return {}


def close_when_due(p: Platform, card: Card) -> None:
    """Streaming ends by itself ten minutes after it was last opened."""
    if card.opened is not None and p.clock.now() - card.opened >= WINDOW:
        card.opened, card.timed_out = None, True


def _streaming(card: Card) -> None:
    if card.opened is None and card.timed_out:
        card.timed_out = False
        raise refused(200850, "streaming mode timed out")
    if card.opened is None:
        raise refused(300309, "streaming mode is closed")


def _entity(p: Platform, call: Call) -> Card:
    card = p.world.cards.get(call.path["card_id"])
    if card is None:
        raise refused(200740, "cardid is invalid")
    if card.owner is not call.app:
        raise refused(300311, "card belongs to another app")
    if p.clock.now() - card.created > LIFE:
        raise refused(200750, "card is expired")
    return card


def _changed(card: Card, change: Callable[[Json], Json]) -> Json:
    try:
        return change(copy.deepcopy(card.json))
    except CardFault as e:
        raise refused(e.kit, e.text, e.value) from None


def _check(p: Platform, call: Call, card: Json, sized: bool) -> None:
    if card.get("schema") != "2.0":
        raise refused(300303, "only support schema v2")
    body = card.get("body")
    if not isinstance(body, dict) or not body.get("elements"):
        raise refused(300307, "card body is empty")
    try:
        check(card, p.rules, outgoing.lookup(p, call.app, None), sized=sized)
    except CardFault as e:
        raise refused(e.kit, e.text, e.value) from None
    if sized and size(card) > p.rules.size:
        raise refused(200860, "card content exceeds the limit of 30 KB")


def _card_json(text: str) -> Json:
    if len(text) > CREATE_CHARS:
        raise refused(200860, f"data has at most {CREATE_CHARS} characters")
    card: Json = _parsed(text, dict, "data")
    return card


def _parsed(text: str, kind: type, name: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        raise refused(10002, f"{name} is no JSON") from None
    if not isinstance(value, kind) or not value:
        raise refused(10002, f"{name} is no JSON {'object' if kind is dict else 'array'}, or empty")
    return value


def refused(code: int, text: str, value: str = "") -> Refusal:
    """The wording of CardKit."""
    return Refusal(code, f"ErrMsg: {text}; " + (f"ErrorValue: {value}; " if value else ""))


CARD = "/cardkit/v1/cards/:card_id"
ELEMENT = CARD + "/elements/:element_id"
COUNTED = {"sequence": ("int", True), "uuid": ("string", False)}
ROUTES = (
    Route("POST", "/cardkit/v1/cards", create, SCOPE, {"type": ("string", True), "data": ("string", True)}),
    Route("POST", "/cardkit/v1/cards/id_convert", id_convert, SCOPE, {"message_id": ("string", True)}),
    Route("PUT", CARD, replace, SCOPE, {"card": ("object", True), **COUNTED}),
    Route("PATCH", CARD + "/settings", settings, SCOPE, {"settings": ("string", True), **COUNTED}),
    Route("POST", CARD + "/batch_update", batch, SCOPE, {"actions": ("string", True), **COUNTED}),
    Route("POST", CARD + "/elements", add, SCOPE, {"type": ("string", True), "elements": ("string", True), **COUNTED}),
    Route("PUT", ELEMENT, update, SCOPE, {"element": ("string", True), **COUNTED}),
    Route("PATCH", ELEMENT, partial, SCOPE, {"partial_element": ("string", True), **COUNTED}),
    Route("DELETE", ELEMENT, delete, SCOPE, COUNTED),
    Route("PUT", ELEMENT + "/content", text, SCOPE, {"content": ("string", True), **COUNTED}),
)

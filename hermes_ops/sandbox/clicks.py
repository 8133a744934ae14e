"""A press on a card: the callback, its three seconds, and what the client then shows. Source: protocol, 4.

Callbacks are not repeated. While one is being answered, other updates of the card are refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hermes_ops.sandbox import views
from hermes_ops.sandbox.api import outgoing
from hermes_ops.sandbox.api.cardkit import close_when_due
from hermes_ops.sandbox.cards.check import elements
from hermes_ops.sandbox.errors import Json, Refusal
from hermes_ops.sandbox.ids import fresh
from hermes_ops.sandbox.link import Ack
from hermes_ops.sandbox.model import App, Message, Person, Pressed
from hermes_ops.sandbox.platform import Platform

KIND = "card.action.trigger"
TOASTS = frozenset({"info", "success", "warning", "error"})
UNSUBSCRIBED, TIMEOUT, UNREACHED, NOT_200, BAD_BODY, BAD_CARD = 200340, 200341, 200342, 200671, 200672, 200673


@dataclass
class Click:
    """What came of a press. `code` is what the client shows in red, 0 for none; `changed`: the card was replaced."""

    token: str
    event_id: str
    code: int = 0
    why: str = ""
    toast: Json = field(default_factory=dict)
    changed: bool = False
    after: float = 0.0  # real seconds until the answer


class NoSuchButton(LookupError):
    """There is nothing to press of that name on the card, or it is disabled."""


def find_button(card: Json, name: str) -> Json:
    """The element with this element_id, name or text that calls back. Raises NoSuchButton."""
    fitting = [e for e in elements(card) if name in (e.get("element_id"), e.get("name"), label(e))]
    for element in fitting:
        if not element.get("disabled") and (callback(element) is not None or element.get("form_action_type")):
            return element
    have = [label(e) for e in elements(card) if callback(e) is not None]
    raise NoSuchButton(f"nothing called {name!r} can be pressed; there are: {have}")


def label(element: Json) -> str:
    text = element.get("text")
    return str(text.get("content", "")) if isinstance(text, dict) else ""


def callback(element: Json) -> Any:
    """The value that a press hands to the app; None when it doesn't call back."""
    for behavior in element.get("behaviors", []):
        if behavior.get("type") == "callback":
            return behavior.get("value", {})
    return element.get("value")


async def press(p: Platform, message: Message, person: Person, element: Json, values: Json | None = None) -> Click:
    """Presses the element. `values`: for a submit button the form's fields, else option, input_value, checked …"""
    app, card = message.author, message.card
    if not isinstance(app, App) or card is None:
        raise NoSuchButton("the message is no card of a bot")
    token = fresh("c-", 40)
    payload = views.envelope(p.world, app, KIND, _event(app, message, person, element, values or {}, token))
    click = Click(token, payload["header"]["event_id"])
    pressed = p.clicks[token] = Pressed(message, p.clock.now())
    if not app.callbacks:
        click.code, click.why = UNSUBSCRIBED, "card.action.trigger is not subscribed"
    else:
        card.locked = True
        try:
            ack = await _push(p, app, payload)
        finally:
            card.locked = False
        pressed.answered = True
        _take(p, app, message, ack, click)
    p.journal.add("click", by=person.user_id, message_id=message.message_id, **vars(click))
    p.feed.publish("click", (message, person, click))
    return click


async def _push(p: Platform, app: App, payload: Json) -> Ack | None:
    if app.webhook:
        return await p.webhook.push(app, payload)
    return await p.link.push(app, payload, "card" if p.link.faults.card_frames else "event")


def _event(app: App, message: Message, person: Person, element: Json, values: Json, token: str) -> Json:
    action: Json = {"value": callback(element), "tag": element["tag"], "timezone": "Asia/Shanghai"}
    if action["value"] is None:
        del action["value"]
    if element.get("name"):
        action["name"] = element["name"]
    if element.get("form_action_type") == "submit":
        action["form_value"] = values
    else:
        action |= values
    return {
        "operator": {"tenant_key": "sandbox", **views.ids(app, person)},
        "token": token,
        "action": action,
        "host": "im_message",
        "context": {"open_message_id": message.message_id, "open_chat_id": message.chat.chat_id},
    }


def _take(p: Platform, app: App, message: Message, ack: Ack | None, click: Click) -> None:
    """Reads the answer: toast and card, or the code of what is wrong with it."""
    if ack is None:
        reachable = bool(app.webhook or p.link.of(app))
        click.code, click.why = (TIMEOUT, "no answer within 3 s") if reachable else (UNREACHED, "no connection")
        return
    click.after = ack.after
    if ack.code != 200:
        click.code, click.why = NOT_200, f"answered with code {ack.code}"
    elif ack.bad or not isinstance(ack.data or {}, dict):
        click.code, click.why = BAD_BODY, ack.bad or "the answer is no object"
    else:
        _show(p, app, message, ack.data or {}, click)


def _show(p: Platform, app: App, message: Message, answer: Json, click: Click) -> None:
    toast, new = answer.get("toast"), answer.get("card")
    if toast is not None:
        if not isinstance(toast, dict) or toast.get("type", "info") not in TOASTS:
            click.code, click.why = BAD_BODY, "the toast has no known type"
            return
        click.toast = toast
    if new is None:
        return
    if not isinstance(new, dict) or new.get("type") not in ("raw", "template") or not isinstance(new.get("data"), dict):
        click.code, click.why = BAD_CARD, "the card is not wrapped in type and data"
    elif new["type"] == "template":
        click.code, click.why = BAD_CARD, "no template is visible to the app"
    else:
        _apply(p, app, message, new["data"], click)


def _apply(p: Platform, app: App, message: Message, new: Json, click: Click) -> None:
    card = message.card
    if card is None:
        return
    close_when_due(p, card)
    if card.opened is not None:
        click.why = "the card was not replaced: it is streaming"
        p.journal.odd("a callback answered with a card while the card is streaming", message_id=message.message_id)
        return
    try:
        outgoing.check_card(p, app, message.chat, new)
    except Refusal as e:
        click.code, click.why = BAD_CARD, e.msg
        return
    card.json, click.changed = new, True
    p.world.changed(message)

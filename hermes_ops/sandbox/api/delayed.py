"""The update of a card after a click, by the token of the callback: half an hour, two uses. Source: protocol, 4."""

from __future__ import annotations

from hermes_ops.sandbox.api import outgoing
from hermes_ops.sandbox.api.call import Answer, Call, Route
from hermes_ops.sandbox.errors import Refusal
from hermes_ops.sandbox.platform import Platform

LIFE, USES = 1800.0, 2


def update(p: Platform, call: Call) -> Answer:
    """POST /interactive/v1/card/update. The codes of refused tokens are not documented; 10002 stands for all."""
    click = p.clicks.get(call.body["token"])
    if click is None or click.message.author is not call.app:
        raise Refusal(10002, "the token is not that of a callback")
    if not click.answered:
        raise Refusal(10002, "the callback has not been answered yet")
    if p.clock.now() - click.at > LIFE or click.uses >= USES:
        raise Refusal(10002, f"the token is used up: {LIFE / 60:.0f} minutes, {USES} uses")
    outgoing.check_card(p, call.app, click.message.chat, call.body["card"])
    click.uses += 1
    if click.message.card is not None:
        click.message.card.json = call.body["card"]
    p.world.changed(click.message)
    return {}


ROUTES = (
    Route(
        "POST",
        "/interactive/v1/card/update",
        update,
        fields={"token": ("string", True), "card": ("object", True)},
        flat=True,
    ),
)

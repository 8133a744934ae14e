"""Which bots hear of a message, by membership, mention and scope. Source: protocol, 8 and 11."""

from __future__ import annotations

from hermes_ops.sandbox import views
from hermes_ops.sandbox.errors import Json
from hermes_ops.sandbox.model import App, Message
from hermes_ops.sandbox.platform import Platform
from hermes_ops.sandbox.pushes import Delivery


def heard(p: Platform, message: Message) -> list[Delivery]:
    """Pushes im.message.receive_v1 to every bot that hears the message; never to its own author."""
    bots = [app for app in message.chat.apps if app is not message.author and hears(app, message)]
    pushed = (p.pushes.send(app, "im.message.receive_v1", views.received(p.world, message, app)) for app in bots)
    return [delivery for delivery in pushed if delivery is not None]


def hears(app: App, message: Message) -> bool:
    """Private messages, mentions, @all, and with the sensitive scope every message of the group."""
    if not app.bot:
        return False
    if message.chat.mode == "p2p":
        return "im:message.p2p_msg:readonly" in app.scopes
    from_bot = isinstance(message.author, App)
    if from_bot and "im:message.group_at_msg.include_bot:readonly" not in app.scopes:
        return False
    if "im:message.group_msg" in app.scopes:
        return True
    meant = any(m.who is app or m.who is None for m in message.mentions)
    return meant and "im:message.group_at_msg:readonly" in app.scopes


def told(p: Platform, message: Message, kind: str, event: Json) -> None:
    """Pushes another kind of event about a message to every bot of its chat."""
    for app in message.chat.apps:
        p.pushes.send(app, kind, {**event, "message_id": message.message_id})

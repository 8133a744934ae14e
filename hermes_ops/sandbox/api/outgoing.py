"""What sending and replying have in common: may the bot speak here, uuid, content, card, and who hears it."""

from __future__ import annotations

from hermes_ops.sandbox import content, hearing, views
from hermes_ops.sandbox.api.call import Answer, Call
from hermes_ops.sandbox.cards.check import check, size
from hermes_ops.sandbox.cards.faults import CardFault
from hermes_ops.sandbox.cards.rules import Lookup
from hermes_ops.sandbox.errors import Json, Refusal, card_refused, invalid_field
from hermes_ops.sandbox.model import App, Card, Chat, Message
from hermes_ops.sandbox.platform import Platform

UUID_LIFE, UUID_LENGTH = 3600.0, 50
DAYS_14 = 14 * 86400.0


def send(p: Platform, call: Call, chat: Chat, parent: Message | None) -> Answer:
    """Stores a message once per uuid and hour, and tells the other bots that it mentions."""
    app, body = call.app, call.body
    uuid = body.get("uuid", "")
    if len(uuid) > UUID_LENGTH:
        raise invalid_field("uuid", uuid, f"max length is {UUID_LENGTH}")
    if not app.bot:
        raise Refusal(230006, "Bot ability is not activated.")
    may_speak(app, chat)
    if earlier := _known(p, app, uuid):
        return views.item(p.world, earlier, app)
    p.limits.app(app.app_id)
    p.limits.chat(chat.chat_id)
    new = content.read(p, app, chat, body["msg_type"], body["content"])
    card = _card(p, app, chat, new.card) if new.card is not None else None
    in_thread = bool(body.get("reply_in_thread"))
    message = p.world.post(chat, app, body["msg_type"], new.text, new.mentions, parent, in_thread, card)
    if uuid:
        p.uuids[app.app_id, uuid] = (p.clock.now(), message.message_id)
    hearing.heard(p, message)
    return views.item(p.world, message, app)


def may_speak(app: App, chat: Chat, reading: bool = False) -> None:
    """Raises 232009, 230002, 230035, 230013."""
    if chat.dissolved:
        raise Refusal(232009, "Your request specifies a chat which has already been dissolved.")
    if app not in chat.apps:
        raise Refusal(230002, "Bot/User can NOT be out of the chat.")
    if reading:
        return
    if chat.muted:
        raise Refusal(230035, "Send Message Permission deny.")
    if chat.mode == "p2p" and chat.people[0] in app.outside:
        raise Refusal(230013, "Bot has NO availability to this user.")


def fits(text: str, most: int) -> None:
    """Raises 230025."""
    if len(text.encode()) > most:
        raise Refusal(230025, "The length of the message content reaches its limit.")


def lookup(p: Platform, app: App, chat: Chat | None) -> Lookup:
    """What the app's cards may refer to."""

    def image(key: str) -> bool:
        blob = p.media.blobs.get(key)
        return blob is not None and blob.kind == "image" and blob.owner is app

    def person(value: str) -> bool:
        known = p.world.by_open_id(app, value) is not None
        return known or any(value in (one.user_id, one.union_id) for one in p.world.people.values())

    return Lookup(image, person, chat is None or chat.everyone)


def check_card(p: Platform, app: App, chat: Chat, card: Json) -> None:
    """Raises 230099 with the inner code."""
    try:
        check(card, p.rules, lookup(p, app, chat))
    except CardFault as e:
        raise card_refused(e.code, e.text, e.value) from None


def _card(p: Platform, app: App, chat: Chat, body: Json) -> Card:
    kind = body.get("type")
    if kind == "card" and isinstance(body.get("data"), dict):
        return _entity(p, app, str(body["data"].get("card_id", "")))
    if kind == "template":
        raise card_refused(11310, "template is not visible to the app", str(body.get("data"))[:80])
    check_card(p, app, chat, body)
    return Card(body, app, created=p.clock.now())


def _entity(p: Platform, app: App, card_id: str) -> Card:
    """An entity may be sent once, by its owner, within its life. Raises 230099."""
    card = p.world.cards.get(card_id)
    if card is None or card.message is not None or card.owner is not app:
        raise card_refused(11310, "cardid is invalid")
    if p.clock.now() - card.created > DAYS_14:
        raise card_refused(200750, "card is expired")
    if size(card.json) > p.rules.size:
        raise card_refused(200860, "card content exceeds the limit of 30 KB")
    return card


def _known(p: Platform, app: App, uuid: str) -> Message | None:
    """The message that was made with this uuid within the hour."""
    when, message_id = p.uuids.get((app.app_id, uuid), (0.0, ""))
    return p.world.messages.get(message_id) if uuid and p.clock.now() - when < UUID_LIFE else None

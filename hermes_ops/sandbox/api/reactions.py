"""Reactions of the bot. Source: protocol, 5 and 9."""

from __future__ import annotations

from hermes_ops.sandbox import views
from hermes_ops.sandbox.api import messages
from hermes_ops.sandbox.api.call import Answer, Call, Route
from hermes_ops.sandbox.errors import Json, Refusal, parameter
from hermes_ops.sandbox.ids import fresh
from hermes_ops.sandbox.model import App, Author, Message, Reaction
from hermes_ops.sandbox.platform import Platform

SCOPES = ("im:message.reactions:write_only", "im:message")
EMOJI = frozenset(
    """
    OK THUMBSUP ThumbsDown THANKS MUSCLE FINGERHEART APPLAUSE FISTBUMP JIAYI DONE SMILE BLUSH LAUGH SMIRK LOL FACEPALM
    LOVE WINK PROUD WITTY SMART SCOWL THINKING SOB CRY ERROR NOSEPICK HAUGHTY SLAP SPITBLOOD TOASTED GLANCE DULL
    INNOCENTSMILE JOYFUL WOW TRICK YEAH ENOUGH TEARS EMBARRASSED KISS SMOOCH DROOL OBSESSED MONEY TEASE SHOWOFF COMFORT
    CLAP PRAISE STRIVE XBLUSH SILENT WAVE WHAT FROWN SHY DIZZY LOOKDOWN CHUCKLE WAIL CRAZY WHIMPER HUG BLUBBER WRONGED
    HUSKY SHHH SMUG ANGRY HAMMER SHOCKED TERROR PETRIFIED SKULL SWEAT SPEECHLESS SLEEP DROWSY YAWN SICK PUKE BETRAYED
    HEADSET EatingFood MeMeMe Sigh Typing Lemon Get LGTM OnIt OneSecond VRHeadset YouAreTheBest SALUTE SHAKE HIGHFIVE
    UPPERLEFT SLIGHT TONGUE EYESCLOSED RoarForYou ROSE HEART PARTY LIPS BEER CAKE GIFT CUCUMBER Drumstick Pepper
    CANDIEDHAWS BubbleTea Coffee Yes No CheckMark CrossMark Hundred AWESOMEN REDPACKET FORTUNE LUCK FIRECRACKER Fire
    Alarm Loudspeaker Trophy Pin Music MINUTES
    """.split()  # noqa: SIM905
)


def add(p: Platform, call: Call) -> Answer:
    """POST …/reactions"""
    emoji = call.body["reaction_type"].get("emoji_type")
    if emoji not in EMOJI:
        raise Refusal(231001, "reaction type is invalid.")
    message = _found(p, call)
    reaction = react(p, message, call.app, emoji)
    return _shown(p, reaction, call.app)


def remove(p: Platform, call: Call) -> Answer:
    """DELETE …/reactions/:reaction_id: the bot's own only."""
    message = _found(p, call)
    reaction = next((r for r in message.reactions if r.reaction_id == call.path["reaction_id"]), None)
    if reaction is None:
        raise Refusal(231011, "The reaction does not exist.")
    if reaction.who is not call.app:
        raise Refusal(231007, "The operator has no permission to delete this reaction.")
    unreact(p, message, reaction)
    return _shown(p, reaction, call.app)


def listed(p: Platform, call: Call) -> Answer:
    """GET …/reactions"""
    kind = call.query.get("reaction_type", "")
    shown = [_shown(p, r, call.app) for r in _found(p, call).reactions if kind in ("", r.emoji)]
    return {"items": shown, "has_more": False, "page_token": ""}


def react(p: Platform, message: Message, who: Author, emoji: str) -> Reaction:
    """Adds a reaction, once per person and emoji, and tells the bots of the chat."""
    for known in message.reactions:
        if known.who is who and known.emoji == emoji:
            return known
    reaction = Reaction(fresh("rx_"), emoji, who, p.clock.now())
    message.reactions.append(reaction)
    _tell(p, message, reaction, "im.message.reaction.created_v1")
    return reaction


def unreact(p: Platform, message: Message, reaction: Reaction) -> None:
    message.reactions.remove(reaction)
    _tell(p, message, reaction, "im.message.reaction.deleted_v1")


def _tell(p: Platform, message: Message, reaction: Reaction, kind: str) -> None:
    p.feed.publish("message", message)
    for app in message.chat.apps:
        p.pushes.send(app, kind, {"message_id": message.message_id, **_event(p, reaction, app)})


def _event(p: Platform, reaction: Reaction, viewer: App) -> Json:
    who: Json = {"operator_type": "user", "user_id": views.ids(viewer, reaction.who)}
    if isinstance(reaction.who, App):
        who = {"operator_type": "app", "app_id": reaction.who.app_id}
    return {"reaction_type": {"emoji_type": reaction.emoji}, **who, "action_time": p.clock.ms(reaction.at)}


def _shown(p: Platform, reaction: Reaction, viewer: App) -> Json:
    app = isinstance(reaction.who, App)
    operator_id = reaction.who.app_id if isinstance(reaction.who, App) else viewer.open_id_of(reaction.who)
    return {
        "reaction_id": reaction.reaction_id,
        "operator": {"operator_id": operator_id, "operator_type": "app" if app else "user"},
        "action_time": p.clock.ms(reaction.at),
        "reaction_type": {"emoji_type": reaction.emoji},
    }


def _found(p: Platform, call: Call) -> Message:
    try:
        message = messages.found(p, call)
    except Refusal as e:
        raise Refusal(231003, "The message is not found.") if e.code == parameter("").code else e from None
    if message.deleted:
        raise Refusal(231003, "The message is not found.")
    return message


AT = "/im/v1/messages/:message_id/reactions"
ROUTES = (
    Route("POST", AT, add, SCOPES, {"reaction_type": ("object", True)}),
    Route("DELETE", AT + "/:reaction_id", remove, SCOPES),
    Route("GET", AT, listed, ("im:message.reactions:read", *SCOPES)),
)

"""Who and where: the bot itself, chats, members, people. Source: protocol, 5."""

from __future__ import annotations

import re

from hermes_ops.sandbox.api.call import Answer, Call, Route
from hermes_ops.sandbox.api.outgoing import may_speak
from hermes_ops.sandbox.errors import Json, Refusal, invalid_field, parameter
from hermes_ops.sandbox.model import Chat, Person
from hermes_ops.sandbox.platform import Platform
from hermes_ops.sandbox.world import TENANT

ID_TYPES = frozenset({"open_id", "union_id", "user_id"})


def bot(p: Platform, call: Call) -> Answer:
    """GET /bot/v3/info: under `bot`, not under `data`."""
    if not call.app.bot:
        raise Refusal(230006, "Bot ability is not activated.")
    info = {
        "activate_status": 2,
        "app_name": call.app.name,
        "avatar_url": "",
        "ip_white_list": [],
        "open_id": call.app.open_id,
    }
    return {"bot": info}


def chat(p: Platform, call: Call) -> Answer:
    """GET /im/v1/chats/:chat_id"""
    found = _chat(p, call)
    shown: Json = {
        "name": found.name,
        "avatar": "",
        "description": "",
        "chat_mode": found.mode,
        "chat_type": "private",
        "chat_tag": "inner",
        "external": False,
        "tenant_key": TENANT,
        "user_count": str(len(found.people)),
        "bot_count": str(len(found.apps)),
        "chat_status": "dissolved" if found.dissolved else "normal",
    }
    if found.mode != "p2p":
        shown["group_message_type"] = "thread" if found.mode == "topic" else "chat"
        shown |= {"owner_id": call.app.open_id_of(found.people[0]), "owner_id_type": "open_id"} if found.people else {}
    return shown


def chats(p: Platform, call: Call) -> Answer:
    """GET /im/v1/chats: the groups that the bot is in."""
    size, start = call.number("page_size", 20, 1, 100), call.number("page_token", 0, 0, 10**9)
    mine = [c for c in p.world.chats.values() if call.app in c.apps and c.mode != "p2p" and not c.dissolved]
    page, more = mine[start : start + size], len(mine) > start + size
    items = [{"chat_id": c.chat_id, "name": c.name, "tenant_key": TENANT, "external": False} for c in page]
    return {"items": items, "has_more": more, "page_token": str(start + size) if more else ""}


def members(p: Platform, call: Call) -> Answer:
    """GET …/members: people only, no bots."""
    kind = call.one_of("member_id_type", ID_TYPES, "open_id")
    size, start = call.number("page_size", 20, 1, 100), call.number("page_token", 0, 0, 10**9)
    people = _chat(p, call).people
    page, more = people[start : start + size], len(people) > start + size
    items = [
        {"member_id_type": kind, "member_id": _id(call, one, kind), "name": one.name, "tenant_key": TENANT}
        for one in page
    ]
    token = str(start + size) if more else ""
    return {"items": items, "page_token": token, "has_more": more, "member_total": len(people)}


def user(p: Platform, call: Call) -> Answer:
    """GET /contact/v3/users/:user_id"""
    kind = call.one_of("user_id_type", ID_TYPES, "open_id")
    one = next((one for one in p.world.people.values() if _id(call, one, kind) == call.path["user_id"]), None)
    if one is None:
        raise Refusal(41050, "no user authority error")
    return {"user": _user(call, one)}


def users(p: Platform, call: Call) -> Answer:
    """GET /contact/v3/users/batch: those of up to fifty ids that exist."""
    kind = call.one_of("user_id_type", ID_TYPES, "open_id")
    wanted = call.repeated.get("user_ids", [])
    if not 1 <= len(wanted) <= 50:
        raise invalid_field("user_ids", len(wanted), "user_ids has 1 to 50 values")
    return {"items": [_user(call, one) for one in p.world.people.values() if _id(call, one, kind) in wanted]}


def _chat(p: Platform, call: Call) -> Chat:
    chat_id = call.path["chat_id"]
    if not re.fullmatch(r"oc_\w+", chat_id):
        raise Refusal(99992356, f"The request you send is not a valid {{chat_id}} or not exists: {chat_id}")
    found = p.world.chats.get(chat_id)
    if found is None:
        raise parameter("invalid chat_id")
    may_speak(call.app, found, reading=True)
    return found


def _user(call: Call, one: Person) -> Json:
    shown: Json = {"open_id": call.app.open_id_of(one), "union_id": one.union_id, "name": one.name, "en_name": ""}
    if "contact:user.employee_id:readonly" in call.app.scopes:
        shown["user_id"] = one.user_id
    return shown


def _id(call: Call, one: Person, kind: str) -> str:
    return {"open_id": call.app.open_id_of(one), "union_id": one.union_id, "user_id": one.user_id}[kind]


CHATS = ("im:chat:readonly", "im:chat")
ROUTES = (
    Route("GET", "/bot/v3/info", bot, flat=True),
    Route("GET", "/im/v1/chats/:chat_id", chat, CHATS),
    Route("GET", "/im/v1/chats", chats, CHATS),
    Route("GET", "/im/v1/chats/:chat_id/members", members, ("im:chat.members:read", *CHATS)),
    Route("GET", "/contact/v3/users/batch", users, ("contact:user.base:readonly",)),
    Route("GET", "/contact/v3/users/:user_id", user, ("contact:user.base:readonly",)),
)

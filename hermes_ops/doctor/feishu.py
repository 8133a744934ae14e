"""The Feishu bot, tried for real: credentials, identity, scopes by a trial call each, the long connection.

A trial call names something that doesn't exist, so nothing is written and nobody is disturbed: whether the scope is
there shows before whether the thing is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hermes_ops.channels.feishu.errors import Refusal
from hermes_ops.channels.feishu.plug import check as check_settings
from hermes_ops.channels.feishu.rest import Api
from hermes_ops.channels.feishu.socket import LongConnection
from hermes_ops.doctor.check import Check, Checks, Clock
from hermes_ops.settings import FeishuSettings
from orchestrator.contracts import Json
from orchestrator.errors import ConfigError, HermesError

PART = "feishu"
CONNECT_SECONDS = 15.0
NOBODY = "om_00000000000000000000000000000000"
MISSING = (99991672, 99991679)
TRIALS: tuple[tuple[str, str, str, Json], ...] = (  # what for, method, path, body
    ("send and reply", "POST", f"/im/v1/messages/{NOBODY}/reply", {"msg_type": "text", "content": '{"text":"x"}'}),
    ("read quoted messages", "GET", f"/im/v1/messages/{NOBODY}", None),
    ("reactions", "POST", f"/im/v1/messages/{NOBODY}/reactions", {"reaction_type": {"emoji_type": "Typing"}}),
    ("streaming cards", "PATCH", "/cardkit/v1/cards/1/settings", {"settings": '{"config":{}}', "sequence": 1}),
    ("files in messages", "GET", f"/im/v1/messages/{NOBODY}/resources/file_v3_0?type=file", None),
)


async def checks(settings: FeishuSettings, reported: Sequence[str] = ()) -> Checks:
    """Yields each check as it is done. `reported`: chats that get reports."""
    try:
        check_settings(settings)
    except ConfigError as e:
        yield Check(PART, "settings", "fail", str(e), "docs/FEISHU.md goes through them one by one.")
        return
    secret = settings.app_secret.get_secret_value() if settings.app_secret else ""
    api = Api(settings.app_id, secret, settings.domain, settings.proxy, lambda: None)
    try:
        await api.open()
        identity = await _identity(api)
        yield identity
        if identity.state == "fail":
            return
        for what, method, path, body in TRIALS:
            yield await _trial(api, what, method, path, body)
        for chat in dict.fromkeys((*settings.chats, *reported)):
            if chat != "*":
                yield await _member(api, chat)
        for chat in reported[:1]:
            yield await _look(api, chat)
    except ValueError as e:
        yield Check(PART, "domain", "fail", str(e), "Set feishu.domain to an https address without a path.")
        return
    finally:
        api.close()
    if settings.mode == "socket":
        yield await _connection(settings, secret)
    said = "whether card.action.trigger is subscribed shows only when a button is pressed"
    yield Check(
        PART, "buttons", "skip", said, "Press 👍 under an answer: error 200340 means it isn't (docs/FEISHU.md)."
    )


async def _identity(api: Api) -> Check:
    clock = Clock()
    try:
        bot = (await api.call("GET", "/bot/v3/info")).get("bot") or {}
    except Refusal as e:
        do = "Compare feishu.app_id and feishu.app_secret with the console; without an answer, feishu.domain and proxy."
        return Check(PART, "token and identity", "fail", str(e), do, clock.seconds)
    if not bot.get("open_id"):
        return Check(PART, "token and identity", "fail", "the app has no bot", "Add the bot ability in the console.")
    active = bot.get("activate_status") == 2
    do = "" if active else "Publish a version in the console, and have it approved."
    said = f"bot {bot.get('app_name')}, {bot['open_id']}" + ("" if active else ", not active")
    return Check(PART, "token and identity", "ok" if active else "warn", said, do, clock.seconds)


async def _trial(api: Api, what: str, method: str, path: str, body: Json) -> Check:
    clock = Clock()
    path, _, query = path.partition("?")
    try:
        await api.call(method, path, body, dict([query.split("=")]) if query else None)
    except Refusal as e:
        if e.code in MISSING:
            do = "Add the scope in the console, then publish a version: it counts only after that."
            return Check(PART, what, "fail", str(e), do, clock.seconds)
        if e.sort == "passing":
            return Check(PART, what, "warn", f"could not be tried: {e}", "Try again in a minute.", clock.seconds)
    return Check(PART, what, "ok", "the app may", seconds=clock.seconds)


async def _member(api: Api, chat: str) -> Check:
    clock = Clock()
    try:
        found = (await api.call("GET", f"/im/v1/chats/{chat}")).get("data") or {}
    except Refusal as e:
        do = "Add the bot to the group, or take its id out of feishu.chats, team.chats and schedules."
        return Check(PART, f"group {chat}", "fail", str(e), do, clock.seconds)
    return Check(PART, f"group {chat}", "ok", str(found.get("name") or ""), seconds=clock.seconds)


async def _look(api: Api, chat: str) -> Check:
    """Into a chat's messages: after a break a report is sought there before it is sent again."""
    clock, name = Clock(), "look for sent reports"
    query = {"container_id_type": "chat", "container_id": chat, "page_size": "1"}
    try:
        await api.call("GET", "/im/v1/messages", None, query)
    except Refusal as e:
        do = "Add im:message:readonly (and im:message.group_msg, if it is asked for), then publish a version."
        said = f"{e}; after a break of an hour a report may end as “possibly sent”"
        return Check(PART, name, "warn", said, do, clock.seconds)
    return Check(PART, name, "ok", "the app may", seconds=clock.seconds)


async def _connection(settings: FeishuSettings, secret: str) -> Check:
    """Opened and closed again; an event that comes meanwhile is not lost: it isn't acknowledged, and comes again."""
    clock = Clock()

    async def refuse(payload: bytes) -> Json:
        raise HermesError("only a trial")

    link = LongConnection(settings.app_id, secret, settings.domain, settings.proxy, refuse)
    link.start()
    try:
        health = link.health()
        for _ in range(int(CONNECT_SECONDS * 10)):
            await asyncio.sleep(0.1)
            health = link.health()
            if health.ok:
                break
    finally:
        await asyncio.to_thread(link.stop)
    do = "" if health.ok else "Check feishu.domain and feishu.proxy; behind a firewall allow it and its wss addresses."
    return Check(PART, "long connection", "ok" if health.ok else "fail", health.says, do, clock.seconds)

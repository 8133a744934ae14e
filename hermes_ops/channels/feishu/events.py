"""An incoming message event as a typed object, and whether it is ours to answer. Pure: no call, no clock, no store.

Source: `im.message.receive_v1`. Whatever is unsure is met with silence: machines, groups in which we weren't mentioned
by our own open_id; as long as that is unknown, whoever mentions somebody there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from hermes_ops.channels.feishu.content import EVERYBODY, FORWARDS, Content, Mention, mentioned, named, read, within
from hermes_ops.settings import FeishuSettings
from orchestrator.contracts import Json

Verdict = Literal["answer", "ignore", "unsure", "refuse", "stale", "unsupported", "empty"]


@dataclass(frozen=True, slots=True)
class Message:
    """`user`: the sender's open_id; `person` False: a machine; `text`: mentions by name, our own removed; `private`: a
    chat of one person and the bot."""

    id: str
    chat: str
    private: bool
    user: str
    person: bool
    tenant: str
    at: datetime
    kind: str
    text: str
    content: Content
    mentions: tuple[Mention, ...] = ()
    all: bool = False
    thread: str = ""
    parent: str = ""
    root: str = ""


def parse(event: Json, own: str) -> Message | None:
    """None for what has not even the ids of a message."""
    said, sender = within(event, "message"), within(event, "sender")
    id, chat = said.get("message_id"), said.get("chat_id")
    if not isinstance(id, str) or not isinstance(chat, str):
        return None
    kind = str(said.get("message_type") or "")
    content, mentions = read(kind, str(said.get("content") or "")), mentioned(said.get("mentions"))
    return Message(
        id=id,
        chat=chat,
        private=said.get("chat_type") == "p2p",
        user=str(within(sender, "sender_id").get("open_id") or ""),
        person=sender.get("sender_type") == "user",
        tenant=str(sender.get("tenant_key") or ""),
        at=_time(said.get("create_time")),
        kind=kind,
        text=named(content.text, mentions, own),
        content=content,
        mentions=mentions,
        all=EVERYBODY in content.text or any(not m.id for m in mentions),
        thread=str(said.get("thread_id") or ""),
        parent=str(said.get("parent_id") or ""),
        root=str(said.get("root_id") or ""),
    )


def judge(m: Message, own: str, settings: FeishuSettings, now: datetime) -> tuple[Verdict, str]:
    """The verdict, and its reason for the log. "unsure": later it may be known."""
    verdicts: tuple[tuple[bool, Verdict, str], ...] = (
        (not m.person or not m.user, "ignore", "the sender is no person"),
        (not m.private and not own and any(x.id for x in m.mentions), "unsure", "our own identity is unknown"),
        (not m.private and not _called(m, own, settings), "ignore", "we were not mentioned"),
        (not allowed(m.user, "" if m.private else m.chat, settings), "refuse", "neither user nor chat is on the list"),
        (now - m.at > timedelta(minutes=settings.stale_minutes), "stale", f"it was sent {now - m.at} ago"),
        (not m.content.known, "unsupported", f"messages of kind {m.kind} can't be read"),
        (not (m.text or m.content.files or m.kind == FORWARDS), "empty", "it says nothing"),
    )
    return next(((verdict, why) for true, verdict, why in verdicts if true), ("answer", ""))


def _called(m: Message, own: str, settings: FeishuSettings) -> bool:
    return bool(own) and (any(x.id == own for x in m.mentions) or (settings.mention_all and m.all))


def allowed(user: str, chat: str, settings: FeishuSettings) -> bool:
    """Empty lists allow the owner alone."""
    return bool(
        (user and user == settings.owner)
        or user in settings.users
        or "*" in settings.users
        or (chat and (chat in settings.chats or "*" in settings.chats))
    )


def _time(ms: object) -> datetime:
    try:
        return datetime.fromtimestamp(int(str(ms)) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.now(UTC)

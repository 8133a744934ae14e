"""Which conversation a message belongs to. A pure function of the message and the settings."""

from __future__ import annotations

import json
from dataclasses import dataclass

from orchestrator.contracts import Incoming


@dataclass(frozen=True, slots=True)
class Sharing:
    """`threads`: a thread or topic is one conversation of all who write in it; `chats`: so is a group's main chat."""

    threads: bool = True
    chats: bool = False


def session_key(asked: Incoming, sharing: Sharing = Sharing()) -> str:
    """The conversation's key: never the same for two tenants, channels or chats. "" where there is none to go on with
    (a question on the command line, unless it names a session).

    A private chat is its person's alone, whichever way the settings share.
    """
    if not asked.chat and not asked.thread:
        return ""
    shared = sharing.threads if asked.thread else sharing.chats
    where = [asked.tenant, asked.channel, asked.chat, asked.thread or ""]
    return json.dumps([*where, "" if shared else asked.user], ensure_ascii=False)

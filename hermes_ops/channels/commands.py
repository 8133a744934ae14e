"""Commands in a chat, and the same in plain words. Which message is one, not what it does."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hermes_ops.channels.typed import ASKED
from hermes_ops.schedule import phrases

COMMANDS = ("help", "stop", "memory", "forget", "trace", "schedules", "cause")
PLAIN = {  # the whole message, without punctuation
    "help": re.compile(r"(?:帮助|使用说明|怎么用|你能做什么|help)", re.IGNORECASE),
    "stop": re.compile(r"(?:停止?|停下|别查了|不用查了|取消|stop|cancel)", re.IGNORECASE),
    "memory": re.compile(r"(?:你记住了(?:我的?)?什么|我的偏好|what do you (?:remember|know) about me)", re.IGNORECASE),
    "trace": re.compile(r"(?:查看过程|过程|怎么查的|show (?:the )?(?:trace|steps))", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    rest: str = ""


def read_command(text: str) -> Command | None:
    """None for a question, /report and /handover among them, which the application answers. An unknown /word that
    stands alone is a slip; with more behind it, it may be a path ("/var is full")."""
    found = re.fullmatch(r"/(\w+)(?:\s+(.*))?", text.strip(), re.DOTALL)
    if found and found.group(1).lower() in COMMANDS:
        return Command(found.group(1).lower(), (found.group(2) or "").strip())
    if found and not found.group(2) and found.group(1).lower() not in ASKED:
        return Command("unknown", found.group(1)[:40])
    bare = text.strip().strip("。.!！?？~ ")
    plain = next((Command(name) for name, words in PLAIN.items() if words.fullmatch(bare)), None)
    return plain or (Command("schedules") if phrases.read(text) is not None else None)

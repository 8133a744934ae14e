"""A report into its chats, once: one of each (team, kind, window) and correction, whoever asks for it and how often.

It is stored, then given to the outbox under a key made of exactly that; a key that is there already is not sent again.
What was given up may be tried anew. It knows no platform.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from hermes_ops.channels.base import Address, Document
from hermes_ops.report.model import Kind, Lang
from hermes_ops.schedule.reporter import Made, Reporter
from hermes_ops.schedule.words import say
from memory import Memory, Parcel, Stored
from orchestrator.contracts import Window, to_json
from orchestrator.errors import ConfigError

STAMP = "%Y%m%dT%H%M"
Given = dict[str, str]
Told = tuple[str, Kind, datetime, datetime]  # team, kind, start and end of a report
_KEY = re.compile(
    r"report\.(?P<team>.*)\.(?P<kind>day|week|shift)\.(?P<start>\d{8}T\d{4})-(?P<end>\d{8}T\d{4})\.\d+\.[^.]*",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Sending:
    """`chats`: chat → "given" to the outbox now, "waiting" there, "sent" before; `corrected`: 0 for the first."""

    title: str
    chats: Given
    corrected: int = 0


class Sender:
    """`team`: its name; `channel`: where its chats are."""

    def __init__(self, memory: Memory, reporter: Reporter, team: str, channel: str) -> None:
        self._memory, self._reporter, self._team, self._channel = memory, reporter, team, channel

    async def send(self, kind: Kind, window: Window, lang: Lang, chats: Sequence[str], force: bool = False) -> Sending:
        """Makes it where a chat lacks it, and gives it to the outbox. `force`: again, marked as a correction. Raises
        HermesError."""
        if not chats:
            raise ConfigError("Nobody would get it: set team.chats, or chats of the schedule.")
        there = await self._memory.reports.find(self._team, kind, window.start, window.end)
        number = there.corrected + force if there else 0
        states = {chat: await self._state(kind, window, number, chat) for chat in chats}
        if "given" not in states.values():
            return Sending("", states, number)
        if there and not force:
            made = await self._reporter.kept(kind, window, lang)
        else:
            made = await self._reporter(kind, window, lang, corrected=number)
        stored, _ = await self._memory.reports.put(self._stored(made), force)
        made = marked(made, stored.corrected)
        for chat in chats:
            if states[chat] == "given":
                await self._give(made, stored.corrected, chat)
        return Sending(made.title, states, stored.corrected)

    async def _state(self, kind: Kind, window: Window, number: int, chat: str) -> str:
        parcel = await self._memory.outbox.find(key(self._team, kind, window, number, chat))
        if parcel is None or parcel.state == "failed":
            return "given"
        return parcel.state

    def _stored(self, made: Made) -> Stored:
        w = made.window
        now = self._memory.reports.clock()
        return Stored(self._team, made.kind, w.start, w.end, w.zone, made.lang, made.json, now)

    async def _give(self, made: Made, number: int, chat: str) -> None:
        to = Address(chat, locale=made.lang)
        doc = Document(made.text, made.title, made.card)
        name = key(self._team, made.kind, made.window, number, chat)
        await self._memory.outbox.put([Parcel(name, self._channel, "report", chat, to_json(to), to_json(doc))])
        await self._memory.outbox.revive(name)


def key(team: str, kind: str, window: Window, number: int, chat: str) -> str:
    return f"report.{team}.{kind}.{_stamp(window.start)}-{_stamp(window.end)}.{number}.{chat}"


def window_in(parcel_key: str) -> Told | None:
    """The report that a parcel holds; None: it holds none."""
    found = _KEY.fullmatch(parcel_key)
    if found is None:
        return None
    kind: Kind = "week" if found["kind"] == "week" else "shift" if found["kind"] == "shift" else "day"
    start, end = (datetime.strptime(found[at], STAMP).replace(tzinfo=UTC) for at in ("start", "end"))
    return found["team"], kind, start, end


def whole(parcel_key: str) -> str:
    """The report that a parcel holds, whichever chat it is for."""
    return parcel_key.rpartition(".")[0]


def marked(made: Made, number: int) -> Made:
    """With its correction's number in the title, and in the card's."""
    mark = say("corrected", made.lang, n=number + 1) if number else ""
    if not mark or made.title.endswith(mark):
        return made
    card = made.card
    if isinstance(card, dict) and isinstance(card.get("header"), dict):
        title = {**(card["header"].get("title") or {"tag": "plain_text"}), "content": made.title + mark}
        card = {**card, "header": {**card["header"], "title": title}}
    return replace(made, title=made.title + mark, card=card)


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime(STAMP)

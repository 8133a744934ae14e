"""Channels, inbox, application and outbox put together: one message from its arrival to its answer.

A question is opened in its chat, prepared, answered, and its answer given to the outbox in the same transaction that
ends it. Commands are answered by code.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from hermes_ops.app import App, new_run
from hermes_ops.channels.base import Address, Document, Handle, Progress, Served
from hermes_ops.channels.commanding import Commands
from hermes_ops.channels.doing import Doing
from hermes_ops.channels.words import clock, say
from hermes_ops.recall.followups import OPENS, REFERS
from hermes_ops.runtime.inbox import Inbox
from hermes_ops.runtime.jobs import Bounds, Hands, Outcome
from hermes_ops.runtime.outbox import Deliveries, Undeliverable
from hermes_ops.settings import ServeSettings
from memory import Entry, Parcel
from orchestrator.contracts import Answer, Incoming, Json, from_json, to_json
from orchestrator.errors import ConfigError

LATE = timedelta(minutes=50)  # platforms forget after a while (Feishu: an hour) what they were given under a key

log = logging.getLogger("hermes_ops.serve")


class Host:
    """Made on a running loop. `channels` by name. It is the channels' `Intake`."""

    def __init__(self, app: App, channels: Mapping[str, Served], settings: ServeSettings) -> None:
        self._app, self._channels = app, channels
        memory = app.memory
        hands = Hands(self._work, self._stop, self._told, self._refusal, follows, self._queued)
        bounds = Bounds(settings.questions, settings.per_conversation, settings.queue)
        self.inbox = Inbox(memory.inbox, hands, bounds)
        self.deliveries = Deliveries(memory.outbox, self._deliver)
        self.commands = Commands(app, self.inbox)
        self._loop = asyncio.get_running_loop()
        self._side: set[asyncio.Task[None]] = set()

    # ── in: called from any thread ────────────────────────────────────────────────────────────

    def take(self, asked: Incoming, kind: Literal["question", "command"], extra: Json) -> str:
        session = self._app.recall.session(asked)
        now = self._app.memory.inbox.clock()
        id = f"{asked.id}.{asked.attempt}"
        entry = Entry(id, asked.channel, session, kind, asked, extra, new_run(asked), now)
        return self.inbox.put_waiting(entry)

    def again(self, key: str) -> str:
        found = asyncio.run_coroutine_threadsafe(self._app.memory.inbox.find(key), self._loop).result(2.0)
        if found is None:
            return "gone"
        return self.take(replace(found.question, attempt=found.question.attempt + 1), "question", found.extra)

    def cancel(self, key: str, by: str) -> bool:
        return asyncio.run_coroutine_threadsafe(self.inbox.cancel(key, by), self._loop).result(2.0)

    # ── at work ───────────────────────────────────────────────────────────────────────────────

    async def _work(self, entry: Entry) -> Outcome:
        if entry.kind == "command":
            said = await self.commands.answer(entry)
            return Outcome(parcels=(self._parcel(entry, "send", to_json(said), "reply"),) if said.text else ())
        channel, to = self._channels[entry.channel], address(entry)
        try:
            handle = await channel.open(to, entry.id)
        except Undeliverable as e:
            return Outcome("failed", f"its chat can't be reached: {e}")
        asked = await channel.prepare(entry.question, entry.extra)
        lang = "zh" if asked.locale.startswith("zh") else "en"
        doing = Doing(lang, lambda text, seconds: channel.update(handle, Progress(text, seconds)), entry.ran)
        try:
            answer = await self._app.answer(asked, run=entry.run, ran=entry.ran, on_event=doing.event)
        except ConfigError as e:  # no other try mends it
            reason = str(e)
            return Outcome("failed", reason, tuple(self._told(entry, "failed", reason)))
        state: Literal["done", "cancelled"] = "cancelled" if answer.status == "cancelled" else "done"
        return Outcome(state, parcels=(self._parcel(entry, "finish", to_json(answer), "finish"),))

    def _stop(self, entry: Entry) -> None:
        self._app.cancel(entry.run)

    def _told(self, entry: Entry, state: Literal["failed", "cancelled"], reason: str) -> Sequence[Parcel]:
        text = say(state, _lang(entry), reason=reason)
        return [self._parcel(entry, "send", to_json(Document(text)), state)] if entry.kind == "question" else []

    def _refusal(self, entry: Entry, at: datetime) -> Parcel:
        text = say("busy", _lang(entry), at=clock(at, entry.question.zone))
        return self._parcel(entry, "send", to_json(Document(text)), "busy")

    def _queued(self, entry: Entry, place: int) -> None:
        """Shown at once, on the card that will be the answer's."""
        task = self._loop.create_task(self._show_place(entry, place))
        self._side.add(task)
        task.add_done_callback(self._side.discard)

    async def _show_place(self, entry: Entry, place: int) -> None:
        channel = self._channels[entry.channel]
        try:
            handle = await channel.open(address(entry), entry.id)
            channel.update(handle, Progress(say("queued", _lang(entry), n=place), 0.0))
        except Exception as e:  # its turn will come, and tell
            log.info("serve: the place in the queue can't be shown: %s", e)

    # ── out ───────────────────────────────────────────────────────────────────────────────────

    async def _deliver(self, parcel: Parcel) -> str:
        channel = self._channels.get(parcel.channel)
        if channel is None:
            raise Undeliverable(f"the channel {parcel.channel!r} isn't set up any more")
        to = from_json(Address, parcel.address)
        if parcel.at is not None and self._app.memory.outbox.clock() - parcel.at > LATE:
            to = replace(to, since=parcel.at)
        if parcel.kind == "send":
            return (await channel.send(to, from_json(Document, parcel.payload), parcel.key)).id
        handle = Handle(parcel.key.removesuffix(".finish"), to)
        return (await channel.finish(handle, from_json(Answer, parcel.payload), parcel.key)).id

    def _parcel(self, entry: Entry, kind: Literal["finish", "send"], payload: Json, what: str) -> Parcel:
        to = address(entry)
        return Parcel(f"{entry.id}.{what}", entry.channel, kind, to.chat or to.user, to_json(to), payload)

    async def push(self, channel: str, to: Address, doc: Document, key: str) -> None:
        """Something of our own for a chat or a person (a report, an alert); stored until it arrived, once for a key."""
        await self._app.memory.outbox.put([Parcel(key, channel, "send", to.chat or to.user, to_json(to), to_json(doc))])
        self.deliveries.nudge()


def address(entry: Entry) -> Address:
    q = entry.question
    message = str(entry.extra.get("reply") or q.id) if isinstance(entry.extra, dict) else q.id
    return Address(q.chat, q.thread, message, q.user, _lang(entry))


def follows(entry: Entry, before: Sequence[Entry]) -> bool:
    """Whether it goes on from a question that isn't answered yet: it says so, or refers to something."""
    text = entry.question.text.strip()
    return OPENS.match(text) is not None or REFERS.search(text) is not None


def _lang(entry: Entry) -> str:
    return "zh" if entry.question.locale.startswith("zh") else "en"

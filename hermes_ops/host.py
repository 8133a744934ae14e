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
from hermes_ops.budget import Busy
from hermes_ops.channels import keeping
from hermes_ops.channels.base import Address, Document, Handle, Progress, Served
from hermes_ops.channels.commanding import Commands
from hermes_ops.channels.doing import Doing
from hermes_ops.channels.receiving import received
from hermes_ops.channels.words import clock_after, say
from hermes_ops.recall.followups import OPENS, REFERS
from hermes_ops.runtime.alone import Alone
from hermes_ops.runtime.cluster import Replica
from hermes_ops.runtime.inbox import Inbox
from hermes_ops.runtime.jobs import Bounds, Hands, Outcome
from hermes_ops.runtime.local import ResumeError
from hermes_ops.runtime.outbox import POSSIBLY, Deliveries, Undeliverable
from hermes_ops.schedule import words
from hermes_ops.schedule.own import Own, of_schedule
from hermes_ops.schedule.replying import take_up
from hermes_ops.schedule.sending import Sender, whole
from hermes_ops.schedule.workdays import Calendar
from hermes_ops.settings import Settings
from memory import Entry, Parcel
from orchestrator.contracts import Answer, Incoming, Json, from_json, to_json
from orchestrator.errors import ConfigError

ALARM_TRIES = 7  # of a report that doesn't arrive, about ten minutes; it is tried on
SHOWN = "shown"  # in an answer's parcel: the document in its place
LATE = timedelta(minutes=50)  # platforms forget after a while (Feishu: an hour) what they were given under a key

log = logging.getLogger("hermes_ops.serve")


class Host:
    """Made on a running loop. `channels` by name. It is the channels' `Intake`."""

    def __init__(self, app: App, channels: Mapping[str, Served], settings: Settings, member: Alone | Replica) -> None:
        self._app, self._channels, self._team = app, channels, settings.team
        self._files = settings.data_dir / keeping.PLACE
        memory, serve = app.memory, settings.serve
        self._owner = Address(user=_owner(settings), locale=settings.team.language)
        self.workdays = Calendar(settings.team.workdays)
        self.sender = Sender(memory, app.reporter, settings.team.name, next(iter(channels), ""))
        hands = Hands(self._work, self._stop, self._told, self._refusal, follows, self._queued, self._ended)
        bounds = Bounds(serve.questions, serve.per_conversation, serve.queue)
        self.inbox = Inbox(memory.inbox, hands, bounds, member.id, member.others)
        self.deliveries = Deliveries(memory.outbox, self._deliver, member.id, self._troubled)
        self.commands = Commands(app, self.inbox, Own(memory.schedules, settings.team, self.workdays))
        self._loop = asyncio.get_running_loop()

    # ── in: awaited on any event loop ─────────────────────────────────────────────────────────

    async def take(self, asked: Incoming, kind: Literal["question", "command"], extra: Json) -> str:
        session = self._app.recall.session(asked)
        now = self._app.memory.inbox.clock()
        id = f"{asked.id}.{asked.attempt}"
        entry = Entry(id, asked.channel, session, kind, asked, extra, new_run(asked), now)
        return (await self.inbox.put(entry)).state

    async def again(self, key: str) -> str:
        found = await self._app.memory.inbox.find(key)
        if found is None:
            return "gone"
        return await self.take(replace(found.question, attempt=found.question.attempt + 1), "question", found.extra)

    async def cancel(self, key: str, by: str) -> bool:
        cancelling = self.inbox.cancel(key, by)
        if asyncio.get_running_loop() is self._loop:
            return await cancelling
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(cancelling, self._loop))

    # ── at work ───────────────────────────────────────────────────────────────────────────────

    async def _work(self, entry: Entry) -> Outcome:
        if entry.kind == "command":
            said = await self._said(entry)
            return Outcome(parcels=(self._parcel(entry, "send", to_json(said), "reply"),) if said.text else ())
        channel, to = self._channels[entry.channel], address(entry)
        if refused := await self._unscheduled(entry, channel):
            return refused
        try:
            handle = await channel.open(to, entry.id)
        except Undeliverable as e:
            await self._unreached(entry.channel, to.chat or to.user, str(e))
            return Outcome("failed", f"its chat can't be reached: {e}")
        prepared = await channel.prepare(entry.question, entry.extra)
        asked = await take_up(self._app.memory, entry, prepared.asked)
        lang = "zh" if asked.locale.startswith("zh") else "en"
        doing = Doing(lang, lambda text, seconds: channel.update(handle, Progress(text, seconds)), entry.ran)
        try:
            answer = await self._app.answer(asked, run=entry.run, ran=entry.ran, on_event=doing.event)
        except ResumeError as e:  # a deploy changed what it was begun with: afresh, at the next try
            log.warning("serve: %s is begun afresh: %s", entry.id, e)
            await self._app.memory.inbox.rerun(entry.id, new_run(asked), entry.owner)
            raise
        except Busy as e:
            text = say("budget", lang, at=f"{e.until:%m-%d %H:%M}")
            return Outcome("refused", str(e), (self._ending(entry, "busy", text),))
        except ConfigError as e:  # no other try mends it
            reason = str(e)
            return Outcome("failed", reason, tuple(self._told(entry, "failed", reason)))
        if prepared.notes:
            answer = replace(answer, text="\n\n".join((answer.text, *prepared.notes)))
        state: Literal["done", "cancelled"] = "cancelled" if answer.status == "cancelled" else "done"
        payload = to_json(answer)
        if report := self._app.reports.pop(entry.run):
            payload |= {SHOWN: to_json(Document(report.text, report.title, report.card))}
        return Outcome(state, parcels=(self._parcel(entry, "finish", payload, "finish"),))

    async def _said(self, entry: Entry) -> Document:
        if entry.extra.get("do") != "received":
            return await self.commands.answer(entry)
        prepared = await self._channels[entry.channel].prepare(entry.question, entry.extra)
        return Document(await asyncio.to_thread(received, prepared, _lang(entry)))

    async def _unscheduled(self, entry: Entry, channel: Served) -> Outcome | None:
        """A person's own schedule that was cancelled meanwhile is quiet; one whose person isn't answered there any more
        ends, and says so."""
        id, q = of_schedule(entry), entry.question
        if not id:
            return None
        kept = await self._app.memory.schedules.get(id)
        if kept is None:
            return Outcome("cancelled", "its schedule was cancelled")
        if channel.answers(q.user, "" if kept.private else q.chat):
            return None
        await self._app.memory.schedules.cancel(q.tenant, q.channel, q.user, kept.number)
        text = words.say("refused", _lang(entry), n=kept.number)
        return Outcome("failed", "its person may not ask here any more", (self._ending(entry, "failed", text),))

    def _stop(self, entry: Entry) -> None:
        self._app.cancel(entry.run)

    def _told(self, entry: Entry, state: Literal["failed", "cancelled"], reason: str) -> Sequence[Parcel]:
        text = say(state, _lang(entry), reason=reason)
        return [self._ending(entry, state, text)] if entry.kind == "question" else []

    def _refusal(self, entry: Entry, at: datetime) -> Parcel:
        text = say("busy", _lang(entry), at=clock_after(at, entry.question.zone))
        return self._parcel(entry, "send", to_json(Document(text)), "busy")

    async def _queued(self, entry: Entry, place: int) -> None:
        """Shown at once, on the card that will be the answer's."""
        channel = self._channels[entry.channel]
        try:
            handle = await channel.open(address(entry), entry.id)
            channel.update(handle, Progress(say("queued", _lang(entry), n=place), 0.0))
        except Exception as e:  # its turn will come, and tell
            log.info("serve: the place in the queue can't be shown: %s", e)

    async def lost(self, owner: str) -> None:
        """Others do what this process had begun; it goes on under another name."""
        await self.inbox.lost(owner)
        await self.deliveries.lost(owner)

    def _ended(self, entry: Entry) -> None:
        self.deliveries.nudge()
        place = keeping.place_of(self._files, entry.question.id)
        self._app.opener.leave(place)
        if left := keeping.leave(place):  # whoever asks once more has them fetched again
            self._loop.run_in_executor(None, keeping.remove, left)

    # ── out ───────────────────────────────────────────────────────────────────────────────────

    async def _deliver(self, parcel: Parcel) -> str:
        channel = self._channels.get(parcel.channel)
        if channel is None:
            raise Undeliverable(f"the channel {parcel.channel!r} isn't set up any more")
        to = from_json(Address, parcel.address)
        if parcel.at is not None and self._app.memory.outbox.clock() - parcel.at > LATE:
            to = replace(to, since=parcel.at)
        if parcel.kind != "finish":
            return (await channel.send(to, from_json(Document, parcel.payload), parcel.key)).id
        handle, payload = Handle(parcel.key.rpartition(".")[0], to), dict(parcel.payload)
        shown = payload.pop(SHOWN, None)
        answer = from_json(Answer, payload)
        if shown and answer.status != "cancelled":
            return (await channel.show(handle, answer, from_json(Document, shown), parcel.key)).id
        return (await channel.finish(handle, answer, parcel.key)).id

    async def _troubled(self, parcel: Parcel, reason: str, tries: int, over: bool) -> None:
        """What doesn't arrive is told to the owner: a report once for all its chats, else once a day for a chat."""
        if parcel.kind == "report" and (over or tries >= ALARM_TRIES):
            which = "possibly" if reason.startswith(POSSIBLY) else "undelivered"
            given = {"title": parcel.payload["title"], "chat": parcel.lane, "reason": reason}
            await self.alarm(whole(parcel.key), words.say(which, self._team.language, **given))
        elif over and parcel.kind != "alarm":
            await self._unreached(parcel.channel, parcel.lane, reason)

    async def _unreached(self, channel: str, chat: str, reason: str) -> None:
        text = say("unreached", self._team.language, chat=chat, channel=channel, reason=reason)
        await self.alarm(f"unreached.{channel}.{chat}.{self._app.memory.outbox.clock():%Y-%m-%d}", text)

    async def alarm(self, key: str, text: str) -> None:
        """Tells the owner, once for a key."""
        log.error("serve: %s", text)
        to, channel = self._owner, next(iter(self._channels), "")
        if to.user and channel:
            await self.push(channel, to, Document(text), f"alarm.{key}", "alarm")

    def _ending(self, entry: Entry, status: Literal["failed", "cancelled", "busy"], text: str) -> Parcel:
        """What stands in the place of an answer that was begun, or would have been."""
        what = "cancelled" if status == "cancelled" else "failed"
        return self._parcel(entry, "finish", to_json(Answer("", status, text)), what)

    def _parcel(self, entry: Entry, kind: Literal["finish", "send"], payload: Json, what: str) -> Parcel:
        to = address(entry)
        return Parcel(f"{entry.id}.{what}", entry.channel, kind, to.chat or to.user, to_json(to), payload)

    async def push(
        self, channel: str, to: Address, doc: Document, key: str, kind: Literal["send", "alarm"] = "send"
    ) -> None:
        """Something of our own for a chat or a person (a report, an alert); stored until it arrived, once for a key."""
        await self._app.memory.outbox.put([Parcel(key, channel, kind, to.chat or to.user, to_json(to), to_json(doc))])
        self.deliveries.nudge()


def _owner(settings: Settings) -> str:
    """Of the first channel."""
    if settings.feishu.app_id:
        return settings.feishu.owner
    return str(next(iter(settings.channels.values()), {}).get("owner") or "")


def address(entry: Entry) -> Address:
    q = entry.question
    message = str(entry.extra.get("reply", q.id)) if isinstance(entry.extra, dict) else q.id
    topic = isinstance(entry.extra, dict) and bool(entry.extra.get("topic"))
    return Address(q.chat, q.thread, message, q.user, _lang(entry), topic=topic)


def follows(entry: Entry) -> bool:
    """Whether it goes on from the question before: it says so, or refers to something."""
    text = entry.question.text.strip()
    return OPENS.match(text) is not None or REFERS.search(text) is not None


def _lang(entry: Entry) -> str:
    return "zh" if entry.question.locale.startswith("zh") else "en"

"""Feishu as a served channel: questions come in through `incoming`, answers are cards that show how far they are.

Every call may fail, and an answer still arrives: as a card, a poorer card, at last as text.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from weakref import WeakValueDictionary

from hermes_ops.channels.base import Address, Document, Handle, Health, Intake, Prepared, Progress, Sent
from hermes_ops.channels.feishu import cards, posting, pushing
from hermes_ops.channels.feishu.errors import CARD_LOST, TOO_LATE, Refusal
from hermes_ops.channels.feishu.events import allowed
from hermes_ops.channels.feishu.identity import Identity
from hermes_ops.channels.feishu.incoming import Incomings
from hermes_ops.channels.feishu.quotes import Fetcher
from hermes_ops.channels.feishu.rest import Api
from hermes_ops.channels.feishu.sign import Sign
from hermes_ops.channels.feishu.socket import LongConnection
from hermes_ops.channels.feishu.stream import Stream
from hermes_ops.channels.feishu.tally import Tally
from hermes_ops.channels.words import say
from hermes_ops.settings import FeishuSettings
from memory import Post, Posts
from orchestrator.contracts import Answer, Incoming, Json

LATE = 3_000.0  # seconds; the platform forgets a uuid after an hour
LONGEST = 86_400.0  # seconds that a card is held here
QUOTED = 4_000  # characters of an answer that are kept for who quotes its card

log = logging.getLogger("hermes_ops.feishu")


class FeishuChannel:
    """`language`: of a message by its id, for what is said before its answer is known."""

    name = "feishu"
    caps = frozenset({"update", "markdown", "buttons", "threads"})

    def __init__(
        self,
        settings: FeishuSettings,
        posts: Posts,
        api: Api,
        incomings: Callable[[Intake, Identity], Incomings],
        fetcher: Fetcher,
        tally: Tally,
    ) -> None:
        self._settings, self._posts, self.api = settings, posts, api
        self._make, self._fetcher, self._tally = incomings, fetcher, tally
        self._streams: dict[str, Stream] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._socket: LongConnection | None = None
        self.incomings: Incomings | None = None
        self.identity = Identity(api)
        self.hook_problem = ""
        self._sign = Sign(api)

    # ── in ────────────────────────────────────────────────────────────────────────────────────

    async def listen(self, intake: Intake) -> None:
        await self.api.open()
        await self._tally.save()
        await self.identity.begin()
        self.incomings = self._make(intake, self.identity)

    def connect(self) -> None:
        if self._settings.mode == "socket" and self._socket is None and self.incomings is not None:
            s = self._settings
            secret = s.app_secret.get_secret_value() if s.app_secret else ""
            self._socket = LongConnection(s.app_id, secret, s.domain, s.proxy, self.incomings.handle)
            self._socket.start()

    def answers(self, user: str, chat: str) -> bool:
        return allowed(user, chat, self._settings)

    async def prepare(self, asked: Incoming, extra: Json) -> Prepared:
        return await self._fetcher.prepare(self.api, asked, extra)

    def health(self) -> Health:
        figures = {"calls_this_month": self._tally.month}
        known = "" if self.identity.open_id else " Its own identity is unknown, so it is silent in groups."
        known += " The tenant's calls of this month are used up: nobody can be answered." if self.api.exhausted else ""
        if self._settings.mode == "webhook":
            refused = f" The last request was refused: {self.hook_problem}." if self.hook_problem else ""
            return Health(True, f"Events come by web hook.{refused}{known}", figures)
        if self._socket is None:
            return Health(False, "The long connection has not begun.")
        health = self._socket.health()
        return Health(health.ok, health.says + known, {**health.figures, **figures})

    # ── out ───────────────────────────────────────────────────────────────────────────────────

    async def open(self, to: Address, key: str) -> Handle:
        """Shows at once that the question is being worked on; a second time it goes on with the same card. Raises
        Undeliverable where nothing can be shown in that chat, now or later."""
        await self._sweep()
        async with self._opening(key):
            if key not in self._streams:
                kept = await self._posts.get(key)
                stream = self._restored(kept) if kept else Stream(key, to.locale or "zh", "kit", time.time())
                self._sign.show(to.message, stream)
                if not stream.message and stream.way != "none":
                    await self._begin(self._staying(to), stream)
                self._streams[key] = stream
        return Handle(key, to)

    async def _sweep(self) -> None:
        """Lets go of cards that another process finished, or nobody: whoever comes for one finds it stored."""
        for key, stream in list(self._streams.items()):
            if time.time() - stream.opened > LONGEST:
                self._streams.pop(key, None)
                await stream.rest()

    def _opening(self, key: str) -> asyncio.Lock:
        """One at a time: the place in a queue, the work and its end may all ask for the same card at once."""
        return self._locks.setdefault(key, asyncio.Lock())

    def update(self, h: Handle, p: Progress) -> None:
        if stream := self._streams.get(h.id):
            stream.show(self.api, p.text)

    async def finish(self, h: Handle, a: Answer, key: str) -> Sent:
        h = replace(h, to=self._staying(h.to))
        stream = await self._rested(h)
        seconds = time.time() - stream.opened
        sent, shown = await self._final(h.to, stream, a, seconds, key)
        return await self._over(h, stream, a, shown, sent, key)

    async def show(self, h: Handle, a: Answer, doc: Document, key: str) -> Sent:
        stream = await self._rested(h)
        if stream.way == "none" or not doc.card:
            return await self.finish(h, a, key)
        try:
            await stream.replace(self.api, doc.card)
        except Refusal as e:
            if e.sort == "passing":
                raise
            log.warning("feishu: the card %r was refused: %s", doc.title, e)
            return await self.finish(h, a, key)
        return await self._over(h, stream, a, doc.card, stream.message, key)

    async def _over(self, h: Handle, stream: Stream, a: Answer, shown: Json, sent: str, key: str) -> Sent:
        await self._remember(h.to, stream, a, shown, sent)
        seconds = time.time() - stream.opened
        if shown is not None and self._notices(h.to, seconds):
            await posting.post_text(self.api, h.to, cards.verdict(a, stream.lang), f"{key}.verdict")
        self._sign.hide(h.to.message, stream)
        self._streams.pop(h.id, None)
        return Sent(sent)

    async def send(self, to: Address, doc: Document, key: str) -> Sent:
        if doc.instead:
            return Sent(await pushing.revise(self.api, self._posts, to, doc, key))
        if doc.title and not to.message:
            return Sent(await pushing.push(self.api, self._posts, to, doc, key))
        if doc.title or "\n" in doc.text or "`" in doc.text:
            return Sent(await posting.post_markdown(self.api, to, doc.text, doc.title, key))
        return Sent(await posting.post_text(self.api, to, doc.text, key))

    async def deafen(self) -> None:
        socket, self._socket = self._socket, None
        if socket is not None:
            await asyncio.to_thread(socket.stop)

    async def close(self) -> None:
        await self.deafen()
        await self.identity.close()
        for stream in list(self._streams.values()):
            await stream.rest()
            if stream.way == "kit" and stream.message:
                with suppress(Refusal, TimeoutError):
                    resting = stream.set_streaming(self.api, False, say("resting", stream.lang))
                    await asyncio.wait_for(resting, 2.0)
        await self._sign.end(2.0)
        await self._tally.save()
        self.api.close()

    # ── the card ──────────────────────────────────────────────────────────────────────────────

    async def _begin(self, to: Address, stream: Stream) -> None:
        """The card is stored before it is sent: a process that goes on after this one was killed knows it."""
        card = cards.progress(say("understanding", stream.lang), stream.key, stream.lang)
        if not stream.card:
            try:
                body = {"type": "card_json", "data": json.dumps(card, ensure_ascii=False)}
                stream.card = str((await self.api.call("POST", "/cardkit/v1/cards", body))["data"]["card_id"])
            except Refusal as e:
                log.warning("feishu: no streaming card: %s", e)
                stream.way = "patch"
            await self._posts.save(self._post(stream, to, "", "", stream.state))
        if time.time() - stream.opened > LATE:  # the one that began this was killed, and may have sent it
            to = replace(to, since=datetime.fromtimestamp(stream.opened, UTC))
        content = {"type": "card", "data": {"card_id": stream.card}} if stream.way == "kit" else _still(card)
        try:
            stream.message = await posting.post(self.api, to, "interactive", content, stream.key)
            stream.way = stream.way if stream.message else "none"
        except Refusal as e:
            log.warning("feishu: no card: %s", e)
            if e.sort != "passing" or stream.late:
                stream.way = "none"
        await self._posts.save(self._post(stream, to, stream.message, "", stream.state))

    async def _final(self, to: Address, stream: Stream, a: Answer, seconds: float, key: str) -> tuple[str, Json]:
        """Our message's id and the card it shows, None where it is text."""
        level = 0
        while stream.way != "none" and level <= len(cards.LEVELS):
            made, level = cards.fitting(a, stream.key, stream.lang, seconds, level)
            await self._remember(to, stream, a, made.card, stream.message)  # its buttons may be pressed at once
            try:
                await stream.replace(self.api, made.card)
            except Refusal as e:
                if e.code in CARD_LOST or e.code == TOO_LATE or e.sort == "gone":
                    break
                if e.sort == "passing":
                    raise
                log.warning("feishu: the answer's card was refused at level %d: %s", level, e)
                level += 1
                continue
            if made.rest:
                await posting.post_text(self.api, to, made.rest, f"{key}.rest")
            return stream.message, made.card
        sent = await posting.post_text(self.api, to, a.text, f"{key}.text")
        await self._point_down(stream)
        return sent, None

    async def _point_down(self, stream: Stream) -> None:
        """A card that couldn't become the answer doesn't go on to say that it is being looked for."""
        if stream.way != "none" and stream.message:
            with suppress(Refusal):
                await stream.replace(self.api, cards.simple(say("below", stream.lang)))

    async def _remember(self, to: Address, stream: Stream, a: Answer, shown: Json, message: str) -> None:
        state = {**stream.state, "shown": shown, "text": a.text[:QUOTED], "question": to.message}
        await self._posts.save(self._post(stream, to, message, a.run_id, state))

    def _staying(self, to: Address) -> Address:
        return replace(to, stay=self._settings.recalled == "stop")

    def _notices(self, to: Address, seconds: float) -> bool:
        """Editing a card notifies nobody: who waited long gets a short message of its own."""
        after = self._settings.verdict_after
        return 0 < after < seconds and to.chat not in self._settings.quiet_chats

    async def _stream(self, h: Handle) -> Stream:
        """Once its card has been begun, if it is being begun."""
        async with self._opening(h.id):
            if h.id in self._streams:
                return self._streams[h.id]
            kept = await self._posts.get(h.id)
            return self._restored(kept) if kept else Stream(h.id, h.to.locale or "zh", "none", time.time())

    async def _rested(self, h: Handle) -> Stream:
        """As it ends: nothing writes any more, and there is a card where there can be one. One that was sent and
        never confirmed is found again by its uuid."""
        stream = await self._stream(h)
        await stream.rest()
        if stream.way != "none" and not stream.message:
            stream.late = True
            await self._begin(h.to, stream)
        return stream

    def _restored(self, kept: Post) -> Stream:
        s = kept.state
        return Stream(kept.key, s["lang"], s["way"], s["opened"], s["card"], kept.message, s["reaction"])

    def _post(self, stream: Stream, to: Address, message: str, run: str, state: Json) -> Post:
        return Post(stream.key, self.name, to.chat, message, run, state, self._posts.clock())


def _still(card: Json) -> Json:
    return {**card, "config": {**card["config"], "streaming_mode": False}}

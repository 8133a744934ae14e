"""First looks at work: what fires anew is gathered for a moment, judged by rules and bounds, posted, and asked about.

One run a group; a group that was looked at rests; many groups at once are one summary; so many an hour in a chat; so
many questions at once, beside those of people. Each look is a record in the store, so a restart neither repeats one
nor forgets to turn its card green; what ended between two steps is finished by the next turn. It knows no platform.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hermes_ops.app import App, new_run
from hermes_ops.channels.base import Address
from hermes_ops.hooks.ear import Arrived
from hermes_ops.hooks.look import words
from hermes_ops.hooks.look.groups import Firing, Group, firing, grouped, mark_of, question, rule_of
from hermes_ops.host import Host
from hermes_ops.zones import machine_zone
from memory import Entry, Record
from orchestrator.contracts import Incoming, Json, Window
from orchestrator.errors import StoreError

WHO = "first-look"  # the user of its questions, for budgets
AGAIN = 10.0  # seconds until the next turn after one that the store failed
LOOK = 0.5  # seconds between looks whether a card was posted, a question answered
POSTED = 120.0  # seconds that a card may take into its chat
LONGEST = 1800.0  # seconds that a question may wait and take
BEGAN = ("new", "reopened")
HOUR = timedelta(hours=1)
BACK = timedelta(days=30)  # so far back cards are looked for that are still red

log = logging.getLogger("hermes_ops.look")


@dataclass(frozen=True, slots=True)
class Look:
    """One card. `groups`: whose; `key`: of its parcel; `title`: in its head, which stays; `start`: of what fires now;
    `last`: when the last of its groups joined, or it became red `again`."""

    key: str
    chat: str
    title: str
    groups: tuple[str, ...]
    start: datetime
    at: datetime
    last: datetime
    again: bool = False


class FirstLook:
    """`await run()` works until it is cancelled; `hear` may be called before."""

    def __init__(self, app: App, host: Host, channel: str) -> None:
        self._app, self._host, self._channel = app, host, channel
        self._settings, self._records = app.settings.hooks.look, app.memory.records
        team = app.settings.team
        self._lang, self._zone = team.language, team.zone or app.settings.zone or machine_zone()
        self._heard = asyncio.Event()
        self._fresh: set[str] = set()  # marks of groups in which something began since the last turn
        self._turns = asyncio.Semaphore(self._settings.at_once)
        self._asking: set[asyncio.Task[None]] = set()
        self.counted: Counter[str] = Counter()  # looked, storm, rested, capped: for figures

    async def hear(self, arrived: Arrived) -> None:
        """Something began or ended."""
        told = zip(arrived.alerts, arrived.became, strict=True)
        self._fresh |= {mark_of(arrived.hook, a) for a, became in told if a.firing and became in BEGAN}
        if any(became != "known" for became in arrived.became):
            self._heard.set()

    async def run(self) -> None:
        """Raises nothing that the store or a chat may fail with: it looks again."""
        self._heard.set()  # what ended while nobody watched
        try:
            while True:
                await self._heard.wait()
                await asyncio.sleep(self._settings.settle)
                self._heard.clear()
                try:
                    await self.turn()
                except StoreError as e:
                    log.error("look: %s", e)
                    await asyncio.sleep(AGAIN)
                    self._heard.set()
        finally:
            for task in self._asking:
                task.cancel()
            await asyncio.gather(*self._asking, return_exceptions=True)

    async def turn(self) -> None:
        """Looks once at what fires now. Raises StoreError; what began has its look in the next turn then."""
        began, self._fresh = self._fresh, set()
        try:
            await self._look(began, self._records.clock())
        except StoreError:
            self._fresh |= began
            raise

    async def _look(self, began: set[str], now: datetime) -> None:
        burning = {g.mark: g for g in grouped(await self._open(now))}
        red = await self._red(now)
        await self._extinguish(red, burning, now)
        await self._finish(red, burning, now)
        lately = await self._lately(now)
        chats: dict[str, list[Group]] = {}
        for group in (g for name, g in burning.items() if name in began):
            rule = rule_of(group, self._settings.rules)
            if rule is not None and self._due(group, red, lately, now):
                chats.setdefault(rule.chat, []).append(group)
        await self._rekindle(began & burning.keys(), red, lately, burning, now)
        for chat, groups in chats.items():
            await self._begin(chat, groups, burning, [look for look in lately if look.chat == chat], now)

    # ── what is there ─────────────────────────────────────────────────────────────────────────

    # Every record is read, not a page of them: what isn't seen to fire would be taken for over.

    async def _open(self, now: datetime) -> list[Firing]:
        about = Window(now - timedelta(seconds=1), now + HOUR)
        return [firing(r) async for r in self._records.every("alert", about) if r.until is None]

    async def _red(self, now: datetime) -> list[Look]:
        """An end that was stored stays for a while: of what fires again the body tells."""
        found = self._records.every("look", Window(now - BACK, now + HOUR))
        return [_look(r) async for r in found if r.until is None or r.body.get("again")]

    async def _lately(self, now: datetime) -> list[Look]:
        since = max(HOUR, timedelta(minutes=self._settings.cool_down))
        return [_look(r) async for r in self._records.every("look", Window(now - since, now + HOUR))]

    def _due(self, group: Group, red: Sequence[Look], lately: Sequence[Look], now: datetime) -> bool:
        """Not while its card is red, nor soon after it was looked at."""
        if any(group.mark in look.groups for look in red):
            return False
        rests = timedelta(minutes=self._settings.cool_down)
        if any(group.mark in look.groups and now - look.at < rests for look in lately):
            self.counted["rested"] += 1
            return False
        return True

    # ── a look ────────────────────────────────────────────────────────────────────────────────

    async def _begin(
        self, chat: str, groups: list[Group], burning: Mapping[str, Group], mine: list[Look], now: datetime
    ) -> None:
        """`mine`: the chat's looks of lately."""
        close = timedelta(seconds=self._settings.storm_seconds)
        recent = [look for look in mine if now - look.last < close]
        marks = dict.fromkeys([*(name for look in recent for name in look.groups), *(g.mark for g in groups)])
        if storm := next((look for look in recent if len(look.groups) > 1), None):
            await self._join(storm, tuple(marks), burning, now)
        elif len(marks) > self._settings.storm:
            self.counted["storm"] += 1
            together = sorted((burning[name] for name in marks if name in burning), key=lambda g: g.start)
            await self._post(chat, together, mine, now)
        else:
            for group in groups:
                await self._post(chat, [group], mine, now)

    async def _post(self, chat: str, groups: Sequence[Group], mine: list[Look], now: datetime) -> None:
        if sum(now - look.at < HOUR for look in mine) >= self._settings.hourly:
            self.counted["capped"] += 1
            log.warning("look: %d looks an hour in %s are used up", self._settings.hourly, chat)
            return
        start = min(g.start for g in groups)
        key = f"look.{groups[0].mark}.{_stamp(now)}"
        look = Look(key, chat, words.title(groups, self._lang), tuple(g.mark for g in groups), start, now, now)
        mine.append(look)
        if "new" not in await self._records.put([_record(look, None, now)]):
            return  # another process was faster
        self.counted["looked"] += 1
        await self._show(look, groups, now)

    async def _show(self, look: Look, groups: Sequence[Group], now: datetime) -> None:
        """Its card and, when that is there, its question; each once, however often this is called."""
        doc = words.burning(look.title, groups, self._zone, self._lang)
        await self._host.push(self._channel, Address(look.chat, locale=self._lang), doc, look.key)
        task = asyncio.create_task(self._ask(look, question(groups, now, self._zone, self._lang)), name=look.key)
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _finish(self, red: Sequence[Look], burning: Mapping[str, Group], now: datetime) -> None:
        """What was begun lately and not asked: the store failed, or the process ended, between its steps."""
        asking = {task.get_name() for task in self._asking}
        for look in (look for look in red if now - look.at < HOUR and look.key not in asking):
            groups = [burning[name] for name in look.groups if name in burning]
            if groups and await self._app.memory.inbox.find(f"{look.key}.0") is None:
                await self._show(look, groups, now)

    async def _join(self, storm: Look, marks: tuple[str, ...], burning: Mapping[str, Group], now: datetime) -> None:
        """What comes while a storm lasts belongs to it: its card counts it."""
        head = words.say("storm", self._lang, n=len(marks))
        groups = [burning[name] for name in marks if name in burning]
        doc = replace(words.burning(head, groups, self._zone, self._lang), instead=storm.key)
        await self._host.push(self._channel, Address(storm.chat, locale=self._lang), doc, f"{storm.key}.{len(marks)}")
        await self._records.put([_record(replace(storm, groups=marks, title=head, last=now), None, now)])

    async def _rekindle(
        self, began: Set[str], red: Sequence[Look], lately: Sequence[Look], burning: Mapping[str, Group], now: datetime
    ) -> None:
        """What fires again while it rests isn't asked about, but its card can't stay green."""
        lit = {name for look in red for name in look.groups}
        for look in (look for look in lately if (began & {*look.groups}) - lit):
            groups = [burning[name] for name in look.groups if name in burning]
            look = replace(look, start=min(g.start for g in groups), last=now, again=True)
            doc = words.burning(look.title, groups, self._zone, self._lang, again=True)
            to, key = Address(look.chat, locale=self._lang), f"{look.key}.again.{_stamp(now)}"
            await self._host.push(self._channel, to, replace(doc, instead=look.key), key)
            await self._records.put([_record(look, None, now)])
            lit.update(look.groups)

    async def _extinguish(self, red: Sequence[Look], burning: Mapping[str, Group], now: datetime) -> None:
        """Cards whose groups are all over turn green. It is stored last: until then it is done again."""
        for look in (look for look in red if not any(name in burning for name in look.groups)):
            end = await self._ended(look, now)
            if now - look.at >= HOUR or await self._app.memory.outbox.find(look.key):  # else no card came to be
                doc = words.over(look.title, look.start, end, self._zone, self._lang, look.key)
                to = Address(look.chat, locale=self._lang)
                await self._host.push(self._channel, to, doc, f"{look.key}.{_stamp(look.last)}.over")
            await self._records.put([_record(replace(look, again=False), end, now)])

    async def _ended(self, look: Look, now: datetime) -> datetime:
        since = self._records.every("alert", Window(look.start, now + HOUR))
        ends = [r.until async for r in since if r.until and firing(r).mark in look.groups]
        return max(ends, default=now)

    # ── its question ──────────────────────────────────────────────────────────────────────────

    async def _ask(self, look: Look, text: str) -> None:
        """Under its card, in a thread of its own; the next one waits until this one is answered."""
        message = await self._posted(look.key)
        if not message:
            log.warning("look: the card %s didn't reach its chat, so nothing is asked", look.key)
            return
        async with self._turns:
            try:
                await self._host.inbox.put(self._entry(look, text, message))
            except StoreError:
                self._heard.set()  # the next turn finds it unasked
                return
            with suppress(StoreError):
                await self._over(f"{look.key}.0")

    async def _over(self, id: str) -> None:
        """When the question has ended, however it did. Raises StoreError."""
        for _ in range(int(LONGEST / LOOK)):
            entry = await self._app.memory.inbox.find(id)
            if entry is None or entry.ended is not None:
                return
            await asyncio.sleep(LOOK)

    def _entry(self, look: Look, text: str, message: str) -> Entry:
        now = self._app.memory.inbox.clock()
        asked = Incoming(
            look.key, text, now, self._zone, "", self._channel, look.chat, message, WHO, self._lang, zoned=True
        )  # fmt: skip
        session = self._app.recall.session(asked)
        extra: Json = {"reply": message, "topic": True, "private": False}
        return Entry(f"{look.key}.0", self._channel, session, "question", asked, extra, new_run(asked), now)

    async def _posted(self, key: str) -> str:
        """The card's own name in its chat; "" where it doesn't arrive."""
        for _ in range(int(POSTED / LOOK)):
            with suppress(StoreError):
                kept = await self._app.memory.outbox.find(key)
                if kept is not None and kept.state != "waiting":
                    return kept.sent if kept.state == "sent" else ""
            await asyncio.sleep(LOOK)
        return ""


def _stamp(at: datetime) -> str:
    return f"{at:%Y%m%dT%H%M%S}"


def _record(look: Look, until: datetime | None, now: datetime) -> Record:
    times = {"start": look.start.isoformat(), "last": look.last.isoformat()}
    body: Json = {"chat": look.chat, "title": look.title, "groups": list(look.groups), "again": look.again, **times}
    return Record("look", "", look.key, look.at, until, "", body, now)


def _look(r: Record) -> Look:
    b = r.body
    start, last = datetime.fromisoformat(b["start"]), datetime.fromisoformat(b["last"])
    return Look(r.series, b["chat"], b["title"], tuple(b["groups"]), start, r.at or start, last, bool(b.get("again")))

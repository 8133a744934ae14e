"""What people do in the chat, and what can be seen of it. Tests call these methods; so does the chat page.

It doesn't know the server, nor what a bot is made of.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hermes_ops.sandbox import clicks, hearing, says
from hermes_ops.sandbox.api import reactions
from hermes_ops.sandbox.clicks import Click
from hermes_ops.sandbox.ids import fresh
from hermes_ops.sandbox.model import App, Author, Chat, Message, Person
from hermes_ops.sandbox.platform import Platform
from hermes_ops.sandbox.pushes import Delivery

PEOPLE = {"alice": "王晓", "bob": "李雷", "carol": "韩梅梅"}


class Hands:
    """A platform with one app, three people, a group, a topic group and their private chats, and the hands in it."""

    def __init__(self, speed: float, seed: int, app: tuple[str, str, str]) -> None:
        self.platform = p = Platform(speed, seed)
        self.clock, self.journal, self.world = p.clock, p.journal, p.world
        self.faults, self.link, self.webhook, self.pushes = p.faults, p.link, p.webhook, p.pushes
        self.tokens, self.limits, self.rules, self.media = p.tokens, p.limits, p.rules, p.media
        self.app = p.world.add_app(*app)
        self.people = {user_id: p.world.add_person(user_id, name) for user_id, name in PEOPLE.items()}
        everybody = list(self.people.values())
        self.group = p.world.add_chat("值班群", everybody[:], [self.app])
        self.topics = p.world.add_chat("故障话题群", everybody[:], [self.app], "topic")
        for person in everybody:
            p.world.p2p(person, self.app)

    # ── who and where ────────────────────────────────────────────────────────────────────────

    def add_person(self, user_id: str, name: str) -> Person:
        return self.world.add_person(user_id, name)

    def add_app(self, name: str, chats: list[Chat] | None = None) -> App:
        """Another bot, with credentials of its own; a member of the chats."""
        app = self.world.add_app(name)
        for chat in chats or []:
            chat.apps.append(app)
        return app

    def add_group(self, name: str, people: list[Person] | None = None, mode: str = "group") -> Chat:
        """Another group with the first app in it. `mode`: group or topic."""
        members = people if people is not None else list(self.people.values())
        return self.world.add_chat(name, members, [self.app], mode)

    def p2p(self, person: Person | str, app: App | None = None) -> Chat:
        who = self.who(person)
        if not isinstance(who, Person):
            raise TypeError("a private chat is that of a person")
        return self.world.p2p(who, app or self.app)

    def who(self, who: Author | str) -> Author:
        return self.world.named(who) if isinstance(who, str) else who

    def where(self, chat: Chat | str) -> Chat:
        return self.world.chat_named(chat) if isinstance(chat, str) else chat

    # ── what people do ───────────────────────────────────────────────────────────────────────

    async def say(
        self,
        who: Author | str,
        chat: Chat | str,
        text: str,
        *,
        mention_bot: bool = False,
        mention: tuple[Author | str, ...] = (),
        mention_all: bool = False,
        reply_to: Message | None = None,
        thread: bool = False,
    ) -> Message:
        """Somebody writes a text. `thread` opens a topic on `reply_to`, or says something inside one."""
        meant = [self.app] * mention_bot + [self.who(one) for one in mention]
        content, mentions = says.text(text, meant, mention_all)
        return self.post(who, chat, "text", content, mentions=mentions, reply_to=reply_to, thread=thread)

    def post(
        self,
        who: Author | str,
        chat: Chat | str,
        msg_type: str,
        content: dict[str, Any],
        *,
        mentions: list[Any] | None = None,
        reply_to: Message | None = None,
        thread: bool = False,
    ) -> Message:
        """Somebody, a person or another bot, posts a message of any kind; for `interactive` the content is the card."""
        author, place = self.who(who), self.where(chat)
        card = says.card(author, content) if msg_type == "interactive" else None
        text = json.dumps(content, ensure_ascii=False)
        message = self.world.post(place, author, msg_type, text, mentions, reply_to, thread, card)
        hearing.heard(self.platform, message)
        return message

    async def paste(
        self, who: Author | str, chat: Chat | str, text: str, *pictures: bytes, mention_bot: bool = False
    ) -> Message:
        """A text with pasted pictures: it arrives as a post."""
        author = self.who(who)
        keys = [self.media.image(author, data).key for data in pictures]
        content, mentions = says.post(text, keys, [self.app] * mention_bot)
        return self.post(author, chat, "post", content, mentions=mentions)

    async def send_file(self, who: Author | str, chat: Chat | str, name: str, data: bytes) -> Message:
        blob = self.media.file(self.who(who), data, name)
        return self.post(who, chat, "file", {"file_key": blob.key, "file_name": name})

    async def send_image(self, who: Author | str, chat: Chat | str, data: bytes) -> Message:
        blob = self.media.image(self.who(who), data)
        return self.post(who, chat, "image", {"image_key": blob.key})

    def forward(self, who: Author | str, chat: Chat | str, messages: list[Message]) -> Message:
        """A bundle of forwarded messages; its children are read with GET."""
        author, place = self.who(who), self.where(chat)
        bundle = self.world.post(place, author, "merge_forward", '"Merged and Forwarded Message"')
        for one in messages:
            child = self.world.post(place, one.author, one.msg_type, one.content, one.mentions)
            child.upper = bundle
        hearing.heard(self.platform, bundle)
        return bundle

    async def recall(self, message: Message) -> None:
        """The author takes the message back; the bots of the chat are told."""
        message.deleted = True
        self.world.changed(message)
        event = {"chat_id": message.chat.chat_id, "recall_time": self.clock.ms(), "recall_type": "message_owner"}
        hearing.told(self.platform, message, "im.message.recalled_v1", event)

    async def react(self, who: Author | str, message: Message, emoji: str) -> None:
        reactions.react(self.platform, message, self.who(who), emoji)

    async def read(self, who: Person | str, message: Message) -> None:
        """Somebody has seen the bot's message; without a handler for it many bots answer 500."""
        author, reader = message.author, self.who(who)
        if isinstance(author, App):
            ids = {"open_id": author.open_id_of(reader), "union_id": reader.union_id}
            event = {"reader": {"reader_id": ids, "read_time": self.clock.ms(), "tenant_key": "sandbox"}}
            full = {**event, "message_id_list": [message.message_id]}
            self.pushes.send(author, "im.message.message_read_v1", full)

    async def click(
        self, who: Person | str, message: Message, button: str, values: dict[str, Any] | None = None
    ) -> Click:
        """Presses the button with this text, name or element_id; returns what the client then shows."""
        person = self.who(who)
        if message.card is None or not isinstance(person, Person):
            raise clicks.NoSuchButton("the message is no card, or no person presses")
        element = clicks.find_button(message.card.json, button)
        return await clicks.press(self.platform, message, person, element, values)

    # ── what can be seen ─────────────────────────────────────────────────────────────────────

    def messages(self, chat: Chat | str | None = None, author: Author | None = None) -> list[Message]:
        """The messages of a chat, oldest first; `author` picks those of one."""
        chosen = self.where(chat).messages if chat is not None else list(self.world.messages.values())
        return [m for m in chosen if author in (None, m.author)]

    def answers(self, message: Message) -> list[Message]:
        """The bots' replies to a message."""
        return [m for m in message.chat.messages if m.parent is message and isinstance(m.author, App)]

    async def answered(self, message: Message, count: int = 1, timeout: float = 5.0) -> list[Message]:  # noqa: ASYNC109
        """Waits for so many replies of bots. Raises TimeoutError after so many real seconds."""
        await self.until(lambda: len(self.answers(message)) >= count, timeout)
        return self.answers(message)

    async def until(self, condition: Callable[[], bool], timeout: float = 5.0) -> None:  # noqa: ASYNC109
        """Waits until the condition holds; looks whenever something in the sandbox has changed."""
        await says.until(self.platform.feed, condition, timeout)

    async def connected(self, app: App | None = None, timeout: float = 10.0) -> None:  # noqa: ASYNC109
        """Waits for a long connection of the app."""
        await self.until(lambda: bool(self.link.of(app or self.app)), timeout)

    def deliveries(self, message: Message) -> list[Delivery]:
        """How a message was pushed."""
        return [
            d for d in self.pushes.all if d.payload["event"].get("message", {}).get("message_id") == message.message_id
        ]

    def push(self, kind: str, event: dict[str, Any], app: App | None = None, event_id: str = "") -> Delivery | None:
        """Pushes any event, also of kinds that the sandbox has no gesture for."""
        target = app or self.app
        target.events.add(kind)
        return self.pushes.send(target, kind, event, event_id or fresh(""))

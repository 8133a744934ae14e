"""Who and what exists, and how it is found. It doesn't know rules of interfaces, nor how anything is delivered."""

from __future__ import annotations

from hermes_ops.sandbox.clock import Clock
from hermes_ops.sandbox.errors import Json
from hermes_ops.sandbox.feed import Feed
from hermes_ops.sandbox.ids import fresh, stable
from hermes_ops.sandbox.model import App, Author, Card, Chat, Mention, Message, Person

TENANT = "sandbox"


class World:
    """People, apps, chats, messages and card entities of one tenant."""

    def __init__(self, clock: Clock, feed: Feed) -> None:
        self.clock, self.feed = clock, feed
        self.people: dict[str, Person] = {}  # by user_id
        self.apps: dict[str, App] = {}  # by app_id
        self.chats: dict[str, Chat] = {}
        self.messages: dict[str, Message] = {}
        self.cards: dict[str, Card] = {}

    def add_person(self, user_id: str, name: str) -> Person:
        return self.people.setdefault(user_id, Person(user_id, name))

    def add_app(self, name: str, app_id: str = "", secret: str = "") -> App:
        app = App(app_id or fresh("cli_", 16), secret or fresh("", 32), name)
        self.apps[app.app_id] = app
        return app

    def add_chat(self, name: str, people: list[Person], apps: list[App], mode: str = "group") -> Chat:
        chat = Chat(fresh("oc_"), name, mode, people, apps, threads=mode != "p2p")
        self.chats[chat.chat_id] = chat
        self.feed.publish("chat", chat)
        return chat

    def p2p(self, person: Person, app: App) -> Chat:
        """The private chat of the two; it is made when it is first asked for."""
        chat_id = stable("oc_", person.user_id, app.app_id)
        if chat_id not in self.chats:
            chat = Chat(chat_id, app.name, "p2p", [person], [app], threads=False)
            self.chats[chat_id] = chat
            self.feed.publish("chat", chat)
        return self.chats[chat_id]

    def by_open_id(self, app: App, open_id: str) -> Author | None:
        """The person or bot that this app knows by the open_id."""
        authors: list[Author] = [*self.people.values(), *self.apps.values()]
        return next((who for who in authors if app.open_id_of(who) == open_id), None)

    def foreign_open_id(self, app: App, open_id: str) -> bool:
        """Whether it is an open_id, but of another app."""
        return any(other is not app and self.by_open_id(other, open_id) for other in self.apps.values())

    def named(self, name: str) -> Author:
        """A person or app by id or name. Raises KeyError."""
        authors: list[Author] = [*self.people.values(), *self.apps.values()]
        for who in authors:
            if name in (who.name, who.user_id if isinstance(who, Person) else who.app_id):
                return who
        raise KeyError(f"nobody is called {name!r}")

    def chat_named(self, name: str) -> Chat:
        """A chat by id or name. Raises KeyError."""
        found = self.chats.get(name) or next((c for c in self.chats.values() if c.name == name), None)
        if found is None:
            raise KeyError(f"no chat is called {name!r}")
        return found

    def post(
        self,
        chat: Chat,
        author: Author,
        msg_type: str,
        content: str,
        mentions: list[Mention] | None = None,
        parent: Message | None = None,
        in_thread: bool = False,
        card: Card | None = None,
    ) -> Message:
        """A new message. A reply gets its root; it is in a topic if its parent is, or `in_thread` asks for one."""
        now = self.clock.now()
        message = Message(fresh("om_"), chat, author, msg_type, content, now, now, mentions or [], card=card)
        if parent is not None:
            message.parent, message.root = parent, parent.root or parent
            message.thread_id = parent.thread_id
        if not message.thread_id and (in_thread or chat.mode == "topic"):
            message.thread_id = fresh("omt_", 16)
        if parent is not None and message.thread_id and not parent.thread_id:
            parent.thread_id = message.thread_id
        if card is not None:
            card.message = message
        self.messages[message.message_id] = message
        chat.messages.append(message)
        self.feed.publish("message", message)
        return message

    def changed(self, message: Message | None) -> None:
        """The message or its card looks different now."""
        if message is not None:
            message.updated = self.clock.now()
            self.feed.publish("message", message)


def sender(message: Message, viewer: App) -> Json:
    """`sender` of a message as an interface gives it to an app."""
    author = message.author
    if isinstance(author, App):
        return {"id": author.app_id, "id_type": "app_id", "sender_type": "app", "tenant_key": TENANT}
    return {"id": viewer.open_id_of(author), "id_type": "open_id", "sender_type": "user", "tenant_key": TENANT}

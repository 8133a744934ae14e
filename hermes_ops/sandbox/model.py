"""What there is on the platform: people, apps, chats, messages, cards. Plain data; the rules are elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field

from hermes_ops.sandbox.errors import Json
from hermes_ops.sandbox.ids import stable

SCOPES = frozenset({
    "im:message",
    "im:message:send_as_bot",
    "im:message:readonly",
    "im:message:update",
    "im:message:recall",
    "im:message.p2p_msg:readonly",
    "im:message.group_at_msg:readonly",
    "im:message.group_at_msg.include_bot:readonly",
    "im:message.reactions:write_only",
    "im:message.reactions:read",
    "im:resource",
    "im:resource:upload",
    "im:chat:readonly",
    "im:chat.members:read",
    "cardkit:card:write",
    "contact:user.base:readonly",
    "contact:user.employee_id:readonly",
})  # fmt: skip
EVENTS = frozenset({
    "im.message.receive_v1",
    "im.message.recalled_v1",
    "im.message.reaction.created_v1",
    "im.message.reaction.deleted_v1",
    "im.message.message_read_v1",
    "im.chat.member.bot.added_v1",
    "im.chat.member.bot.deleted_v1",
    "im.chat.disbanded_v1",
    "im.chat.access_event.bot_p2p_chat_entered_v1",
})  # fmt: skip


@dataclass(eq=False)
class Person:
    """Somebody in the tenant. `user_id` is the same for every app; the open_id is not, see `App.open_id_of`."""

    user_id: str
    name: str

    @property
    def union_id(self) -> str:
        return stable("on_", self.user_id)


@dataclass(eq=False)
class App:
    """A self-built app with a bot. What a console would set can be changed at any time."""

    app_id: str
    secret: str
    name: str
    scopes: set[str] = field(default_factory=lambda: set(SCOPES))
    events: set[str] = field(default_factory=lambda: set(EVENTS))
    callbacks: bool = True  # card.action.trigger is subscribed
    bot: bool = True  # the bot ability is switched on
    enabled: bool = True
    webhook: str = ""  # address of the webhook mode; "" means long connection
    encrypt_key: str = ""
    verification_token: str = ""
    sender_type: str = "app"  # what other bots see as the kind of this one: "app" or "bot"
    outside: set[Person] = field(default_factory=set)  # people to whom the bot is not available

    @property
    def open_id(self) -> str:
        return stable("ou_", self.app_id, self.app_id)

    @property
    def union_id(self) -> str:
        return stable("on_", self.app_id)

    def open_id_of(self, who: Person | App) -> str:
        """How this app names a person or another app's bot."""
        return stable("ou_", self.app_id, who.user_id if isinstance(who, Person) else who.app_id)


Author = Person | App


@dataclass(eq=False)
class Chat:
    """A chat. `mode`: group, topic (every message begins a topic) or p2p (one person, one app)."""

    chat_id: str
    name: str
    mode: str
    people: list[Person] = field(default_factory=list)
    apps: list[App] = field(default_factory=list)
    threads: bool = True  # replies may open topics
    muted: bool = False  # bots may not speak
    everyone: bool = True  # @all is allowed to bots
    dissolved: bool = False
    messages: list[Message] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """`chat_type` of an event."""
        return "p2p" if self.mode == "p2p" else "group"


@dataclass(frozen=True)
class Mention:
    """`key` stands in the text where the name is shown. `who` None is everyone."""

    key: str
    who: Author | None
    name: str


@dataclass(eq=False)
class Reaction:
    reaction_id: str
    emoji: str
    who: Author
    at: float


@dataclass(eq=False)
class Card:
    """The card of a message, or an entity of CardKit (then it has a `card_id` and an `owner`)."""

    json: Json
    owner: App | None = None
    card_id: str = ""
    created: float = 0.0
    sequence: int = 0
    opened: float | None = None  # when streaming was last opened; None while it is closed
    timed_out: bool = False  # streaming closed itself and nobody has been told yet
    locked: bool = False  # a click is being answered
    message: Message | None = None
    uuids: set[str] = field(default_factory=set)
    history: list[tuple[int, str, object]] = field(default_factory=list)  # (sequence, operation, value)


@dataclass(eq=False)
class Message:
    """One message. `content` is the JSON text as its author wrote it, mentions already replaced by their keys."""

    message_id: str
    chat: Chat
    author: Author
    msg_type: str
    content: str
    created: float
    updated: float
    mentions: list[Mention] = field(default_factory=list)
    root: Message | None = None
    parent: Message | None = None
    thread_id: str = ""
    upper: Message | None = None  # the forwarded bundle that this one lies in
    card: Card | None = None
    deleted: bool = False
    edits: int = 0
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(eq=False)
class Pressed:
    """A press on a card, for the delayed update by its token."""

    message: Message
    at: float
    uses: int = 0
    answered: bool = False

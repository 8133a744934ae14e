"""What a channel is: a way in and out for people (a terminal, a chat platform). The application knows no more of one.

A question's answer is opened, updated while work goes on, and finished; `key` makes each of them happen once. What a
message means and who answers it is not a channel's business.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from orchestrator.contracts import Answer, Incoming, Json

MAX_QUESTION = 8_000  # characters of one


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a message: `place` in the queue from 0 (0: it is being worked on)."""

    state: Literal["accepted", "duplicate", "busy"]
    place: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """Where something goes: the chat, its thread, and the message it answers. `locale`: who reads it, "zh" or "en";
    `since`: it may have arrived already, by a try at that time that was never heard of again; `topic`: as a thread of
    its own under that message; `stay`: nothing is said in the chat where that message is gone."""

    chat: str = ""
    thread: str | None = None
    message: str = ""
    user: str = ""
    locale: str = ""
    since: datetime | None = None
    topic: bool = False
    stay: bool = False


@dataclass(frozen=True, slots=True)
class Handle:
    """An answer that was opened. `id`: the channel's own name for it."""

    id: str
    to: Address


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done, in one line; `seconds` since the question was begun."""

    text: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Document:
    """Something to read that is no answer: `text` is Markdown; `card`: the same in the channel's own form, with the
    same title, where somebody made one; `tone`: of its head; `instead`: the key of what was sent before, in whose place
    it stands."""

    text: str
    title: str = ""
    card: Json = None
    tone: Literal["", "bad", "good"] = ""
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """`id`: the channel's own name for what was sent."""

    id: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question that can be answered. `notes`: sentences for its person, said below the answer: what of the message
    could not be read."""

    asked: Incoming
    notes: tuple[str, ...] = ()


Put = Callable[[Incoming], Awaitable[Receipt]]


class Speaking(Protocol):
    """The way out. `caps`: what it can do beyond plain text, such as "update" and "markdown"."""

    caps: frozenset[str]

    async def open(self, to: Address, key: str) -> Handle: ...

    def update(self, h: Handle, p: Progress) -> None:
        """May be dropped or joined with the next; never blocks."""

    async def finish(self, h: Handle, a: Answer, key: str) -> Sent: ...
    async def send(self, to: Address, doc: Document, key: str) -> Sent: ...


class Channel(Speaking, Protocol):
    """A channel that is listened to for as long as it has messages."""

    async def listen(self, put: Put) -> None:
        """Gives each message to `put`, until there are no more."""


@dataclass(frozen=True, slots=True)
class Health:
    """`ok`: messages come in. `says`: one sentence for a person; `figures`: for a health page."""

    ok: bool
    says: str
    figures: Mapping[str, int | float | str] = field(default_factory=dict)


class Intake(Protocol):
    """Where a served channel's messages go. Awaited on any event loop of the process; what is returned is stored.
    Raises StoreError: then the platform shall send it again."""

    async def take(self, asked: Incoming, kind: Literal["question", "command"], extra: Json) -> str:
        """ "accepted", "duplicate" or "busy". `extra`: JSON of the channel's own, given back with the message."""

    async def again(self, key: str) -> str:
        """The question of this message and attempt once more: as `take`, or "gone"."""

    async def cancel(self, key: str, by: str) -> bool:
        """Ends the question of this message and attempt. False where it has ended."""


class Served(Speaking, Protocol):
    """A channel of `hermes-ops serve`: it lives on its own, and says how it is."""

    name: str

    async def listen(self, intake: Intake) -> None:
        """Comes back when web hooks and `connect` may come. Raises HermesError where messages never will."""

    def connect(self) -> None:
        """Opens the connection over which messages come, where there is one: of several processes one at a time has
        it. It holds by itself until `deafen`, and may be opened again after that."""

    def answers(self, user: str, chat: str) -> bool:
        """Whether this person is answered, alone (chat "") or in that chat."""

    async def show(self, h: Handle, a: Answer, doc: Document, key: str) -> Sent:
        """Finishes an answer with a document in its place: a report that was asked for."""

    async def prepare(self, asked: Incoming, extra: Json) -> Prepared:
        """The question with what had to be fetched for it: what it quotes, what it brings along."""

    async def deafen(self) -> None:
        """Takes no more messages over its connection; what is being answered still can be finished."""

    async def close(self) -> None:
        """Ends; answers that aren't finished will be gone on with by the next process."""

    def health(self) -> Health: ...

"""The terminal as a channel: what is typed becomes messages, answers are drawn, progress runs above the line.

It implements `hermes_ops.channels.base.Channel`. Commands are handed on as they are; what they do is decided by
whoever listens. Text is masked before it leaves here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from hermes_ops.channels.base import Address, Document, Handle, Progress, Put, Sent
from hermes_ops.channels.terminal import Terminal
from hermes_ops.channels.typed import Typed
from hermes_ops.render import remarks, show
from orchestrator.contracts import Answer, Attachment, Incoming

QUOTED = 4_000  # characters of a paste that the model sees at once; its tools read all of it

Command = Callable[[str, str], Awaitable[bool]]


@dataclass(frozen=True)
class Asker:
    """Makes the messages of one person. `make`: text → Incoming, masked; `pastes`: where attachments are kept."""

    make: Callable[[str], Incoming]
    mask: Callable[[str], str]
    pastes: Path

    def incoming(self, typed: Typed, waiting: list[str]) -> Incoming:
        """The message; what was pasted before it (`waiting`) and with it are its attachments."""
        texts = [self.mask(text) for text in (*waiting, typed.pasted) if text.strip()]
        asked = replace(self.make(typed.text), channel="console")
        if not texts:
            return asked
        place = self.pastes / asked.id
        place.mkdir(parents=True, mode=0o700)
        files = []
        for n, text in enumerate(texts, 1):
            path = place / f"paste-{n}.log"
            path.write_text(text + "\n", encoding="utf-8", errors="replace")
            files.append(Attachment(path.name, "text/plain", str(path)))
        return replace(asked, attachments=tuple(files), quote="\n".join(texts)[:QUOTED])


class ConsoleChannel:
    """Everything in it runs on the event loop."""

    caps = frozenset({"update", "markdown"})

    def __init__(self, terminal: Terminal, asker: Asker, command: Command) -> None:
        self._terminal, self._asker, self._command = terminal, asker, command
        self._typed: asyncio.Queue[Typed | None] = asyncio.Queue()
        self._waiting: list[str] = []
        self._shown: set[str] = set()  # keys: each is shown once

    def feed(self, typed: Typed | None) -> None:
        """What was typed; None: nothing more comes."""
        self._typed.put_nowait(typed)

    async def listen(self, put: Put) -> None:
        while (typed := await self._typed.get()) is not None:
            if typed.command:
                if not await self._command(typed.command, typed.rest):
                    return
            elif not typed.text:
                self._hold(typed.pasted)
            else:
                await self._ask(typed, put)

    def _hold(self, pasted: str) -> None:
        self._waiting.append(pasted)
        lines = pasted.count("\n") + 1
        self._terminal.write(f"Attached: {lines} lines. Now ask about them.", quiet=True)

    async def _ask(self, typed: Typed, put: Put) -> None:
        asked = self._asker.incoming(typed, self._waiting)
        self._waiting = []
        receipt = await put(asked)
        if receipt.state == "busy":
            self._terminal.write("Too many questions are waiting. Ask again in a moment.")
        elif receipt.place:
            self._terminal.write(f"Queued: {receipt.place} before it. /stop ends the one that runs.", quiet=True)

    async def open(self, to: Address, key: str) -> Handle:
        return Handle(key, to)

    def update(self, h: Handle, p: Progress) -> None:
        self._terminal.write(f"{p.seconds:6.1f} s  {p.text}", quiet=True)

    async def finish(self, h: Handle, a: Answer, key: str) -> Sent:
        if key not in self._shown:
            self._shown.add(key)
            with self._terminal.above():
                show(a, as_json=False)
            for remark in remarks(a):
                self._terminal.write(remark, quiet=True)
        return Sent(key)

    async def send(self, to: Address, doc: Document, key: str) -> Sent:
        if key not in self._shown:
            self._shown.add(key)
            self._terminal.write(f"{doc.title}\n{doc.text}" if doc.title else doc.text)
        return Sent(key)

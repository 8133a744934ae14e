"""One card while it is written: one writer, one counter, updates joined and few.

A card by CardKit is typed out and rewritten as a whole at the end; where that is refused, a message's card is patched.
Source: CardKit's rules: a sequence that strictly grows, streaming that closes itself after ten minutes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from dataclasses import dataclass, field
from typing import Literal

from hermes_ops.channels.feishu import cards
from hermes_ops.channels.feishu.errors import SEQUENCE, STREAM_CLOSED, Refusal
from hermes_ops.channels.feishu.markdown import safe
from hermes_ops.channels.feishu.rest import Api
from hermes_ops.channels.words import say
from orchestrator.contracts import Json

JUMPS = (0, 100, 10_000, 1_000_000)  # of the sequence, after each refusal for it
WAITS = (0.0, 2.0, 3.0, 5.0, 10.0, 20.0, 45.0)  # seconds before each update: fewer than eight, so 15 calls an answer
Way = Literal["kit", "patch", "none"]

log = logging.getLogger("hermes_ops.feishu")


@dataclass
class Stream:
    """`card`: the CardKit entity; `message`: ours in the chat; `opened`: seconds since the epoch, from which sequences
    grow, so that another process can go on; `way`: how it is written; `over`: the answer stands;
    `late`: it is, and the card was never confirmed."""

    key: str
    lang: str
    way: Way
    opened: float
    card: str = ""
    message: str = ""
    reaction: str = ""
    last: int = 0
    over: bool = False
    late: bool = False
    text: str = ""
    dirty: asyncio.Event = field(default_factory=asyncio.Event)
    writer: asyncio.Task[None] | None = None

    @property
    def state(self) -> Json:
        """What another process needs to go on."""
        return {name: getattr(self, name) for name in ("lang", "way", "opened", "card", "reaction")}

    def show(self, api: Api, text: str) -> None:
        """Soon, unless something newer comes first."""
        if text == self.text or self.way == "none" or not self.message:
            return
        self.text = text
        self.dirty.set()
        if self.writer is None:
            self.writer = asyncio.create_task(self._write(api), name=f"feishu card {self.key}")

    async def rest(self) -> None:
        """No more updates; one that is under way is waited for."""
        writer, self.writer = self.writer, None
        if writer is not None and not writer.done():
            writer.cancel()
            await asyncio.wait({writer})

    async def replace(self, api: Api, card: Json) -> None:
        """The whole card, streaming closed. Raises Refusal."""
        text = json.dumps(card, ensure_ascii=False)
        if self.way == "patch":
            await api.call("PATCH", f"/im/v1/messages/{self.message}", {"content": text})
            return
        await self.set_streaming(api, False, str(card["config"]["summary"]["content"]))
        await self._operate(api, "PUT", "", {"card": {"type": "card_json", "data": text}})

    async def set_streaming(self, api: Api, on: bool, summary: str) -> None:
        """Raises Refusal."""
        config = {"config": {"streaming_mode": on, "summary": {"content": summary}}}
        await self._operate(api, "PATCH", "/settings", {"settings": json.dumps(config, ensure_ascii=False)})

    async def _write(self, api: Api) -> None:
        """At growing intervals; what can't be shown is only progress."""
        for wait in WAITS:
            await asyncio.sleep(wait)
            await self.dirty.wait()
            self.dirty.clear()
            sending = asyncio.ensure_future(self._update(api, self.text))
            try:
                await asyncio.shield(sending)
            except asyncio.CancelledError:  # the final card comes next: never beside a call that is under way
                await asyncio.wait({sending})
                sending.exception()
                raise
            except Refusal as e:
                log.info("feishu: an update was refused: %s", e)

    async def _update(self, api: Api, text: str) -> None:
        if self.way == "patch":
            card = cards.progress(text, self.key, self.lang)
            card["config"]["streaming_mode"] = False
            await api.call(
                "PATCH", f"/im/v1/messages/{self.message}", {"content": json.dumps(card, ensure_ascii=False)}
            )
            return
        path, body = f"/elements/{cards.PROGRESS}/content", {"content": safe(text) or " "}
        try:
            await self._operate(api, "PUT", path, body)
        except Refusal as e:
            if e.code not in STREAM_CLOSED:
                raise
            await self.set_streaming(api, True, say("summary_busy", self.lang))
            await self._operate(api, "PUT", path, body)

    async def _operate(self, api: Api, method: str, path: str, body: Json) -> None:
        for jump in JUMPS:
            self.last = max(self.last + 1 + jump, int((time.time() - self.opened) * 10) + 1)
            try:
                await api.call(method, f"/cardkit/v1/cards/{self.card}{path}", {**body, "sequence": self.last})
                return
            except Refusal as e:
                if e.code != SEQUENCE:
                    raise
                refused = e  # an answer was lost, or another process was further
        raise refused

"""What comes in, on whatever event loop: read, judged, masked, stored; then it is acknowledged, in milliseconds.

Nothing here calls the platform. What is needed besides the message (a quote, files) is fetched when its turn comes.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from hermes_ops.channels.base import MAX_QUESTION, Intake
from hermes_ops.channels.commands import read_command
from hermes_ops.channels.feishu.brought import Brought
from hermes_ops.channels.feishu.clicks import Clicks
from hermes_ops.channels.feishu.content import FORWARDS, File, within
from hermes_ops.channels.feishu.events import Message, Verdict, judge, parse
from hermes_ops.channels.feishu.identity import Identity
from hermes_ops.channels.words import clock, say
from hermes_ops.settings import FeishuSettings
from orchestrator.cleaning import CHINESE
from orchestrator.contracts import Incoming, Json
from orchestrator.errors import HermesError

log = logging.getLogger("hermes_ops.feishu")


class Incomings:
    """`mask`: takes secrets out of a text; `zone`: the asker's, as long as nothing better is known; `sees`: whether the
    model is shown pictures."""

    def __init__(
        self,
        settings: FeishuSettings,
        intake: Intake,
        identity: Identity,
        clicks: Clicks,
        brought: Brought,
        mask: Callable[[str], str],
        zone: str,
        language: str = "auto",
        sees: bool = False,
    ) -> None:
        self._settings, self._intake, self._identity, self._clicks = settings, intake, identity, clicks
        self._mask, self._zone, self._language, self._brought, self._sees = mask, zone, language, brought, sees
        self.counts: dict[str, int] = {}

    async def handle(self, payload: bytes) -> Json:
        """One event; what a press on a button is answered with, else None. Raises HermesError where it could not be
        stored, or nobody knows yet whether it is for us: the platform then sends it again. Everything else is
        acknowledged, known or not: an answer of 500 would bring it back four times."""
        try:
            event = json.loads(payload)
            kind, body = within(event, "header").get("event_type"), within(event, "event")
        except (ValueError, RecursionError):
            log.warning("feishu: an event that can't be read, %d bytes", len(payload))
            return None
        if kind == "card.action.trigger":
            return await self._clicks.clicked(body)
        if kind == "im.message.receive_v1":
            await self._message(body)
        if kind == "im.message.recalled_v1" and self._settings.recalled == "stop":
            await self._intake.cancel(f"{body.get('message_id')}.0", "recall")
        return None

    async def _message(self, event: Json) -> None:
        message = parse(event, self._identity.open_id)
        if message is None:
            return
        verdict, why = judge(message, self._identity.open_id, self._settings, datetime.now(UTC))
        self.counts[verdict] = self.counts.get(verdict, 0) + 1
        if verdict == "unsure":
            raise HermesError(f"{message.id} has to come again: {why}")
        if verdict == "ignore":
            log.info("feishu: %s ignored: %s", message.id, why)
            return
        asked, lang = self._asked(message), self._lang(message.text)
        notice = self._notice(message, verdict, lang)
        command = read_command(asked.text) if message.text and not notice else None
        extra: Json = {"private": message.private, "parent": message.parent, "root": message.root}
        if not notice and message.kind in (FORWARDS, "interactive"):
            asked, command = replace(asked, text=say("forwarded", lang)), None
            extra |= {"parent": message.id, "forwarded": self._mask(message.text[: 2 * MAX_QUESTION])[:MAX_QUESTION]}
        files = [replace(f, name=self._mask(f.name)) for f in message.content.files]
        extra["files"] = [{"key": f.key, "kind": f.kind, "name": f.name} for f in files]
        if notice or command or verdict == "empty":
            extra["do"] = "notice" if notice else command.name if command else "help"
            extra["text"] = notice or (command.rest if command else "")
            state = await self._intake.take(asked, "command", extra)
        elif files and not message.text:
            await self._brought.keep(asked, self._readable(files))
            state = await self._intake.take(asked, "command", {**extra, "do": "received"})
        else:
            extra["cut"] = len(message.text) > MAX_QUESTION
            state = await self._intake.take(asked, "question", extra)
        log.info("feishu: %s %s, %s", message.id, verdict, state)

    def _asked(self, m: Message) -> Incoming:
        """Masked as it is made."""
        text = self._mask(m.text[: 2 * MAX_QUESTION])[:MAX_QUESTION]
        return Incoming(
            m.id,
            text,
            m.at,
            self._zone,
            m.tenant,
            "feishu",
            m.chat,
            m.thread or None,
            m.user,
            self._lang(m.text),
        )

    def _notice(self, m: Message, verdict: Verdict, lang: str) -> str:
        if verdict == "unsupported":
            return say("unsupported", lang)
        if verdict == "stale":
            return say("stale", lang, at=clock(m.at, self._zone))
        if verdict == "refuse":
            group = "" if m.private else say("refused_chat", lang, chat=m.chat)
            return say("refused", lang, user=m.user, chat=group)
        return ""

    def _readable(self, files: Sequence[File]) -> list[File]:
        return [f for f in files if self._sees or f.kind != "image"]

    def _lang(self, text: str) -> str:
        if self._language != "auto":
            return self._language
        words = re.sub(r"^\s*/(?:forget\s+[\w.:-]+|\w+)", "", text)  # keys are no language
        if not any(c.isalpha() for c in words):
            return "en" if "larksuite" in self._settings.domain else "zh"
        return "zh" if CHINESE.search(words) else "en"

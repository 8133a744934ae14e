"""Buttons on our cards: answered within the platform's three seconds from what is stored here; long work comes later.

A button's value names the question it belongs to (message and attempt), so that a card of last week still works.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Literal

from hermes_ops.channels.base import Intake
from hermes_ops.channels.feishu import cards
from hermes_ops.channels.feishu.content import within
from hermes_ops.channels.feishu.events import allowed
from hermes_ops.channels.words import say
from hermes_ops.settings import FeishuSettings
from memory import Feedback, Post, Posts
from orchestrator.contracts import Incoming, Json
from orchestrator.errors import StoreError

SECONDS = 2.5  # of the platform's three
LEFT_TEXT = 1000  # characters

log = logging.getLogger("hermes_ops.feishu")


class Clicks:
    def __init__(self, settings: FeishuSettings, posts: Posts, intake: Intake, mask: Callable[[str], str]) -> None:
        self._settings, self._posts, self._intake, self._mask = settings, posts, intake, mask

    async def clicked(self, event: Json) -> Json:
        """What the client shows, in time: a toast, and another card where there is one."""
        action = within(event, "action")
        value = within(action, "value")
        act, key = str(value.get("act") or ""), str(value.get("key") or "")
        log.info("feishu: %s pressed for %s", act or "a button", key)
        try:
            async with asyncio.timeout(SECONDS):
                return await self._answered(act, key, event, action)
        except (StoreError, TimeoutError) as e:
            log.error("feishu: a click could not be handled: %s", e or "it took too long")
            return _toast(say("later", "zh"), "error")

    async def _answered(self, act: str, key: str, event: Json, action: Json) -> Json:
        post = await self._posts.get(key) if key else None
        lang = str(post.state["lang"]) if post else "zh"
        user = str(within(event, "operator").get("open_id") or "")
        chat = str(within(event, "context").get("open_chat_id") or (post.chat if post else ""))
        if not allowed(user, chat, self._settings):
            return _toast(say("not_yours", lang), "warning")
        return await self._do(act, key, post, user, lang, action)

    async def _do(self, act: str, key: str, post: Post | None, user: str, lang: str, action: Json) -> Json:
        if act == "stop":
            return _toast(say("stopping" if await self._intake.cancel(key, user) else "done_already", lang))
        if act == "retry":
            state = await self._intake.again(key)
            said = {"accepted": "retrying", "duplicate": "retried", "busy": "later"}.get(state, "gone")
            return _toast(say(said, lang))
        if post is None or not post.run:
            return _toast(say("gone", lang), "warning")
        if act == "trace":
            return await self._trace(post, user, lang)
        if act in ("good", "bad", "blame"):
            return await self._rate(act, post, user, lang, action)
        return {}

    async def _trace(self, post: Post, user: str, lang: str) -> Json:
        """As a message, by the way every command goes; once, however often it is pressed."""
        now = self._posts.clock()
        message = str(post.state.get("question") or post.key.rpartition(".")[0])
        asked = Incoming(f"{message}.trace", "/trace", now, channel="feishu", chat=post.chat, user=user, locale=lang)
        await self._intake.take(asked, "command", {"do": "trace", "text": "", "run": post.run, "reply": message})
        return _toast(say("trace", lang))

    async def _rate(self, act: str, post: Post, user: str, lang: str, action: Json) -> Json:
        form = within(action, "form_value")
        about, text = str(form.get("about") or ""), self._mask(str(form.get("text") or "")[:LEFT_TEXT])
        mark: Literal["good", "bad"] = "good" if act == "good" else "bad"
        about = about if about in cards.BLAMES else ""
        await self._posts.rate(Feedback(post.run, user, mark, about, text, self._posts.clock()))
        shown = post.state.get("shown")
        toast = _toast(say("which" if act == "bad" else "thanks", lang))
        if act == "good" or not shown:
            return toast
        card = cards.asking_why(shown, post.key, lang) if act == "bad" else shown
        return {**toast, "card": {"type": "raw", "data": card}}


def _toast(text: str, kind: str = "info") -> Json:
    return {"toast": {"type": kind, "content": text}}

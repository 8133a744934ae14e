"""Documents of our own accord (a report): each once in its chat, though the process be killed before, during or after.

What is about to be sent is stored first. Whoever finds it stored and not arrived looks in the chat, by the title and by
whom it is from; within the hour the uuid guards as well, later only the look does. Where nobody can look then, it is
not sent again: `Undeliverable`, which says that it was possibly sent.
"""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from datetime import datetime, timedelta

from hermes_ops.channels.base import Address, Document
from hermes_ops.channels.feishu import cards, fit, posting
from hermes_ops.channels.feishu.errors import Refusal
from hermes_ops.channels.feishu.rest import Api
from hermes_ops.runtime.outbox import POSSIBLY, Undeliverable
from memory import Post, Posts

KEPT = timedelta(minutes=50)  # so long a uuid is trusted; the platform forgets it after an hour
QUOTED = 4_000  # characters that are kept for who quotes it

log = logging.getLogger("hermes_ops.feishu")


async def push(api: Api, posts: Posts, to: Address, doc: Document, key: str) -> str:
    """The message's id. Raises Undeliverable, and Refusal for "later"."""
    kept = await posts.get(key)
    if kept is not None and kept.message:
        return kept.message
    there = await _there(api, posts, to, doc, kept) if kept is not None else ""
    state = {"lang": to.locale or "zh", "text": doc.text[:QUOTED], "title": doc.title, "shown": doc.card}
    post = Post(key, "feishu", to.chat, "", "", state, kept.at if kept else posts.clock())
    if kept is None:
        await posts.save(post)
    message = there or await _send(api, to, doc, key)
    await posts.save(Post(key, "feishu", to.chat, message, "", state, post.at))
    return message


async def _send(api: Api, to: Address, doc: Document, key: str) -> str:
    """As its card; where that is refused as words."""
    if doc.card and not (wrong := fit.troubles(doc.card)):
        try:
            return await posting.post(api, to, "interactive", doc.card, key)
        except Refusal as e:
            if e.sort != "change":
                raise
            log.warning("feishu: the card %r was refused: %s", doc.title, e)
    elif doc.card:
        log.warning("feishu: the card %r is beyond the limits: %s", doc.title, wrong)
    return await posting.post_markdown(api, to, doc.text, doc.title, key, doc.tone)


async def revise(api: Api, posts: Posts, to: Address, doc: Document, key: str) -> str:
    """In place of what was pushed before; where that can't be changed any more as a message of its own. Raises as
    `push`."""
    kept = await posts.get(doc.instead)
    if kept is None or not kept.message:
        return await push(api, posts, to, replace(doc, instead=""), key)
    card = json.dumps(cards.simple(doc.text, doc.title, doc.tone), ensure_ascii=False)
    try:
        await api.call("PATCH", f"/im/v1/messages/{kept.message}", {"content": card}, chat=to.chat)
    except Refusal as e:
        if e.sort in ("passing", "token"):
            raise
        log.warning("feishu: the card %r can't be changed: %s", doc.title, e)
        return await posting.post_text(api, replace(to, message=kept.message), doc.text, key)
    await posts.save(replace(kept, state={**kept.state, "text": doc.text[:QUOTED]}))
    return kept.message


async def _there(api: Api, posts: Posts, to: Address, doc: Document, kept: Post) -> str:
    """Ours in the chat with this title since it was begun; "" where it isn't there, or the uuid guards."""
    try:
        if not to.chat:
            raise Refusal("never", None, "a person's own chat can't be looked through")
        return await _find(api, posts, to.chat, doc.title, kept.at)
    except Refusal as e:
        if e.sort in ("passing", "token"):
            raise
        if timedelta(0) <= posts.clock() - kept.at < KEPT:
            return ""
        raise Undeliverable(f"{POSSIBLY}: it was begun at {kept.at:%Y-%m-%d %H:%M} UTC, and {e}") from e


async def _find(api: Api, posts: Posts, chat: str, title: str, since: datetime) -> str:
    """No answer to anybody, and headed so: the platform keeps a card's title when it is read back."""
    wanted = (title.strip(), posting.harmless(title).strip())
    async for item, said in posting.ours(api, Address(chat), since - posting.MARGIN):
        shown = str(said.get("title") or said.get("text") or "").partition("\n")[0].strip()
        if not title or item.get("parent_id") or shown not in wanted:
            continue
        if await posts.by_message(str(item["message_id"])) is None:
            return str(item["message_id"])
    return ""

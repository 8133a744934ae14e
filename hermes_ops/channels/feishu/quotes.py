"""What a question brings along, fetched when its turn comes: the message it replies to, and the files in it.

What people quote at night is our own card, of which we know the answer, and an alert robot's card or text, or a bundle
that was forwarded: these are read as words, headed by when they were sent. What they mean is told elsewhere
(`hermes_ops.quoted`). What can't be fetched is left out, and said.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from hermes_ops.channels.base import Prepared
from hermes_ops.channels.feishu.brought import Brought, Files
from hermes_ops.channels.feishu.content import File, mentioned, named, read, within
from hermes_ops.channels.feishu.errors import Refusal
from hermes_ops.channels.feishu.rest import Api
from hermes_ops.channels.keeping import distinct, keep, keep_picture, place_of
from hermes_ops.channels.words import clock, say
from hermes_ops.pictures import MOST, is_picture
from hermes_ops.quoted import SENT
from memory import Posts
from orchestrator.contracts import Attachment, Incoming, Json
from orchestrator.errors import StoreError

QUOTED = 4_000  # characters
MESSAGES = 20  # of a bundle that are read
log = logging.getLogger("hermes_ops.feishu")


@dataclass
class Found:
    """What a question brings along: words, files (each with the message that it lies in), and what was not read."""

    text: str = ""
    files: Files = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Fetcher:
    """`place`: where files of messages are kept; `mask`: takes secrets out of a text; `sees`: whether the model is
    shown pictures."""

    def __init__(
        self, posts: Posts, brought: Brought, place: Path, mask: Callable[[str], str], sees: bool = False
    ) -> None:
        self._posts, self._brought, self._place, self._mask, self._sees = posts, brought, place, mask, sees

    async def prepare(self, api: Api, asked: Incoming, extra: Json) -> Prepared:
        """Never raises: a question can be answered without."""
        parent, lang = str(extra.get("parent") or ""), asked.locale
        found = Found(str(extra.get("forwarded") or ""))
        if parent and not found.text:
            found = await self._quoted(api, parent, lang)
        own = [(asked.id, File(str(f["key"]), str(f["kind"]), str(f["name"]))) for f in extra.get("files") or []]
        if not own and not found.files and not extra.get("forwarded"):
            found.files, used = await self._left(asked)
            found.notes += used
        files, unread = await self._files(api, asked, [*own, *found.files])
        cut = [say("cut", lang, n=len(asked.text))] if extra.get("cut") else []
        notes = [self._mask(note) for note in dict.fromkeys([*cut, *found.notes, *unread])]
        quote = self._mask("\n".join(filter(None, (found.text, *notes))))[:QUOTED]
        return Prepared(replace(asked, quote=quote or None, attachments=files), tuple(notes))

    async def _left(self, asked: Incoming) -> tuple[Files, list[str]]:
        """What came without a question before this one."""
        try:
            files, at = await self._brought.of(asked)
        except StoreError as e:
            log.info("feishu: what was sent before can't be looked up: %s", e)
            return [], []
        if at is None:
            return [], []
        names = ", ".join(f.name or say("picture", asked.locale) for _, f in files)
        return files, [say("used", asked.locale, at=clock(at, asked.zone), names=names)] if files else []

    async def _quoted(self, api: Api, parent: str, lang: str) -> Found:
        """Our own card's answer; of any other message its words and files."""
        try:
            if own := await self._posts.by_message(parent):
                return Found(str(own.state.get("text") or ""))
            got = await api.call(
                "GET", f"/im/v1/messages/{parent}", None, {"card_msg_content_type": "user_card_content"}
            )
        except (Refusal, StoreError, RecursionError) as e:
            log.info("feishu: the quoted message can't be read: %s", e)
            return Found(notes=[say("unread_quote", lang, why=e)])
        listed = within(got, "data").get("items")
        items = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
        found = Found()
        for item in items[:MESSAGES]:
            _take(item, found, lang)
        if len(items) > MESSAGES:
            found.notes.append(say("bundle_cut", lang, n=MESSAGES - 1))
        return found

    async def _files(self, api: Api, asked: Incoming, files: Files) -> tuple[tuple[Attachment, ...], list[str]]:
        kept: list[Attachment] = []
        notes: list[str] = []
        lang, place = asked.locale, place_of(self._place, asked.id)
        names = distinct([f"{n}.picture" if f.kind == "image" else f.name for n, (_, f) in enumerate(files)])
        for n, (message, file) in enumerate(files):
            picture = file.kind == "image"
            if picture and not self._sees:
                notes.append(say("unseen_image", lang, why=say("no_sight", lang)))
                continue
            if picture and sum(map(is_picture, kept)) >= MOST:
                notes.append(say("many_pictures", lang, n=MOST))
                continue
            try:
                data = await api.download(f"/im/v1/messages/{message}/resources/{file.key}", {"type": file.kind})
                call = partial(keep_picture, place, n, data, lang) if picture else None
                call = call or partial(keep, place, names[n], data, self._mask, lang)
                kept.append(await asyncio.to_thread(call))
            except (Refusal, OSError, ValueError) as e:
                notes.append(say("unread_file", lang, name=file.name or say("picture", lang), why=e))
        return tuple(kept), notes


def _take(item: Json, found: Found, lang: str) -> None:
    """Adds a message, as an interface gives it: its words headed by when it was sent."""
    if item.get("deleted"):
        found.notes.append(say("unread_quote", lang, why=say("recalled", lang)))
        return
    content = read(str(item.get("msg_type") or ""), str(within(item, "body").get("content") or ""))
    if not content.known:
        found.notes.append(say("unread_quote", lang, why=say("kind", lang)))
    if text := named(content.text, mentioned(item.get("mentions")), ""):
        found.text = "\n".join(filter(None, (found.text, f"{SENT}: {_time(item)}\n{text}")))
    found.files += [(str(item.get("message_id")), file) for file in content.files]


def _time(item: Json) -> str:
    try:
        return f"{datetime.fromtimestamp(int(item.get('create_time') or 0) / 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, TypeError, OverflowError, OSError):
        return ""

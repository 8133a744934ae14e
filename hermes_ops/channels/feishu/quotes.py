"""What a question brings along, fetched when its turn comes: the message it replies to, and the files in it.

What people quote at night is our own card, of which we know the answer, and an alert robot's card or text, or a bundle
that was forwarded: these are read as words, headed by when they were sent. What they mean is told elsewhere
(`hermes_ops.quoted`). What can't be fetched is left out, and said.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from hermes_ops.channels.base import Prepared
from hermes_ops.channels.feishu.content import named, read
from hermes_ops.channels.feishu.errors import Refusal
from hermes_ops.channels.feishu.rest import Api
from hermes_ops.channels.words import say
from hermes_ops.quoted import SENT
from memory import Posts
from orchestrator.contracts import Attachment, Incoming, Json

QUOTED = 4_000  # characters
FILE_BYTES = 30 << 20
PICTURE = "[picture]"
MESSAGES = 20  # of a bundle that are read
log = logging.getLogger("hermes_ops.feishu")


class Fetcher:
    """`place`: where files of messages are kept; `mask`: takes secrets out of a text."""

    def __init__(self, posts: Posts, place: Path, mask: Callable[[str], str]) -> None:
        self._posts, self._place, self._mask = posts, place, mask

    async def prepare(self, api: Api, asked: Incoming, extra: Json) -> Prepared:
        """Never raises: a question can be answered without."""
        parent = str(extra.get("parent") or "")
        quote = str(extra.get("forwarded") or "") or (await self._quote(api, parent) if parent else "")
        files, notes = await self._files(api, asked, extra.get("files") or [])
        if quote == PICTURE:
            quote, notes = "", [say("unseen_image", asked.locale)]
        quote = "\n".join(filter(None, (quote, *notes)))
        notes = list(dict.fromkeys(notes))
        return Prepared(replace(asked, quote=self._mask(quote)[:QUOTED] or None, attachments=files), tuple(notes))

    async def _quote(self, api: Api, parent: str) -> str:
        """Its words; `PICTURE` where it is nothing but one."""
        if own := await self._posts.by_message(parent):
            return str(own.state.get("text") or "")
        try:
            got = await api.call(
                "GET", f"/im/v1/messages/{parent}", None, {"card_msg_content_type": "user_card_content"}
            )
        except Refusal as e:
            log.info("feishu: the quoted message can't be read: %s", e)
            return ""
        items = [item for item in (got.get("data") or {}).get("items") or [] if isinstance(item, dict)]
        texts = [_text(item) for item in items[:MESSAGES]]
        pictures = any(item.get("msg_type") == "image" for item in items)
        return "\n".join(filter(None, texts)) or (PICTURE if pictures else "")

    async def _files(self, api: Api, asked: Incoming, files: list[Json]) -> tuple[tuple[Attachment, ...], list[str]]:
        kept: list[Attachment] = []
        notes: list[str] = []
        for n, file in enumerate(files):
            if file["kind"] == "image":
                notes.append(say("unseen_image", asked.locale))
                continue
            try:
                path = f"/im/v1/messages/{asked.id}/resources/{file['key']}"
                data = await api.download(path, {"type": "file"})
                kept.append(self._keep(asked.id, n, str(file["name"]), data))
            except (Refusal, OSError, ValueError) as e:
                notes.append(say("unread_file", asked.locale, name=file["name"], why=e))
        return tuple(kept), notes

    def _keep(self, id: str, n: int, name: str, data: bytes) -> Attachment:
        """Masked like everything that comes in. Raises ValueError for what is no text."""
        if len(data) > FILE_BYTES:
            raise ValueError("it is too large")
        text = data.decode("utf-8")
        place = self._place / re.sub(r"\W", "_", id)
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        clean = re.sub(r"[^\w.\-一-鿿]", "_", Path(name).name)[-80:]
        path = place / f"{n}-{clean}"
        path.write_text(self._mask(text), encoding="utf-8")
        return Attachment(clean, "text/plain", str(path))


def _text(item: Json) -> str:
    body = item.get("body") or {}
    content = read(str(item.get("msg_type") or ""), str(body.get("content") or ""))
    text = named(content.text, (), "")
    return f"{SENT}: {_time(item)}\n{text}" if text else ""


def _time(item: Json) -> str:
    try:
        return f"{datetime.fromtimestamp(int(item.get('create_time') or 0) / 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, TypeError, OverflowError, OSError):
        return ""

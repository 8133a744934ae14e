"""What a question brings along, fetched when its turn comes: the message it replies to, and the files in it.

What people quote at night is our own card, of which we know the answer, and an alert robot's, of which the alert's
name, labels and start are drawn out. What can't be fetched is left out, and said.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from hermes_ops.channels.feishu.content import named, read
from hermes_ops.channels.feishu.errors import Refusal
from hermes_ops.channels.feishu.rest import Api
from hermes_ops.channels.words import say
from memory import Posts
from orchestrator.contracts import Attachment, Incoming, Json

QUOTED = 4_000  # characters
FILE_BYTES = 30 << 20
PAIR = re.compile(r"^[\s\-*•\"]*([\w .\-/一-鿿]{1,40}?)\"?\s*[:：=]\s*\"?(.+?)\"?,?\s*$")
NAMES = re.compile(r"alert ?name|rule ?name|告警名称|告警规则|规则(?:标题|名称)|标题", re.IGNORECASE)
STARTS = re.compile(
    r"start(?:s|ed)?[ _]?(?:at|time)?|触发时间|开始时间|告警时间|首次触发(?:时间)?|fired at|since", re.IGNORECASE
)
WHEN = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}[ T]\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?")

log = logging.getLogger("hermes_ops.feishu")


@dataclass(frozen=True, slots=True)
class Alert:
    """`start`: as the card says it."""

    name: str
    labels: dict[str, str]
    start: str

    def __str__(self) -> str:
        labels = ", ".join(f"{k}={v}" for k, v in self.labels.items())
        return f"alert {self.name}; started {self.start}; {labels}".rstrip("; ")


def alert_in(text: str) -> Alert | None:
    """The alert that a robot's card tells of, whatever robot it is: what stands as `name: value`, one a line or
    several. None where there is neither a name nor a start."""
    pairs: dict[str, str] = {}
    lines = [re.sub(r"[*`]", "", line) for line in text.splitlines()]
    for n, line in enumerate(lines):
        for part in re.split(r"[,，;；]\s+|\s\|\s", line):
            if found := PAIR.match(part):
                pairs.setdefault(found.group(1).strip(), found.group(2).strip())
        if re.fullmatch(r"\s*[^:：]{1,40}[:：]\s*", line) and n + 1 < len(lines):  # the value stands below
            pairs.setdefault(line.strip().rstrip(":："), lines[n + 1].strip())
    name = next((v for k, v in pairs.items() if NAMES.fullmatch(k)), "")
    start = next((found.group(0) for k, v in pairs.items() if STARTS.fullmatch(k) and (found := WHEN.search(v))), "")
    if not name and not start:
        return None
    labels = {k: v for k, v in pairs.items() if re.fullmatch(r"[a-z_][\w.\-]{0,39}", k) and len(v) <= 80}
    first = next((line.strip() for line in lines if line.strip()), "")
    return Alert(name or labels.get("alertname") or first[:80], labels, start)


class Fetcher:
    """`place`: where files of messages are kept; `mask`: takes secrets out of a text."""

    def __init__(self, posts: Posts, place: Path, mask: Callable[[str], str]) -> None:
        self._posts, self._place, self._mask = posts, place, mask

    async def prepare(self, api: Api, asked: Incoming, extra: Json) -> Incoming:
        """Never raises: a question can be answered without."""
        parent = str(extra.get("parent") or "")
        quote = await self._quote(api, parent, asked) if parent else ""
        files, notes = await self._files(api, asked, extra.get("files") or [])
        quote = "\n".join(filter(None, (quote, *notes)))
        return replace(asked, quote=self._mask(quote)[:QUOTED] or None, attachments=files)

    async def _quote(self, api: Api, parent: str, asked: Incoming) -> str:
        if own := await self._posts.by_message(parent):
            return str(own.state.get("text") or "")
        try:
            got = await api.call(
                "GET", f"/im/v1/messages/{parent}", None, {"card_msg_content_type": "user_card_content"}
            )
        except Refusal as e:
            log.info("feishu: the quoted message can't be read: %s", e)
            return ""
        items = (got.get("data") or {}).get("items") or []
        texts = [_text(item) for item in items[:20] if isinstance(item, dict)]
        text = "\n".join(filter(None, texts))
        alert = alert_in(text) if items and items[0].get("msg_type") in ("interactive", "post") else None
        return f"{alert}\n{text}" if alert else text

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
    return named(content.text, (), "")

"""Files that a person sent without a question: by which messages, kept for the next question of that person there.

Only their keys are kept; the files themselves are fetched when a question uses them, and let go of with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from weakref import WeakKeyDictionary

from hermes_ops.channels.feishu.content import File
from hermes_ops.channels.receiving import KEPT, MOST
from hermes_ops.recall.followups import OPENS, REFERS
from memory import Post, Posts
from orchestrator.contracts import Incoming, Json

Files = list[tuple[str, File]]  # each with the message that it lies in


class Brought:
    """Awaited on whatever event loop of the process takes messages. Raises StoreError."""

    def __init__(self, posts: Posts) -> None:
        self._posts = posts
        self._one: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def keep(self, asked: Incoming, files: Sequence[File]) -> None:
        """More within the time is put to what no question has used yet."""
        async with self._one.setdefault(asyncio.get_running_loop(), asyncio.Lock()):  # each connection has its loop
            kept = await self._posts.get(_key(asked))
            state = kept.state if kept and _fresh(kept.state, asked) and not kept.state["used"] else {"files": []}
            before = [file for file in state["files"] if file["message"] != asked.id]
            new = [{"message": asked.id, "key": f.key, "kind": f.kind, "name": f.name} for f in files]
            await self._save(asked, {"files": [*before, *new][-MOST:], "at": asked.at.isoformat(), "used": ""})

    async def of(self, asked: Incoming) -> tuple[Files, datetime | None]:
        """For this question, and when they came: for the next one, for the same once more, and for what goes on from
        it."""
        kept = await self._posts.get(_key(asked))
        if kept is None or not _fresh(kept.state, asked):
            return [], None
        state, text = kept.state, asked.text.strip()
        if state["used"] not in ("", asked.id) and not (OPENS.match(text) or REFERS.search(text)):
            return [], None
        since = datetime.fromisoformat(state.get("sent") or state["at"])
        await self._save(asked, {**state, "sent": since.isoformat(), "at": asked.at.isoformat(), "used": asked.id})
        return [(f["message"], File(f["key"], f["kind"], f["name"])) for f in state["files"]], since

    async def _save(self, asked: Incoming, state: Json) -> None:
        await self._posts.save(Post(_key(asked), asked.channel, asked.chat, "", "", state, self._posts.clock()))


def _key(asked: Incoming) -> str:
    return f"brought {asked.chat} {asked.thread or ''} {asked.user}"


def _fresh(state: Json, asked: Incoming) -> bool:
    return asked.at - datetime.fromisoformat(state["at"]) <= KEPT

"""Messages as people write them: texts with mentions, posts with pasted pictures. Source: protocol, 8."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from hermes_ops.sandbox.errors import Json
from hermes_ops.sandbox.feed import Feed
from hermes_ops.sandbox.model import App, Author, Card, Mention


def text(words: str, meant: list[Author] | list[App], everyone: bool = False) -> tuple[Json, list[Mention]]:
    """A text, the mentions in front of it. What already stands in it as `@_user_N` stays there."""
    mentions = [Mention(f"@_user_{n}", who, who.name) for n, who in enumerate(meant, 1)]
    keys = ["@_all"] * everyone + [m.key for m in mentions if m.key not in words.split()]
    if everyone:
        mentions.append(Mention("@_all", None, "所有人"))
    return {"text": " ".join([*keys, words])}, mentions


def post(words: str, image_keys: list[str], meant: list[Author] | list[App]) -> tuple[Json, list[Mention]]:
    """A post in the flat form in which it arrives: a line of text, then a line per picture."""
    mentions = [Mention(f"@_user_{n}", who, who.name) for n, who in enumerate(meant, 1)]
    first: list[Json] = [{"tag": "at", "user_id": m.key, "user_name": m.name} for m in mentions]
    lines = [[*first, {"tag": "text", "text": words, "style": []}]]
    lines += [[{"tag": "img", "image_key": key, "width": 0, "height": 0}] for key in image_keys]
    return {"title": "", "content": lines}, mentions


def card(author: Author, content: Json) -> Card:
    """The card of a robot that posts without an interface of ours."""
    return Card(content, author if isinstance(author, App) else None)


async def until(feed: Feed, condition: Callable[[], bool], timeout: float) -> None:  # noqa: ASYNC109
    """Looks again whenever something has changed, and every 50 ms. Raises TimeoutError."""
    with feed.watch() as changes:
        async with asyncio.timeout(timeout):
            while not condition():
                await _change(changes, 0.05)


async def _change(changes: asyncio.Queue[tuple[str, Any]], longest: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(changes.get(), longest)

"""What a plug-in hands in: masked, within the length of a question, and said where it was longer."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest

from hermes_ops.channels.base import MAX_QUESTION
from hermes_ops.channels.plugins import Kit, Plain
from memory import Posts
from orchestrator.contracts import Incoming, Json
from orchestrator.guard import AllowAll

AT = datetime(2026, 11, 30, tzinfo=UTC)


class Taken:
    """An intake that remembers."""

    def __init__(self) -> None:
        self.got: list[tuple[Incoming, str, Json]] = []

    async def take(self, asked: Incoming, kind: str, extra: Json) -> str:
        self.got.append((asked, kind, extra))
        return "accepted"

    async def again(self, key: str) -> str:
        return "gone"

    async def cancel(self, key: str, by: str) -> bool:
        return False


async def handed_in(text: str, quote: str | None = None) -> tuple[Incoming, str, Json]:
    kit, taken = Kit("x", {}, cast(Posts, None), AllowAll().mask, "UTC", Path()), Taken()
    await kit.hand_in(taken, Incoming("m", text, AT, locale="en", quote=quote), {"own": 1})  # type: ignore[arg-type]
    return taken.got[0]


@pytest.mark.parametrize("text", ["why " + "x" * 10_000_000, "/forget " + "x" * 100_000])
async def test_what_is_longer_than_a_question_is_cut_and_said(text: str) -> None:
    asked, kind, extra = await handed_in(text, quote=text)
    assert len(asked.text) == MAX_QUESTION
    assert len(asked.quote or "") == MAX_QUESTION
    assert len(str(extra)) < 2 * MAX_QUESTION
    assert extra["own"] == 1
    notes = (await Plain().prepare(asked, extra)).notes
    assert len(notes) == 1
    assert kind == ("command" if text.startswith("/") else "question")


async def test_no_secret_is_handed_in_and_a_short_question_has_no_note() -> None:
    for text in ("/forget password=hunter2-and-more", "why password=hunter2-and-more?"):
        told = await handed_in(text, quote=text)
        assert "hunter2" not in repr(told)
        assert (await Plain().prepare(told[0], told[2])).notes == ()

"""What every channel owes the program, as checks that any channel runs: answers once and whole, whatever they hold.

A `Stage` puts a channel before them, with the platform's side in hand. Each check is a function of a stage and raises
AssertionError with a sentence; docs/CHANNELS.md shows the test that runs them all. They know no platform.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Protocol

from hermes_ops.channels.base import Address, Document, Handle, Progress, Speaking
from hermes_ops.runtime.outbox import Undeliverable
from orchestrator.contracts import Answer, AnswerStatus, Evidence, ToolResult

PATIENCE = 10.0  # seconds for what people see to appear
LINES = 2_000
HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07 escapes",
    "<at id=all></at> <at user_id=\"all\">everyone</at> <!channel> @all @channel @here mentions",
    "[click](javascript:alert(1)) ![pixel](https://evil.example/p.png) <script>alert(1)</script> links",
    "``` never closed \u202e\u2066 turned",
    "{{template}} ${value} %s %(name)s {0} formats",
    "\x00\x07\x08 control \ud83d half",
)  # fmt: skip
CONTROL = re.compile(r"[\x00\x07\x08\x1b]")


class Stage(Protocol):
    """`channel`: ready to speak."""

    channel: Speaking

    async def place(self) -> Address:
        """A message of a person that nobody has answered yet."""

    async def seen(self, to: Address) -> list[str]:
        """The messages that people see there now, each as its visible words."""

    async def again(self) -> Speaking:
        """The same channel in a new process: what was kept is there, what was in memory is gone."""

    def fail(self) -> bool:
        """The platform is out of order for the next call. False where that can't be."""

    def vanish(self, to: Address) -> bool:
        """The chat is gone for good. False where that can't be."""

    def pinged(self) -> bool:
        """Whether a mention of everybody, or of anybody, was made."""


Check = Callable[[Stage], Awaitable[None]]


async def an_answer_is_seen_once_and_progress_does_not_pile_up(stage: Stage) -> None:
    to, channel = await stage.place(), stage.channel
    handle = await channel.open(to, f"{to.message}.0")
    for n in range(40):
        channel.update(handle, Progress(f"looking {n}", n / 10))
    await channel.finish(handle, _answer("the verdict stands"), f"{to.message}.0.finish")
    seen = await _until(stage, to, "the verdict stands")
    assert len(seen) <= 2 or "update" not in channel.caps, f"progress piles up: {len(seen)} messages"
    channel.update(handle, Progress("too late", 9.0))
    await asyncio.sleep(0)
    assert _count(await stage.seen(to), "the verdict stands") == 1, "the answer must still be there"


async def a_key_counts_once(stage: Stage) -> None:
    """Also for a process that begins anew: what it doesn't know was sent may be given to it again."""
    to, key = await stage.place(), "once"
    for channel in (stage.channel, stage.channel):
        handle = await channel.open(to, f"{to.message}.0")
        await channel.finish(handle, _answer(f"{key} finished"), f"{to.message}.0.finish")
        await channel.send(to, Document(f"{key} sent"), f"{to.message}.0.reply")
    await _until(stage, to, f"{key} sent")
    later = await stage.again()
    handle = await later.open(to, f"{to.message}.0")
    await later.finish(handle, _answer(f"{key} finished"), f"{to.message}.0.finish")
    await later.send(to, Document(f"{key} sent"), f"{to.message}.0.reply")
    seen = await stage.seen(to)
    assert _count(seen, f"{key} finished") == 1, "finish with one key must show one answer"
    assert _count(seen, f"{key} sent") == 1, "send with one key must show one message"


async def another_process_goes_on_with_what_was_opened(stage: Stage) -> None:
    to = await stage.place()
    await stage.channel.open(to, f"{to.message}.0")
    later = await stage.again()
    handle = await later.open(to, f"{to.message}.0")
    await later.finish(handle, _answer("gone on with"), f"{to.message}.0.finish")
    seen = await _until(stage, to, "gone on with")
    assert len(seen) <= 1 or "update" not in later.caps, "it must go on with the message that was opened"


async def a_document_shows_its_title_and_its_words(stage: Stage) -> None:
    to = await stage.place()
    sent = await stage.channel.send(to, Document("the **words** of it", "The title"), f"{to.message}.doc")
    assert sent.id, "what was sent must have a name"
    seen = "\n".join(await _until(stage, to, "words"))
    assert "The title" in seen, "the title must be seen"


async def long_answers_arrive_whole(stage: Stage) -> None:
    to = await stage.place()
    lines = [f"line{n:05d} 结账服务的错误一行一行地说明" for n in range(LINES)]
    handle = await stage.channel.open(to, f"{to.message}.0")
    await stage.channel.finish(handle, _answer("\n".join(lines)), f"{to.message}.0.finish")
    seen = "\n".join(await _until(stage, to, f"line{LINES - 1:05d}"))
    missing = [n for n in range(LINES) if f"line{n:05d}" not in seen]
    assert not missing, f"{len(missing)} lines of the answer are lost, the first is {missing[0]}"


async def hostile_words_do_nothing(stage: Stage) -> None:
    for n, words in enumerate(HOSTILE):
        to = await stage.place()
        handle = await stage.channel.open(to, f"{to.message}.0")
        stage.channel.update(handle, Progress(words, 1.0))
        await stage.channel.finish(handle, _answer(f"safe{n}\n{words}"), f"{to.message}.0.finish")
        await stage.channel.send(to, Document(words, f"title{n}"), f"{to.message}.doc")
        seen = "\n".join(await _until(stage, to, f"title{n}"))
        assert f"safe{n}" in seen, "the answer must be seen whatever else it holds"
        assert not CONTROL.search(seen), f"control characters reach people: {words!r}"
    assert not stage.pinged(), "words of an answer must mention nobody"


async def what_ended_otherwise_is_said(stage: Stage) -> None:
    statuses: tuple[AnswerStatus, ...] = ("cancelled", "failed", "no_evidence")
    for status in statuses:
        to = await stage.place()
        handle = await stage.channel.open(to, f"{to.message}.0")
        sent = await stage.channel.finish(handle, Answer("r", status, ""), f"{to.message}.0.finish")
        assert sent.id
        assert any(words.strip() for words in await stage.seen(to)), f"an empty answer ({status}) must not be silence"
    to = await stage.place()  # cancelled while it waited: nothing was opened
    never = Handle(f"{to.message}.0", to)
    await stage.channel.finish(never, Answer("", "cancelled", "never begun"), f"{to.message}.0.cancelled")
    assert _count(await _until(stage, to, "never begun"), "never begun") == 1


async def a_platform_out_of_order_is_tried_again(stage: Stage) -> None:
    """What fails is raised, for the outbox to try again; it must arrive then, once."""
    to = await stage.place()
    handle = await stage.channel.open(to, f"{to.message}.0")
    if not stage.fail():
        return
    for _ in range(6):
        try:
            await stage.channel.finish(handle, _answer("after all"), f"{to.message}.0.finish")
            break
        except Undeliverable as e:
            raise AssertionError("a passing failure must not be Undeliverable: nobody would try again") from e
        except Exception:
            await asyncio.sleep(0)
    assert _count(await _until(stage, to, "after all"), "after all") == 1, "it must arrive once"


async def a_chat_that_is_gone_is_undeliverable(stage: Stage) -> None:
    to = await stage.place()
    if not stage.vanish(to):
        return
    why = ""
    try:
        await stage.channel.send(to, Document("nobody reads this"), f"{to.message}.gone")
    except Undeliverable as e:
        why = str(e)
    assert why, "sending into a chat that is gone must raise Undeliverable, and say why"


async def many_at_once_do_not_mix(stage: Stage) -> None:
    places = [await stage.place() for _ in range(5)]

    async def one(n: int, to: Address) -> None:
        handle: Handle = await stage.channel.open(to, f"{to.message}.0")
        await stage.channel.finish(handle, _answer(f"answer{n} alone"), f"{to.message}.0.finish")

    await asyncio.gather(*(one(n, to) for n, to in enumerate(places)))
    for n, to in enumerate(places):
        assert _count(await _until(stage, to, f"answer{n} alone"), f"answer{n} alone") == 1


CHECKS: tuple[Check, ...] = (
    an_answer_is_seen_once_and_progress_does_not_pile_up,
    a_key_counts_once,
    another_process_goes_on_with_what_was_opened,
    a_document_shows_its_title_and_its_words,
    long_answers_arrive_whole,
    hostile_words_do_nothing,
    what_ended_otherwise_is_said,
    a_platform_out_of_order_is_tried_again,
    a_chat_that_is_gone_is_undeliverable,
    many_at_once_do_not_mix,
)


# ── parts ─────────────────────────────────────────────────────────────────────────────────────


def _answer(text: str) -> Answer:
    shown = Evidence("L1", "logs", "count_errors", {}, ToolResult("ok", "3 errors", query="level=error"))
    return Answer("20261130-abcd", "ok", text, evidence=(shown,))


def _count(seen: list[str], words: str) -> int:
    """In how many messages they stand."""
    return sum(words in one for one in seen)


async def _until(stage: Stage, to: Address, words: str) -> list[str]:
    for _ in range(int(PATIENCE / 0.02)):
        seen = await stage.seen(to)
        if any(words in one for one in seen):
            return seen
        await asyncio.sleep(0.02)
    raise AssertionError(f"{words!r} is never seen; what is: {[one[:200] for one in await stage.seen(to)]}")

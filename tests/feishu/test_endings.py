"""How answers end when the platform changes its mind in the middle: always, once, whole, or told why not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_ops.channels.base import Address, Handle
from hermes_ops.sandbox import Message, Sandbox
from orchestrator.contracts import Answer, Evidence, ToolResult
from tests.feishu.rig import QUESTION, Bot, bot, words

ANSWER = Answer("r1", "ok", "结账变慢是 tax 3.2.5 引起的。", evidence=(
    Evidence("A1", "alerts", "list", {}, ToolResult("ok", "三行", query="q")),))  # fmt: skip


async def begun(b: Bot, chat: str = "") -> tuple[Message, Address, str]:
    """A card that was begun under a message that nobody else answers."""
    asked = await b.box.say("alice", chat or b.box.group, "hi")
    to, key = Address(asked.chat.chat_id, asked.thread_id or None, asked.message_id, "", "zh"), f"{asked.message_id}.0"
    await b.channel.open(to, key)
    return asked, to, key


async def finish(b: Bot, to: Address, key: str, answer: Answer = ANSWER) -> str:
    handle = await b.channel.open(to, key)
    return (await b.channel.finish(handle, answer, f"{key}.finish")).id


async def test_a_card_that_was_sent_and_never_confirmed_becomes_the_answer(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path, verdict_after=0.0) as b:
        box.faults.lose("/reply", times=5)
        asked, to, key = await begun(b)
        await finish(b, to, key)
        [card] = box.answers(asked)
        assert "tax 3.2.5" in words(card)
        assert card.card is not None
        assert card.card.opened is None


async def test_a_platform_that_was_away_at_the_beginning_gets_the_card_at_the_end(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path, verdict_after=0.0) as b:
        box.faults.page("/open-apis", times=12)
        asked, to, key = await begun(b)
        assert box.answers(asked) == []
        box.faults.active.clear()
        await finish(b, to, key)
        [card] = box.answers(asked)
        assert "证据" in words(card)


@pytest.mark.parametrize("code", [230022, 230028])
async def test_words_that_the_platform_refuses_are_not_silence(tmp_path: Path, code: int) -> None:
    async with Sandbox() as box, bot(box, tmp_path, verdict_after=0.0) as b:
        asked, to, key = await begun(b)
        box.faults.refuse("/cardkit/v1/cards/", code, times=6)
        box.faults.refuse("/reply", code)
        await finish(b, to, key)
        said = [words(m) for m in box.answers(asked)]
        assert len(said) == 2
        assert str(code) in said[1]
        assert "tax" not in "".join(said)


async def test_a_press_while_the_answer_is_written_makes_it_no_poorer(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path, verdict_after=0.0) as b:
        box.app.scopes.discard("cardkit:card:write")
        asked, to, key = await begun(b)
        locked = "Failed to create card content, ext=ErrCode: 11310; ErrMsg: card action is lock; "
        box.faults.refuse("/im/v1/messages/", 230099, locked, times=2)
        await finish(b, to, key)
        [card] = box.answers(asked)
        assert "证据" in words(card)


async def test_another_writer_that_was_far_ahead_is_caught_up_with(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path, verdict_after=0.0) as b:
        for ahead in (50, 5_000, 500_000):
            asked, to, key = await begun(b)
            [card] = box.answers(asked)
            assert card.card is not None
            card.card.sequence = ahead
            await finish(b, to, key)
            assert "证据" in words(box.answers(asked)[0])
            assert len(box.answers(asked)) == 1


@pytest.mark.parametrize("code", [200740, 200750, 300311, 200860, 300305, 300315, 4242])
async def test_a_card_that_cannot_become_the_answer_does_not_go_on_looking(tmp_path: Path, code: int) -> None:
    async with Sandbox() as box, bot(box, tmp_path, verdict_after=0.0) as b:
        asked, to, key = await begun(b)
        [card] = box.answers(asked)
        assert card.card is not None
        box.faults.refuse(f"/cardkit/v1/cards/{card.card.card_id}", code, times=8)
        await finish(b, to, key)
        assert "tax 3.2.5" in words(box.answers(asked)[-1])
        assert len(box.answers(asked)) <= 2


async def test_a_text_that_is_too_long_for_this_tenant_arrives_whole(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path, verdict_after=0.0) as b:
        asked = await box.say("alice", box.group, "hi")
        to, key = Address(asked.chat.chat_id, None, asked.message_id, "", "zh"), f"{asked.message_id}.0"
        box.faults.refuse("/cardkit/v1/cards", 200220, times=None)
        box.faults.refuse("/reply", 230099, times=1)
        await b.channel.open(to, key)
        box.faults.refuse("/reply", 230025, times=2)
        lines = [f"line{n:04d} 结账" for n in range(5000)]
        await finish(b, to, key, Answer("r1", "ok", "\n".join(lines)))
        said = "\n".join(words(m) for m in box.answers(asked))
        assert [n for n in range(5000) if said.count(f"line{n:04d}") != 1] == []


def _removed(box: Sandbox) -> None:
    box.group.apps.remove(box.app)


def _dissolved(box: Sandbox) -> None:
    box.group.dissolved = True


def _muted(box: Sandbox) -> None:
    box.group.muted = True


@pytest.mark.parametrize("happens", [_removed, _dissolved, _muted])
async def test_a_chat_that_is_lost_in_the_middle_ends_the_question_and_tells_the_owner(
    tmp_path: Path, happens: Callable[[Sandbox], None]
) -> None:
    async with Sandbox() as box:
        owner = box.app.open_id_of(box.who("alice"))
        async with bot(box, tmp_path, owner=owner) as b:
            box.faults.slow("/reply", 0.5, when="after")
            asked = await box.say("bob", box.group, QUESTION, mention_bot=True)
            await box.until(lambda: bool(box.answers(asked)))
            happens(box)
            box.faults.refuse("/cardkit/v1/cards/", 200740, times=None)  # the card is lost with it
            await box.until(lambda: bool(box.messages(box.p2p("alice"), box.app)), 30)
            assert "没有送达" in words(box.messages(box.p2p("alice"), box.app)[0])
            await box.until(lambda: not b.service.host.deliveries.waiting)
            assert b.service.host.inbox.figures["running"] == 0


async def test_inside_a_topic_whose_first_message_is_gone_the_answer_stays_in_the_topic(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        root = await box.say("alice", box.topics, "今天谁值班")
        await box.recall(root)
        asked = await box.say("bob", box.topics, QUESTION, mention_bot=True, reply_to=root, thread=True)
        card = await b.done(asked)
        assert card.thread_id == asked.thread_id != ""


async def test_the_same_message_hours_later_under_another_event_is_the_same_message(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        await b.done(asked)
        [first] = box.deliveries(asked)
        box.clock.advance(6 * 3600.0)
        for n in range(3):
            again = box.push("im.message.receive_v1", first.payload["event"], event_id=f"another{n}")
            assert again is not None
            await again.settled()
        await asyncio.sleep(0.5)
        assert len(box.answers(asked)) == 1


async def test_what_was_said_during_an_outage_is_told_so_once_each(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path, stale_minutes=30.0) as b:
        box.pushes.held = []
        asked = [await box.say("alice", box.p2p("alice"), f"{QUESTION} {n}") for n in range(10)]
        for held in box.pushes.held:
            message = held.payload["event"]["message"]
            message["create_time"] = str(int(message["create_time"]) - 3 * 3600 * 1000)
        box.pushes.copies = 2
        box.pushes.release(backwards=True)
        await box.until(lambda: all(box.answers(m) for m in asked), 20)
        await box.until(lambda: not b.service.host.deliveries.waiting)
        assert [len(box.answers(m)) for m in asked] == [1] * len(asked)
        assert all("中断" in words(box.answers(m)[0]) for m in asked)


async def test_reactions_that_fail_or_hang_matter_to_nobody(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        box.faults.slow("/reactions", 5.0, times=None)
        box.faults.refuse("/reactions", 231001, times=None)
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        await b.done(asked, 15)
        assert len(box.journal.calls("/reactions")) <= 1


@pytest.mark.parametrize("restart", [False, True])
async def test_buttons_work_twice_after_a_restart_and_on_cards_whose_question_is_forgotten(
    tmp_path: Path, restart: bool
) -> None:
    async with Sandbox() as box:
        async with bot(box, tmp_path) as b:
            card = await b.done(await box.say("alice", box.group, QUESTION, mention_bot=True))
            if not restart:
                await _pressed(box, card)
                return
        async with bot(box, tmp_path) as b:
            await _pressed(box, card)
            await b.service.app.memory.inbox.prune(b.service.app.memory.inbox.clock())
            for button in ("👍", "重试", "查看过程"):
                click = await box.click("bob", card, button)
                assert click.code == 0
                assert "找不到" in click.toast["content"]


async def _pressed(box: Sandbox, card: Message) -> None:
    for button, said in (("👍", "谢谢"), ("👍", "谢谢"), ("重试", "重新查询"), ("重试", "已经"), ("查看过程", "过程")):
        click = await box.click("bob", card, button)
        assert click.code == 0
        assert said in click.toast["content"]
    assert (await box.click("bob", card, "👎")).changed
    form = {"about": "cause", "text": "是 DNS"}
    assert "谢谢" in (await box.click("bob", card, "send", form)).toast["content"]
    assert "👎" in json.dumps(card.card.json if card.card else {}, ensure_ascii=False)


async def test_nothing_is_held_of_a_question_that_is_over_however_it_ended(tmp_path: Path) -> None:
    """Answered, cancelled, failed, without a card; and what another process finished goes after a day."""
    async with Sandbox() as box, bot(box, tmp_path, verdict_after=0.0) as b:
        for what in ("finish", "cancelled", "failed", "bare"):
            if what == "bare":
                box.faults.refuse("/cardkit/v1/cards", 10002, times=1)
                box.faults.refuse("/reply", 230099, times=1)
            asked, to, key = await begun(b)
            if what == "finish":
                await finish(b, to, key)
            else:
                ended = Answer("", "cancelled" if what == "cancelled" else "failed", "It failed.")
                await b.channel.finish(Handle(key, to), ended, f"{key}.{ended.status}")
            await box.until(lambda asked=asked: asked.reactions == [])
            assert b.channel._streams == {}, what
        _, to, key = await begun(b)
        b.channel._streams[key].opened -= 86_401
        await begun(b)
        assert key not in b.channel._streams
        await finish(b, to, key)
        assert key not in b.channel._streams

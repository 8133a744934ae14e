"""What goes wrong on the way: an answer still arrives, once, and says nothing it shouldn't."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_ops.channels.base import Address, Document, Handle
from hermes_ops.channels.words import help_text
from hermes_ops.sandbox import Sandbox
from hermes_ops.testing.script import says
from hermes_ops.testing.scripted_server import ScriptedServer
from orchestrator.contracts import Answer, Incoming
from tests.feishu.rig import QUESTION, WHEN, bot, words

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


async def test_a_lost_answer_and_gateway_pages_make_no_second_message(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        box.faults.lose("/reply")
        box.faults.page("/cardkit/v1/cards", times=2)
        box.faults.refuse("/settings", 99991400, status=429, headers={"x-ogw-ratelimit-reset": "1"})
        box.tokens.revoke()
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        await b.done(asked)
        assert len(box.answers(asked)) == 1


async def test_a_card_that_two_ask_for_at_once_is_one_and_its_end_waits_for_its_beginning(tmp_path: Path) -> None:
    """The place in the queue is shown while the work begins; whoever cancels may be quicker than the platform."""
    async with Sandbox() as box, bot(box, tmp_path) as b:
        asked = await box.say("alice", box.group, "hi")  # not for the bot: nobody else opens a card for it
        to, key = Address(asked.chat.chat_id, None, asked.message_id, "", "zh"), f"{asked.message_id}.0"
        box.faults.slow("/cardkit/v1/cards", 0.3)
        box.faults.slow("/reply", 0.3)
        opening = [asyncio.create_task(b.channel.open(to, key)) for _ in range(2)]
        await asyncio.sleep(0)
        ended = await b.channel.finish(Handle(key, to), Answer("", "cancelled", "已取消"), f"{key}.cancelled")
        await asyncio.gather(*opening)
        [card] = box.answers(asked)
        assert ended.id == card.message_id
        assert "已取消" in words(card)
        assert len(box.world.cards) == 1
        await box.until(lambda: not asked.reactions)


async def test_without_the_scope_for_streaming_the_message_is_patched(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        box.app.scopes.discard("cardkit:card:write")
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        card = await b.done(asked)
        assert "[A1]" in words(card)
        assert len(box.answers(asked)) == 1


async def test_a_card_that_is_refused_ends_as_text(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path):
        box.faults.refuse("/cardkit/v1/cards", 200220, times=None)
        box.faults.refuse("/reply", 230099, "Failed to create card content, ext=ErrCode: 200621; ErrMsg: x; ", times=1)
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        [text] = await box.answered(asked, timeout=20)
        assert text.msg_type == "text"
        assert "[L1]" in words(text)


async def test_a_final_card_that_is_refused_gets_poorer_until_it_is_taken(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        box.rules.size = 4_000  # bytes: far less than the documentation says
        card = await b.done(asked)
        assert "证据" not in words(card)
        assert "checkout" in words(card)


@pytest.mark.parametrize("when", ["before", "during"])
async def test_a_question_that_was_recalled_is_answered_in_its_chat(tmp_path: Path, when: str) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        if when == "before":
            box.faults.slow("/cardkit/v1/cards", 0.5)
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        if when == "during":
            await box.answered(asked)
        await box.recall(asked)
        await box.until(lambda: any("👍" in words(m) for m in box.messages(box.group, box.app)), 20)
        assert len(box.messages(box.group, box.app)) == 1
        assert b.service.host.inbox.figures["running"] == 0


@pytest.mark.parametrize("when", ["before", "during"])
async def test_a_question_that_was_recalled_is_stopped_where_the_settings_say_so(tmp_path: Path, when: str) -> None:
    slow = ScriptedServer(lambda messages, tools: says("late"), latency=60.0)
    async with slow as server, Sandbox() as box, bot(box, tmp_path, model=server.url, recalled="stop") as b:
        if when == "before":
            box.faults.slow("/cardkit/v1/cards", 0.5)
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        if when == "during":
            await box.until(lambda: server.count > 0)
        await box.recall(asked)
        while (entry := await b.entry(asked)) is None or entry.state != "cancelled":
            await asyncio.sleep(0.02)
        if when == "during":
            await b.done(asked)
        await asyncio.sleep(0.5)
        assert len(box.messages(box.group, box.app)) == (when == "during")


async def test_streaming_goes_on_after_the_platform_closed_it(tmp_path: Path) -> None:
    slow = ScriptedServer(lambda messages, tools: says("好的"), latency=3.0)
    async with slow as server, Sandbox() as box, bot(box, tmp_path, model=server.url) as b:
        asked = await box.say("alice", box.p2p("alice"), QUESTION)
        await box.answered(asked)
        box.clock.advance(700)
        await b.done(asked)
        refused = [e for e in box.journal.calls("/content") if e.data["code"] != 0]
        assert len(refused) <= 1


async def test_nobody_learns_a_secret_or_what_was_said_from_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    async with Sandbox() as box, bot(box, tmp_path) as b:
        box.faults.page("/reply")
        asked = await box.say("alice", box.group, f"{WHEN}checkout 密码 hunter2secret 为什么报错？", mention_bot=True)
        await b.done(asked)
    ours = [r.getMessage() for r in caplog.records if r.name.startswith(("hermes_ops", "Lark"))]
    assert ours
    for secret in ("hunter2secret", box.app_secret, "access_key", "ticket=", "t-"):
        assert not [line for line in ours if secret in line]


async def test_an_answer_that_is_tried_again_after_the_platform_forgot_its_uuid_is_looked_for_first(
    tmp_path: Path,
) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        asked = await box.say("alice", box.p2p("alice"), "/help")
        [told] = await box.answered(asked)
        box.clock.advance(4000)
        since = datetime.fromtimestamp(told.created, UTC)
        to = Address(asked.chat.chat_id, None, asked.message_id, "", "zh", since)
        again = await b.channel.send(to, Document(help_text("zh")), "another key")
        assert again.id == told.message_id
        fresh = await b.channel.send(to, Document("something else"), "a third key")
        assert fresh.id != told.message_id
        assert len(box.answers(asked)) == 2


async def test_what_cannot_be_delivered_is_told_to_the_owner_once(tmp_path: Path) -> None:
    async with Sandbox() as box:
        owner = box.app.open_id_of(box.who("alice"))
        async with bot(box, tmp_path, owner=owner) as b:
            gone = box.add_group("解散的群")
            gone.dissolved = True
            host = b.service.host
            asked = Incoming("om_never", QUESTION, NOW, channel="feishu", chat=gone.chat_id, user=owner, locale="zh")
            assert await host.take(asked, "question", {}) == "accepted"
            for n in range(3):
                await host.push("feishu", Address(gone.chat_id), Document(f"第 {n} 条"), f"push.{n}")
            await box.until(lambda: bool(box.messages(box.p2p("alice"))), 10)

            async def given_up() -> bool:
                parcels = [await b.service.app.memory.outbox.find(f"push.{n}") for n in range(3)]
                entry = await b.service.app.memory.inbox.find("om_never.0")
                return entry is not None and entry.state == "failed" and all(p and p.state == "failed" for p in parcels)

            while not await given_up():
                await asyncio.sleep(0.02)
            await asyncio.sleep(0.5)
            [told] = box.messages(box.p2p("alice"))
            assert gone.chat_id in words(told)
            assert "没有送达" in words(told)

"""Questions in the sandbox, answered by the bot on the unmodified SDK."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

from hermes_ops.channels.feishu import fit
from hermes_ops.sandbox import Sandbox
from hermes_ops.testing.script import says
from hermes_ops.testing.scripted_server import ScriptedServer
from tests.feishu.rig import QUESTION, bot, words

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (40).to_bytes(4, "big") * 2 + bytes(32)


async def test_one_card_with_verdict_evidence_route_and_buttons_for_few_calls(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        before = len(box.journal.calls())
        box.pushes.copies = 2
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        card = await b.done(asked)
        await box.until(lambda: not asked.reactions)
        await asyncio.sleep(0.3)
        assert [m.message_id for m in box.answers(asked)] == [card.message_id]  # pushed twice, answered once
        assert card.parent is asked
        assert card.card is not None
        shown = card.card.json
        assert shown["config"]["streaming_mode"] is False
        assert fit.troubles(shown) == []
        assert "checkout" in shown["config"]["summary"]["content"]
        for wanted in ("[A1]", "[L1]", "证据", "👎", "重试", "查看过程", "14:00–15:00"):
            assert wanted in words(card)
        assert len(box.journal.calls()) - before <= 15
        assert all(ack and ack.after < 3.0 for d in box.deliveries(asked) for ack in d.acks)
        kept = await b.entry(asked)
        assert kept is not None
        assert kept.state == "done"


async def test_inside_a_topic_the_answer_stays_there_and_a_private_chat_needs_no_mention(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        topic = await box.say("alice", box.topics, QUESTION, mention_bot=True)
        private = await box.say("bob", box.p2p("bob"), QUESTION)
        assert (await b.done(topic)).thread_id == topic.thread_id != ""
        assert (await b.done(private)).thread_id == ""


async def test_what_is_not_for_us_is_met_with_silence(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path, users=(), chats=("*",)) as b:
        robot = box.add_app("另一个机器人", [box.group])
        silent = [
            await box.say("alice", box.group, QUESTION),
            await box.say("alice", box.group, QUESTION, mention=("bob",)),
            await box.say("alice", box.group, QUESTION, mention_all=True),
            await box.say(robot, box.group, QUESTION, mention_bot=True),
        ]
        answered = await box.say("alice", box.group, "/help", mention_bot=True)
        await box.answered(answered)
        await asyncio.sleep(0.3)
        assert [box.answers(m) for m in silent] == [[]] * 4
        assert b.box.journal.calls("/reactions") == []


async def test_lists_fail_closed_and_say_how_to_get_on_them(tmp_path: Path) -> None:
    async with Sandbox() as box:
        owner = box.app.open_id_of(box.who("alice"))
        async with bot(box, tmp_path, users=(), chats=(), owner=owner):
            mine = await box.say("alice", box.group, "/help", mention_bot=True)
            other = await box.say("bob", box.group, QUESTION, mention_bot=True)
            [told] = await box.answered(other)
            assert box.app.open_id_of(box.who("bob")) in words(told)
            assert box.group.chat_id in words(told)
            await box.answered(mine)


async def test_files_are_read_and_what_cannot_be_is_answered_politely(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        audio = box.post("alice", box.p2p("alice"), "audio", {"file_key": "file_v3_x", "duration": 1000})
        [told] = await box.answered(audio)
        assert "暂不支持" in words(told)
        picture = await box.send_image("alice", box.p2p("alice"), PNG)
        [told] = await box.answered(picture)
        assert "图片没有看" in words(told)
        rows = [
            {"ts": f"2026-11-29T14:0{n}:00Z", "service": "refund", "level": "error", "msg": "boom"} for n in range(9)
        ]
        data = "\n".join(json.dumps(r) for r in rows).encode()
        file = await box.send_file("bob", box.p2p("bob"), "refund.log", data)
        [told] = await box.answered(file)
        assert "9 行，日志" in words(told)
        asked = await box.say("bob", box.p2p("bob"), "refund 为什么报错？")
        await b.done(asked)
        entry = await b.entry(asked)
        assert entry is not None
        info = await b.service.app.memory.runs.get(entry.run)
        assert info is not None
        [attached] = info.question.attachments
        assert not Path(attached.path).parent.exists()


async def test_buttons_rate_ask_why_retry_and_show_the_steps(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        card = await b.done(asked)
        entry = await b.entry(asked)
        assert entry is not None
        good = await box.click("alice", card, "👍")
        assert (good.code, "谢谢" in good.toast["content"]) == (0, True)
        bad = await box.click("alice", card, "👎")
        assert (bad.code, bad.changed, bad.after < 1.0) == (0, True, True)
        sent = await box.click("alice", card, "send", {"about": "cause", "text": "是 DNS"})
        assert (sent.code, sent.changed) == (0, True)
        [kept] = await b.service.app.memory.posts.ratings(entry.run)
        assert (kept.mark, kept.about, kept.text) == ("bad", "cause", "是 DNS")
        assert "👎" in words(card)
        trace = await box.click("alice", card, "查看过程")
        assert trace.code == 0
        await box.until(lambda: any(entry.run in words(m) for m in box.answers(asked) if m is not card))
        first = await box.click("alice", card, "重试")
        second = await box.click("alice", card, "重试")
        assert first.toast["content"] != second.toast["content"]
        await box.until(lambda: len([m for m in box.answers(asked) if "👍" in words(m)]) == 2, 20)
        assert (await b.entry(asked, 1)).state == "done"  # type: ignore[union-attr]


async def test_commands_in_chat_and_in_plain_words(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        chat = box.p2p("alice")
        for said, wanted in (
            ("/memory", "没有记住"),
            ("/forget all", "没有记住"),
            ("/help", "/forget"),
            ("/stop", "没有正在处理"),
            ("/trace", "还没有问过"),
        ):
            [told] = await box.answered(await box.say("alice", chat, said))
            assert wanted in words(told)
        await b.done(await box.say("alice", chat, QUESTION))
        [told] = await box.answered(await box.say("alice", chat, "怎么查的？"))
        assert "运行 " in words(told)


async def test_stop_ends_a_question_in_its_model_call_within_a_second(tmp_path: Path) -> None:
    slow = ScriptedServer(lambda messages, tools: says("late"), latency=60.0)
    async with slow as server, Sandbox() as box, bot(box, tmp_path, model=server.url) as b:
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        await box.until(lambda: server.count > 0)
        [card] = await box.answered(asked)
        begun = time.monotonic()
        click = await box.click("alice", card, "停止")
        assert "正在停止" in click.toast["content"]
        await box.until(lambda: "停止" not in words(card) or "👍" in words(card))
        assert time.monotonic() - begun < 2.0
        entry = await b.entry(asked)
        assert entry is not None
        assert entry.state == "cancelled"


async def test_who_waited_long_gets_a_short_message_of_its_own(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path, verdict_after=0.01) as b:
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        card = await b.done(asked)
        await box.answered(asked, 2)
        [short] = [m for m in box.answers(asked) if m is not card]
        assert card.card is not None
        assert words(short) == card.card.json["config"]["summary"]["content"]

"""What people reply to, forward and paste at night: alert robots' messages, our own cards, pictures."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from hermes_ops.channels.feishu.brought import Brought
from hermes_ops.channels.feishu.quotes import Fetcher
from hermes_ops.channels.feishu.rest import Api
from hermes_ops.sandbox import Message, Sandbox
from memory import RunInfo, open_memory
from orchestrator.contracts import Incoming, Scope, Window, from_json
from tests.feishu.rig import QUESTION, Bot, bot, words

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (40).to_bytes(4, "big") * 2 + bytes(32)
BEGAN = datetime(2026, 11, 29, 14, 4, 30, tzinfo=UTC)
RELAY = {  # card 1.0
    "config": {"wide_screen_mode": True},
    "header": {"title": {"tag": "plain_text", "content": "🔥 FIRING"}, "template": "red"},
    "elements": [
        {
            "tag": "div",
            "text": {"tag": "lark_md", "content": "**alertname**: CheckoutHighErrorRate\n**service**: checkout"},
        },
        {"tag": "div", "text": {"tag": "lark_md", "content": "**startsAt**: 2026-11-29T14:04:30Z"}},
    ],
}
GRAFANA = {  # card 2.0
    "schema": "2.0",
    "header": {"title": {"tag": "plain_text", "content": "[FIRING:1] High error rate"}},
    "body": {
        "elements": [
            {
                "tag": "markdown",
                "content": "**Labels:**\n - alertname = HighErrorRate\n - service = checkout\n"
                "**Started at:** 2026-11-29 14:04:30 +0000 UTC",
            }
        ]
    },
}
NIGHTINGALE = {
    "zh_cn": {
        "title": "S2 Triggered",
        "content": [
            [{"tag": "text", "text": "规则标题: 结账接口错误率高"}],
            [{"tag": "text", "text": "监控指标: service=checkout, ident=pay-01"}],
            [{"tag": "text", "text": "触发时间: 2026-11-29 14:04:30"}],
        ],
    }
}
TEXT = {"text": "[FIRING:1] CheckoutHighErrorRate\nservice=checkout severity=critical\nStartsAt: 2026-11-29T14:04:30Z"}


async def run_of(b: Bot, asked: Message) -> RunInfo:
    entry = await b.entry(asked)
    assert entry is not None
    info = await b.service.app.memory.runs.get(entry.run)
    assert info is not None
    return info


async def anchored(b: Bot, asked: Message) -> str:
    """The answer's words, once its run was about the alert's service and time, by code alone."""
    card = await b.done(asked)
    info = await run_of(b, asked)
    assert from_json(Scope, info.scope).services == ("checkout",)
    assert from_json(Window, info.window).start == BEGAN - timedelta(minutes=30)
    return words(card)


@pytest.mark.slow
async def test_why_as_a_reply_to_any_robots_alert_is_about_its_service_and_time(tmp_path: Path) -> None:
    shapes: tuple[tuple[str, Any], ...] = (
        ("interactive", RELAY), ("interactive", GRAFANA), ("post", NIGHTINGALE), ("text", TEXT),
    )  # fmt: skip
    async with Sandbox() as box, bot(box, tmp_path) as b:
        robot = box.add_app("告警", [box.group])
        for n, (kind, content) in enumerate(shapes):
            alert = box.post(robot, box.group, kind, content)
            said = "why?" if n % 2 else "怎么回事"
            shown = await anchored(b, await box.say("alice", box.group, said, mention_bot=True, reply_to=alert))
            assert "13:34" in shown


async def test_alerts_that_are_forwarded_are_looked_into_and_why_goes_on_from_them(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        robot, chat = box.add_app("告警", [box.group]), box.p2p("alice")
        alert = box.post(robot, box.group, "interactive", RELAY)
        await anchored(b, box.forward("alice", chat, [alert]))
        await anchored(b, box.post("alice", chat, "interactive", RELAY))
        await anchored(b, await box.say("alice", chat, "why?"))


async def test_a_quote_of_our_own_card_is_its_answer_and_not_the_platforms_placeholder(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        card = await b.done(await box.say("alice", box.group, QUESTION, mention_bot=True))
        again = await box.say("alice", box.group, "上面这个再说明一下", mention_bot=True, reply_to=card)
        await b.done(again)
        quote = (await run_of(b, again)).question.quote
        assert quote
        assert "[A1]" in quote
        assert "Interactive" not in quote


async def test_pictures_are_never_dropped_without_a_word(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        chat = box.p2p("alice")
        pasted = await box.paste("alice", chat, QUESTION, PNG)
        shown = words(await b.done(pasted))
        assert "图片没有看：所配模型不看图" in shown
        assert "checkout" in shown
        picture = await box.send_image("alice", chat, PNG)
        [told] = await box.answered(picture)
        assert "粘贴" in json.loads(told.content)["text"]
        about = await box.say("alice", chat, f"{QUESTION}图里的呢", reply_to=picture)
        assert "图片没有看" in words(await b.done(about))


LOG = "\n".join(
    json.dumps({"ts": f"2026-11-29T14:0{n}:00Z", "service": "refund", "level": "error", "msg": "boom"})
    for n in range(9)
)


async def test_a_file_that_is_replied_to_is_read(tmp_path: Path) -> None:
    """The only way to ask about one in a group: a file can't mention anybody."""
    async with Sandbox() as box, bot(box, tmp_path) as b:
        for name, data in (("refund.log", LOG.encode()), ("refund.log.gz", gzip.compress(LOG.encode()))):
            file = await box.send_file("bob", box.group, name, data)
            asked = await box.say("alice", box.group, "refund 为什么报错？", mention_bot=True, reply_to=file)
            assert "refund 9 条错误" in words(await b.done(asked))
            [attached] = (await run_of(b, asked)).question.attachments
            assert not Path(attached.path).parent.exists()  # kept for as long as it is worked on
            assert not any(b"boom" in path.read_bytes() for path in (tmp_path / "data" / "index").glob("*"))


@pytest.mark.parametrize("why", ["no scope", "recalled", "kind", "binary"])
async def test_what_is_replied_to_and_cannot_be_read_is_said(tmp_path: Path, why: str) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        if why == "kind":
            quoted = box.post("bob", box.group, "audio", {"file_key": "file_v3_x", "duration": 1000})
        elif why == "binary":
            quoted = await box.send_file("bob", box.group, "core.bin", bytes(range(256)) * 9)
        else:
            quoted = await box.say("bob", box.group, "支付挂了")
        if why == "recalled":
            await box.recall(quoted)
        elif why == "no scope":
            box.app.scopes -= {"im:message:readonly", "im:message"}
        shown = words(await b.done(await box.say("alice", box.group, QUESTION, mention_bot=True, reply_to=quoted)))
        said = {"no scope": "im:message:readonly", "recalled": "撤回", "kind": "暂不支持", "binary": "不是文本文件"}
        assert said[why] in shown
        assert "[A1]" in shown


async def test_of_a_large_bundle_is_said_how_much_was_read(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        robot, chat = box.add_app("告警", [box.group]), box.p2p("alice")
        alerts = [box.post(robot, box.group, "interactive", RELAY) for _ in range(30)]
        shown = words(await b.done(box.forward("alice", chat, alerts)))
        assert "只看了前 19 条" in shown


async def test_a_store_that_fails_meanwhile_costs_the_quote_and_not_the_answer(tmp_path: Path) -> None:
    memory = open_memory(f"sqlite:///{tmp_path}/hermes-ops.db")
    await memory.close()
    fetcher = Fetcher(memory.posts, Brought(memory.posts), tmp_path, lambda text: text)
    asked = Incoming("m1", "why?", BEGAN, channel="feishu", locale="en")
    prepared = await fetcher.prepare(cast(Api, None), asked, {"parent": "om_1"})
    assert "wasn't read" in prepared.notes[0]
    assert prepared.asked.text == "why?"

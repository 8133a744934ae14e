"""A picture in a message: shown to a model that sees, for its question alone; else said that nobody looked."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.channels.keeping import PLACE
from hermes_ops.pictures import RULE
from hermes_ops.replay.run import Changes, replay
from hermes_ops.sandbox import Message, Sandbox
from hermes_ops.testing.scripted_server import ScriptedServer
from hermes_ops.testing.wire import Quirk
from tests.e2e.place import play
from tests.feishu.rig import QUESTION, Bot, bot, words
from tests.feishu.test_quotes import PNG, run_of

SEES = "gpt-4o"
SHOWN = f"data:image/png;base64,{b64encode(PNG).decode()}"
UNSEEN = "图片没有看"


def parts(server: ScriptedServer, kind: str) -> Iterator[Any]:
    """All parts of a kind that came, request by request."""
    for body in server.requests:
        lists = [m["content"] for m in body["messages"] if isinstance(m.get("content"), list)]
        yield from (part[kind] for content in lists for part in content if part["type"] == kind)


async def asked_with(b: Bot, how: str) -> Message:
    """A question with a picture: pasted into it, replied to, or sent just before."""
    box, chat = b.box, b.box.p2p("alice")
    if how == "pasted":
        return await box.paste("alice", chat, QUESTION, PNG)
    if how == "quoted":
        picture = await box.send_image("bob", box.group, PNG)
        return await box.say("alice", box.group, QUESTION, mention_bot=True, reply_to=picture)
    [told] = await box.answered(await box.send_image("alice", chat, PNG))
    assert "收到 图片。想问什么？" in words(told)
    return await box.say("alice", chat, QUESTION)


@pytest.mark.parametrize(
    "how", ["pasted", pytest.param("quoted", marks=pytest.mark.slow), pytest.param("before", marks=pytest.mark.slow)]
)
async def test_a_model_that_sees_is_shown_the_picture_for_this_question_alone(tmp_path: Path, how: str) -> None:
    async with (
        ScriptedServer(play) as server,
        Sandbox() as box,
        bot(box, tmp_path, model=server.url, name=SEES) as b,
    ):
        asked = await asked_with(b, how)
        assert UNSEEN not in words(await b.done(asked))
        assert {part["url"] for part in parts(server, "image_url")} == {SHOWN}
        assert RULE in set(parts(server, "text"))
        alone = [body for body in server.requests if SHOWN not in json.dumps(body)]
        assert alone  # the sub-agents' models have no use for it
        assert all("ask_logs" not in json.dumps(body["tools"]) for body in alone)
        [file] = (await run_of(b, asked)).question.attachments
        assert not Path(file.path).exists()
        server.requests.clear()
        await b.done(await box.say("alice", asked.chat, f"{QUESTION}还有吗", mention_bot=True))
        assert server.requests
        assert not list(parts(server, "image_url"))
    left = [path for path in (tmp_path / "data").rglob("*") if path.is_file() and PLACE not in path.parts]
    assert left
    assert not any(SHOWN[-40:].encode() in path.read_bytes() for path in left)  # in no store, index or log


@pytest.mark.slow
@pytest.mark.parametrize("why", ["name", "refused", "no model"])
async def test_who_does_not_see_says_so_in_one_line(tmp_path: Path, why: str) -> None:
    quirks = [Quirk.NO_PICTURES] if why == "refused" else []
    name = "deepseek-chat" if why == "name" else SEES
    async with (
        ScriptedServer(play, quirks=quirks) as server,
        Sandbox() as box,
        bot(box, tmp_path, model="" if why == "no model" else server.url, name=name) as b,
    ):
        shown = words(await b.done(await box.paste("alice", box.p2p("alice"), QUESTION, PNG)))
        assert shown.count(UNSEEN) == 1
        assert "所配模型不看图" in shown
        assert why == "refused" or not list(parts(server, "image_url"))


@pytest.mark.slow
async def test_what_is_no_picture_by_its_content_is_not_shown(tmp_path: Path) -> None:
    bmp = b"BM" + bytes(60)
    async with (
        ScriptedServer(play) as server,
        Sandbox() as box,
        bot(box, tmp_path, model=server.url, name=SEES) as b,
    ):
        shown = words(await b.done(await box.paste("alice", box.p2p("alice"), QUESTION, bmp, *[PNG] * 5)))
        assert "不是 PNG、JPEG、WebP 或 GIF 图片" in shown
        assert "只看了前 4 张" in shown
        [first, *_] = (body for body in server.requests if SHOWN in json.dumps(body))
        assert json.dumps(first).count(SHOWN) == 4


@pytest.mark.slow
async def test_a_run_with_a_picture_is_replayed_as_it_was(tmp_path: Path) -> None:
    async with (
        ScriptedServer(play) as server,
        Sandbox() as box,
        bot(box, tmp_path, model=server.url, name=SEES) as b,
    ):
        asked = await asked_with(b, "pasted")
        await b.done(asked)
        info, app = await run_of(b, asked), b.service.app
        count = server.count
        again = await replay(app.memory, app.settings, info, await app.memory.events.events(info.id), Changes())
        assert again.identical, again.divergences
        assert UNSEEN not in again.answer.text
        assert server.count == count

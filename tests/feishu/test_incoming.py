"""Whatever the platform pushes: taken, ignored or answered politely, and never sent back to be pushed again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from hermes_ops.channels.base import MAX_QUESTION
from hermes_ops.channels.feishu.brought import Brought
from hermes_ops.channels.feishu.clicks import Clicks
from hermes_ops.channels.feishu.incoming import Incomings
from hermes_ops.settings import FeishuSettings
from memory import Feedback, Post
from orchestrator.contracts import Incoming, Json
from orchestrator.errors import StoreError
from orchestrator.guard import AllowAll
from tests.feishu.test_parts import ME, event, mention

OWN = [mention("@_user_1", ME, "hermes")]
LINK = {"tag": "a", "href": "https://x/y", "text": "面板"}
SECRET = "password=hunter2-and-more"
ROWS = [[{"tag": "at", "user_id": "@_user_1"}, {"tag": "text", "text": "看下"}], [[LINK], [{"tag": "hr"}]]]


class Kept:
    """An inbox and the posts, in memory."""

    def __init__(self) -> None:
        self.taken: list[tuple[Incoming, str, Json]] = []
        self.error: Exception | None = None
        self.slow = 0.0
        self.post: Post | None = None
        self.said: list[Feedback] = []
        self.saved: list[Post] = []
        self.open_id = ME

    async def take(self, asked: Incoming, kind: str, extra: Json) -> str:
        if self.error:
            raise self.error
        self.taken.append((asked, kind, extra))
        return "accepted"

    async def again(self, key: str) -> str:
        await asyncio.sleep(self.slow)
        return "accepted"

    async def cancel(self, key: str, by: str) -> bool:
        return True

    async def get(self, key: str) -> Post | None:
        return self.post

    async def save(self, post: Post) -> None:
        self.saved.append(post)

    async def rate(self, given: Feedback) -> None:
        self.said.append(given)

    def clock(self) -> datetime:
        return datetime.now(UTC)


def incomings(kept: Kept, mask: Callable[[str], str] = str, **given: Any) -> Incomings:
    settings = FeishuSettings(**({"users": ("*",)} | given))
    clicks = Clicks(settings, kept, kept, str)  # type: ignore[arg-type]
    brought = Brought(kept)  # type: ignore[arg-type]
    return Incomings(settings, kept, kept, clicks, brought, mask, "UTC")  # type: ignore[arg-type]


def pushed(body: Any, kind: Any = "im.message.receive_v1") -> bytes:
    now = str(int(datetime.now(UTC).timestamp() * 1000))
    if isinstance(body, dict) and isinstance(body.get("message"), dict):
        body["message"]["create_time"] = now
    return json.dumps({"schema": "2.0", "header": {"event_type": kind}, "event": body}).encode()


@pytest.mark.parametrize(
    "payload",
    [
        b"", b"null", b"[]", b'"x"', b"{}", b"\xff\xfe", b'{"header": "x", "event": 3}',
        pushed(None), pushed([]), pushed("x"), pushed({"message": "x", "sender": []}),
        pushed({"message": {"message_id": 5, "chat_id": None}}),
        pushed(event(mentions="x")), pushed(event(mentions={"a": 1})), pushed(event(mentions=[None, "x", {"id": []}])),
        pushed({**event(chat_type="p2p"), "sender": "x"}),
        pushed({**event(chat_type="p2p"), "sender": {"sender_id": "ou"}}),
        pushed({"x": 1}, "im.chat.updated_v1"), pushed({"x": 1}, None), pushed({"x": 1}, {"a": 1}),
        pushed({"x": 1}, "application.bot.menu_v6"), pushed({"x": 1}, "never.heard.of_v9"),
        b'{"uuid": "u", "token": "t", "ts": "1", "type": "event_callback", "event": {"type": "p2p_chat_create"}}',
    ],
)  # fmt: skip
async def test_whatever_is_pushed_is_acknowledged_and_nobody_else_is_answered(payload: bytes) -> None:
    kept = Kept()
    assert await incomings(kept).handle(payload) is None
    assert kept.taken == []


async def test_only_what_could_not_be_stored_is_to_come_again() -> None:
    kept = Kept()
    kept.error = StoreError("away")
    with pytest.raises(StoreError):
        await incomings(kept).handle(pushed(event(chat_type="p2p")))


@pytest.mark.parametrize(
    "said",
    [
        {"text": f"/{name} {SECRET}"} for name in ("forget", "cause", "memory", "stop", "trace", "schedules", "help")
    ] + [{"text": f"why {SECRET}?"}, {"file_key": "f", "file_name": f"{SECRET}.log"}],
)  # fmt: skip
async def test_no_secret_gets_into_the_inbox_with_what_is_taken(said: dict[str, str]) -> None:
    kept = Kept()
    body = event(kind="file" if "file_key" in said else "text", content=said, chat_type="p2p")
    assert await incomings(kept, AllowAll().mask).handle(pushed(body)) is None
    assert len(kept.taken) == 1
    assert len(kept.saved) == ("file_key" in said)
    assert "hunter2" not in repr((kept.taken, kept.saved))


KINDS = ("audio", "media", "sticker", "location", "share_chat", "share_user", "todo", "vote", "hongbao", "folder",
         "video_chat", "share_calendar_event", "general_calendar", "system", "a_kind_of_next_year")  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
async def test_kinds_that_cannot_be_read_are_answered_politely(kind: str) -> None:
    kept = Kept()
    content = {"file_key": "f", "duration": 1, "chat_id": "oc", "name": "x"}
    await incomings(kept).handle(pushed(event(kind=kind, content=content, chat_type="p2p")))
    [(_, what, extra)] = kept.taken
    assert (what, extra["do"]) == ("command", "notice")
    assert "暂不支持" in extra["text"]


@pytest.mark.parametrize(
    "content",
    [
        {"title": "", "content": ROWS},
        {"zh_cn": {"title": "", "content": ROWS}},
        {"fr_fr": {"title": "", "content": ROWS}},
        {"post": {"zh_cn": {"title": "", "content": ROWS}, "en_us": {"title": "x", "content": []}}},
        {"zh_cn": None, "ja_jp": {"content": ROWS}},
    ],
)
async def test_posts_of_every_shape_are_read(content: Any) -> None:
    kept = Kept()
    await incomings(kept).handle(pushed(event(kind="post", content=content, mentions=OWN)))
    [(asked, kind, _)] = kept.taken
    assert kind == "question"
    assert asked.text.splitlines()[0] == "看下"
    assert "面板 (https://x/y)" in asked.text


async def test_people_without_names_or_ids_for_this_app_are_neither_us_nor_everybody() -> None:
    kept = Kept()
    stranger = {"key": "@_user_2", "id": {"union_id": "on_x"}, "name": "李雷"}
    nameless = {"key": "@_user_3", "id": {"open_id": "ou_y"}}
    text = "@_user_2 和 @_user_3 看下支付"
    take = incomings(kept, mention_all=True)
    await take.handle(pushed(event(text, mentions=[stranger, nameless])))
    assert kept.taken == []
    await take.handle(pushed(event(f"@_user_1 {text}", mentions=[*OWN, stranger, nameless])))
    assert kept.taken[0][0].text == "@李雷 和  看下支付"
    sent = {"content": [[{"tag": "at", "user_id": "ou_z", "user_name": "韩梅梅"}, {"tag": "text", "text": " 呢"}]]}
    await take.handle(pushed(event(kind="post", content=sent, chat_type="p2p")))
    assert kept.taken[1][0].text == "@韩梅梅 呢"


@pytest.mark.parametrize("who", ["all", "@_all"])
async def test_everybody_in_a_post_is_everybody(who: str) -> None:
    kept = Kept()
    content = {"content": [[{"tag": "at", "user_id": who}, {"tag": "text", "text": "支付挂了"}]]}
    await incomings(kept).handle(pushed(event(kind="post", content=content)))
    assert kept.taken == []
    await incomings(kept, mention_all=True).handle(pushed(event(kind="post", content=content)))
    assert kept.taken[0][0].text == "支付挂了"


async def test_what_is_cut_off_a_long_message_is_said() -> None:
    kept = Kept()
    await incomings(kept).handle(pushed(event("为什么？" + "x" * 2 * MAX_QUESTION, chat_type="p2p")))
    [(asked, _, extra)] = kept.taken
    assert (len(asked.text), extra["cut"]) == (MAX_QUESTION, True)


@pytest.mark.parametrize(
    "body",
    [
        {}, [], None, {"action": "x", "operator": "y", "context": []}, {"action": {"value": "text"}},
        {"action": {"value": '{"act": "stop"}', "form_value": "x"}}, {"action": {"value": {"act": "bad", "key": 5}}},
        {"action": {"value": {"act": "of next year", "key": "k"}}},
    ],
)  # fmt: skip
async def test_presses_of_every_shape_are_answered(body: Any) -> None:
    answer = await incomings(Kept()).handle(pushed(body, "card.action.trigger"))
    assert isinstance(answer, dict)


def press(act: str, key: str = "om_1.0", user: str = "ou_a", chat: str = "") -> bytes:
    context = {"open_chat_id": chat} if chat else {}
    body = {"operator": {"open_id": user}, "action": {"value": {"act": act, "key": key}}, "context": context}
    return pushed(body, "card.action.trigger")


async def test_a_press_is_answered_in_time_however_long_the_store_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_ops.channels.feishu.clicks.SECONDS", 0.05)
    kept = Kept()
    kept.slow = 60.0
    answer = await incomings(kept).handle(press("retry"))
    assert answer["toast"]["content"] == "稍后再试。"


async def test_strangers_may_not_press_and_the_chat_of_a_card_is_known_where_the_event_lacks_it() -> None:
    kept = Kept()
    kept.post = Post("om_1.0", "feishu", "oc_1", "om_2", "r1", {"lang": "zh"}, datetime.now(UTC))
    for given, answered in (({"chats": ("oc_1",)}, True), ({"chats": ("oc_2",)}, False), ({"users": ("ou_b",)}, False)):
        closed: dict[str, Any] = {"users": (), **given}
        answer = await incomings(kept, **closed).handle(press("good"))
        assert bool(kept.said) is answered
        assert ("没有权限" in answer["toast"]["content"]) is not answered
        kept.said.clear()
    assert (
        "没有权限"
        in (await incomings(kept, users=(), chats=("oc_1",)).handle(press("good", chat="oc_9")))["toast"]["content"]
    )

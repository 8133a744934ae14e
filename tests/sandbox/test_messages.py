"""Sending, replying, changing, reading: shapes, idempotency, and what is refused with which code."""

from __future__ import annotations

import json

import pytest

from hermes_ops.sandbox import Sandbox
from tests.sandbox.raw import Api, connected

CARD = {"schema": "2.0", "body": {"elements": [{"tag": "markdown", "content": "hi", "element_id": "md"}]}}


async def test_a_sent_message_comes_back_in_the_shape_of_the_platform(box: Sandbox, api: Api) -> None:
    sent = (await api.send(box.group)).data
    assert sent["message_id"].startswith("om_")
    assert sent["sender"] == {"id": box.app_id, "id_type": "app_id", "sender_type": "app", "tenant_key": "sandbox"}
    assert sent["body"] == {"content": '{"text": "hello"}'}
    assert sent["create_time"].isdigit()
    assert len(sent["create_time"]) == 13
    assert "root_id" not in sent
    assert "thread_id" not in sent
    got = await api("GET", f"/im/v1/messages/{sent['message_id']}")
    assert got.data["items"] == [sent]


@pytest.mark.parametrize("kind", ["open_id", "union_id", "user_id"])
async def test_a_person_is_reached_in_the_private_chat_by_every_id(box: Sandbox, api: Api, kind: str) -> None:
    alice = box.people["alice"]
    ids = {"open_id": box.app.open_id_of(alice), "union_id": alice.union_id, "user_id": alice.user_id}
    body = {"receive_id": ids[kind], "msg_type": "text", "content": '{"text": "hi"}'}
    sent = await api("POST", "/im/v1/messages", body, receive_id_type=kind)
    assert sent.data["chat_id"] == box.p2p("alice").chat_id


async def test_the_same_uuid_makes_one_message_within_an_hour_on_send_and_reply(box: Sandbox, api: Api) -> None:
    first = (await api.send(box.group, uuid="job-1")).data["message_id"]
    assert (await api.send(box.group, uuid="job-1")).data["message_id"] == first
    assert (await api.reply(first, uuid="job-1")).data["message_id"] == first
    box.clock.advance(3599)
    assert (await api.send(box.group, uuid="job-1")).data["message_id"] == first
    box.clock.advance(2)
    api.token, _ = box.tokens.issue(box.app_id, box.app_secret)
    assert (await api.send(box.group, uuid="job-1")).data["message_id"] != first
    assert (await api.send(box.group, uuid="x" * 51)).code == 99992402


async def test_a_uuid_is_that_of_one_app(box: Sandbox, api: Api) -> None:
    other = box.add_app("second", [box.group])
    async with Api(box, other) as second:
        one, two = await api.send(box.group, uuid="u"), await second.send(box.group, uuid="u")
    assert one.data["message_id"] != two.data["message_id"]


async def test_replies_know_their_root_and_stay_in_the_topic(box: Sandbox, api: Api) -> None:
    asked = await box.say("alice", box.group, "why")
    first = (await api.reply(asked.message_id)).data
    second = (await api.reply(first["message_id"])).data
    assert (first["root_id"], first["parent_id"]) == (asked.message_id, asked.message_id)
    assert (second["root_id"], second["parent_id"]) == (asked.message_id, first["message_id"])
    assert "thread_id" not in first
    opened = (await api.reply(asked.message_id, reply_in_thread=True)).data
    assert opened["thread_id"].startswith("omt_")
    inside = (await api.reply(opened["message_id"])).data
    assert inside["thread_id"] == opened["thread_id"] == asked.thread_id
    listed = await api("GET", "/im/v1/messages", container_id_type="thread", container_id=opened["thread_id"])
    assert [m["message_id"] for m in listed.data["items"]][1:] == [opened["message_id"], inside["message_id"]]


async def test_every_message_of_a_topic_group_has_a_topic(box: Sandbox, api: Api) -> None:
    asked = await box.say("alice", box.topics, "why", mention_bot=True)
    assert asked.thread_id
    assert (await api.reply(asked.message_id)).data["thread_id"] == asked.thread_id
    assert (await api.reply(asked.thread_id)).code == 99992354


async def test_a_mention_in_a_text_is_read_back_as_a_key(box: Sandbox, api: Api) -> None:
    alice = box.app.open_id_of(box.people["alice"])
    sent = await api.send(box.group, content={"text": f'<at user_id="{alice}">x</at> and <at user_id="all"></at>'})
    assert json.loads(sent.data["body"]["content"]) == {"text": "@_user_1 and @_all"}
    assert [(m["key"], m["id"], m["name"]) for m in sent.data["mentions"]] == [("@_user_1", alice, "王晓")]
    box.group.everyone = False
    refused = await api.send(box.group, content={"text": '<at user_id="all"></at>'})
    assert refused.code == 230018


async def test_a_card_is_read_back_simplified_unless_the_original_is_asked_for(box: Sandbox, api: Api) -> None:
    sent = (await api.send(box.group, "interactive", CARD)).data
    read = (await api("GET", f"/im/v1/messages/{sent['message_id']}")).data["items"][0]
    assert "升级" in read["body"]["content"]
    original = await api("GET", f"/im/v1/messages/{sent['message_id']}", card_msg_content_type="user_card_content")
    assert json.loads(original.data["items"][0]["body"]["content"]) == CARD


async def test_a_robots_old_card_is_read_as_title_and_lines(box: Sandbox, api: Api) -> None:
    robot = box.add_app("告警", [box.group])
    card = {
        "header": {"title": {"tag": "plain_text", "content": "HighLatency"}},
        "elements": [
            {"tag": "div", "text": {"tag": "lark_md", "content": "service: pay"}},
            {"tag": "div", "fields": [{"is_short": True, "text": {"tag": "lark_md", "content": "since 10:02"}}]},
            {"tag": "action", "actions": [{"tag": "button", "text": {"tag": "plain_text", "content": "Mute"}}]},
        ],
    }
    alert = box.post(robot, box.group, "interactive", card)
    read = (await api("GET", f"/im/v1/messages/{alert.message_id}")).data["items"][0]
    assert json.loads(read["body"]["content"]) == {
        "title": "HighLatency",
        "elements": [
            [{"tag": "text", "text": "service: pay"}],
            [{"tag": "text", "text": "since 10:02"}],
            [{"tag": "button", "text": "Mute", "type": "default"}],
        ],
    }
    assert read["sender"]["sender_type"] == "app"


async def test_patch_replaces_cards_only_own_ones_only_and_within_14_days(box: Sandbox, api: Api) -> None:
    card = (await api.send(box.group, "interactive", CARD)).data["message_id"]
    text = (await api.send(box.group)).data["message_id"]
    theirs = await box.say("alice", box.group, "hi")

    async def patch(message_id: str, content: object = CARD) -> int:
        return (await api("PATCH", f"/im/v1/messages/{message_id}", {"content": json.dumps(content)})).code

    assert await patch(card) == 0
    assert await patch(text) == 230001
    assert await patch(theirs.message_id) == 230071
    big = {"schema": "2.0", "body": {"elements": [{"tag": "markdown", "content": "x" * (30 << 10)}]}}
    assert await patch(card, big) == 230025
    old = {"elements": [{"tag": "div", "text": {"tag": "plain_text", "content": "x"}}]}
    assert await patch(card, old) == 230099, "update_multi is needed before and after"
    box.clock.advance(14 * 86400 + 1)
    api.token, _ = box.tokens.issue(box.app_id, box.app_secret)
    assert await patch(card) == 230031


async def test_put_edits_texts_twenty_times(box: Sandbox, api: Api) -> None:
    box.limits.on = False
    sent = (await api.send(box.group)).data["message_id"]
    path = f"/im/v1/messages/{sent}"
    for n in range(20):
        edited = await api("PUT", path, {"msg_type": "text", "content": json.dumps({"text": str(n)})})
        assert (edited.code, edited.data["updated"]) == (0, True)
    assert (await api("PUT", path, {"msg_type": "text", "content": '{"text": "x"}'})).code == 230072
    card = (await api.send(box.group, "interactive", CARD)).data["message_id"]
    refused = await api("PUT", f"/im/v1/messages/{card}", {"msg_type": "text", "content": '{"text": "x"}'})
    assert refused.code == 230054


async def test_recall(box: Sandbox, api: Api) -> None:
    sent = (await api.send(box.group)).data["message_id"]
    theirs = await box.say("alice", box.group, "hi")
    assert (await api("DELETE", f"/im/v1/messages/{theirs.message_id}")).code == 230026
    assert (await api("DELETE", f"/im/v1/messages/{sent}")).code == 0
    assert (await api("GET", f"/im/v1/messages/{sent}")).data["items"][0]["deleted"] is True
    assert (await api("DELETE", f"/im/v1/messages/{sent}")).code == 230110
    await box.recall(theirs)
    assert (await api.reply(theirs.message_id)).code == 230011


async def test_who_may_speak_where(box: Sandbox, api: Api) -> None:
    strange = box.world.add_chat("elsewhere", [], [])
    assert (await api.send(strange)).code == 230002
    box.group.muted = True
    assert (await api.send(box.group)).code == 230035
    box.group.muted, box.group.dissolved = False, True
    assert (await api.send(box.group)).code == 232009
    box.app.outside.add(box.people["bob"])
    assert (await api.send(box.p2p("bob"))).code == 230013
    box.app.bot = False
    assert (await api.send(box.topics)).code == 230006


async def test_a_topic_can_not_be_opened_everywhere(box: Sandbox, api: Api) -> None:
    asked = await box.say("alice", box.p2p("alice"), "why")
    assert (await api.reply(asked.message_id, reply_in_thread=True)).code == 230071
    listed = await api("GET", "/im/v1/messages", container_id_type="thread", container_id="omt_1")
    assert listed.code == 230019


async def test_ids_that_lead_nowhere(box: Sandbox, api: Api) -> None:
    body = {"receive_id": "oc_nowhere", "msg_type": "text", "content": '{"text": "x"}'}
    unknown = await api("POST", "/im/v1/messages", body, receive_id_type="chat_id")
    assert (unknown.code, unknown.msg.endswith("ext=invalid receive_id.")) == (230001, True)
    other = box.add_app("second", [box.group])
    foreign = {**body, "receive_id": other.open_id_of(box.people["alice"])}
    assert (await api("POST", "/im/v1/messages", foreign, receive_id_type="open_id")).code == 99992361
    assert (await api("POST", "/im/v1/messages", body, receive_id_type="phone")).code == 99992402
    assert (await api.reply("om_nothing")).code == 230001
    assert (await api.reply("omt_topic")).code == 99992354
    assert (await api("GET", "/im/v1/chats/nonsense")).code == 99992356


@pytest.mark.parametrize(
    ("msg_type", "content", "code"),
    [
        ("text", "not json", 230001),
        ("text", "[]", 230001),
        ("text", '{"text": ""}', 230001),
        ("text", '{"text": "<at user_id=\\"ou_nobody\\">x</at>"}', 230001),
        ("text", json.dumps({"text": "x" * (150 << 10)}), 230025),
        ("text", json.dumps({"text": "字" * (50 << 10)}, ensure_ascii=False), 230025),
        ("post", '{"post": {"zh_cn": {"content": []}}}', 230001),
        ("post", '{"zh_cn": {"content": [[{"tag": "table"}]]}}', 230001),
        ("post", json.dumps({"zh_cn": {"content": [[{"tag": "text", "text": "字" * 10_241}]]}}), 230025),
        ("image", '{"image_key": "img_v3_nothing"}', 230001),
        ("interactive", "[]", 230001),
        ("markdown", "{}", 230001),
    ],
)
async def test_malformed_content(box: Sandbox, api: Api, msg_type: str, content: str, code: int) -> None:
    body = {"receive_id": box.group.chat_id, "msg_type": msg_type, "content": content}
    assert (await api("POST", "/im/v1/messages", body, receive_id_type="chat_id")).code == code


async def test_a_post_is_read_back_flat(box: Sandbox, api: Api) -> None:
    lines = [[{"tag": "text", "text": "look"}, {"tag": "a", "text": "here", "href": "https://example.com"}]]
    sent = await api.send(box.group, "post", {"zh_cn": {"title": "T", "content": lines}})
    assert json.loads(sent.data["body"]["content"]) == {"title": "T", "content": lines}


async def test_fields_are_checked_and_unknown_ones_are_noted(box: Sandbox, api: Api) -> None:
    missing = await api("POST", "/im/v1/messages", {"msg_type": "text", "content": "{}"}, receive_id_type="chat_id")
    assert missing.code == 99992402
    assert missing.body["error"]["field_violations"][0]["field"] == "receive_id"
    wrong = await api("POST", "/im/v1/messages", {"receive_id": 7, "msg_type": "text", "content": "{}"})
    assert wrong.code == 9499
    assert (await api.send(box.group, colour="red")).code == 0
    assert "colour" in box.journal.of("odd")[-1].data["what"]


async def test_lists_go_page_by_page(box: Sandbox, api: Api) -> None:
    for n in range(5):
        await box.say("alice", box.group, str(n))
    seen, token = [], ""
    while True:
        page = await api(
            "GET", "/im/v1/messages", container_id_type="chat", container_id=box.group.chat_id, page_size=2,
            **({"page_token": token} if token else {}),
        )  # fmt: skip
        seen += [json.loads(m["body"]["content"])["text"] for m in page.data["items"]]
        token = page.data["page_token"]
        if not page.data["has_more"]:
            break
    assert seen == ["0", "1", "2", "3", "4"]
    last = await api(
        "GET", "/im/v1/messages", container_id_type="chat", container_id=box.group.chat_id, sort_type="ByCreateTimeDesc"
    )
    assert last.data["items"][0]["body"]["content"] == '{"text": "4"}'


async def test_a_forwarded_bundle_is_read_with_its_children(box: Sandbox, api: Api) -> None:
    said = [await box.say("alice", box.group, str(n)) for n in range(2)]
    bundle = box.forward("bob", box.p2p("bob"), said)
    items = (await api("GET", f"/im/v1/messages/{bundle.message_id}")).data["items"]
    assert [m["msg_type"] for m in items] == ["merge_forward", "text", "text"]
    assert {m["upper_message_id"] for m in items[1:]} == {bundle.message_id}


async def test_another_bot_hears_when_it_is_mentioned(box: Sandbox, api: Api) -> None:
    second = box.add_app("second", [box.group])
    async with connected(box, app=second) as client:
        await api.send(box.group, content={"text": "not for you"})
        await api.send(box.group, content={"text": f'<at user_id="{box.app.open_id_of(second)}">second</at> hello'})
        await box.until(lambda: bool(client.events))
    [event] = [e["event"] for e in client.events]
    assert event["sender"]["sender_type"] == "app"
    assert event["message"]["mentions"][0]["id"]["open_id"] == second.open_id

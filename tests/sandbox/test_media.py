"""Uploads, downloads, reactions, chats, members and people."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from hermes_ops.sandbox import Sandbox
from hermes_ops.sandbox.multipart import parse
from tests.sandbox.raw import PNG, Answer, Api


async def image(api: Api, data: bytes, kind: str = "message") -> Answer:
    return await api("POST", "/im/v1/images", files={"image_type": (None, kind), "image": ("a.png", data)})


async def file(api: Api, data: bytes, kind: str = "stream", name: str = "报告.csv") -> Answer:
    fields = {"file_type": (None, kind), "file_name": (None, name), "file": ("a.csv", data)}
    return await api("POST", "/im/v1/files", files=fields)


def gif(width: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, 1) + b"\0" * 20


async def test_pictures_and_files_go_up_into_a_message_and_down_again(box: Sandbox, api: Api) -> None:
    key = (await image(api, PNG)).data["image_key"]
    assert key.startswith("img_v3_")
    sent = (await api.send(box.group, "image", {"image_key": key})).data["message_id"]
    path = f"/im/v1/messages/{sent}/resources"
    headers = {"Authorization": f"Bearer {api.token}"}
    got = await api.http.get(f"{path}/{key}?type=image", headers=headers)
    assert (got.content, got.headers["content-type"]) == (PNG, "image/png")
    log = await box.send_file("alice", box.group, "应用.log", b"\x00\xffbytes")
    name = next(iter(k for k in box.media.blobs if k.startswith("file_")))
    got = await api.http.get(f"/im/v1/messages/{log.message_id}/resources/{name}?type=file", headers=headers)
    assert got.content == b"\x00\xffbytes"
    assert "%E5%BA%94%E7%94%A8.log" in got.headers["content-disposition"]
    assert (await api("GET", f"{path}/{name}", type="file")).code == 234003
    assert (await api("GET", f"{path}/{key}", type="file")).code == 234003
    assert (await api("GET", f"{path}/{key}", type="video")).code == 99992402


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (PNG, 0),
        (b"\xff\xd8\xff\xe0jpeg", 0),
        (b"RIFF\0\0\0\0WEBP", 0),
        (gif(2000), 0),
        (b"", 234010),
        (b"b'\\x89PNG'", 234011),
        (b"\x89PNG\r\n\x1a\n" + b"x" * (10 << 20), 234006),
        (gif(2001), 234039),
        (PNG[:16] + struct.pack(">II", 12_001, 1) + PNG[24:], 234039),
    ],
)
async def test_which_pictures_are_taken(api: Api, data: bytes, code: int) -> None:
    assert (await image(api, data)).code == code


async def test_which_files_are_taken(api: Api) -> None:
    assert (await file(api, b"a,b")).data["file_key"].startswith("file_v3_")
    assert (await file(api, b"")).code == 234010
    assert (await file(api, b"x" * ((30 << 20) + 1))).code == 234006
    assert (await file(api, b"x", kind="exe")).code == 99992402
    assert (
        await api("POST", "/im/v1/files", files={"file_type": (None, "stream"), "file_name": (None, "x")})
    ).code == 234001


async def test_keys_of_others_are_refused(box: Sandbox, api: Api) -> None:
    async with Api(box, box.add_app("second", [box.group])) as second:
        key = (await image(second, PNG)).data["image_key"]
        assert (await api.send(box.group, "image", {"image_key": key})).code == 230017
        assert (await api("GET", f"/im/v1/images/{key}")).code == 234008
        assert (await second.send(box.group, "image", {"image_key": key})).code == 0


async def test_pictures_in_cards_are_not_downloaded(box: Sandbox, api: Api) -> None:
    key = (await image(api, PNG)).data["image_key"]
    card = {"schema": "2.0", "body": {"elements": [{"tag": "img", "img_key": key}]}}
    sent = (await api.send(box.group, "interactive", card)).data["message_id"]
    assert (await api("GET", f"/im/v1/messages/{sent}/resources/{key}", type="image")).code == 234043


def test_a_part_without_a_name_of_a_file_is_read_byte_for_byte() -> None:
    data = bytes(range(256)) + b"\r\n--x\r\n"
    body = b'--b\r\nContent-Disposition: form-data; name="image"\r\n\r\n' + data + b"\r\n--b--\r\n"
    parts = parse("multipart/form-data; boundary=b", body)
    assert parts is not None
    assert parts["image"] == (data, None)
    assert parse("multipart/form-data; boundary=b", b"--b\r\nhalf") is None
    assert parse("application/json", b"{}") is None


async def test_reactions_come_and_go(box: Sandbox, api: Api) -> None:
    said = await box.say("alice", box.group, "hello")
    path = f"/im/v1/messages/{said.message_id}/reactions"
    typing: dict[str, Any] = {"reaction_type": {"emoji_type": "Typing"}}
    made = (await api("POST", path, typing)).data
    assert made["operator"] == {"operator_id": box.app_id, "operator_type": "app"}
    assert [r.emoji for r in said.reactions] == ["Typing"]
    assert (await api("POST", path, typing)).data["reaction_id"] == made["reaction_id"], "once per app and kind"
    await box.react("alice", said, "THUMBSUP")
    assert len((await api("GET", path)).data["items"]) == 2
    assert (await api("DELETE", f"{path}/{said.reactions[1].reaction_id}")).code == 231007
    assert (await api("DELETE", f"{path}/{made['reaction_id']}")).code == 0
    assert (await api("DELETE", f"{path}/{made['reaction_id']}")).code == 231011
    assert (await api("POST", path, {"reaction_type": {"emoji_type": "typing"}})).code == 231001
    assert (await api("POST", "/im/v1/messages/om_x/reactions", typing)).code == 231003
    await box.recall(said)
    assert (await api("POST", path, typing)).code == 231003


async def test_chats_members_and_people(box: Sandbox, api: Api) -> None:
    chat = (await api("GET", f"/im/v1/chats/{box.group.chat_id}")).data
    assert (chat["name"], chat["chat_mode"], chat["user_count"], chat["bot_count"]) == ("值班群", "group", "3", "1")
    topics = (await api("GET", f"/im/v1/chats/{box.topics.chat_id}")).data
    assert (topics["chat_mode"], topics["group_message_type"]) == ("topic", "thread")
    page = (await api("GET", f"/im/v1/chats/{box.group.chat_id}/members", page_size=2)).data
    assert ([m["name"] for m in page["items"]], page["has_more"], page["member_total"]) == (["王晓", "李雷"], True, 3)
    alice = box.app.open_id_of(box.people["alice"])
    assert page["items"][0]["member_id"] == alice
    assert (await api("GET", f"/contact/v3/users/{alice}")).data["user"]["name"] == "王晓"
    some = (await api("GET", "/contact/v3/users/batch", user_ids=[alice, "ou_nobody"])).data["items"]
    assert [u["open_id"] for u in some] == [alice]
    assert (await api("GET", "/contact/v3/users/batch")).code == 99992402
    assert (await api("GET", "/contact/v3/users/ou_nobody")).code == 41050
    assert {c["name"] for c in (await api("GET", "/im/v1/chats")).data["items"]} == {"值班群", "故障话题群"}
    strange = box.world.add_chat("elsewhere", [], [])
    assert (await api("GET", f"/im/v1/chats/{strange.chat_id}")).code == 230002

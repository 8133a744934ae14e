"""Calls of the platform that fail in every way: one kind of error for all, tried again where that can help."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest

from hermes_ops.channels.base import Address
from hermes_ops.channels.feishu import posting
from hermes_ops.channels.feishu.errors import Refusal
from hermes_ops.channels.feishu.rest import PER_CHAT, Api
from hermes_ops.sandbox import Sandbox

TEXT = {"msg_type": "text", "content": '{"text": "x"}'}


@pytest.fixture
async def box() -> AsyncIterator[Sandbox]:
    async with Sandbox() as made:
        yield made


@pytest.fixture
async def api(box: Sandbox) -> AsyncIterator[Api]:
    made = Api(box.app_id, box.app_secret, box.domain, "", lambda: None)
    await made.open()
    yield made
    made.close()


async def send(api: Api, chat: str) -> Any:
    return await api.call("POST", "/im/v1/messages", {**TEXT, "receive_id": chat}, {"receive_id_type": "chat_id"}, chat)


STAGED: tuple[Callable[[Sandbox], object], ...] = (
    lambda box: box.faults.page("/messages", status=500),
    lambda box: box.faults.page("/messages", status=200, body=""),
    lambda box: box.faults.page("/messages", status=200, body="<html>log in</html>"),
    lambda box: box.faults.page("/messages", status=404, body="not found"),
    lambda box: box.faults.reset("/messages"),
    lambda box: box.faults.lose("/messages"),
    lambda box: box.faults.page("/tenant_access_token", status=503),
    lambda box: box.faults.refuse("/tenant_access_token", 0, "no token in it", status=200),
    lambda box: box.faults.refuse("/messages", 99991663),
    lambda box: box.faults.refuse("/messages", 1663, status=200),
    lambda box: box.faults.refuse("/messages", 4242, "a code of next year", status=503),
    lambda box: box.faults.refuse("/messages", 99991400, status=429, headers={"x-ogw-ratelimit-reset": "1"}),
    lambda box: box.faults.refuse("/messages", 99991400, status=400, headers={"x-ogw-ratelimit-reset": "soon"}),
    lambda box: box.faults.refuse("/messages", 230020, "ext=chat rate limit"),
    lambda box: box.faults.refuse("/messages", 307, status=307, headers={"location": "http://127.0.0.1:1/x"}),
)


@pytest.mark.parametrize("n", range(len(STAGED)))
async def test_what_passes_is_tried_again_and_makes_one_message(box: Sandbox, api: Api, n: int) -> None:
    STAGED[n](box)
    id = await posting.post(api, Address(box.group.chat_id), "text", {"text": "x"}, "a key")
    assert [m.message_id for m in box.messages(box.group, box.app)] == [id]


async def test_a_revoked_token_is_renewed_once_also_where_there_is_one_attempt(box: Sandbox, api: Api) -> None:
    await send(api, box.group.chat_id)
    box.tokens.revoke()
    assert (await api.call("GET", "/bot/v3/info", attempts=1))["bot"]["open_id"] == box.app.open_id
    fault = box.faults.refuse("/bot/v3/info", 99991663, times=None)
    with pytest.raises(Refusal) as refused:
        await api.call("GET", "/bot/v3/info", attempts=1)
    assert (refused.value.sort, fault.met) == ("token", 2)


async def test_a_pause_that_a_gateway_asks_for_is_kept(box: Sandbox, api: Api) -> None:
    box.faults.refuse("/messages", 4242, status=503, headers={"retry-after": "2"})
    begun = time.monotonic()
    await send(api, box.group.chat_id)
    assert time.monotonic() - begun >= 2.0


async def test_a_chat_that_has_to_wait_holds_up_no_other(box: Sandbox, api: Api) -> None:
    box.limits.on = False
    flood = [asyncio.create_task(send(api, box.group.chat_id)) for _ in range(60)]
    await asyncio.sleep(0.2)
    await asyncio.wait_for(send(api, box.p2p("alice").chat_id), 60 * PER_CHAT / 2)
    assert not all(task.done() for task in flood)
    for task in flood:
        task.cancel()
    await asyncio.gather(*flood, return_exceptions=True)


async def test_a_used_up_quota_is_told_once_and_not_tried_again(
    box: Sandbox, api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    fault = box.faults.refuse("/messages", 99991403, times=None)
    for _ in range(3):
        with pytest.raises(Refusal):
            await send(api, box.group.chat_id)
    assert (fault.met, api.exhausted) == (3, True)
    assert sum("used up" in r.getMessage() for r in caplog.records) == 1
    box.faults.active.remove(fault)
    await send(api, box.group.chat_id)
    assert not api.exhausted


@pytest.mark.parametrize("data", [b'{"level": "error"}', b'{"code": 500, "msg": "boom"}', b"[1]", b"plain", b"{"])
async def test_a_file_is_its_bytes_also_where_it_is_json(box: Sandbox, api: Api, data: bytes) -> None:
    """The platform may name a file's own type when it hands it out."""
    sent = await box.send_file("alice", box.p2p("alice"), "x.json", data)
    key = json.loads(sent.content)["file_key"]
    box.media.blobs[key] = replace(box.media.blobs[key], mime="application/json")
    assert await api.download(f"/im/v1/messages/{sent.message_id}/resources/{key}", {"type": "file"}) == data


async def test_a_file_that_is_too_large_is_not_read_to_its_end(
    box: Sandbox, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = await box.send_file("alice", box.p2p("alice"), "x.log", b"x" * 200_000)
    monkeypatch.setattr("hermes_ops.channels.feishu.sdk.MOST", 1 << 17)
    key = json.loads(sent.content)["file_key"]
    with pytest.raises(Refusal, match="larger than") as refused:
        await api.download(f"/im/v1/messages/{sent.message_id}/resources/{key}", {"type": "file"})
    assert refused.value.sort == "never"


async def test_a_file_that_is_refused_is_not_taken_for_one(box: Sandbox, api: Api) -> None:
    sent = await box.send_file("alice", box.p2p("alice"), "x.log", b"x")
    box.faults.refuse("/resources/", 234037, "too large", status=200)
    with pytest.raises(Refusal) as refused:
        await api.download(f"/im/v1/messages/{sent.message_id}/resources/file_v3_x", {"type": "file"})
    assert refused.value.code == 234037

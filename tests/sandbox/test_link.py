"""The long connection: discovery, handshake, pings, events, acknowledgements, fragments, and its faults."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from hermes_ops.sandbox import Sandbox
from hermes_ops.sandbox.frames import CONTROL, Frame, decode, encode
from hermes_ops.sandbox.link import Ack
from tests.sandbox.raw import PNG, connected, discover, ok


def acks(box: Sandbox) -> list[Ack | None]:
    return [ack for delivery in box.pushes.all for ack in delivery.acks]


async def test_discovery_hands_out_an_address_and_all_four_settings(box: Sandbox) -> None:
    found = await discover(box)
    assert (found["status"], found["code"]) == (200, 0)
    assert found["data"]["ClientConfig"] == {
        "ReconnectCount": -1, "ReconnectInterval": 1, "ReconnectNonce": 1, "PingInterval": 120,
    }  # fmt: skip
    query = dict(pair.split("=") for pair in found["data"]["URL"].partition("?")[2].split("&"))
    assert {"device_id", "service_id", "access_key", "ticket"} <= set(query)
    assert query["service_id"].isdigit()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, 1000040344),
        ({"AppID": "cli_sandbox", "AppSecret": ""}, 1000040344),
        ({"AppID": "cli_sandbox", "AppSecret": "wrong"}, 514),
        ({"AppID": "cli_nobody", "AppSecret": "x"}, 514),
    ],
)
async def test_discovery_refuses(box: Sandbox, body: dict[str, str], code: int) -> None:
    async with httpx2.AsyncClient(trust_env=False, verify=False) as http:
        got = await http.post(box.domain + "/callback/ws/endpoint", json=body)
    assert got.json()["code"] == code


async def test_discovery_faults(box: Sandbox) -> None:
    box.link.faults.discovery = (500, 1, "busy")
    assert (await discover(box))["status"] == 500
    box.link.faults.discovery = (200, 1000040350, "too many")
    assert (await discover(box))["code"] == 1000040350
    box.link.faults.discovery = None
    box.link.faults.discovery_hangs = True
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(discover(box), 0.3)
    box.link.faults.discovery_hangs = False
    assert (await discover(box))["code"] == 0


async def test_at_most_fifty_connections(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_ops.sandbox.link.MOST", 2)
    async with connected(box), connected(box):
        assert (await discover(box))["code"] == 1000040350


async def test_a_ticket_is_good_once(box: Sandbox) -> None:
    address = (await discover(box))["data"]["URL"]
    async with connect(address, proxy=None):
        with pytest.raises(InvalidStatus) as refused:
            await connect(address, proxy=None)
    assert refused.value.response.headers["handshake-status"] == "514"


async def test_the_handshake_is_refused_as_it_is_told(box: Sandbox) -> None:
    box.link.faults.handshake = {"handshake-status": "403", "handshake-msg": "forbidden"}
    with pytest.raises(InvalidStatus) as refused:
        await connect((await discover(box))["data"]["URL"], proxy=None)
    assert refused.value.response.headers["handshake-msg"] == "forbidden"
    assert refused.value.response.status_code == 403


async def test_a_ping_is_answered_with_the_settings_if_there_are_new_ones(box: Sandbox) -> None:
    async with connected(box) as client:
        ping = encode(Frame(service=7, method=CONTROL, headers={"type": "ping"}))
        await client.socket.send(ping)
        await box.journal.wait(lambda e: e.data.get("headers", {}).get("type") == "pong")
        box.link.config_in_pong = {**box.link.client_config, "PingInterval": 5}
        await client.socket.send(ping)
        await until(lambda: len(client.frames) == 2)
        assert (client.frames[0].service, client.frames[0].payload) == (7, b"")
        assert json.loads(client.frames[1].payload)["PingInterval"] == 5
        box.link.faults.pong = False
        await client.socket.send(ping)
        await box.until(lambda: next(iter(box.link.connections.values())).pings == 3)
        assert len(client.frames) == 2


async def until(condition: Any) -> None:
    async with asyncio.timeout(3):
        while not condition():
            await asyncio.sleep(0.01)


async def test_a_message_arrives_as_an_event_and_its_answer_is_read(box: Sandbox) -> None:
    async with connected(box, lambda event: ok({"a": 1})) as client:
        said = await box.say("alice", box.group, "你好", mention_bot=True)
        [delivery] = box.deliveries(said)
        await delivery.settled()
    frame, [event] = client.frames[0], client.events
    assert {"type", "message_id", "sum", "seq", "trace_id"} <= set(frame.headers)
    assert event["header"]["event_type"] == "im.message.receive_v1"
    assert len(event["header"]["create_time"]) == 13
    message = event["event"]["message"]
    assert (message["chat_type"], message["message_type"]) == ("group", "text")
    assert json.loads(message["content"]) == {"text": "@_user_1 你好"}
    assert message["mentions"][0]["id"]["open_id"] == box.app.open_id
    assert event["event"]["sender"]["sender_type"] == "user"
    assert (delivery.acks[0].code, delivery.acks[0].data) == (200, {"a": 1})  # type: ignore[union-attr]


async def test_who_hears_what(box: Sandbox) -> None:
    async with connected(box) as client:
        await box.say("alice", box.group, "nobody is meant")
        await box.say("alice", box.group, "bob", mention=("bob",))
        await box.say("alice", box.group, "all", mention_all=True)
        await box.say("alice", box.p2p("alice"), "private")
        await until(lambda: len(client.events) == 2)
        box.app.scopes.add("im:message.group_msg")
        await box.say("alice", box.group, "everything")
        box.app.scopes -= {"im:message.group_msg", "im:message.p2p_msg:readonly"}
        await box.say("alice", box.p2p("alice"), "not any more")
        await until(lambda: len(client.events) == 3)
    texts = [json.loads(e["event"]["message"]["content"])["text"] for e in client.events]
    assert texts == ["@_all all", "private", "everything"]
    assert "mentions" not in client.events[0]["event"]["message"]


async def test_each_event_goes_to_one_of_several_connections(box: Sandbox) -> None:
    async with connected(box) as one, connected(box) as two:
        for n in range(20):
            await box.say("alice", box.p2p("alice"), str(n))
        await until(lambda: len(one.events) + len(two.events) == 20)
        assert one.events
        assert two.events


async def test_a_large_event_comes_in_parts(box: Sandbox) -> None:
    async with connected(box) as client:
        said = await box.say("alice", box.p2p("alice"), "字" * 400_000)
        await box.deliveries(said)[0].settled()
        assert [f.headers["sum"] for f in client.frames] == ["3", "3", "3"]
        assert all(len(f.payload) <= 512 << 10 for f in client.frames)
        box.link.faults.lose_last_fragment = True
        box.link.within = 0.1
        box.pushes.repeats = ()
        lost = await box.say("alice", box.p2p("alice"), "字" * 400_000)
        await box.deliveries(lost)[0].settled()
        assert box.deliveries(lost)[0].acks == [None]


@pytest.mark.parametrize("answer", [{"code": 500}, None, {"code": "x"}, {}])
async def test_what_is_not_taken_is_pushed_again_with_the_same_event_id(box: Sandbox, answer: Any) -> None:
    box.link.within = 0.1
    async with connected(box, lambda event: answer) as client:
        said = await box.say("alice", box.p2p("alice"), "hello")
        [delivery] = box.deliveries(said)
        for attempts, pause in enumerate((15, 300, 3600, 21600), 1):
            await box.until(lambda n=attempts: len(delivery.acks) == n)
            box.clock.advance(pause - 1)
            await asyncio.sleep(0.02)
            assert len(delivery.acks) == attempts, "too early"
            box.clock.advance(1)
        await delivery.settled()
    assert len(delivery.acks) == 5
    assert not delivery.taken
    assert {e["header"]["event_id"] for e in client.events} == {delivery.event_id}
    assert len({f.headers["message_id"] for f in client.frames}) == 5, "each push is a frame of its own"


async def test_the_clock_can_run_faster(box: Sandbox) -> None:
    async with Sandbox(speed=1000) as fast:
        fast.link.within = 0.05
        said = await fast.say("alice", fast.p2p("alice"), "nobody is there")
        await asyncio.sleep(0.1)
        async with connected(fast) as client:
            await fast.deliveries(said)[0].settled()
            assert len(client.events) == 1


async def test_an_answer_after_three_seconds_is_too_late(box: Sandbox) -> None:
    assert box.link.within == 3.0
    box.link.within = 0.1

    async def slow(event: Any) -> Any:
        await asyncio.sleep(0.2)
        return ok()

    async with connected(box, slow):
        said = await box.say("alice", box.p2p("alice"), "hello")
        await box.until(lambda: box.deliveries(said)[0].acks == [None])
        await box.journal.wait(lambda e: e.data.get("what") == "an answer that nobody waits for any more")


async def test_copies_and_order(box: Sandbox) -> None:
    async with connected(box) as client:
        box.pushes.copies = 2
        await box.say("alice", box.p2p("alice"), "twice")
        await until(lambda: len(client.events) == 2)
        assert client.events[0] == client.events[1]
        box.pushes.copies, box.pushes.held = 1, []
        for n in range(3):
            await box.say("alice", box.p2p("alice"), str(n))
        box.pushes.release(backwards=True)
        await until(lambda: len(client.events) == 5)
        box.pushes.again(box.pushes.all[0])
        await until(lambda: len(client.events) == 6)
    texts = [json.loads(e["event"]["message"]["content"])["text"] for e in client.events]
    assert texts == ["twice", "twice", "2", "1", "0", "twice"]


async def test_dropped_cut_and_deaf(box: Sandbox) -> None:
    async with connected(box) as client:
        assert await box.link.drop(code=1001) == 1
        with pytest.raises(ConnectionClosed) as closed:
            await client.socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1001
    async with connected(box) as client:
        assert box.link.cut() == 1
        with pytest.raises(ConnectionClosed) as closed:
            await client.socket.recv()
        assert closed.value.rcvd is None, "no close frame"
    await box.until(lambda: not box.link.connections)
    box.link.within = 0.1
    async with connected(box) as client:
        assert box.link.deafen() == 1
        said = await box.say("alice", box.p2p("alice"), "into the void")
        await box.until(lambda: bool(box.deliveries(said)[0].acks))
        assert client.frames == []
        waiting = await client.socket.ping()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waiting, 0.2)
        assert box.link.bury() == 1
        await box.until(lambda: not box.link.connections)


async def test_how_a_client_left_is_in_the_journal(box: Sandbox) -> None:
    async with connected(box):
        pass
    left = await box.journal.wait(lambda e: e.data.get("what") == "closed")
    assert left.data["code"] == 1000
    async with connected(box) as client:
        client.socket.transport.abort()
        await box.until(lambda: not box.link.connections)
    assert box.journal.of("socket", what="closed")[-1].data["code"] == 1006


async def test_what_is_no_frame_is_noted(box: Sandbox) -> None:
    async with connected(box) as client:
        await client.socket.send("text")
        await client.socket.send(b"\x00\xff")
        await client.socket.send(encode(Frame(headers={"type": "dance"})))
        await box.until(lambda: len(box.journal.of("odd")) == 3)
    assert decode(encode(Frame())) == Frame()


async def test_two_apps_each_get_the_event_under_their_own_ids(box: Sandbox) -> None:
    second = box.add_app("second", [box.group])
    async with connected(box) as one, connected(box, app=second) as two:
        await box.say("alice", box.group, "both", mention_bot=True, mention=(second,))
        await until(lambda: bool(one.events and two.events))
    a, b = one.events[0]["event"], two.events[0]["event"]
    assert a["message"]["message_id"] == b["message"]["message_id"]
    assert a["sender"]["sender_id"]["open_id"] != b["sender"]["sender_id"]["open_id"]
    assert a["sender"]["sender_id"]["union_id"] == b["sender"]["sender_id"]["union_id"]


async def test_events_that_are_not_subscribed_are_not_pushed(box: Sandbox) -> None:
    box.app.events.discard("im.message.receive_v1")
    said = await box.say("alice", box.p2p("alice"), "hello")
    assert box.deliveries(said) == []
    assert box.journal.of("push", what="not subscribed")


async def test_other_gestures_become_events(box: Sandbox) -> None:
    async with connected(box) as client:
        said = await box.say("alice", box.p2p("alice"), "hello")
        await box.react("alice", said, "THUMBSUP")
        await box.recall(said)
        pasted = await box.paste("alice", box.group, "see", PNG, mention_bot=True)
        await box.send_file("alice", box.p2p("alice"), "a.log", b"x")
        box.push("application.bot.menu_v6", {"event_key": "help"})
        await until(lambda: len(client.events) == 6)
    kinds = {e["header"]["event_type"] for e in client.events}
    assert {"im.message.reaction.created_v1", "im.message.recalled_v1", "application.bot.menu_v6"} <= kinds
    post = json.loads(pasted.content)
    assert [[e["tag"] for e in line] for line in post["content"]] == [["at", "text"], ["img"]]

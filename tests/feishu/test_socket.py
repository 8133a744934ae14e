"""The long connection's finer points: pings as the platform wants them, ends at once, events side by side, odd ones."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from hermes_ops.channels.feishu.socket import Handle, LongConnection
from hermes_ops.sandbox import Sandbox
from orchestrator.contracts import Json
from tests.feishu.test_connection import PING, nothing
from tests.serve.bench import until


@asynccontextmanager
async def linked(box: Sandbox, handle: Handle = nothing) -> AsyncIterator[LongConnection]:
    link = LongConnection(box.app_id, box.app_secret, box.domain, "", handle)
    link.start()
    try:
        yield link
    finally:
        assert await asyncio.to_thread(link.stop)


async def test_an_interval_that_a_pong_makes_shorter_holds_at_once_and_is_no_death() -> None:
    async with Sandbox() as box:
        box.link.config_in_pong = dict(PING)
        async with linked(box) as link:
            await box.until(lambda: any(c.pings >= 6 for c in box.link.connections.values()), 20)
            assert link.health().figures["connects"] == 1


@pytest.mark.parametrize("sent", [{}, {"PingInterval": None}, {"PingInterval": "9"}, {"PingInterval": -1}, {"x": 1}])
async def test_intervals_that_are_none_are_passed_over(sent: Json) -> None:
    async with Sandbox() as box:
        box.link.client_config = sent
        box.link.config_in_pong = sent or {"ReconnectCount": 5}
        async with linked(box) as link:
            await box.until(lambda: any(c.pings for c in box.link.connections.values()), 20)
            assert link.health().ok


async def test_it_stops_at_once_while_discovery_hangs() -> None:
    async with Sandbox() as box:
        box.link.faults.discovery_hangs = True
        link = LongConnection(box.app_id, box.app_secret, box.domain, "", nothing)
        link.start()
        await until(lambda: any("discovery" in t.name for t in threading.enumerate()))
        assert await asyncio.to_thread(link.stop, 3.0)
        box.link.faults.discovery_hangs = False


async def test_one_that_is_stopped_before_it_has_begun_ends_too() -> None:
    link = LongConnection("cli_x", "s", "http://127.0.0.1:9", "", nothing)
    assert link.stop()
    link.start()
    assert await asyncio.to_thread(link.stop, 5.0)


async def test_a_discovery_that_leads_elsewhere_gets_no_secret_there() -> None:
    heard: list[bytes] = []

    async def elsewhere(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(100))
        writer.close()

    async def leads(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        place = f"Location: http://127.0.0.1:{other.sockets[0].getsockname()[1]}/x\r\n".encode()
        writer.write(b"HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\n" + place + b"Connection: close\r\n\r\n")
        writer.close()

    other = await asyncio.start_server(elsewhere, "127.0.0.1", 0)
    first = await asyncio.start_server(leads, "127.0.0.1", 0)
    async with other, first:
        link = LongConnection("cli_x", "s", f"http://127.0.0.1:{first.sockets[0].getsockname()[1]}", "", nothing)
        link.start()
        await until(lambda: "307" in link.health().says)
        assert await asyncio.to_thread(link.stop)
    assert heard == []


async def test_events_are_taken_side_by_side_and_a_slow_one_holds_up_nothing() -> None:
    gate, taken = threading.Event(), list[Json]()

    async def handle(payload: bytes) -> Json:
        event = json.loads(payload)["event"]
        taken.append(event["n"])
        while event["n"] == 0 and not gate.is_set():
            await asyncio.sleep(0.01)
        return None

    async with Sandbox() as box:
        box.link.client_config = dict(PING)
        async with linked(box, handle):
            await box.connected()
            slow, *rest = [box.push("im.message.receive_v1", {"n": n}) for n in range(20)]
            assert slow is not None
            await box.until(lambda: all(d is not None and d.taken for d in rest))
            assert not slow.taken
            gate.set()
            await box.until(lambda: slow.taken)
        assert taken == list(range(20)), "they are begun in the order in which they came"


async def test_presses_that_come_as_frames_of_their_own_are_answered() -> None:
    async def handle(payload: bytes) -> Json:
        return {"toast": {"type": "info", "content": json.loads(payload)["header"]["event_type"]}}

    async with Sandbox() as box, linked(box, handle):
        await box.connected()
        for frame in ("card", "event"):
            ack = await box.link.push(box.app, {"header": {"event_type": frame}}, frame)
            assert ack is not None
            assert ack.data["toast"]["content"] == frame


async def test_parts_in_any_order_and_twice_are_one_event() -> None:
    sizes: list[int] = []

    async def handle(payload: bytes) -> Json:
        sizes.append(len(json.loads(payload)["event"]["x"]))
        return None

    async with Sandbox() as box, linked(box, handle) as link:
        await box.connected()
        box.link.faults.shuffle_fragments = True
        pushed = box.push("im.message.receive_v1", {"x": "好" * (1 << 20)})
        assert pushed is not None
        await box.until(lambda: pushed.taken)
        assert set(sizes) == {1 << 20}
        assert link.health().figures["connects"] == 1


async def test_a_handler_that_fails_has_it_pushed_again_and_odd_frames_end_nothing() -> None:
    failures = [RuntimeError("x"), RuntimeError("y")]

    async def handle(payload: bytes) -> Json:
        if failures and payload:
            raise failures.pop()
        return None

    async with Sandbox(speed=100) as box, linked(box, handle) as link:
        await box.connected()
        [connection] = box.link.connections.values()
        await connection.socket.send_text("hello")
        for junk in (b"", b"\x00\xff", b"\x08\x01\x10\x01\x18\x01\x20\x05", b"\x08\x01\x10\x01\x18\x01\x20\x01"):
            await connection.socket.send_bytes(junk)
        pushed = box.push("im.message.receive_v1", {"x": 1})
        assert pushed is not None
        await pushed.settled(20)
        assert [ack and ack.code for ack in pushed.acks] == [500, 500, 200]
        assert link.health().figures["connects"] == 1


async def test_more_at_once_than_a_server_takes_in_a_second_is_acknowledged_in_time() -> None:
    """A store that needs 50 ms, as a slow disk does: one after the other would be later than the platform waits."""

    async def handle(payload: bytes) -> Json:
        await asyncio.sleep(0.05)
        return None

    async with Sandbox() as box, linked(box, handle):
        await box.connected()
        begun = time.monotonic()
        pushed = [box.push("im.message.receive_v1", {"n": n}) for n in range(100)]
        await box.until(lambda: all(d is not None and d.acks for d in pushed), 10)
        assert all(d is not None and d.taken for d in pushed)
        assert time.monotonic() - begun < 5.0

"""The long connection dies in every way it can: health tells the truth, and it comes back by itself."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from hermes_ops.channels.feishu import plug
from hermes_ops.channels.feishu.socket import WAITS, LongConnection, failures
from hermes_ops.sandbox import Sandbox
from hermes_ops.settings import FeishuSettings
from orchestrator.errors import ConfigError, StoreError
from tests.feishu.rig import QUESTION, bot, settings, words
from tests.serve.bench import until

PING = {"ReconnectCount": -1, "ReconnectInterval": 1, "ReconnectNonce": 1, "PingInterval": 1}


def ready(url: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(f"{url}/readyz") as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as e:
        return e.code, json.loads(e.read())


async def nothing(payload: bytes) -> None:
    return None


@asynccontextmanager
async def connection(box: Sandbox, proxy: str = "") -> AsyncIterator[LongConnection]:
    box.link.client_config = dict(PING)
    link = LongConnection(box.app_id, box.app_secret, box.domain, proxy, nothing)
    link.start()
    try:
        yield link
    finally:
        assert await asyncio.to_thread(link.stop)


async def test_it_comes_back_after_every_kind_of_end_and_stops_with_1000() -> None:
    async with Sandbox() as box:
        async with connection(box) as link:
            await until(lambda: link.health().ok, 20)
            for n, end in enumerate((box.link.drop, box.link.cut), 2):
                done = end()
                if asyncio.iscoroutine(done):
                    await done
                await until(lambda n=n: link.health().figures["connects"] == n and link.health().ok, 10)  # type: ignore[misc]
            assert len(box.link.connections) == 1
        await until(lambda: not box.link.connections)
        assert box.journal.of("socket", what="closed")[-1].data["code"] == 1000


@pytest.mark.parametrize("way", ["deaf", "no pong"])
async def test_a_connection_over_which_nothing_comes_turns_red_and_is_rebuilt(way: str) -> None:
    async with Sandbox() as box, connection(box) as link:
        await until(lambda: link.health().ok, 20)
        if way == "deaf":
            box.link.deafen()
        else:
            box.link.faults.pong = False
        await until(lambda: not link.health().ok, 8)
        box.link.faults.pong = True
        await until(lambda: link.health().ok and link.health().figures["connects"] == 2, 10)


async def test_fatal_codes_and_gateway_pages_of_discovery_are_told_and_tried_again() -> None:
    async with Sandbox() as box:
        box.link.faults.discovery = (200, 1000040350, "the number of connections exceeded the limit")
        async with connection(box) as link:
            await until(lambda: "1000040350" in link.health().says, 20)
            assert not link.health().ok
            assert box.app_secret not in link.health().says
            box.link.faults.discovery = (502, 1, "x")
            await until(lambda: "1000040350" not in link.health().says, 10)
            box.link.faults.discovery = None
            await until(lambda: link.health().ok, 15)


async def test_missing_numbers_and_a_refused_handshake_do_not_end_it() -> None:
    async with Sandbox() as box, connection(box) as link:
        box.link.client_config = {}
        box.link.faults.handshake = {
            "handshake-status": "514",
            "handshake-msg": "bad ticket",
            "handshake-autherrcode": "1000040346",
        }
        await until(lambda: "514" in link.health().says, 20)
        box.link.faults.handshake = None
        await until(lambda: link.health().ok, 15)


def test_after_a_good_connection_the_next_try_comes_soon_after_a_bad_one_later() -> None:
    assert failures(4, connected=True, seconds=3.5) == 0
    flapping = failed = 0
    for _ in range(20):
        flapping = failures(flapping, connected=True, seconds=0.1)
        failed = failures(failed, connected=False, seconds=10.0)  # a discovery that hangs is no good connection
    assert WAITS[flapping] == 2.0
    assert WAITS[failed] == WAITS[-1]


async def test_what_three_pushes_did_not_reach_is_answered_once_after_the_fourth(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        box.link.faults.discovery = (200, 1, "busy")
        box.link.cut()
        await until(lambda: not box.link.connections)
        asked = await box.say("alice", box.group, QUESTION, mention_bot=True)
        [delivery] = box.deliveries(asked)
        for pushed, pause in enumerate((15.0, 300.0), 1):
            await until(lambda n=pushed: len(delivery.acks) == n)  # type: ignore[misc]
            box.clock.advance(pause)
        await until(lambda: len(delivery.acks) == 3)
        box.link.faults.discovery = None
        await box.connected(timeout=30)
        assert await b.entry(asked) is None
        box.clock.advance(3600.0)
        await b.done(asked)
        assert delivery.acks[:3] == [None] * 3
        assert delivery.taken
        assert len(box.answers(asked)) == 1


async def test_large_events_come_in_one_frame_or_in_parts(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        for fragment in (64 << 20, 512 << 10):
            box.link.fragment = fragment
            asked = await box.say("alice", box.group, "/help " + "x" * (2 << 20), mention_bot=True)
            await box.answered(asked)
        assert b.service.ready()[0]


async def test_events_that_we_do_not_want_are_acknowledged(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path):
        asked = await box.say("alice", box.p2p("alice"), "/help")
        [told] = await box.answered(asked)
        await box.read("alice", told)
        await box.react("alice", told, "OK")
        for kind in ("p2p_chat_create", "im.chat.updated_v1", "application.bot.menu_v6"):
            box.push(kind, {"x": 1})
        await asyncio.sleep(0.5)
        assert [d.kind for d in box.pushes.all if not d.taken] == []
        assert len(box.answers(asked)) == 1


async def test_ready_tells_the_truth_over_http(tmp_path: Path) -> None:
    async with Sandbox() as box:
        box.link.client_config = dict(PING)
        async with bot(box, tmp_path) as b:
            status, told = await asyncio.to_thread(ready, b.service.url)
            assert (status, told["ready"]) == (200, True)
            assert told["channels"]["feishu"]["calls_this_month"] > 0
            box.link.faults.discovery = (200, 1, "busy")
            box.link.cut()
            await until(lambda: not b.service.ready()[0])
            status, told = await asyncio.to_thread(ready, b.service.url)
            assert status == 503
            assert "down" in told["channels"]["feishu"]["says"]
            box.link.faults.discovery = None
            await until(lambda: b.service.ready()[0], 15)


async def test_an_unknown_identity_is_silent_in_groups_until_it_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_ops.channels.feishu.identity.AGAIN", (0.5,))
    async with Sandbox() as box:
        fault = box.faults.refuse("/bot/v3/info", 99991672, times=None)
        async with bot(box, tmp_path) as b:
            unheard = await box.say("alice", box.group, "/help", mention_bot=True)
            private = await box.say("alice", box.p2p("alice"), "/help")
            await box.answered(private)
            assert box.answers(unheard) == []
            assert "identity is unknown" in b.channel.health().says
            box.faults.active.remove(fault)
            await until(lambda: b.channel.identity.open_id)
            await box.answered(await box.say("alice", box.group, "/help", mention_bot=True))
            box.clock.advance(15.0)
            await box.answered(unheard)  # it was not acknowledged, and is pushed again


async def test_a_second_process_of_the_app_and_of_the_inbox_is_refused(tmp_path: Path) -> None:
    async with Sandbox() as box:
        chosen = settings(box, tmp_path)
        first = plug.only_one(chosen.feishu)
        with pytest.raises(StoreError, match="connected as this Feishu app already"):
            plug.only_one(chosen.feishu)
        first.release()
        async with bot(box, tmp_path):
            with pytest.raises(StoreError, match="consumes this inbox already"):
                async with bot(box, tmp_path):
                    pass


def test_what_is_not_set_up_is_told_before_anything_begins() -> None:
    with pytest.raises(ConfigError, match=r"feishu\.app_id"):
        plug.check(FeishuSettings())
    given = FeishuSettings().model_copy(update={"app_id": "cli_x", "app_secret": SecretStr("s")})
    with pytest.raises(ConfigError, match="Nobody would be answered"):
        plug.check(given)
    with pytest.raises(ConfigError, match="encrypt_key"):
        plug.check(given.model_copy(update={"owner": "ou_1", "mode": "webhook"}))


# ── a company's proxy ─────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def proxy() -> AsyncIterator[tuple[str, list[str]]]:
    """An HTTP proxy with CONNECT; it keeps the first line of each request."""
    asked: list[str] = []

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        line = head.split(b"\r\n")[0].decode()
        asked.append(line)
        method, target, _ = line.split()
        host, port = target.removeprefix("http://").partition("/")[0].rsplit(":", 1)
        there, back = await asyncio.open_connection(host, int(port))
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            back.write(head.replace(f"http://{host}:{port}".encode(), b"", 1).replace(b"keep-alive", b"close"))
        await asyncio.gather(pipe(reader, back), pipe(there, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked
    finally:
        server.close()


async def test_a_proxy_applies_to_discovery_calls_and_the_socket(tmp_path: Path) -> None:
    async with Sandbox() as box, proxy() as (url, asked), bot(box, tmp_path, proxy=url):
        await box.answered(await box.say("alice", box.p2p("alice"), "/help"))
        lines = "\n".join(asked)
        assert "CONNECT 127.0.0.1" in lines
        assert "/callback/ws/endpoint" in lines
        assert "/open-apis/" in lines


async def test_proxies_of_the_environment_do_not_reach_loopback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "socks5://127.0.0.1:9")
    async with Sandbox() as box, bot(box, tmp_path):
        [told] = await box.answered(await box.say("alice", box.p2p("alice"), "/help"))
        assert "/stop" in words(told)

"""What goes over the wire to a model server: headers, how connections are used, and servers that speak no HTTP."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from hermes_ops.testing.script import says
from hermes_ops.testing.scripted_server import ScriptedServer
from orchestrator.errors import ModelError
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.gateway import Gateway

STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
EVENTS = b'data: {"choices": [{"delta": {"content": "there"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
THERE = (STREAM + b"%x\r\n%s\r\n" % (len(EVENTS), EVENTS), b"0\r\n\r\n")


@contextlib.asynccontextmanager
async def raw_server(*writes: bytes) -> AsyncIterator[tuple[str, list[list[str]]]]:
    """A server that answers each request with these bytes, one write after the other: its address, and the heads of
    the requests that each connection brought."""
    heads: list[list[str]] = []
    tasks: list[asyncio.Task[None] | None] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mine: list[str] = []
        heads.append(mine)
        tasks.append(asyncio.current_task())
        with contextlib.closing(writer), contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                mine.append((await reader.readuntil(b"\r\n\r\n")).decode().lower())
                await reader.readexactly(int(mine[-1].partition("content-length:")[2].split()[0]))
                for data in writes:
                    writer.write(data)
                    for _ in range(5):  # so that it arrives alone
                        await asyncio.sleep(0)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", heads
        await asyncio.gather(*filter(None, tasks))


async def ask(endpoint: Endpoint, times: int = 1, question: str = "hello") -> list[str]:
    gateway = Gateway([endpoint], backoff=0.01)
    try:
        return [(await gateway.complete([{"role": "user", "content": question}], [])).text for _ in range(times)]
    finally:
        await gateway.aclose()


@pytest.mark.parametrize("said", [b"SSH-2.0-OpenSSH_9.6\r\n", b"-ERR unknown command\r\n", STREAM + b"zz\r\n"])
async def test_what_speaks_no_http_is_a_network_error(said: bytes) -> None:
    async with raw_server(said) as (url, _):
        with pytest.raises(ModelError, match="check HERMES_OPS_BASE_URL and the network") as e:
            await ask(Endpoint("m", url))
    assert e.value.kind == "network"


async def test_a_connection_is_used_again_though_its_stream_ends_after_done() -> None:
    async with raw_server(*THERE) as (url, heads):
        assert await ask(Endpoint("m", url), 3) == ["there"] * 3
    assert [len(mine) for mine in heads] == [3]


async def test_the_key_the_query_and_what_the_sdk_says_of_itself_go_with_each_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-7")
    async with raw_server(*THERE) as (url, heads):
        await ask(Endpoint("m", url + "/?api-version=2&x", "k3y"), 2)
    assert {head.partition(" http/")[0] for head in heads[0]} == {"post /v1/chat/completions?api-version=2&x"}
    for line in ("authorization: bearer k3y", "openai-organization: org-7", "user-agent: asyncopenai/"):
        assert all(f"\r\n{line}" in head for head in heads[0])


async def test_an_error_page_is_read_in_its_own_encoding() -> None:
    page = "<html>网关超时</html>".encode("gbk")
    head = b"HTTP/1.1 403 Forbidden\r\ncontent-type: text/html; charset=gbk\r\ncontent-length: %d\r\n\r\n" % len(page)
    async with raw_server(head + page) as (url, _):
        with pytest.raises(ModelError, match="网关超时"):
            await ask(Endpoint("m", url))


async def test_half_a_surrogate_pair_is_sent_as_a_question_mark() -> None:
    async with ScriptedServer([says("there")]) as server:
        assert await ask(Endpoint("m", server.url), question="结算 \ud83d") == ["there"]
    assert server.requests[0]["messages"][0]["content"] == "结算 ?"

"""Whatever types a server's fields have: a reply that can be stored and read again, or a Failure; no fault of ours."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.contracts import Json, Reply, dumps, from_json, to_json
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.failures import Failure
from orchestrator.gateway.lane import Ask, Lane, NoLimit

TOOLS = ({"type": "function", "function": {"name": "f", "parameters": {}}},)
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(),
    st.sampled_from(["", "12", "stop", "\ud83d"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.sampled_from(["a", "text"]), st.integers(), max_size=1),
)


class Told:
    """In the place of the door: gives these chunks."""

    def __init__(self, chunks: list[Json]) -> None:
        self.told = chunks

    async def chunks(self, body: Json) -> AsyncGenerator[list[Json], None]:
        yield self.told


async def heard(*chunks: Json) -> Reply | Failure:
    lane = Lane(Endpoint("m", "http://127.0.0.1"), NoLimit(), tries=1)
    lane._door = Told(list(chunks))  # type: ignore[assignment]
    try:
        reply = await lane.complete(Ask([{"role": "user", "content": "q"}], TOOLS, False, float("inf")))
    except Failure as e:
        return e
    assert from_json(Reply, json.loads(dumps(to_json(reply)))).finish == reply.finish
    return reply


PLACES = ("model", "usage", "prompt_tokens", "cached_tokens", "finish_reason", "content", "reasoning_content", "id",
          "name", "arguments", "index", "function", "delta", "choices", "tool_calls")  # fmt: skip


def chunk(place: str, odd: Json) -> Json:
    """A whole and sound chunk but for one field."""

    def at(name: str, sound: Json) -> Json:
        return odd if place == name else sound

    function = at("function", {"name": at("name", "f"), "arguments": at("arguments", '{"a": 1}')})
    calls = at("tool_calls", [{"index": at("index", 0), "id": at("id", "c"), "function": function}])
    said = {"content": at("content", "hi"), "reasoning_content": at("reasoning_content", ""), "tool_calls": calls}
    choices = [{"delta": at("delta", said), "finish_reason": at("finish_reason", "tool_calls")}]
    used = {"prompt_tokens": at("prompt_tokens", 9), "completion_tokens": 1, "cached_tokens": at("cached_tokens", 0)}
    return {"model": at("model", "m"), "usage": at("usage", used), "choices": at("choices", choices)}


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(PLACES), ODD)
async def test_no_type_of_a_field_is_a_fault_of_ours(place: str, odd: Json) -> None:
    await heard(chunk(place, odd))


@pytest.mark.parametrize(
    ("place", "odd", "wanted"),
    [
        ("prompt_tokens", "12", ("usage", 12)),
        ("prompt_tokens", 12.0, ("usage", 12)),
        ("id", 7, ("id", "7")),
        ("model", 5, ("model", "5")),
        ("arguments", {"a": 1}, ("args", {"a": 1})),
        ("arguments", 5, ("args", None)),
    ],
)
async def test_what_can_be_understood_is(place: str, odd: Json, wanted: tuple[str, Any]) -> None:
    reply = await heard(chunk(place, odd))
    assert isinstance(reply, Reply)
    call = reply.calls[0]
    seen = {"usage": reply.usage.prompt_tokens, "model": reply.model, "id": call.id, "args": call.args}
    assert seen[wanted[0]] == wanted[1]


async def test_a_text_nested_beyond_measure_is_a_text() -> None:
    deep = '{"a":' * 20_000
    reply = await heard({"choices": [{"delta": {"content": deep}, "finish_reason": "stop"}]})
    assert isinstance(reply, Reply)
    assert (reply.text, reply.calls) == (deep, ())


@pytest.mark.parametrize(("status", "kind"), [(200, "text/event-stream"), (200, "application/json"), (400, "")])
@pytest.mark.parametrize("form", ["[", '{"error":'])
async def test_an_answer_nested_beyond_measure_is_the_servers_failure(status: int, kind: str, form: str) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = (b"data: " if "stream" in kind else b"") + form.encode() * 50_000 + b"\n\n"
        head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n"
        writer.write(head.encode() + b"connection: close\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1") as server:
        lane = Lane(Endpoint("m", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"), NoLimit(), tries=1)
        with pytest.raises(Failure) as e:
            await lane.complete(Ask([{"role": "user", "content": "q"}], TOOLS, False, time.monotonic() + 20))
        await lane.aclose()
    assert e.value.kind == ("broken" if status == 200 else "refused")

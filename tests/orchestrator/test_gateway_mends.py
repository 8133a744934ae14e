"""What servers refuse is left out, remembered, and the request sent again at once."""

from __future__ import annotations

import asyncio

import pytest

from hermes_ops.testing.script import Fault, Step, calls, says
from hermes_ops.testing.scripted_server import ScriptedServer
from hermes_ops.testing.wire import Quirk
from orchestrator.contracts import Message, Reply
from orchestrator.errors import ModelError
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.gateway import Gateway
from tests.orchestrator.test_gateway_replies import ASK, BOTH, TOOLS, wanted

RESULTS: list[Message] = [
    *ASK,
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "ask_logs", "arguments": '{"service": "b"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "412 条错误"},
]


@pytest.mark.parametrize(
    ("quirk", "field", "choice"),
    [
        (Quirk.NO_PARALLEL, "parallel_tool_calls", "auto"),
        (Quirk.NO_TEMPERATURE, "temperature", "auto"),
        (Quirk.NO_STREAM_OPTIONS, "stream_options", "auto"),
        (Quirk.NO_STREAM, "stream", "auto"),
        (Quirk.NO_TOOL_CHOICE, "tool_choice", "none"),
    ],
)
async def test_a_refused_parameter_is_dropped_for_good(quirk: Quirk, field: str, choice: str) -> None:
    async with ScriptedServer([says("one"), says("two")], quirks=[quirk]) as server:
        endpoint = Endpoint("m", server.url, profile="qwen", temperature=0.2)
        gateway = Gateway([endpoint])
        first = await gateway.complete(RESULTS, TOOLS, choice=choice)  # type: ignore[arg-type]
        second = await gateway.complete(RESULTS, TOOLS, choice=choice)  # type: ignore[arg-type]
        await gateway.aclose()
    assert (first.text, first.attempts, second.text, second.attempts) == ("one", 2, "two", 1)
    assert any(field.split("_")[0] in note for note in first.notes)
    assert not any("refused" in note or "stream" in note for note in second.notes)
    assert server.refused == 1
    assert all(field not in body for body in server.requests)


async def test_several_refusals_are_mended_in_one_go() -> None:
    quirks = [Quirk.NO_PARALLEL, Quirk.NO_TEMPERATURE, Quirk.NO_STREAM_OPTIONS, Quirk.NO_STREAM]
    async with ScriptedServer([says("one")], quirks=quirks) as server:
        gateway = Gateway([Endpoint("m", server.url, profile="qwen", temperature=0.2)])
        assert (await gateway.complete(ASK, TOOLS)).attempts == 5
        await gateway.aclose()


async def test_a_server_that_only_streams() -> None:
    async with ScriptedServer([says("one")], quirks=[Quirk.ONLY_STREAM]) as server:
        gateway = Gateway([Endpoint("m", server.url, stream=False)])
        assert (await gateway.complete(ASK, [])).text == "one"
        await gateway.aclose()
    assert server.requests[0]["stream"] is True


async def last_step(server: ScriptedServer, profile: str = "openai") -> Reply:
    gateway = Gateway([Endpoint("m", server.url, profile=profile)])
    try:
        return await gateway.complete(RESULTS, TOOLS, choice="none")
    finally:
        await gateway.aclose()


async def test_the_last_step_keeps_the_tools_and_forbids_calls() -> None:
    async with ScriptedServer([says("sum", offers=("ask_logs",), choice="none")]) as server:
        assert (await last_step(server)).text == "sum"
    assert server.requests[0]["messages"] == RESULTS


@pytest.mark.parametrize("profile", ["glm", "ollama"])
async def test_the_last_step_goes_without_tools_where_the_provider_refuses(profile: str) -> None:
    async with ScriptedServer([says("sum", offers=())]) as server:
        assert (await last_step(server, profile)).text == "sum"
    assert "tool_choice" not in server.requests[0]


async def test_tool_messages_without_tools_are_sent_as_text_where_refused() -> None:
    quirks = [Quirk.NO_TOOL_CHOICE, Quirk.TOOLS_WITH_RESULTS]
    async with ScriptedServer([says("sum", offers=())], quirks=quirks) as server:
        reply = await last_step(server)
    assert (reply.text, reply.attempts) == ("sum", 3)
    roles = [m["role"] for m in server.requests[0]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert "412 条错误" in server.requests[0]["messages"][-1]["content"]


@pytest.mark.parametrize("fault", [None, Fault.LEAKED_JSON, Fault.LEAKED_TAGS])
async def test_a_model_that_calls_in_spite_of_none_is_asked_without_tools(fault: Fault | None) -> None:
    script = [Step(calls=BOTH, fault=fault), says("sum", offers=()), says("again", offers=())]
    async with ScriptedServer(script) as server:
        gateway = Gateway([Endpoint("m", server.url)])
        reply = await gateway.complete(RESULTS, TOOLS, choice="none")
        second = await gateway.complete(RESULTS, TOOLS, choice="none")
        await gateway.aclose()
    assert (reply.text, reply.calls, reply.finish) == ("sum", (), "stop")
    assert (second.text, second.attempts) == ("again", 1)


async def test_calls_where_none_were_offered_stay_text() -> None:
    said = Step(text="Enough. ", calls=BOTH[:1], fault=Fault.LEAKED_TAGS)
    async with ScriptedServer([said]) as server:
        reply = await last_step(server, "glm")
    assert (reply.text, reply.calls) == ("Enough.", ())


# ── reasoning in the history ──────────────────────────────────────────────────────────────────


async def test_reasoning_is_echoed_where_the_provider_wants_it() -> None:
    script = [Step(calls=BOTH[:1], reasoning="Look at logs."), says("done")]
    async with ScriptedServer(script, quirks=[Quirk.ECHO_REASONING]) as server:
        gateway = Gateway([Endpoint("deepseek-chat", server.url, profile="deepseek")])
        first = await gateway.complete(ASK, TOOLS)
        message = gateway.remember(first)
        result = {"role": "tool", "tool_call_id": first.calls[0].id, "content": "x"}
        second = await gateway.complete([*ASK, message, result], TOOLS)
        await gateway.aclose()
    assert message["reasoning_content"] == "Look at logs."
    assert (second.text, second.attempts) == ("done", 1)


async def test_missing_reasoning_is_filled_in_after_the_refusal() -> None:
    async with ScriptedServer([says("one"), says("two")], quirks=[Quirk.ECHO_REASONING]) as server:
        gateway = Gateway([Endpoint("m", server.url)])
        replies = [await gateway.complete(RESULTS, TOOLS) for _ in range(2)]
        await gateway.aclose()
    assert [r.attempts for r in replies] == [2, 1]
    assert "reasoning_content" not in RESULTS[2]


async def test_refused_reasoning_is_taken_out() -> None:
    history = [*RESULTS[:2], RESULTS[2] | {"reasoning_content": "hm"}, RESULTS[3]]
    async with ScriptedServer([says("one")], quirks=[Quirk.STRIP_REASONING]) as server:
        gateway = Gateway([Endpoint("m", server.url)])
        assert (await gateway.complete(history, TOOLS)).attempts == 2
        await gateway.aclose()


async def test_requests_side_by_side_learn_the_same_lesson() -> None:
    history = [*RESULTS[:2], RESULTS[2] | {"reasoning_content": "hm"}, RESULTS[3]]
    async with ScriptedServer([says("one"), says("two"), says("three")], quirks=[Quirk.STRIP_REASONING]) as server:
        gateway = Gateway([Endpoint("m", server.url)])
        replies = await asyncio.gather(*(gateway.complete(history, TOOLS) for _ in range(3)))
        await gateway.aclose()
    assert sorted(r.text for r in replies) == ["one", "three", "two"]
    assert server.refused == 3


async def test_one_history_serves_endpoints_that_disagree_about_reasoning() -> None:
    history = [*RESULTS[:2], RESULTS[2] | {"reasoning_content": "hm"}, RESULTS[3]]
    async with ScriptedServer([says("one")], quirks=[Quirk.STRIP_REASONING]) as server:
        dead = Endpoint("kimi-k2", "http://127.0.0.1:9/v1", profile="kimi")
        gateway = Gateway([dead, Endpoint("gpt-5", server.url, profile="openai")], backoff=0.01)
        assert (await gateway.complete(history, TOOLS)).text == "one"
        await gateway.aclose()
    assert server.refused == 0


# ── the text dialect ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("quirk", "note"), [(Quirk.NO_AUTO_TOOLS, "--enable-auto-tool-choice"), (Quirk.NO_TOOLS, "text dialect")]
)
async def test_a_server_without_tools_gets_the_text_dialect(quirk: Quirk, note: str) -> None:
    script = [calls(*BOTH, fault=Fault.TEXT_DIALECT), says("done")]
    async with ScriptedServer(script, quirks=[quirk]) as server:
        gateway = Gateway([Endpoint("m", server.url)])
        first = await gateway.complete(ASK, TOOLS)
        results = [{"role": "tool", "tool_call_id": c.id, "content": f"found {c.name}"} for c in first.calls]
        second = await gateway.complete([*ASK, gateway.remember(first), *results], TOOLS)
        await gateway.aclose()
    assert wanted(first) == list(BOTH)
    assert any(note in n for n in first.notes)
    assert (second.text, second.attempts) == ("done", 1)
    assert not any("tools" in body for body in server.requests)
    system, _, assistant, results_message = server.requests[1]["messages"]
    assert system == server.requests[0]["messages"][0]
    assert assistant["content"].count("[TOOL_CALL]") == 2
    assert results_message["role"] == "user"
    assert results_message["content"].index("found ask_alerts") < results_message["content"].index("found ask_logs")


async def test_an_endpoint_may_ask_for_the_text_dialect() -> None:
    async with ScriptedServer([calls(*BOTH, fault=Fault.TEXT_DIALECT, offers=()), says("sum")]) as server:
        gateway = Gateway([Endpoint("m", server.url, tools="text")])
        assert wanted(await gateway.complete(ASK, TOOLS)) == list(BOTH)
        assert (await gateway.complete(RESULTS, TOOLS, choice="none")).text == "sum"
        await gateway.aclose()
    first, last = (body["messages"] for body in server.requests)
    assert "必填" in first[0]["content"]
    assert first[0] == last[0]
    assert "Do not call a tool now" in last[-1]["content"]


async def test_a_refusal_that_teaches_nothing_is_an_error_at_once() -> None:
    async with ScriptedServer([says("", fault=Fault.BAD_REQUEST)]) as server:
        gateway = Gateway([Endpoint("m", server.url)])
        with pytest.raises(ModelError, match="refused the request"):
            await gateway.complete(ASK, TOOLS)
        await gateway.aclose()

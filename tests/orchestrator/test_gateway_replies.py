"""Malformed replies of real servers, over real HTTP through the unmodified SDK."""

from __future__ import annotations

import pytest

from hermes_ops.testing.script import Fault, Step, calls, says
from hermes_ops.testing.scripted_server import ScriptedServer
from orchestrator.contracts import Reply
from orchestrator.errors import ModelError
from orchestrator.gateway.endpoint import Endpoint, Price
from orchestrator.gateway.gateway import Gateway

ASK = [{"role": "system", "content": "You route."}, {"role": "user", "content": "结算为什么慢？"}]


def tool(name: str) -> dict[str, object]:
    properties = {"service": {"type": "string"}, "limit": {"type": "integer"}}
    parameters = {"type": "object", "properties": properties, "required": ["service"]}
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": parameters}}


TOOLS = [tool("ask_alerts"), tool("ask_logs")]
BOTH = (("ask_alerts", {"service": "结算", "limit": 3}), ("ask_logs", {"service": "b"}))


async def ask(server: ScriptedServer, *, stream: bool = True, choice: str = "auto", **more: object) -> Reply:
    gateway = Gateway([Endpoint("m", server.url, "sk-secret-1", stream=stream)], backoff=0.01)
    try:
        return await gateway.complete(ASK, TOOLS, choice=choice, **more)  # type: ignore[arg-type]
    finally:
        await gateway.aclose()


def wanted(reply: Reply) -> list[tuple[str, object]]:
    return [(c.name, c.args) for c in reply.calls]


@pytest.mark.parametrize("stream", [True, False])
async def test_text_calls_usage_and_reasoning(stream: bool) -> None:
    script = [Step(text="Two at once.", calls=BOTH, reasoning="Both needed.", usage=(900, 40))]
    async with ScriptedServer(script) as server:
        reply = await ask(server, stream=stream)
    assert reply.text == "Two at once."
    assert wanted(reply) == list(BOTH)
    assert (reply.reasoning, reply.finish, reply.attempts) == ("Both needed.", "tool_calls", 1)
    assert (reply.usage.model_calls, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 900, 40)
    assert server.requests[0].get("stream", False) is stream


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    "fault",
    [
        Fault.SINGLE_QUOTES,
        Fault.TRAILING_COMMA,
        Fault.FENCED,
        Fault.MISSING_ID,
        Fault.REPEATED_ID,
        Fault.NO_INDEX,
        Fault.NO_INDEX_NO_ID,
        Fault.LEAKED_TAGS,
        Fault.LEAKED_FENCE,
        Fault.LEAKED_JSON,
        Fault.TEXT_DIALECT,
        Fault.REASONING_FIRST,
        Fault.PLAIN_BODY,
    ],
)
async def test_calls_are_read_whatever_their_shape(fault: Fault, stream: bool) -> None:
    async with ScriptedServer([Step(calls=BOTH, fault=fault)]) as server:
        reply = await ask(server, stream=stream)
    assert wanted(reply) == list(BOTH)
    assert reply.finish == "tool_calls"
    assert reply.text == ""
    ids = [c.id for c in reply.calls]
    assert len(set(ids)) == 2
    assert all(ids)


async def test_ids_that_the_gateway_makes_are_the_same_for_the_same_request() -> None:
    async with ScriptedServer([Step(calls=BOTH, fault=Fault.MISSING_ID)] * 2) as server:
        first, second = await ask(server), await ask(server)
    assert [c.id for c in first.calls] == [c.id for c in second.calls]


async def test_an_id_that_the_history_has_already_is_replaced() -> None:
    async with ScriptedServer([Step(calls=BOTH[:1], fault=Fault.REPEATED_ID)] * 2) as server:
        gateway = Gateway([Endpoint("m", server.url)])
        first = await gateway.complete(ASK, TOOLS)
        history = [*ASK, gateway.remember(first), {"role": "tool", "tool_call_id": first.calls[0].id, "content": "x"}]
        second = await gateway.complete(history, TOOLS)
        await gateway.aclose()
    assert first.calls[0].id == "call_same"
    assert second.calls[0].id != "call_same"


async def test_two_objects_in_one_argument_string_are_two_calls() -> None:
    args = [("ask_logs", {"service": "a"}), ("ask_logs", {"service": "b"})]
    async with ScriptedServer([calls(*args, fault=Fault.TWO_OBJECTS)]) as server:
        reply = await ask(server)
    assert wanted(reply) == args
    assert reply.calls[0].id != reply.calls[1].id


@pytest.mark.parametrize("fault", [Fault.CUT_JSON, Fault.LENGTH])
async def test_cut_arguments_are_a_fault_not_a_guess(fault: Fault) -> None:
    async with ScriptedServer([calls(("ask_logs", {"service": "checkout", "limit": 50}), fault=fault)]) as server:
        reply = await ask(server)
    (call,) = reply.calls
    assert call.args is None
    assert "cut off" in call.fault
    assert call.raw.startswith('{"service": "checkout"')
    assert (reply.finish == "length") is (fault is Fault.LENGTH)


async def test_a_reply_cut_before_its_arguments_is_no_call_without_arguments() -> None:
    async with ScriptedServer([calls(("ask_logs", ""), fault=Fault.LENGTH)]) as server:
        reply = await ask(server)
    assert reply.calls[0].args is None
    assert reply.finish == "length"


async def test_an_unknown_tool_goes_through_for_the_loop_to_answer() -> None:
    async with ScriptedServer([calls(("ask_alarms", {"service": "a"}))]) as server:
        reply = await ask(server)
    assert wanted(reply) == [("ask_alarms", {"service": "a"})]


async def test_length_keeps_the_text() -> None:
    async with ScriptedServer([says("half an ans", fault=Fault.LENGTH)]) as server:
        reply = await ask(server)
    assert (reply.text, reply.finish) == ("half an ans", "length")


async def test_leaked_thought_is_taken_out_of_the_text() -> None:
    async with ScriptedServer([says("It is slow.", reasoning="Hm.", fault=Fault.REASONING_FIRST)]) as server:
        reply = await ask(server)
    assert (reply.text, reply.reasoning) == ("It is slow.", "Hm.")


@pytest.mark.parametrize("fault", [Fault.LEAKED_TAGS, Fault.TEXT_DIALECT, Fault.LEAKED_FENCE])
async def test_a_leaked_call_is_taken_out_of_the_text(fault: Fault) -> None:
    async with ScriptedServer([Step(text="I look into the logs first. ", calls=BOTH, fault=fault)]) as server:
        reply = await ask(server)
    assert len(reply.calls) == 2
    assert reply.text == "I look into the logs first."


async def test_json_that_is_an_answer_stays_an_answer() -> None:
    text = '```json\n{"service": "checkout", "errors": 412}\n```'
    async with ScriptedServer([says(text)]) as server:
        reply = await ask(server)
    assert (reply.text, reply.calls) == (text, ())


async def test_usage_is_estimated_when_the_server_sends_none() -> None:
    async with ScriptedServer([says("an answer of some words", fault=Fault.NO_USAGE)]) as server:
        reply = await ask(server)
    assert reply.usage.prompt_tokens > 20
    assert reply.usage.completion_tokens > 3
    assert any("estimated" in n for n in reply.notes)


async def test_cost_follows_from_the_price() -> None:
    async with ScriptedServer([says("x", usage=(1_000_000, 500_000))]) as server:
        gateway = Gateway([Endpoint("m", server.url, price=Price(prompt=2.0, completion=8.0))])
        reply = await gateway.complete(ASK, [])
        await gateway.aclose()
    assert reply.usage.cost == pytest.approx(6.0)


# ── replies that are none: tried once more, then an error ─────────────────────────────────────

BROKEN = [
    Fault.NO_CHOICES,
    Fault.EMPTY,
    Fault.HTML,
    Fault.NOT_JSON,
    Fault.BAD_CHUNK,
    Fault.CUT_STREAM,
    Fault.NO_FINISH,
    Fault.ERROR_CHUNK,
]


@pytest.mark.parametrize("fault", BROKEN)
async def test_a_broken_reply_is_asked_for_again(fault: Fault) -> None:
    async with ScriptedServer([says("a text that is long enough to be cut", fault=fault), says("whole")]) as server:
        reply = await ask(server)
    assert (reply.text, reply.attempts) == ("whole", 2)


@pytest.mark.parametrize("fault", [f for f in BROKEN if f is not Fault.ERROR_CHUNK])
async def test_twice_broken_is_an_error(fault: Fault) -> None:
    async with ScriptedServer([says("a text that is long enough to be cut", fault=fault)] * 2) as server:
        with pytest.raises(ModelError, match="gave no usable reply") as e:
            await ask(server)
    assert (e.value.kind, e.value.retry, server.count) == ("broken", True, 2)


@pytest.mark.parametrize("fault", [Fault.NO_CHOICES, Fault.EMPTY, Fault.HTML, Fault.NOT_JSON, Fault.CUT_STREAM])
async def test_whole_bodies_break_too(fault: Fault) -> None:
    async with ScriptedServer([says("some text", fault=fault), says("whole")]) as server:
        reply = await ask(server, stream=False)
    assert (reply.text, reply.attempts) == ("whole", 2)

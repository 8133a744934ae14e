"""The scripted model and server are strict: they fail on the unexpected and on leftovers."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from hermes_ops.testing.script import Fault, Leftovers, Step, Unexpected, calls, says
from hermes_ops.testing.scripted_model import ScriptedModel
from hermes_ops.testing.scripted_server import ScriptedServer
from orchestrator.contracts import Message, Reply, Usage
from orchestrator.errors import ContextTooLong, ModelError
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.gateway import Gateway

ASK: list[Message] = [{"role": "user", "content": "结算为什么慢？"}]
TOOL = {"type": "function", "function": {"name": "ask_logs", "description": "d", "parameters": {}}}


async def test_the_model_says_its_steps_in_order_and_keeps_requests() -> None:
    model = ScriptedModel([calls(("ask_logs", {"q": "慢"}), offers=("ask_logs",)), says("done", contains="结算")])
    first = await model.complete(ASK, [TOOL])
    second = await model.complete(ASK, [])
    model.done()
    assert [(c.name, c.args) for c in first.calls] == [("ask_logs", {"q": "慢"})]
    assert (second.text, second.usage) == ("done", Usage(1, 100, 20))
    assert model.requests[1] == (ASK, [], "auto")
    assert model.remember(first)["tool_calls"][0]["id"] == first.calls[0].id


async def test_the_model_fails_on_the_unexpected_and_on_leftovers() -> None:
    with pytest.raises(Unexpected, match="no step left"):
        await ScriptedModel([]).complete(ASK, [])
    with pytest.raises(Unexpected, match="doesn't contain"):
        await ScriptedModel([says("x", contains="logs")]).complete(ASK, [])
    with pytest.raises(Unexpected, match="aren't offered"):
        await ScriptedModel([says("x", offers=("ask_alerts",))]).complete(ASK, [TOOL])
    with pytest.raises(Unexpected, match="no tools were expected"):
        await ScriptedModel([says("x", offers=())]).complete(ASK, [TOOL])
    with pytest.raises(Unexpected, match="tool_choice"):
        await ScriptedModel([says("x", choice="none")]).complete(ASK, [TOOL])
    with pytest.raises(Unexpected, match="needs the wire"):
        await ScriptedModel([says("x", fault=Fault.HTML)]).complete(ASK, [])
    with pytest.raises(Leftovers, match="2 steps"):
        ScriptedModel([says("x"), says("y")]).done()


async def test_the_model_errs_as_the_gateway_does() -> None:
    model = ScriptedModel(
        [says("", fault=Fault.CONTEXT_LENGTH), says("", fault=Fault.EMPTY), says("", fault=Fault.RATE_LIMIT)]
    )
    with pytest.raises(ContextTooLong):
        await model.complete(ASK, [])
    for kind in ("broken", "rate"):
        with pytest.raises(ModelError) as e:
            await model.complete(ASK, [])
        assert e.value.kind == kind
    cut = await ScriptedModel([calls(("ask_logs", {"q": "long"}), fault=Fault.CUT_JSON)]).complete(ASK, [TOOL])
    assert cut.calls[0].args is None


async def test_a_model_by_a_function() -> None:
    model = ScriptedModel.by(lambda messages, tools: Reply(f"{len(messages)} {len(tools)}"))
    assert (await model.complete(ASK, [TOOL])).text == "1 1"
    steps = ScriptedModel.by(lambda messages, tools: says("a step"))
    assert (await steps.complete(ASK, [])).text == "a step"


async def test_lanes_keep_agents_that_run_together_apart() -> None:
    script = {"ask_logs": [says("supervisor")], "You read alerts": [says("alerts")]}
    model = ScriptedModel(script)
    system = [{"role": "system", "content": "You read alerts."}, *ASK]
    replies = await asyncio.gather(model.complete(system, []), model.complete(ASK, [TOOL]))
    assert [r.text for r in replies] == ["alerts", "supervisor"]
    model.done()


async def test_the_server_is_strict_too() -> None:
    server = ScriptedServer([says("x", contains="logs"), says("left over")])
    await server.start()
    gateway = Gateway([Endpoint("m", server.url)])
    with pytest.raises(ModelError, match="scripted server: the last message doesn't contain"):
        await gateway.complete(ASK, [])
    await gateway.aclose()
    await server.stop()
    with pytest.raises(Unexpected, match="doesn't contain"):
        server.done()
    server.problems.clear()
    with pytest.raises(Leftovers):
        server.done()


async def test_the_server_is_fast_and_keeps_connections() -> None:
    def decide(messages: object, tools: object) -> Step:
        return says("a short answer")

    async with ScriptedServer(decide, keep=False) as server:
        gateway = Gateway([Endpoint("m", server.url)])
        await gateway.complete(ASK, [])
        began = time.process_time()
        for _ in range(100):
            await gateway.complete(ASK, [])
        spent = time.process_time() - began
        await gateway.aclose()
    assert server.count == 101
    assert spent < 1.0, "client and server together take over 10 ms a request"


async def test_latency_and_requests_at_once() -> None:
    async with ScriptedServer(lambda m, t: says("x"), latency=0.1) as server:
        gateway = Gateway([Endpoint("m", server.url)])
        await asyncio.gather(*(gateway.complete(ASK, []) for _ in range(3)))
        await gateway.aclose()
    assert server.most_at_once == 3


def decided(messages: object, tools: object) -> Step:
    return says("from a function")


@pytest.mark.parametrize("how", ["file", "function"])
def test_the_server_as_a_program(tmp_path: Path, how: str) -> None:
    script = "tests.testing.test_scripted:decided"
    if how == "file":
        path = tmp_path / "script.json"
        path.write_text(json.dumps([{"calls": [["ask_logs", {"q": 1}]], "offers": ["ask_logs"], "usage": [7, 1]}]))
        script = str(path)
    command = [sys.executable, "-m", "hermes_ops.testing.scripted_server", "--script", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            reply = asyncio.run(_ask(url))
            stats = json.load(urllib.request.urlopen(url + "/stats"))
            bodies = json.load(urllib.request.urlopen(url + "/requests"))
        finally:
            process.terminate()
    if how == "file":
        assert (reply.calls[0].args, reply.usage.prompt_tokens) == ({"q": 1}, 7)
    else:
        assert reply.text == "from a function"
    assert (stats["requests"], stats["left"], stats["problems"]) == (1, 0, [])
    assert bodies[0]["messages"] == ASK


async def _ask(url: str) -> Reply:
    gateway = Gateway([Endpoint("m", url)])
    try:
        return await gateway.complete(ASK, [TOOL])
    finally:
        await gateway.aclose()

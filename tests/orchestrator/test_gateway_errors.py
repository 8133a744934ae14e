"""Errors of servers and networks: what is tried again, what isn't, and what the person reads."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time

import pytest

from hermes_ops.testing.script import Fault, says
from hermes_ops.testing.scripted_server import ScriptedServer
from hermes_ops.testing.wire import Quirk
from orchestrator.contracts import Reply
from orchestrator.errors import ConfigError, ContextTooLong, ModelError
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.failures import Refusal, classify, clean, describe
from orchestrator.gateway.gateway import Gateway

ASK = [{"role": "user", "content": "hello"}]
KEY = "sk-secret-key-12345"


async def ask(*endpoints: Endpoint, deadline: float | None = None, backoff: float = 0.01) -> Reply:
    gateway = Gateway(endpoints, backoff=backoff)
    try:
        return await gateway.complete(ASK, [], deadline=deadline)
    finally:
        await gateway.aclose()


@pytest.mark.parametrize("fault", [Fault.SERVER_ERROR, Fault.OVERLOADED, Fault.RATE_LIMIT, Fault.DROPPED])
async def test_passing_trouble_is_tried_again(fault: Fault) -> None:
    async with ScriptedServer([says("", fault=fault), says("", fault=fault), says("there")]) as server:
        reply = await ask(Endpoint("m", server.url))
    assert (reply.text, reply.attempts) == ("there", 3)


async def test_trouble_that_stays_ends_after_four_requests() -> None:
    async with ScriptedServer([says("", fault=Fault.SERVER_ERROR)] * 4) as server:
        with pytest.raises(ModelError, match="is failing") as e:
            await ask(Endpoint("m", server.url))
    assert (e.value.kind, e.value.retry, server.count) == ("server", True, 4)


@pytest.mark.parametrize(
    ("fault", "kind", "says_what"),
    [
        (Fault.UNAUTHORIZED, "auth", "HERMES_OPS_API_KEY or OPENAI_API_KEY"),
        (Fault.FORBIDDEN, "auth", "HERMES_OPS_API_KEY or OPENAI_API_KEY"),
        (Fault.UNKNOWN_MODEL, "model", "HERMES_OPS_MODEL"),
        (Fault.QUOTA, "quota", "no quota left"),
        (Fault.MODERATION, "moderation", "content filter"),
        (Fault.CONTENT_FILTER, "moderation", "content filter"),
        (Fault.CONTEXT_LENGTH, "context", "shorten the history"),
        (Fault.BAD_REQUEST, "refused", "messages[1].content"),
        (Fault.REDIRECT, "address", "HERMES_OPS_BASE_URL"),
    ],
)
async def test_what_will_not_pass_is_not_tried_again(fault: Fault, kind: str, says_what: str) -> None:
    async with ScriptedServer([says("x", fault=fault)]) as server:
        with pytest.raises(ModelError) as e:
            await ask(Endpoint("m", server.url, KEY))
    assert (e.value.kind, e.value.retry, server.count) == (kind, False, 1)
    assert says_what in str(e.value)
    assert server.url in str(e.value)
    assert KEY not in str(e.value)
    assert isinstance(e.value, ContextTooLong) is (kind == "context")


async def test_retry_after_is_honoured() -> None:
    async with ScriptedServer([says("", fault=Fault.RATE_LIMIT, retry_after=0.3), says("there")]) as server:
        began = time.monotonic()
        await ask(Endpoint("m", server.url))
    assert 0.3 <= time.monotonic() - began < 2


async def test_a_long_retry_after_does_not_outlast_the_deadline() -> None:
    async with ScriptedServer([says("", fault=Fault.RATE_LIMIT, retry_after=120)]) as server:
        began = time.monotonic()
        with pytest.raises(ModelError, match="too many requests") as e:
            await ask(Endpoint("m", server.url), deadline=began + 5)
    assert time.monotonic() - began < 4
    assert e.value.kind == "rate"


class Limiter:
    """Counts turns; a 429 holds everybody up."""

    def __init__(self) -> None:
        self.turns = 0
        self.until = 0.0

    async def acquire(self, model: str, tokens: int) -> None:
        await asyncio.sleep(max(0.0, self.until - time.monotonic()))
        self.turns += 1

    def cool(self, seconds: float) -> None:
        self.until = time.monotonic() + seconds


async def test_each_request_takes_a_turn_mended_ones_too() -> None:
    limiter = Limiter()
    async with ScriptedServer([says("a")], quirks=[Quirk.NO_TEMPERATURE]) as server:
        gateway = Gateway([Endpoint("m", server.url, temperature=0.2)], limiter)
        reply = await gateway.complete(ASK, [])
        await gateway.aclose()
    assert (reply.attempts, limiter.turns) == (2, 2)


async def test_a_429_cools_everyone() -> None:
    limiter = Limiter()
    async with ScriptedServer([says("", fault=Fault.RATE_LIMIT, retry_after=0.3), says("a"), says("b")]) as server:
        gateway = Gateway([Endpoint("m", server.url)], limiter)
        began = time.monotonic()
        first = asyncio.create_task(gateway.complete(ASK, []))
        while not server.count:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        await gateway.complete(ASK, [])
        assert time.monotonic() - began >= 0.3
        await first
        await gateway.aclose()


async def test_a_server_that_hangs_ends_at_the_deadline() -> None:
    async with ScriptedServer([says("", fault=Fault.HANG)]) as server:
        began = time.monotonic()
        with pytest.raises(ModelError, match="before the deadline") as e:
            await ask(Endpoint("m", server.url), deadline=began + 0.3)
    assert e.value.kind == "deadline"


async def test_a_server_that_sends_nothing_times_out_and_is_asked_once_more() -> None:
    async with ScriptedServer([says("", fault=Fault.HANG)] * 2) as server:
        with pytest.raises(ModelError, match=r"sent nothing for 0\.2 s") as e:
            await ask(Endpoint("m", server.url, timeout=0.2))
    assert (e.value.kind, server.count) == ("timeout", 2)


async def test_cancelling_leaves_no_connection_busy() -> None:
    async with ScriptedServer([says("", fault=Fault.HANG), says("there")]) as server:
        gateway = Gateway([Endpoint("m", server.url)])
        task = asyncio.create_task(gateway.complete(ASK, []))
        while not server.count:
            await asyncio.sleep(0.01)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()
        assert (await gateway.complete(ASK, [])).text == "there"
        await gateway.aclose()


async def test_an_unreachable_host_is_named_without_credentials() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ModelError) as e:
        await ask(Endpoint("m", f"http://bob:hunter2@127.0.0.1:{port}/v1?token=abc", KEY))
    assert e.value.kind == "network"
    assert f"http://127.0.0.1:{port}/v1?…" in str(e.value)
    assert "HERMES_OPS_BASE_URL" in str(e.value)
    assert not any(secret in str(e.value) for secret in ("hunter2", "abc", KEY))


async def test_a_wrong_path_says_so() -> None:
    async with ScriptedServer([]) as server:
        with pytest.raises(ModelError, match="check HERMES_OPS_BASE_URL"):
            await ask(Endpoint("m", server.url + "/nothing/here?x="))


async def test_credentials_and_query_of_the_address_reach_the_server() -> None:
    async with ScriptedServer([says("there")]) as server:
        await ask(Endpoint("m", server.url.replace("//", "//bob:hunter2@") + "?api-version=2"))
    assert server.headers[0]["authorization"] == "Basic Ym9iOmh1bnRlcjI="


# ── several endpoints ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("fault", [Fault.UNAUTHORIZED, Fault.MODERATION, Fault.SERVER_ERROR, Fault.NO_CHOICES])
async def test_the_next_model_answers(fault: Fault) -> None:
    wrong = [says("x", fault=fault)] * (1 if fault in (Fault.UNAUTHORIZED, Fault.MODERATION) else 2)
    async with ScriptedServer(wrong) as first, ScriptedServer([says("second")]) as second:
        reply = await ask(Endpoint("big", first.url, KEY), Endpoint("small", second.url))
    assert (reply.text, reply.model, reply.attempts) == ("second", "small", len(wrong) + 1)
    assert any("big at" in note for note in reply.notes)


async def test_an_endpoint_that_failed_rests() -> None:
    script = [says("one"), says("two")]
    async with ScriptedServer([says("", fault=Fault.UNAUTHORIZED)]) as first, ScriptedServer(script) as second:
        gateway = Gateway([Endpoint("big", first.url), Endpoint("small", second.url)])
        assert [(await gateway.complete(ASK, [])).text for _ in range(2)] == ["one", "two"]
        await gateway.aclose()
    assert first.count == 1


async def test_too_long_is_for_the_caller_to_shorten_not_for_the_next_model() -> None:
    async with ScriptedServer([says("", fault=Fault.CONTEXT_LENGTH)]) as first, ScriptedServer([]) as second:
        with pytest.raises(ContextTooLong):
            await ask(Endpoint("big", first.url), Endpoint("small", second.url))


async def test_without_any_endpoint_or_with_a_wrong_profile_it_says_what_to_set() -> None:
    with pytest.raises(ConfigError, match="HERMES_OPS_MODEL"):
        Gateway([])
    with pytest.raises(ConfigError, match="'claude' is unknown; use one of"):
        Gateway([Endpoint("m", profile="claude")])


# ── wordings ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens", "context"),
        (400, "the request exceeds the available context size, try increasing it", "context"),
        (400, "Invalid request: Your request exceeded model token limit: 8192", "context"),
        (400, "InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]", "context"),
        (400, "Total tokens of image and text exceed max message tokens", "context"),
        (400, "1261 Prompt 超长", "context"),
        (400, "The input token count (40000) exceeds the maximum number of tokens allowed (32768).", "context"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "context"),
        (500, "the input length exceeds the context length", "context"),
        (413, "Request Entity Too Large", "context"),
        (400, "data_inspection_failed Input data may contain inappropriate content.", "moderation"),
        (400, "Content Exists Risk", "moderation"),
        (400, "The request was rejected because it was considered high risk", "moderation"),
        (400, "1301 系统检测到输入或生成内容可能包含不安全或敏感内容", "moderation"),
        (400, "The response was filtered due to the prompt triggering content management policy", "moderation"),
        (402, "Insufficient Balance", "quota"),
        (400, "Arrearage Access denied, please make sure your account is in good standing.", "quota"),
        (429, "Rate limit reached on tokens per min (TPM): Limit 30000", "rate"),
        (404, "model 'llama9' not found", "model"),
        (400, "Model Not Exist", "model"),
        (400, "Unknown parameter: 'parallel_tool_calls' for this model.", "refused"),
        (404, "<html><h1>404</h1></html>", "address"),
        (404, "No endpoints found that support tool use", "refused"),
        (502, "<html>Bad Gateway</html>", "server"),
        (422, "body.parallel_tool_calls Extra inputs are not permitted", "refused"),
    ],
)
def test_the_usual_wordings_are_understood(status: int, text: str, kind: str) -> None:
    assert classify(Refusal(status, text)).kind == kind


def test_error_bodies_of_all_shapes_are_described_without_the_request_they_echo() -> None:
    echoed = {"detail": [{"loc": ["body", "temperature"], "msg": "too hot", "input": {"messages": "secret"}}]}
    assert describe(echoed) == "body.temperature too hot"
    assert describe({"error": "model not loaded"}) == "model not loaded"
    assert describe({"object": "error", "message": "no", "code": 400}) == "no 400"
    assert describe([{"error": {"message": "inside a list"}}]) == "inside a list"
    assert describe("<html><p>Bad\n Gateway</p></html>") == "Bad Gateway"


def test_keys_and_queries_are_taken_out() -> None:
    text = "Incorrect API key provided: sk-proj-abc***xyz at https://u:p@host/v1?api_key=s3cret and my-own-key"
    assert clean(text, "my-own-key") == "Incorrect API key provided: *** at https://host/v1?… and ***"

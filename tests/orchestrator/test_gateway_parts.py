"""The gateway's pure parts: arguments, chunks, profiles, tokens; and that importing it costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.contracts import Reply, ToolCall
from orchestrator.gateway.arguments import read, read_calls
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.history import assistant_message
from orchestrator.gateway.profiles import PROFILES, guess
from orchestrator.gateway.replies import split_thought
from orchestrator.gateway.stream import Assembly
from orchestrator.gateway.tokens import TokenMeter

# ── arguments ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("raw", "objects"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ("", [{}]),
        ("null", [{}]),
        ('"{\\"a\\": 1}"', [{"a": 1}]),
        ('[{"a": 1}]', [{"a": 1}]),
        ("{'a': 'x', 'b': [1, 2]}", [{"a": "x", "b": [1, 2]}]),
        ('{"a": 1,}', [{"a": 1}]),
        ('{"a": [1, 2,],}', [{"a": [1, 2]}]),
        ("{a: 1, b: True}", [{"a": 1, "b": True}]),
        ('```json\n{"a": 1}\n```', [{"a": 1}]),
        ('<think>{"no": 1}</think>{"a": 1}', [{"a": 1}]),
        ('I call it with {"a": 1} now.', [{"a": 1}]),
        ('{"a": 1}{"a": 2}', [{"a": 1}, {"a": 2}]),
        ('{"a": 1}\n\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ('{"q": "a } b { c, \\" d"}', [{"q": 'a } b { c, " d'}]),
        ('{"q": "line\nbreak"}', [{"q": "line\nbreak"}]),
        ('{"q": "it\'s 结算"}', [{"q": "it's 结算"}]),
        ('{"a": NaN, "b": [-Infinity, 1e999, 1.5]}', [{"a": None, "b": [None, None, 1.5]}]),
    ],
)
def test_arguments_are_read_whatever_their_form(raw: str, objects: list[dict[str, Any]]) -> None:
    assert list(read(raw).objects) == objects
    assert read(raw).fault == ""


@pytest.mark.parametrize("levels", [65, 400, 100_000])
@pytest.mark.parametrize("form", ['{"a":', "[", "{a: ", '[{"a":'])
def test_what_is_nested_beyond_measure_goes_back_to_the_model(form: str, levels: int) -> None:
    closed = "".join({"{": "}", "[": "]"}[c] for c in reversed(form * levels) if c in "{[")
    objects, fault = read('{"x": ' + form * levels + "1" + closed + "}").objects, read(form * levels).fault
    assert (objects, bool(fault)) == ((), True)


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        ('{"service": "checkout", "since_min', "cut off"),
        ('{"service": "checkout"', "cut off"),
        ('{"service": "check', "cut off"),
        ('{"a": [1, 2', "cut off"),
        ('{"a": 1}{"a": ', "cut off"),
        ('{"a": "x, "limit": 5}', "cut off"),
        ('{"a": }', "a key has no value"),
        ('{"a": , "b": 1}', "a key has no value"),
        ("checkout", "must be one JSON object"),
        ("[1, 2]", "must be one JSON object"),
        ("42", "must be one JSON object"),
    ],
)
def test_what_is_no_whole_object_is_a_fault(raw: str, fault: str) -> None:
    (call,) = read_calls("c", "t", raw)
    assert call.args is None
    assert fault in call.fault
    assert call.raw == raw


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=6), values, min_size=1, max_size=4), st.data())
def test_no_cut_of_a_call_is_ever_read_as_one(args: dict[str, Any], data: st.DataObject) -> None:
    raw = json.dumps(args, ensure_ascii=False)
    assert read(raw).objects == (args,)
    cut = raw[: data.draw(st.integers(1, len(raw) - 1))]
    assert read(cut).objects == ()
    assert read(cut).fault


def test_unreadable_arguments_are_valid_json_in_the_history() -> None:
    message = assistant_message(Reply("", (ToolCall("c", "t", None, '{"a": ', "cut off"),)))
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"unreadable": '{"a": '}


# ── chunks ────────────────────────────────────────────────────────────────────────────────────


def heard(*deltas: dict[str, Any]) -> list[tuple[str, str, str]]:
    a = Assembly()
    for d in deltas:
        a.add({"choices": [{"delta": {"tool_calls": [d]}}]})
    return [(s.id, s.name, s.arguments) for s in a.calls]


def part(text: str, name: str = "", id: str = "", index: int | None = None) -> dict[str, Any]:
    place: dict[str, Any] = {} if index is None else {"index": index}
    return place | ({"id": id} if id else {}) | {"function": {"name": name or None, "arguments": text}}


@pytest.mark.parametrize(
    "deltas",
    [
        [part('{"a":', "t", "1", 0), part(" 1}", index=0), part('{"b":', "u", "2", 1), part(" 2}", index=1)],
        [part("", "t", "1", 0), part("", "u", "2", 1), part('{"a": 1}', index=0), part('{"b": 2}', index=1)],
        [part('{"a":', "t", "1"), part(" 1}"), part('{"b":', "u", "2"), part(" 2}")],
        [part('{"a":', "t", "1"), part(" 1}", "t", "1"), part('{"b":', "u", "2"), part(" 2}", "u", "2")],
        [part('{"a": 1}', "t", "1", 0), part('{"b": 2}', "u", "2", 0)],
    ],
    ids=["in order", "interleaved", "no index", "id and name repeated", "index always 0"],
)
def test_calls_over_several_chunks(deltas: list[dict[str, Any]]) -> None:
    assert heard(*deltas) == [("1", "t", '{"a": 1}'), ("2", "u", '{"b": 2}')]


def test_two_calls_of_one_tool_without_any_mark_between_them() -> None:
    assert heard(part('{"a": 1}', "t"), part('{"a": 2}', "t")) == [("", "t", '{"a": 1}'), ("", "t", '{"a": 2}')]


def test_arguments_as_an_object_and_a_name_in_pieces() -> None:
    call = {"index": 0, "id": "1", "function": {"name": "ask_", "arguments": None}}
    assert heard(call, part("", "logs", index=0), part('{"a": 1}', index=0)) == [("1", "ask_logs", '{"a": 1}')]
    whole = {"index": 0, "function": {"name": "t", "arguments": {"a": "结算"}}}
    assert heard(whole) == [("", "t", '{"a": "结算"}')]


def test_usage_under_the_names_of_several_providers() -> None:
    for usage, cached in (
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 4}}, 4),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 5}, 5),
        ({"prompt_tokens": 9, "completion_tokens": 1, "cached_tokens": 6}, 6),
    ):
        a = Assembly()
        a.add({"choices": [], "usage": usage})
        assert a.usage is not None
        assert (a.usage.prompt_tokens, a.usage.cached_tokens) == (9, cached)


def test_a_character_that_came_in_two_halves_is_whole_again() -> None:
    a = Assembly()
    for piece in ("ok \ud83d", "\ude00 \udc00"):
        a.add({"choices": [{"delta": {"content": piece}}]})
    assert a.said == "ok \U0001f600 \ufffd"
    half, rest = part('{"a": "\ud83d', "t", index=0), part('\ude00"}', index=0)
    assert heard(half, rest) == [("", "t", '{"a": "\U0001f600"}')]


@pytest.mark.parametrize(
    ("text", "thought", "rest"),
    [
        ("<think>a</think>b", "a", "b"),
        ("a</think>b", "a", "b"),
        ("<think>cut", "cut", ""),
        ("plain", "", "plain"),
    ],
)
def test_thoughts_are_split_off(text: str, thought: str, rest: str) -> None:
    assert split_thought(text) == (thought, rest)


# ── profiles, tokens ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("url", "model", "name"),
    [
        ("https://api.openai.com/v1", "gpt-5", "openai"),
        ("https://api.deepseek.com", "deepseek-chat", "deepseek"),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "deepseek-v4", "qwen"),
        ("https://api.moonshot.ai/v1", "kimi-k2.6", "kimi"),
        ("https://open.bigmodel.cn/api/paas/v4", "glm-4.7", "glm"),
        ("https://ark.cn-beijing.volces.com/api/v3", "ep-2026", "doubao"),
        ("http://10.0.0.7:8000/v1", "Qwen/Qwen3-32B", "vllm"),
        ("http://localhost:11434/v1", "qwen3", "ollama"),
        ("http://gpu:9000/v1", "qwen3:32b", "ollama"),
        ("http://proxy.corp/v1", "deepseek-chat", "deepseek"),
        ("http://proxy.corp/v1", "house-model", "compatible"),
        ("https://evil-openai.com.example/v1", "house-model", "compatible"),
    ],
)
def test_profiles_are_guessed(url: str, model: str, name: str) -> None:
    assert guess(url, model).name == name


def test_a_profile_brings_its_address_and_bounds() -> None:
    assert Endpoint("kimi-k2", profile="kimi").url == PROFILES["kimi"].base_url
    assert Endpoint("m").url == "https://api.openai.com/v1"
    assert "s3cret" not in repr(Endpoint("m", api_key="s3cret", proxy="http://u:s3cret@p"))


def test_the_meter_comes_close_after_a_few_replies() -> None:
    meter = TokenMeter()
    messages = [{"role": "user", "content": "结算服务在 14:02 之后变慢，请查日志。" * 40}]
    for _ in range(6):
        meter.correct(meter.estimate(messages), 700)
    assert meter.estimate(messages) == pytest.approx(700, rel=0.05)
    assert meter.estimate(messages * 2) == pytest.approx(1400, rel=0.05)


def test_the_meter_counts_tools_and_calls() -> None:
    meter = TokenMeter()
    message = assistant_message(Reply("", (ToolCall("c", "t", {"q": "x" * 360}),)))
    assert meter.estimate([message]) > 100
    tools = [{"function": {"description": "y" * 3600}}]
    assert meter.estimate([], tools) == meter.estimate([], tools) > 1000


def test_importing_the_gateway_imports_no_sdk() -> None:
    heavy = "{'openai', 'httpx2', 'aiohttp', 'tenacity', 'json_repair'}"
    make = "import sys, orchestrator.gateway.gateway as g; g.Gateway([g.Endpoint('m')])"
    code = f"{make}; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"

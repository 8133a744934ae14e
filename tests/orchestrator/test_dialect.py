"""The text dialect: what a model without native tools is told, how a history looks in it, what is read back."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.gateway.dialect import as_text, parse, prompt

LOGS = {
    "type": "function",
    "function": {
        "name": "search_logs",
        "description": "Search log lines. Not for counting.",
        "parameters": {
            "type": "object",
            "properties": {
                "services": {"type": "array", "items": {"type": "string"}, "description": "service names"},
                "level": {"enum": ["error", "warn"], "description": "least level"},
                "since": {"type": "string", "format": "date-time"},
                "limit": {"type": "integer", "default": 50, "description": "rows"},
                "trace": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            },
            "required": ["services", "level", "since"],
        },
    },
}
BARE = {"type": "function", "function": {"name": "list_alerts", "description": "现在的告警。", "parameters": {}}}


def test_the_prompt_holds_types_what_is_required_and_one_example_a_tool() -> None:
    text = prompt([LOGS, BARE])
    assert "- services (list of string, 必填): service names" in text
    assert '- level (one of "error", "warn", 必填): least level' in text
    assert "- since (string, date-time, 必填)" in text
    assert "- limit (integer, 可选, default 50): rows" in text
    assert "- trace (string, 可选)" in text
    assert text.count("\nExample: ") == 2
    assert "现在的告警。" in text
    assert text == prompt([LOGS, BARE])


def test_the_examples_of_the_prompt_are_read_back_as_calls() -> None:
    examples = [
        line.removeprefix("Example: ") for line in prompt([LOGS, BARE]).split("\n") if line.startswith("Example")
    ]
    rest, calls = parse("\n".join(examples), ["search_logs", "list_alerts"], "c")
    assert rest == ""
    assert [c.name for c in calls] == ["search_logs", "list_alerts"]
    assert calls[0].args == {"services": ["<services>"], "level": "error", "since": "2026-06-01T14:00:00+08:00"}
    assert calls[1].args == {}


@pytest.mark.parametrize(
    "text",
    [
        '[TOOL_CALL]{"name": "a", "arguments": {"q": "慢"}}[/TOOL_CALL]',
        "[TOOL_CALL]{'tool': 'a', 'args': {'q': '慢',}}[/TOOL_CALL]",
        '[TOOL_CALL]{"name": "a", "arguments": {"q": "慢"}}',
        '<tool_call>\n{"name": "a", "arguments": {"q": "慢"}}\n</tool_call>',
        '<tool_call>{"name": "a", "arguments": "{\\"q\\": \\"慢\\"}"}</tool_call>',
        '```json\n{"name": "a", "parameters": {"q": "慢"}}\n```',
        '```\n{"name": "a", "arguments": {"q": "慢"}}\n```',
        '{"name": "a", "arguments": {"q": "慢"}}',
        '{"type": "function", "function": {"name": "a", "arguments": {"q": "慢"}}}'.replace('"type": "function", ', ""),
        '[{"name": "a", "arguments": {"q": "慢"}}]',
    ],
)
def test_one_call_in_each_form(text: str) -> None:
    rest, calls = parse(text, ["a", "b"], "c")
    assert rest == ""
    assert [(c.name, c.args) for c in calls] == [("a", {"q": "慢"})]


def test_several_calls_and_the_words_around_them() -> None:
    text = (
        'First this.\n[TOOL_CALL]{"name": "a", "arguments": {}}[/TOOL_CALL]\n[TOOL_CALL]{"name": "b", "arguments": {}}'
    )
    rest, calls = parse(text, ["a", "b"], "c")
    assert rest == "First this."
    assert [(c.id, c.name) for c in calls] == [("c_0", "a"), ("c_1", "b")]


def test_a_cut_block_is_an_unreadable_call_of_that_tool() -> None:
    _, calls = parse('[TOOL_CALL]{"name": "a", "arguments": {"q": "sl', ["a"], "c")
    assert (calls[0].name, calls[0].args) == ("a", None)
    assert "cut off" in calls[0].fault


@pytest.mark.parametrize(
    "text",
    [
        "The pool is exhausted.",
        'Set {"pool": 50} again.',
        '```json\n{"name": "checkout", "arguments": {"pool": 50}}\n```',
        '{"name": "checkout", "status": "slow"}',
        "```sh\ncurl x\n```",
        '[A1] shows {"name": "a"}',
    ],
)
def test_json_in_an_answer_is_no_call(text: str) -> None:
    assert parse(text, ["a", "b"], "c") == (text, [])


def test_a_history_as_text_alternates_and_changes_nothing() -> None:
    call: dict[str, Any] = {"id": "1", "type": "function", "function": {"name": "a", "arguments": '{"q": 1}'}}
    history = [
        {"role": "user", "content": "why"},
        {"role": "assistant", "content": "Looking.", "tool_calls": [call, {**call, "id": "2"}]},
        {"role": "tool", "tool_call_id": "1", "content": "412"},
        {"role": "tool", "tool_call_id": "2", "content": "no data"},
        {"role": "user", "content": "and now?"},
    ]
    before = [dict(m) for m in history]
    out = as_text(history, teach="TOOLS", forbid=True)
    assert [m["role"] for m in out] == ["system", "user", "assistant", "user", "user"]
    assert out[2]["content"].startswith("Looking.\n[TOOL_CALL]")
    assert parse(out[2]["content"], [], "c")[1][1].args == {"q": 1}
    assert "[TOOL_RESULT a]\n412" in out[3]["content"]
    assert out[4]["content"].startswith("and now?")
    assert history == before


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n<function=a>\n<parameter=q>\n慢\n</parameter>\n<parameter=s>\n["x", "y"]\n</parameter>\n'
        "</function>\n</tool_call>",
        '<function=a>\n<parameter=q>慢</parameter>\n<parameter=s>["x", "y"]</parameter>\n</function>',
        "<tool_call>a\n<arg_key>q</arg_key>\n<arg_value>慢</arg_value>\n<arg_key>s</arg_key>\n"
        '<arg_value>["x", "y"]</arg_value>\n</tool_call>',
    ],
    ids=["Qwen3-Coder", "without its tag", "GLM-4.5"],
)
def test_calls_in_elements_are_read(text: str) -> None:
    rest, calls = parse(f"I look.\n{text}\n{text}", ["a"], "c")
    assert rest == "I look."
    assert [(c.name, c.args) for c in calls] == [("a", {"q": "慢", "s": ["x", "y"]})] * 2


def test_a_call_without_arguments_in_elements() -> None:
    assert [(c.name, c.args) for c in parse("<tool_call>a</tool_call>", ["a"], "c")[1]] == [("a", {})]
    assert [(c.name, c.args) for c in parse("<function=a></function>", ["a"], "c")[1]] == [("a", {})]


def test_a_call_in_elements_that_was_cut_is_a_fault() -> None:
    (call,) = parse("<tool_call><function=a><parameter=q>checkou", ["a"], "c")[1]
    assert call.args is None


def test_elements_stay_text_where_no_tool_was_offered() -> None:
    assert parse("<function=a></function>", [], "c") == ("<function=a></function>", [])

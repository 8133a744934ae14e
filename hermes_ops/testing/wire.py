"""A step as what stands on the wire: chat-completions JSON, SSE chunks, error bodies. Pure functions, no sockets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from hermes_ops.testing.script import Fault, Step
from orchestrator.contracts import Json

DELTA = 24  # characters of text in one chunk


class Quirk(StrEnum):
    """What a server refuses, always, as real ones do. A refused request takes no step from the script."""

    NO_PARALLEL = "no_parallel"
    NO_TEMPERATURE = "no_temperature"
    NO_TOOL_CHOICE = "no_tool_choice"
    NO_STREAM_OPTIONS = "no_stream_options"
    NO_STREAM = "no_stream"
    ONLY_STREAM = "only_stream"
    NO_TOOLS = "no_tools"
    NO_AUTO_TOOLS = "no_auto_tools"  # vLLM without its parser flag
    TOOLS_WITH_RESULTS = "tools_with_results"  # tool messages need `tools`
    ECHO_REASONING = "echo_reasoning"
    STRIP_REASONING = "strip_reasoning"
    NO_PICTURES = "no_pictures"


@dataclass(frozen=True, slots=True)
class Raw:
    """A response before it has a socket. `cut`: the connection ends after `body`, without a proper end."""

    status: int
    body: bytes
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False


def _dumps(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def error(status: int, message: str, code: str = "", param: str = "", retry_after: float | None = None) -> Raw:
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    if 300 <= status < 400:
        headers["Location"] = "https://127.0.0.1:9/v1/chat/completions"
    detail = {"message": message, "type": "invalid_request_error", "param": param or None, "code": code or None}
    return Raw(status, _dumps({"error": detail}), headers=headers)


ERRORS: dict[Fault, tuple[int, str, str]] = {
    Fault.SERVER_ERROR: (500, "The server had an error while processing your request.", "server_error"),
    Fault.OVERLOADED: (503, "The engine is currently overloaded, please try again later.", "overloaded"),
    Fault.RATE_LIMIT: (429, "Rate limit reached for requests.", "rate_limit_exceeded"),
    Fault.QUOTA: (429, "You exceeded your current quota, please check your plan.", "insufficient_quota"),
    Fault.UNAUTHORIZED: (401, "Incorrect API key provided.", "invalid_api_key"),
    Fault.FORBIDDEN: (403, "Your key has no access to this model.", "access_denied"),
    Fault.UNKNOWN_MODEL: (404, "The model does not exist or you do not have access to it.", "model_not_found"),
    Fault.MODERATION: (400, "Input data may contain inappropriate content.", "data_inspection_failed"),
    Fault.CONTEXT_LENGTH: (
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        "context_length_exceeded",
    ),
    Fault.REDIRECT: (307, "Moved.", ""),
    Fault.BAD_REQUEST: (400, "Invalid value for 'messages[1].content'.", "invalid_value"),
}


def refusal(quirks: frozenset[Quirk], body: Json) -> Raw | None:
    """The 400 that a server with these quirks answers to this request, or None."""
    messages = body.get("messages") or []
    results = any(m.get("role") == "tool" for m in messages)
    calling = [m for m in messages if m.get("tool_calls")]
    pictures = any(isinstance(m.get("content"), list) for m in messages)
    auto = body.get("tools") and body.get("tool_choice", "auto") == "auto"
    tests: tuple[tuple[Quirk, object, str, str], ...] = (
        (Quirk.NO_PARALLEL, "parallel_tool_calls" in body, "Unknown parameter.", "parallel_tool_calls"),
        (Quirk.NO_TEMPERATURE, "temperature" in body, "invalid temperature: only 1 is allowed for this model", ""),
        (Quirk.NO_TOOL_CHOICE, "tool_choice" in body, "tool_choice is not supported by this model.", "tool_choice"),
        (Quirk.NO_STREAM_OPTIONS, "stream_options" in body, "Unrecognized argument: stream_options", ""),
        (Quirk.NO_STREAM, body.get("stream"), "Streaming is not supported by this server.", "stream"),
        (Quirk.ONLY_STREAM, not body.get("stream"), "This model only supports stream mode, enable stream.", ""),
        (Quirk.NO_PICTURES, pictures, "messages[1]: unknown variant `image_url`, expected `text`", ""),
        (Quirk.NO_TOOLS, body.get("tools"), "This model does not support tools", ""),
        (
            Quirk.NO_AUTO_TOOLS,
            auto,
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
            "",
        ),
        (Quirk.TOOLS_WITH_RESULTS, results and not body.get("tools"), "tools must be defined beside tool results.", ""),
        (
            Quirk.ECHO_REASONING,
            any("reasoning_content" not in m for m in calling),
            "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
            "",
        ),
        (
            Quirk.STRIP_REASONING,
            any("reasoning_content" in m for m in messages),
            "property 'messages.2.reasoning_content' is unsupported: Extra inputs are not permitted",
            "",
        ),
    )
    return next((error(400, text, param=param) for q, hit, text, param in tests if q in quirks and hit), None)


# ── one reply ─────────────────────────────────────────────────────────────────────────────────


def argument_text(step: Step, args: Mapping[str, Json] | str) -> str:
    """One call's arguments as the model wrote them, under the step's fault."""
    text = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)
    match step.fault:
        case Fault.SINGLE_QUOTES:
            return text.replace('"', "'")
        case Fault.TRAILING_COMMA:
            return text.rstrip("} ") + ",}"
        case Fault.FENCED:
            return f"```json\n{text}\n```"
        case Fault.CUT_JSON | Fault.LENGTH:
            return text[: max(1, len(text) * 2 // 3)]
    return text


def content(step: Step) -> str:
    """The text of the reply, with calls and reasoning in it when the step's fault puts them there."""
    objects = [json.dumps({"name": n, "arguments": a}, ensure_ascii=False) for n, a in step.calls]
    shapes = {
        Fault.REASONING_FIRST: f"<think>{step.reasoning or 'Let me see.'}</think>{step.text}",
        Fault.LEAKED_TAGS: step.text + "".join(f"<tool_call>\n{o}\n</tool_call>" for o in objects),
        Fault.LEAKED_FENCE: step.text + "\n".join(f"```json\n{o}\n```" for o in objects),
        Fault.LEAKED_JSON: "\n".join(objects),
        Fault.TEXT_DIALECT: step.text + "\n".join(f"[TOOL_CALL]{o}[/TOOL_CALL]" for o in objects),
        Fault.EMPTY: "",
    }
    return shapes.get(step.fault, step.text) if step.fault else step.text


_IN_TEXT = frozenset(
    {Fault.LEAKED_TAGS, Fault.LEAKED_FENCE, Fault.LEAKED_JSON, Fault.TEXT_DIALECT, Fault.EMPTY, Fault.CONTENT_FILTER}
)


def wire_calls(step: Step, n: int) -> list[Json]:
    """The reply's tool_calls; `n` (messages so far) makes ids that are the same for the same request."""
    if step.fault in _IN_TEXT:
        return []
    pairs = [(name, argument_text(step, args)) for name, args in step.calls]
    if step.fault is Fault.TWO_OBJECTS and pairs:
        pairs = [(pairs[0][0], "".join(text for _, text in pairs))]
    out: list[Json] = []
    for i, (name, text) in enumerate(pairs):
        call: dict[str, Json] = {"id": f"call_{n}_{i}", "type": "function"}
        if step.fault in (Fault.MISSING_ID, Fault.NO_INDEX_NO_ID):
            del call["id"]
        elif step.fault is Fault.REPEATED_ID:
            call["id"] = "call_same"
        out.append(call | {"function": {"name": name, "arguments": text}})
    return out


def finish(step: Step, found: Sequence[Json]) -> str:
    if step.fault is Fault.LENGTH:
        return "length"
    if step.fault is Fault.CONTENT_FILTER:
        return "content_filter"
    return step.finish or ("tool_calls" if found else "stop")


def response(step: Step, body: Json) -> Raw:
    """The whole answer to this request, streaming or not as it asks, misbehaving as the step says."""
    if step.fault in ERRORS:
        status, message, code = ERRORS[step.fault]
        return error(status, message, code, retry_after=step.retry_after)
    if step.fault is Fault.HTML:
        return Raw(200, b"<!doctype html><html><body>Please sign in</body></html>", "text/html; charset=utf-8")
    if step.fault is Fault.NOT_JSON:
        return Raw(200, b"upstream said no", "application/json")
    if body.get("stream") and step.fault is not Fault.PLAIN_BODY:
        return _streamed(step, body)
    return _plain(step, body)


def _usage(step: Step) -> Json:
    prompt, completion = step.usage
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def completion(step: Step, n: int, model: str) -> Json:
    """The reply as one whole chat.completion; `n`: messages in the request."""
    found = wire_calls(step, n)
    message: dict[str, Json] = {"role": "assistant", "content": content(step) or None}
    if found:
        message["tool_calls"] = found
    if step.reasoning and step.fault is not Fault.REASONING_FIRST:
        message["reasoning_content"] = step.reasoning
    reply: dict[str, Json] = {"id": "scripted", "object": "chat.completion", "model": model}
    reply["choices"] = [{"index": 0, "message": message, "finish_reason": finish(step, found)}]
    if step.fault is Fault.NO_CHOICES:
        reply["choices"] = []
    if step.fault is not Fault.NO_USAGE:
        reply["usage"] = _usage(step)
    return reply


def _plain(step: Step, body: Json) -> Raw:
    whole = _dumps(completion(step, len(body["messages"]), body.get("model") or ""))
    if step.fault is Fault.CUT_STREAM:
        return Raw(200, whole[: len(whole) // 2], cut=True)
    return Raw(200, whole)


def _call_deltas(step: Step, found: Sequence[Json]) -> list[Json]:
    """Calls as they come in a stream: a head with the name, then the arguments in two pieces."""
    bare = step.fault in (Fault.NO_INDEX, Fault.NO_INDEX_NO_ID)
    out: list[Json] = []
    for i, call in enumerate(found):
        place = {} if bare else {"index": i}
        text = call["function"]["arguments"]
        middle = len(text) // 2
        head = {**place, **call, "function": {"name": call["function"]["name"], "arguments": ""}}
        pieces = [{**place, "function": {"arguments": part}} for part in (text[:middle], text[middle:])]
        out += [{"tool_calls": [part]} for part in (head, *pieces)]
    return out


def _streamed(step: Step, body: Json) -> Raw:
    found = wire_calls(step, len(body["messages"]))
    text = content(step)
    deltas: list[Json] = [{"role": "assistant", "content": ""}]
    if step.reasoning and step.fault is not Fault.REASONING_FIRST:
        deltas.append({"reasoning_content": step.reasoning})
    deltas += [{"content": text[i : i + DELTA]} for i in range(0, len(text), DELTA)]
    deltas += _call_deltas(step, found)
    head = {"id": "scripted", "object": "chat.completion.chunk", "model": body.get("model")}
    events = [head | {"choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas]
    if step.fault is Fault.NO_CHOICES:
        events = []
    elif step.fault is not Fault.NO_FINISH:
        events.append(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish(step, found)}]})
    if (body.get("stream_options") or {}).get("include_usage") and step.fault is not Fault.NO_USAGE:
        events.append(head | {"choices": [], "usage": _usage(step)})
    return _sse(step.fault, [_dumps(e) for e in events])


def _sse(fault: Fault | None, events: list[bytes]) -> Raw:
    middle = (len(events) + 1) // 2
    if fault is Fault.CUT_STREAM:
        events = events[:middle]
    elif fault is Fault.BAD_CHUNK:
        events[middle] = events[middle][:-9]
    elif fault is Fault.ERROR_CHUNK:
        events[middle:] = [_dumps({"error": {"message": "The engine died.", "code": "server_error"}})]
    if fault is not Fault.CUT_STREAM:
        events.append(b"[DONE]")
    data = b"".join(b"data: " + e + b"\n\n" for e in events)
    return Raw(200, data, "text/event-stream", cut=fault is Fault.CUT_STREAM)

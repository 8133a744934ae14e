"""Messages as the history keeps them, and views of a history for servers that want it otherwise.

The history is always in the chat-completions form with native tool calls, so that it fits every endpoint of a
fallback list; a view is made only for an endpoint that needs one. Views copy, they never change a message.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.contracts import Message, Reply, ToolCall, dumps

REASONING = "reasoning_content"
UNSEEN = "The model was shown no picture."


def assistant_message(reply: Reply, echo: bool = False) -> Message:
    """The history's message for a reply. Arguments are always valid JSON: servers parse the history's, too.

    `echo`: put the reasoning in, where there are calls. (Providers that want it, want it in tool-calling turns.)
    """
    message: Message = {"role": "assistant", "content": reply.text}
    if reply.calls:
        message["tool_calls"] = [_wire(c) for c in reply.calls]
        if echo and reply.reasoning:
            message[REASONING] = reply.reasoning
    return message


def _wire(call: ToolCall) -> Message:
    args = {"unreadable": call.raw} if call.args is None else call.args
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": dumps(args)}}


def has_results(messages: Sequence[Message]) -> bool:
    return any(m.get("role") == "tool" for m in messages)


def has_pictures(messages: Sequence[Message]) -> bool:
    return any(isinstance(m.get("content"), list) for m in messages)


def without_pictures(messages: Sequence[Message]) -> list[Message]:
    """Each message with its first part alone, which is its words."""
    return [{**m, "content": m["content"][0]["text"]} if has_pictures([m]) else m for m in messages]


def call_ids(messages: Sequence[Message]) -> set[str]:
    return {c["id"] for m in messages for c in m.get("tool_calls") or ()}


def with_reasoning(messages: Sequence[Message]) -> list[Message]:
    """Every tool-calling message has reasoning: a blank where another model, or an older run, left none."""
    return [{**m, REASONING: " "} if m.get("tool_calls") and REASONING not in m else m for m in messages]


def without_reasoning(messages: Sequence[Message]) -> list[Message]:
    return [{k: v for k, v in m.items() if k != REASONING} if REASONING in m else m for m in messages]

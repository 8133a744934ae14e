"""What an assembled answer means: thoughts apart from text, calls with unique ids, a finish reason in our words.

Pure. What can't be used at all is a Failure, which the lane may try again; what the model can mend is a call whose
`args` is None.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from orchestrator.contracts import Message, Reply, ToolCall
from orchestrator.gateway import dialect
from orchestrator.gateway.arguments import read_calls
from orchestrator.gateway.failures import Failure
from orchestrator.gateway.history import call_ids
from orchestrator.gateway.stream import Assembly, Spoken

_THOUGHT = re.compile(r"<think>(.*?)(?:</think>|\Z)", re.S)
_BROKEN = frozenset({"error", "network_error", "insufficient_system_resource", "aborted"})


def read_reply(a: Assembly, messages: Sequence[Message], names: Sequence[str]) -> Reply:
    """The reply, without usage. `names`: tools that were offered. Raises Failure."""
    end = a.end
    if not a.choices:
        raise Failure("broken", "it has no choices")
    if not end and not a.whole:
        raise Failure("broken", "the stream ended without finish_reason")
    if end == "content_filter":
        raise Failure("moderation", "finish_reason content_filter")
    if end in _BROKEN:
        raise Failure("server", f"finish_reason {end}")
    thought, text = split_thought(a.said)
    stem = f"call_{len(messages)}"
    calls = _native(a.calls, messages, stem, cut=end == "length") if a.calls else []
    notes: tuple[str, ...] = ()
    if not calls:
        text, calls = dialect.parse(text, names, stem)
        notes = ("Calls were read from the text.",) if calls else ()
    if not text.strip() and not calls:
        used_up = "; its tokens were used up (finish_reason length), raise max_tokens" if end == "length" else ""
        raise Failure("broken", f"it is empty{used_up}")
    finish = "length" if end == "length" else "tool_calls" if calls else "stop"
    reasoning = "".join(a.reasoning) + thought
    return Reply(text.strip(), tuple(calls), reasoning, finish, model=a.model, notes=notes)


def split_thought(text: str) -> tuple[str, str]:
    """Reasoning that leaked into the content, and the text without it. A lone `</think>` ends what began unsaid."""
    if "</think>" not in text and not text.lstrip().startswith("<think>"):
        return "", text
    if "<think>" not in text.partition("</think>")[0]:
        text = "<think>" + text
    return "".join(_THOUGHT.findall(text)).strip(), _THOUGHT.sub("", text)


def _native(spoken: Sequence[Spoken], messages: Sequence[Message], stem: str, cut: bool) -> list[ToolCall]:
    taken = call_ids(messages)
    out: list[ToolCall] = []
    for i, s in enumerate(spoken):
        id = s.id if s.id and s.id not in taken else f"{stem}_{i}"
        taken.add(id)
        out += read_calls(id, s.name, s.arguments)
    if cut and not spoken[-1].arguments.strip():
        out[-1] = replace(out[-1], args=None, fault="the reply was cut off before the arguments; call again")
    return out

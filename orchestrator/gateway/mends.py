"""What a server refuses is left out from then on: the refusal is read, remembered for the endpoint, and the request is
sent again at once. Pure: it knows the request's body and the server's words, nothing of transport."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.contracts import Json
from orchestrator.gateway.history import REASONING, has_pictures, has_results

DROPPABLE = ("parallel_tool_calls", "stream_options", "temperature", "tool_choice")
_NO = r"(not|n't|un)\W{0,3}\w{0,12}\W{0,3}(support|allow|permit|implement|available|recogni)|unknown|unexpected|不支持"
_AUTO = re.compile(r"--enable-auto-tool-choice|--tool-call-parser|auto.{0,3} tool choice requires", re.I)
_TOOLS = re.compile(
    rf"\b(tools?|functions?|function[_ ]call(ing|s)?|tool use)\b.{{0,60}}({_NO})|({_NO}).{{0,60}}\b(tools?|function)",
    re.I,
)
_RESULTS = re.compile(r"tool(s|_?config)?\b.{0,40}(must|require|need|defin|miss|provid|set)", re.I)
_NO_STREAM = re.compile(rf"\bstream(ing)?\b.{{0,60}}({_NO})|({_NO}).{{0,40}}\bstream(ing)?\b", re.I)
_ONLY_STREAM = re.compile(r"only.{0,20}support.{0,10}stream|stream.{0,20}(must|required)|enable.{0,20}stream", re.I)
_SEEN = "image|vision|multi-?modal|图"
_SIGHT = re.compile(rf"({_NO}|not a).{{0,60}}({_SEEN})|({_SEEN}).{{0,60}}({_NO}|only)|content\b.+\bstring", re.I)
_MISSING = re.compile(r"missing|must|required|pass(ed)? back|缺少", re.I)


@dataclass(slots=True)
class Learned:
    """What one endpoint taught us; kept as long as the process."""

    dropped: set[str] = field(default_factory=set)
    text: bool = False  # calls in the text dialect
    omit: bool = False  # forbid calls by leaving the tools out
    flat: bool = False  # a history with results, but without tools, goes as text
    stream: bool = True
    reasoning: str = ""  # "" as the profile says | fill | strip
    blind: bool = False  # pictures are left out


def mend(learned: Learned, body: Mapping[str, Json], words: str) -> str:
    """Learns from a refusal of `body`. Gives the note for the trace, or "" when nothing is to be mended."""
    return (
        _pictures(learned, body, words)
        or _tools(learned, body, words)
        or _reasoning(learned, words)
        or _parameter(learned, body, words)
        or _stream(learned, body, words)
        or _no_tools(learned, body, words)
    )


def _pictures(learned: Learned, body: Mapping[str, Json], words: str) -> str:
    if not has_pictures(body["messages"]) or not _SIGHT.search(words):
        return ""
    learned.blind = True
    return "The server refused pictures: they are left out from now on."


def _tools(learned: Learned, body: Mapping[str, Json], words: str) -> str:
    if body.get("tools") and _AUTO.search(words):
        learned.text = True
        return (
            "The server has no tool parser: start it with --enable-auto-tool-choice and --tool-call-parser. "
            "Until then tools are called in the text dialect."
        )
    if not body.get("tools") and not learned.flat and has_results(body["messages"]) and _RESULTS.search(words):
        learned.flat = True
        return "The server wants tools beside tool messages: they are sent as text."
    return ""


def _reasoning(learned: Learned, words: str) -> str:
    if "reasoning" not in words.lower() or "reasoning_effort" in words:
        return ""
    wanted = "fill" if _MISSING.search(words) else "strip"
    if learned.reasoning == wanted:
        return ""
    learned.reasoning = wanted
    what = "missed" if wanted == "fill" else "refused"
    return f"The server {what} {REASONING} in the history: it is mended from now on."


def _parameter(learned: Learned, body: Mapping[str, Json], words: str) -> str:
    for name in DROPPABLE:
        if name in body and re.search(rf"\b{name}\b|\b{name.replace('_', ' ')}\b", words, re.I):
            if name == "tool_choice":
                learned.omit = True
            else:
                learned.dropped.add(name)
            return f"The server refused {name}: it is left out from now on."
    return ""


def _stream(learned: Learned, body: Mapping[str, Json], words: str) -> str:
    if body.get("stream") and _NO_STREAM.search(words) and not _ONLY_STREAM.search(words):
        learned.stream = False
        return "The server doesn't stream: whole replies from now on."
    if not body.get("stream") and _ONLY_STREAM.search(words):
        learned.stream = True
        return "The server only streams: streaming from now on."
    return ""


def _no_tools(learned: Learned, body: Mapping[str, Json], words: str) -> str:
    if body.get("tools") and _TOOLS.search(words):
        learned.text = True
        return "The model takes no native tools: they are called in the text dialect."
    return ""

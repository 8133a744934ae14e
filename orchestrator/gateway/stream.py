"""Assembling a reply from chunks, or from one whole body, whatever shape servers give them.

Pure: it is fed dicts and knows no transport. Reading of tags and arguments in what was said is in `replies.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrator.contracts import Json, Usage

_FINISH = {
    "function_call": "tool_calls", "max_tokens": "length", "max_output_reached": "length",
    "sensitive": "content_filter", "eos": "stop",
}  # fmt: skip


@dataclass(slots=True)
class Spoken:
    """One tool call as it grows."""

    id: str = ""
    name: str = ""
    text: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        return _joined(self.text)

    def whole(self) -> bool:
        """Its arguments are complete JSON: what comes next can't belong to it."""
        try:
            json.loads(self.arguments)
        except (ValueError, RecursionError):
            return False
        return True


class Assembly:
    """Feed it chunks with `add`, or one whole body; then read its fields. `text`, `reasoning`: pieces;
    `whole`: it came in one body, which needs no end."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.calls: list[Spoken] = []
        self.finish, self.model = "", ""
        self.usage: Usage | None = None
        self.choices = 0
        self.whole = False
        self._at: dict[int, Spoken] = {}

    def add(self, chunk: Json) -> str:
        """Takes one chunk in; gives the piece of text that came with it. Raises ValueError when it is no chunk."""
        if not isinstance(chunk, dict):
            raise ValueError("a chunk is not a JSON object")
        self.model = str(chunk.get("model") or self.model)
        choices = chunk.get("choices") or ()
        usage = chunk.get("usage") or (choices and choices[0].get("usage"))
        if usage:
            self.usage = read_usage(usage)
        if not choices:
            return ""
        self.choices += 1
        choice = choices[0]
        self.finish = str(choice.get("finish_reason") or self.finish)
        self.whole = self.whole or "message" in choice
        return self._delta(choice.get("delta") or choice.get("message") or {})

    def _delta(self, delta: Json) -> str:
        if thought := delta.get("reasoning_content") or delta.get("reasoning"):
            self.reasoning.append(str(thought))
        calls = delta.get("tool_calls") or ()
        if not calls and (old := delta.get("function_call")):
            calls = ({"index": 0, "function": old},)
        for call in calls:
            self._call(call)
        piece = _plain(delta.get("content"))
        if piece:
            self.text.append(piece)
        return piece

    def _call(self, part: Json) -> None:
        function = part.get("function") or {}
        id, name, arguments = str(part.get("id") or ""), function.get("name") or "", function.get("arguments")
        if arguments and not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        index = part.get("index")
        known = None if self.whole else self._known(index, id, name, bool(arguments))
        if known is None:
            known = Spoken()
            self.calls.append(known)
        if index is not None:
            self._at[index] = known
        known.id = known.id or id
        if name != known.name and not known.text:
            known.name += name  # a name may come in pieces, or again with every piece
        if arguments:
            known.text.append(arguments)

    def _known(self, index: int | None, id: str, name: str, more: bool) -> Spoken | None:
        """The call that this part continues, or None for a new one. Index counts first, then id, then name; a part
        with a name that follows a complete call is a new call, even under the same id."""
        if index is not None:
            at = self._at.get(index)
            return None if at and id and at.id and id != at.id and name else at
        last = self.calls[-1] if self.calls else None
        if last is None or (id and last.id and id != last.id):
            return None
        if name and last.name and (name != last.name or not more or last.whole()):
            return None
        return last

    @property
    def said(self) -> str:
        return _joined(self.text)

    @property
    def end(self) -> str:
        """The finish reason in our words; "" when the server gave none."""
        return _FINISH.get(self.finish, self.finish)


def _joined(pieces: Sequence[str]) -> str:
    """One text; a character whose halves came in two pieces is whole again, a lone half is U+FFFD."""
    text = "".join(pieces)
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _plain(content: Json) -> str:
    """Content as text; a list of parts gives its text parts."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(p.get("text") or "" for p in content if isinstance(p, dict) and p.get("type") == "text")


def read_usage(usage: Json) -> Usage:
    """Token counts from a `usage` object; cached tokens under the names that providers use."""
    details = usage.get("prompt_tokens_details") or {}
    cached = details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens") or usage.get("cached_tokens") or 0
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return Usage(1, *(max(0, int(count or 0)) for count in (prompt, completion, cached)))

"""A token estimate from bytes, corrected by what servers return. No tokenizer: they download tables, and a closed
network has none."""

from __future__ import annotations

import json
from collections.abc import Sequence

from orchestrator.contracts import Json, Message

BYTES_PER_TOKEN = 3.6
MESSAGE = 14  # bytes of frame around each message, as templates add them
PICTURE = 4_500  # bytes that a picture counts as: the vendors take some 1,200 tokens for a screenshot
KEPT = 32  # tool lists whose size is remembered; there is one per agent


def size(text: str) -> int:
    """Bytes in UTF-8. For ASCII the length says it, without a copy."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class TokenMeter:
    """One per endpoint: texts and tokenizers differ, so each learns its own factor."""

    def __init__(self) -> None:
        self._factor = 1.0
        self._tools: list[tuple[Sequence[Json], int]] = []

    def estimate(self, messages: Sequence[Message], tools: Sequence[Json] = ()) -> int:
        """Tokens of a request, about."""
        total = self._tool_bytes(tools) if tools else 0
        for m in messages:
            content = m.get("content")
            total += MESSAGE + (size(content) if isinstance(content, str) else _odd(content))
            for call in m.get("tool_calls") or ():
                function = call["function"]
                total += MESSAGE + len(function["name"]) + size(function["arguments"])
        return self._tokens(total)

    def text(self, text: str) -> int:
        """Tokens of one text, about."""
        return self._tokens(size(text))

    def correct(self, estimated: int, returned: int) -> None:
        """What a request was estimated at, and what the server counted. Halfway there each time, within bounds."""
        if estimated > 0 and returned > 0:
            wanted = self._factor * returned / estimated
            self._factor = min(4.0, max(0.25, (self._factor + wanted) / 2))

    def _tokens(self, size: int) -> int:
        return int(size / BYTES_PER_TOKEN * self._factor) + 1

    def _tool_bytes(self, tools: Sequence[Json]) -> int:
        # by identity: agents keep their list of schemas, and equal lists may be counted twice without harm
        for known, count in self._tools:
            if known is tools:
                return count
        count = size(json.dumps(list(tools), ensure_ascii=False))
        self._tools = [*self._tools[1 - KEPT :], (tools, count)]
        return count


def _odd(content: Json) -> int:
    return sum(size(part["text"]) if "text" in part else PICTURE for part in content or ())

"""Files of bare Python tracebacks: no clock in them. One record for each, level error.

(A traceback after a log line of another format belongs to that line; this format is for files without any. A chain
of exceptions counts once for each of its tracebacks.)
"""

from __future__ import annotations

import re

from subagents.folder import levels
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search

_ERRORS = re.compile(rb"Traceback ")
OPENING = "Traceback (most recent call last):"


def shape(lines: list[str]) -> str | None:
    return "" if any(line.startswith(OPENING) for line in lines) else None


def parser(hints: Hints) -> LineParser:
    return lambda line: Rec(None, hints.service, "error", line) if line.startswith(OPENING) else None


def raised(message: str, more: list[str]) -> str:
    """A traceback's message is what was raised: the last line that isn't indented."""
    if not message.startswith(OPENING):
        return message
    return next((line for line in reversed(more) if line[:1] not in ("", " ", "\t")), message)


def errors(shape: str) -> Search | None:
    return levels.hits(_ERRORS)


FORMAT = LogFormat("Python tracebacks", shape, parser, errors)

"""Server-sent events as chat servers send them: one JSON object per event, `[DONE]` at the end.

The SDK's decoder does the same line by line and object by object; on a loop that reads thousands of short chunks that
is a good part of the CPU of a question, so this reads event by event (https://html.spec.whatwg.org, section 9.2).
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator

import pydantic_core

from orchestrator.contracts import Json

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE = re.compile(rb"\r\n|\n|\r")
MOST = 8 << 20  # bytes of one event; a server that sends more is no chat server


async def events(pieces: AsyncIterator[bytes]) -> AsyncIterator[list[Json]]:
    """The JSON of the events that came together. Raises ValueError for what is no JSON or no UTF-8, or an event over
    8 MiB."""
    rest = bytearray()  # of the event that has no end yet: what comes is searched once
    async for piece in pieces:
        new = max(0, len(rest) - 3)  # an end may stand across two pieces
        rest += piece
        if not _END.search(rest, new):
            if len(rest) > MOST:
                raise ValueError("an event of over 8 MiB")
            continue
        *whole, last = _END.split(bytes(rest))
        rest = bytearray(last)
        said = [data for data in map(_data, whole) if data]
        done = next((n for n, data in enumerate(said) if data.startswith(b"[DONE]")), None)
        yield [_loads(data) for data in said[:done]]
        if done is not None:
            return
    if (data := _data(bytes(rest))) and not data.startswith(b"[DONE]"):
        yield [_loads(data)]  # the last event without its empty line; if it was cut, this raises


def _loads(data: bytes) -> Json:
    try:
        return pydantic_core.from_json(data)
    except ValueError:  # half a surrogate pair, or over 200 levels: json reads them, at three times the cost
        return json.loads(data)


def _data(event: bytes) -> bytes:
    """The event's data lines joined; comments and other fields are passed over."""
    if event.startswith(b"data: ") and b"\n" not in event and b"\r" not in event:
        return event[6:].strip()
    lines = (line for line in _LINE.split(event.lstrip(b"\xef\xbb\xbf")) if line.startswith(b"data:"))
    return b"\n".join(line[5:].removeprefix(b" ") for line in lines).strip()

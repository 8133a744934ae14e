"""Reading a stream that may break off, so that nothing of what came before is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO


def ready(stream: IO[bytes]) -> Callable[[int], bytes]:
    """`read`, giving what is there rather than waiting for all that was asked for: where the next bytes are broken, it
    raises with nothing in hand."""
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    return read

"""What a request brings, no more of it than is wanted."""

from __future__ import annotations

from starlette.requests import Request


async def body(request: Request, most: int) -> bytes | None:
    """`most`: bytes. None where it is larger; the rest isn't read then."""
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > most:
            return None
    return bytes(read)

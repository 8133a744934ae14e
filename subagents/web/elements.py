"""Reading a big JSON answer piece by piece: the elements of one array in it, in bounded memory.

It knows no HTTP and no product: bytes in, values out. What stands beside the array is kept as `rest`.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import AsyncIterator, Sequence

from orchestrator.contracts import Json

MOST = 32 << 20  # characters of one element
SPACE = " \t\r\n"
ENDS = (*SPACE, ",", "]", "}", ":")
_decoder = json.JSONDecoder()


class Malformed(ValueError):
    """No JSON, or only half of it. `head`: how it begins."""

    def __init__(self, head: str) -> None:
        super().__init__("malformed JSON")
        self.head = head


class Elements:
    """`async for element in Elements(chunks, ("data", "result"))`. An array that isn't there, or null, has none.

    Raises Malformed. After the last element `rest` holds the values beside the way to the array, by their own names.
    """

    def __init__(self, chunks: AsyncIterator[bytes], path: Sequence[str] = (), most: int = MOST) -> None:
        self.rest: dict[str, Json] = {}
        self._chunks, self._path, self._most = chunks, tuple(path), most
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text, self._at, self._ended = "", 0, False
        self._head = ""

    def __aiter__(self) -> AsyncIterator[Json]:
        return self._walk(self._path)

    async def _walk(self, path: tuple[str, ...]) -> AsyncIterator[Json]:
        opened = await self._peek()
        if not path and opened == "[":
            async for element in self._array():
                yield element
        elif not path or opened != "{":
            self._malformed_if(await self._value() is not None)
        else:
            self._at += 1
            async for element in self._object(path):
                yield element

    async def _object(self, path: tuple[str, ...]) -> AsyncIterator[Json]:
        while (seen := await self._peek()) != "}":
            if seen == ",":
                self._at += 1
                continue
            key = await self._value() if seen == '"' else None
            self._malformed_if(not isinstance(key, str) or await self._peek() != ":")
            self._at += 1
            if key == path[0]:
                async for element in self._walk(path[1:]):
                    yield element
            else:
                self.rest[str(key)] = await self._value()
        self._at += 1

    async def _array(self) -> AsyncIterator[Json]:
        self._at += 1
        while (seen := await self._peek()) != "]":
            if seen == ",":
                self._at += 1
            else:
                yield await self._value()
        self._at += 1

    async def _peek(self) -> str:
        """The next character that isn't space."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in SPACE:
                    return self._text[self._at]
                self._at += 1
            await self._more(1)

    async def _value(self) -> Json:
        """One whole value; where it isn't all there yet, it is tried again with twice as much text."""
        await self._peek()
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._at)
                if self._ended or self._text[end : end + 1] in ENDS:  # a number at the very end may go on
                    self._at = end
                    return value
            except ValueError:
                pass
            have = len(self._text) - self._at
            self._malformed_if(have > self._most)
            await self._more(max(have, 1))

    async def _more(self, wanted: int) -> None:
        """So many characters more, or all that there are."""
        self._malformed_if(self._ended)
        pieces, n = [self._text[self._at :]], 0
        while n < wanted and not self._ended:
            try:
                piece = self._utf8.decode(await anext(self._chunks))
            except StopAsyncIteration:
                piece, self._ended = self._utf8.decode(b"", True), True
            pieces.append(piece)
            n += len(piece)
        self._text, self._at = "".join(pieces), 0
        self._head = self._head or self._text[:200]

    def _malformed_if(self, wrong: bool) -> None:
        if wrong:
            raise Malformed(self._head)

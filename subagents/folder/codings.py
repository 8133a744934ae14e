"""How the text of a file is encoded: UTF-8, UTF-16 with or without a byte-order mark, or GB18030 (GBK, GB2312); and
text with holes of zero bytes, which a copy-and-truncate rotation or a power failure leaves.

Told by the bytes alone. Other encodings can't be told from bytes; what isn't UTF-8 then shows as U+FFFD, and is
counted (`undecodable`).
"""

from __future__ import annotations

import codecs
import io
import re
from typing import IO

from subagents.folder.streams import ready

UTF16 = ("utf-16-le", "utf-16-be")
HOLES = "holes"
NAMES = (*UTF16, "gb18030", HOLES)
_TEXT = bytes((9, 10, 13, 27, *range(32, 256)))
_BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_REPLACED = "\ufffd"
_PIECE = 256 << 10


def coding(head: bytes) -> str:
    """A name of `NAMES`, or "" where the bytes are read as UTF-8."""
    if named := _BOMS.get(head[:2]):
        return named
    if b"\x00" in head:
        return _wide(head) or (HOLES if _holed(head) else "")
    if head.isascii() or _is_utf8(head):
        return ""
    return "gb18030" if _is_chinese(head) else ""


def _wide(head: bytes) -> str:
    """UTF-16 of mostly Latin letters has a zero in every second byte, and hardly one in the others."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2 or 1
    few, many = min(even, odd), max(even, odd)
    if len(head) < 16 or few * 50 >= half or many * 2 <= half:
        return ""
    name = "utf-16-le" if odd > even else "utf-16-be"
    text = head[: len(head) // 2 * 2].decode(name, "replace")
    return name if all(c.isprintable() or c in "\r\n\t\x1b" for c in text) else ""


def _holed(head: bytes) -> bool:
    """Text with runs of zeros, fewer than it has lines; a file that begins with more zeros than this is one too."""
    rest = head.replace(b"\x00", b"")
    runs = len(re.findall(rb"\x00+", head))
    return runs <= rest.count(b"\n") + 2 and len(rest.translate(None, _TEXT)) * 50 <= len(rest)


def _is_utf8(head: bytes) -> bool:
    """Whether at most a character at the end is cut, or a few bytes are broken among many good ones."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(head)
    bad = text.count(_REPLACED) - head.count(_REPLACED.encode())
    good = sum(1 for c in text if c > "\x7f" and c != _REPLACED)
    return bad <= good // 4


def _is_chinese(head: bytes) -> bool:
    """Decodes as GB18030, and what isn't ASCII is nearly all Chinese characters and marks in common use."""
    text = codecs.getincrementaldecoder("gb18030")("replace").decode(head)
    wide = [c for c in text if c > "\x7f"]
    common = sum(1 for c in wide if "\u4e00" <= c <= "\u9fff" or "\u3000" <= c <= "\u303f" or "\uff00" <= c <= "\uffef")
    return bool(wide) and common * 10 >= len(wide) * 9


def undecodable(line: bytes, text: str) -> int:
    """How many characters of a decoded line stand for bytes that couldn't be decoded."""
    return 0 if _REPLACED not in text else text.count(_REPLACED) - line.count(_REPLACED.encode())


class Recoded(io.RawIOBase):
    """A stream of another encoding, as UTF-8. What can't be decoded becomes one byte that is no UTF-8 either, so that
    it counts as undecodable where lines are read."""

    def __init__(self, inner: IO[bytes], name: str) -> None:
        self._inner, self._read, self._holes = inner, ready(inner), name == HOLES
        self._decoder = codecs.getincrementaldecoder("utf-8" if self._holes else name)("replace")
        self._begun, self._ended = False, False
        self._broken: Exception | None = None

    def readable(self) -> bool:
        return True

    def read(self, n: int = -1) -> bytes:
        """Raises what `inner` raises, after all that came before it."""
        pieces: list[bytes] = []
        size = 0
        while not self._ended and (n < 0 or size < n):
            raw = self._next()
            self._ended = not raw
            if self._holes:
                pieces.append(raw.replace(b"\x00", b""))
                size += len(pieces[-1])
                continue
            text = self._decoder.decode(raw, self._ended)
            if not self._begun and text:
                text, self._begun = text.removeprefix("\ufeff"), True
            pieces.append(text.encode("utf-8", "replace").replace(b"\xef\xbf\xbd", b"\xff"))
            size += len(pieces[-1])
        if self._broken and not any(pieces):
            raise self._broken
        return b"".join(pieces)

    def _next(self) -> bytes:
        try:
            return self._read(_PIECE)
        except Exception as e:  # each library has its own class for a broken archive
            self._broken = e
            return b""

    def close(self) -> None:
        self._inner.close()
        super().close()

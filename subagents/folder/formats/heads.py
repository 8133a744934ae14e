"""The search for errors in lines that begin with a time and have their level near it.

Seeking every word that says error in a whole file takes one pass for each. It is faster to learn how harmless lines
begin (`2026-11-28T00:00:00.598Z [main] INFO `, any digits) and to take all others: one pass. A line with such a
beginning is harmless whatever follows, since the first level word in it counts. Where a file has too many beginnings,
the words are sought after all.
"""

from __future__ import annotations

import re
from itertools import islice

from subagents.folder import levels

_LINE = re.compile(rb"\n(?!\Z)")
_HEADS = 12  # beginnings that are told apart
_LOOKED = 64  # lines of a block that are learned from at a time
_ROUNDS = 3
_SPARSE = 1_000  # bytes of a block for each line taken: with more lines the words are sought
_FAILED = 3  # blocks, after which nothing more is tried


class Heads:
    """Callable as a `Search`; keeps what it learned. `line`: a pattern whose group 3 is the text between the time and
    the end of the first level word, group 4 that word."""

    def __init__(self, line: re.Pattern[bytes]) -> None:
        self._line = line
        self._heads: list[bytes] = []
        self._others: re.Pattern[bytes] | None = None
        self._failed = 0

    def __call__(self, block: bytes) -> list[int]:
        if self._failed < _FAILED:
            places = self._uncovered(block)
            if self._others is not None and len(places) * _SPARSE <= len(block) + _LOOKED * _SPARSE:
                return places
            self._failed += 1
        return levels.error_words(block)

    def _uncovered(self, block: bytes) -> list[int]:
        """Where the lines without a harmless beginning start."""
        places = self._starts(block, self._others or _LINE, None if self._others else _LOOKED)
        for _ in range(_ROUNDS):
            if not self._learned(block, places[:_LOOKED]) or self._others is None:
                break
            places = self._starts(block, self._others, None)
        return places

    def _starts(self, block: bytes, others: re.Pattern[bytes], most: int | None) -> list[int]:
        return [0, *(found.end() for found in islice(others.finditer(block), most))]

    def _learned(self, block: bytes, places: list[int]) -> bool:
        before = len(self._heads)
        for place in places:
            head = self._head(block[place : block.find(b"\n", place)].removesuffix(b"\r"))
            if head and head not in self._heads and len(self._heads) < _HEADS:
                self._heads.append(head)
        if len(self._heads) > before:
            self._others = re.compile(rb"\n(?!" + b"|".join(self._heads) + rb"|\Z)")
        return len(self._heads) > before

    def _head(self, line: bytes) -> bytes:
        """The harmless beginning of a line as a pattern, b"" where it has none."""
        found = self._line.fullmatch(line)
        if found is None or levels.level(found.group(4).decode()) in ("error", "fatal"):
            return b""
        between = re.sub(rb"\d", rb"\\d", re.escape(found.group(3)))
        if found.group(3)[:1].isalnum():
            return b""
        return rb"[\[\"'<(\dTZ:.,+ -]{%d}%b(?=[] \t:|,>)])" % (found.start(3), between)

"""Matching records of one log file, or of a byte range of it. Runs in worker processes.

A record begins with a line that its format can read; lines that it can't belong to the record before, also across
the border of a range. Where a format has a sound byte search for errors, only lines that it hits are read.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from subagents import near
from subagents.folder import files
from subagents.folder.formats.traceback import raised
from subagents.folder.records import Hints, LogFormat, Rec, Search

MORE_LINES = 200
ERRORS = frozenset(("error", "fatal"))


class Part(NamedTuple):
    """What to read: a file, or the range `[start, end)` of a plain one. `number` orders files in a folder; `native`: a
    whole plain file that another program may look through for errors."""

    path: str
    packed: str
    number: int
    start: int
    end: int | None
    native: bool = False


class Ask(NamedTuple):
    """A log query in seconds since 1970; () and "" mean all. `until` is exclusive; lines without a time match only
    when `since` is None."""

    since: float | None
    until: float | None
    services: tuple[str, ...]
    levels: tuple[str, ...]
    text: tuple[str, ...]
    deadline: float | None = (
        None  # time.monotonic(), the same in all processes: a scan that is over it stops and says it
    )
    near: near.Words = ()

    @property
    def worded(self) -> bool:
        """Whether a record's words decide, so that it must be read whole."""
        return bool(self.text or self.near)

    def fits(self, rec: Rec) -> bool:
        if self.levels and rec.level not in self.levels:
            return False
        if self.services and rec.service not in self.services:
            return False
        return self.spans(rec.at)

    def spans(self, at: float | None) -> bool:
        if self.since is None and self.until is None:
            return True
        return at is not None and (self.since or 0.0) <= at < (self.until or 1e12)

    def holds(self, body: str) -> bool:
        return all(t.lower() in body for t in self.text) and (not self.near or near.holds(self.near, body))

    def takes(self, found: Found) -> bool:
        """Whether its words are those that are sought. Its service's name before them is none."""
        if not self.near or not self.holds(found.body):
            return self.holds(found.body)
        own = "\n".join((found.rec.message, *found.more)).lower()
        rest = found.raw.lower().replace(found.rec.service.lower() or "\n", "")
        return any(near.holds(self.near, text) for text in (own, rest))


class Late(Exception):
    """The deadline passed; `at` is the byte up to which was read."""

    def __init__(self, at: int) -> None:
        self.at = at


def timely(ask: Ask, blocks: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    for at, block in blocks:
        if ask.deadline is not None and time.monotonic() > ask.deadline:
            raise Late(at)
        yield at, block


def decoded(line: bytes) -> str:
    text = line.removesuffix(b"\r").decode("utf-8", "replace")
    return text.removeprefix("\ufeff") if line[:1] == b"\xef" else text  # a byte-order mark


def finder(form: LogFormat, hints: Hints, ask: Ask) -> Search | None:
    """The search for the only lines that can match, where only errors are wanted and the format has one."""
    return form.errors(hints.shape) if ask.levels and ERRORS.issuperset(ask.levels) else None


# ── whole records ─────────────────────────────────────────────────────────────────────────────


class Found(NamedTuple):
    """A matching record with its whole text: `more` are the lines that belong to it."""

    offset: int
    line: int
    rec: Rec
    raw: str
    more: list[str]
    before: list[str]
    after: list[str]

    @property
    def body(self) -> str:
        return "\n".join([self.raw, self.rec.message, *self.more]).lower()

    @property
    def message(self) -> str:
        return raised(self.rec.message, self.more)


class Reader:
    """Groups lines into records and keeps the neighbours that were asked for."""

    def __init__(self, form: LogFormat, hints: Hints, ask: Ask, context: int) -> None:
        self.parse, self._inner = form.parser(hints), form.inner
        self._ask, self._context = ask, context
        self._past: list[str] = []
        self.open: Found | None = None
        self._done: list[Found] = []  # full records that wait for their after-lines

    @property
    def busy(self) -> bool:
        """Whether the next lines are wanted, whatever they hold."""
        return self.open is not None or bool(self._done)

    def feed(self, offset: int, number: int, line: str) -> Iterator[Found]:
        rec = self.parse(line)
        if rec is None and self.open is not None:
            if len(self.open.more) < MORE_LINES and (inner := self._inner(line)) is not None:
                self.open.more.append(inner)
        else:
            self._shut()
            yield from self._follow(line)
            if rec is not None and self._ask.fits(rec):
                self.open = Found(offset, number, rec, line, [], list(self._past), [])
        if self._context:
            self._past = [*self._past, line][-self._context :]

    def _shut(self) -> None:
        """The open record is complete: it stays if its text matches."""
        if self.open is not None:
            if not self._ask.worded or self._ask.takes(self.open):
                self._done.append(self.open)
            self.open = None

    def _follow(self, line: str) -> Iterator[Found]:
        waiting = []
        for found in self._done:
            if len(found.after) >= self._context:
                yield found
                continue
            found.after.append(line)
            waiting.append(found)
        self._done = waiting

    def rest(self) -> Iterator[Found]:
        self._shut()
        yield from self._done
        self._done = []


def records(part: Part, form: LogFormat, hints: Hints, ask: Ask, context: int = 0) -> Iterator[Found]:
    """The matching records that begin in the part, in file order, each with its continuation lines.

    Line numbers are exact where a scan begins at byte 0, else 0.
    """
    reader = Reader(form, hints, ask, context)
    search = finder(form, hints, ask)
    may_hold = _may_hold(ask) if search is None and ask.worded else None
    walk = _Walk(reader, search, context, part.start == 0)
    for at, block in timely(ask, files.line_blocks(part.path, part.packed, part.start, part.end)):
        if may_hold is None or may_hold(block.lower()):
            yield from walk.through(at, block)
        else:  # its last lines all the same: what is sought may stand in the next block's continuation of them
            yield from walk.past(at, block)
    yield from following(part, reader)


def following(part: Part, reader: Reader) -> Iterator[Found]:
    """The last record, with what belongs to it of the lines after the part."""
    if part.end is not None and reader.busy:
        for at, line in files.lines(part.path, part.packed, part.end):
            if reader.parse(text := decoded(line)) is not None:
                break
            yield from reader.feed(at, 0, text)
    yield from reader.rest()


def _may_hold(ask: Ask) -> Callable[[bytes], bool]:
    """Whether a lower-case block may hold what is sought, by literals; JSON may write others than ASCII as escapes."""
    needle, words = _needle(ask.text), [[n.encode() for n in ways] for ways in near.needles(ask.near)]

    def holds(block: bytes) -> bool:
        if needle is not None and needle not in block:
            return False
        return all(any(n in block for n in ways) for ways in words) or b"\\u" in block

    return holds


def _needle(text: tuple[str, ...]) -> bytes | None:
    """The longest sought word that reads the same in every encoding of a line (JSON may escape the rest)."""
    plain = [t for t in text if re.fullmatch(r"[\w .:=-]+", t, re.ASCII)]
    return max(plain, key=len).lower().encode() if plain else None


class _Walk:
    """Takes a reader through blocks; with a search only to lines that it hits and to what belongs to them."""

    def __init__(self, reader: Reader, search: Search | None, context: int, numbered: bool) -> None:
        self._reader, self._search, self._context, self._numbered = reader, search, context, numbered
        self._line = 0

    def through(self, at: int, block: bytes, start: int = 0) -> Iterator[Found]:
        position, places = start, None if self._search is None else self._search(block)
        while position < len(block):
            if places is not None and not self._reader.busy:
                ahead = self._next(block, position, places)
                self._line += block.count(b"\n", position, ahead)
                position = ahead
                if position >= len(block):
                    return
            end = block.find(b"\n", position)
            self._line += 1
            line = decoded(files.capped(block[position:end]))
            yield from self._reader.feed(at + position, self._line if self._numbered else 0, line)
            position = end + 1

    def _next(self, block: bytes, position: int, places: list[int]) -> int:
        """Where to go on: the next line with a hit, or the context before it."""
        n = bisect_left(places, position)
        target = len(block) if n == len(places) else block.rfind(b"\n", 0, places[n]) + 1
        for _ in range(self._context):
            target = max(position, block.rfind(b"\n", 0, max(0, target - 1)) + 1)
        return target

    def past(self, at: int, block: bytes) -> Iterator[Found]:
        """A block that can't hold what is sought: only the end of the record before it, and its own last record."""
        before, position = self._reader.open, 0
        while position < len(block) and self._reader.busy and self._reader.open in (before, None):
            end = block.find(b"\n", position)
            yield from self._reader.feed(at + position, 0, decoded(block[position:end]))
            position = end + 1
        start = len(block)
        for _ in range(MORE_LINES + 1):
            start = block.rfind(b"\n", 0, max(0, start - 1)) + 1
        if start > position:
            self._reader.open = None
            self._line += block.count(b"\n", 0, start)
        else:
            self._line += block.count(b"\n", 0, position)
        yield from self.through(at, block, max(start, position))

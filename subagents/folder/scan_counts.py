"""Counts of log records by service, level, time and code. Runs in worker processes, like `scan`, on which it stands.

Most lines of a file look alike: where their format knows a pattern for them (`LogFormat.alike`), lines with equal
groups are put together as bytes, and of those only as many are parsed as tell what the groups mean. All others are
parsed one by one, and so are those of a minute that the asked window cuts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from subagents.folder import files, native
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Row, Search
from subagents.folder.scan import Ask, Late, Part, decoded, finder, records, timely

DIMENSIONS = ("service", "level", "hour", "minute", "day", "code")
_SPAN = {"hour": 3600, "minute": 60, "day": 86400}
_LAYOUTS = 8  # layouts of one file that are told apart
_TRIES = 64  # lines that a layout is sought in
_KINDS = 20_000  # different groups kept before they are read
_STRETCH = 2_000  # lines whose times are noted together
_CUT = -1  # instead of a number of lines: they are counted one by one
Groups = tuple[bytes | None, ...]


def count(part: Part, form: LogFormat, hints: Hints, ask: Ask, by: tuple[str, ...]) -> Row:
    """{"groups": [[key, …], n] …, "late", "broken"}: matching records by the asked dimensions. Of all levels also
    "spans": [first byte, first and last time] of each stretch of a plain file that has times."""
    tally = _Tally(form, hints, ask, by)
    out: Row = {"late": None, "broken": ""}
    try:
        if ask.worded:
            for found in records(part, form, hints, ask):
                tally.add(found.rec, 1)
        elif (search := finder(form, hints, ask)) is None:
            out["spans"] = []
            _all(part, tally, ask, out["spans"])
        elif not (part.native and _natively(part.path, form.native, tally, ask)):
            tally = _Tally(form, hints, ask, by)
            _errors(part, tally, ask, search)
    except Late as e:
        out["late"] = e.at
    except files.Unreadable as e:
        out["broken"] = str(e)
    out["groups"] = [[list(k), n] for k, n in tally.settled().items()]
    return out


def _all(part: Part, tally: _Tally, ask: Ask, spans: list[list[float]]) -> None:
    for at, block in timely(ask, files.line_blocks(part.path, part.packed, part.start, part.end)):
        lines, start = block[:-1].split(b"\n"), at
        for n in range(0, len(lines), _STRETCH):
            stretch = lines[n : n + _STRETCH]
            tally.take(stretch)
            if (times := tally.times()) is not None:
                spans.append([start, *times])
            start += sum(map(len, stretch)) + len(stretch)


def _errors(part: Part, tally: _Tally, ask: Ask, search: Search) -> None:
    for _, block in timely(ask, files.line_blocks(part.path, part.packed, part.start, part.end)):
        tally.take(_hit(block, search(block)))


def _natively(path: str, expression: bytes, tally: _Tally, ask: Ask) -> bool:
    """Whether it could be done so. Raises Late."""
    try:
        for block in native.lines(path, expression, ask.deadline):
            tally.take(block[:-1].split(b"\n"))
    except TimeoutError as e:
        raise Late(e.args[0]) from None
    except (native.Unable, OSError):
        return False
    return True


def _hit(block: bytes, places: list[int]) -> Iterator[bytes]:
    """The lines around some places of a block, each once."""
    end = -1
    for place in places:
        if place > end:
            end = block.find(b"\n", place)
            yield block[block.rfind(b"\n", 0, place) + 1 : end]


class _Layout:
    """Lines of one layout, by their groups: one of each, and how many there are. What a group of the time means is
    read once, and what the others mean once, not each pair of them. `cut`: minutes that are counted line by line."""

    def __init__(self, pattern: re.Pattern[bytes], parse: LineParser, cut: frozenset[float]) -> None:
        self._match, self._parse, self._cut = pattern.fullmatch, parse, cut
        timed = {n - 1 for n in pattern.groupindex.values()}
        self._split = [n in timed for n in range(pattern.groups)]
        self.kinds: dict[Groups, Any] = {}  # [a line, how many]
        self._times: dict[Groups, float] = {}
        self._rests: dict[Groups, Rec] = {}

    def took(self, line: bytes) -> Any:
        """Falsy where it is no such line; `_CUT` where it is one, but must be counted alone."""
        match = self._match(line)
        if match is None:
            return 0
        groups = match.groups()
        kind = self.kinds.get(groups)
        if kind is None:
            kind = self.kinds[groups] = [line, _CUT if self._cut and self._falls(groups, line) else 0]
        if kind[1] != _CUT:
            kind[1] += 1
        return kind[1]

    def _falls(self, groups: Groups, line: bytes) -> bool:
        rec = self._read(groups, line)
        return rec is not None and rec.at is not None and rec.at // 60 in self._cut

    def settled(self) -> Iterator[tuple[Rec, int]]:
        """A record of each kind, which it forgets, and how many there are."""
        kinds, self.kinds = self.kinds, {}
        for groups, (line, n) in kinds.items():
            rec = self._read(groups, line) if n != _CUT else None
            if rec is not None:
                yield rec, n
        if len(self._times) + len(self._rests) > _KINDS:
            self._times, self._rests = {}, {}

    def _read(self, groups: Groups, line: bytes) -> Rec | None:
        when = tuple(g for g, timed in zip(groups, self._split, strict=True) if timed)
        rest = tuple(g for g, timed in zip(groups, self._split, strict=True) if not timed)
        if when in self._times and rest in self._rests:
            return self._rests[rest]._replace(at=self._times[when])
        rec = self._parse(decoded(line))
        if rec is not None and rec.at is not None:
            self._times[when], self._rests[rest] = rec.at, rec
        return rec


class _Tally:
    """Takes lines and records in, and counts those that were asked for."""

    def __init__(self, form: LogFormat, hints: Hints, ask: Ask, by: tuple[str, ...]) -> None:
        self._form, self._shape, self._ask, self._by = form, hints.shape, ask, by
        self._parse = form.parser(hints)
        self._groups: Counter[tuple[str, ...]] = Counter()
        self._layouts: list[_Layout] = []
        self._cut = frozenset(t // 60 for t in (ask.since, ask.until) if t is not None and t % 60)
        self._tries = _TRIES
        self._first: float | None = None  # times since they were last asked for
        self._last: float | None = None

    def take(self, lines: Iterator[bytes] | list[bytes]) -> None:
        for line in lines:
            if len(line) > files.LINE_CAP:
                line = files.capped(line)
            line = line.removesuffix(b"\r")
            for layout in self._layouts:
                if took := layout.took(line):
                    break
            else:
                took = 0
            if took <= 0:
                self._other(line, took == 0)
        if sum(len(layout.kinds) for layout in self._layouts) > _KINDS:
            self._settle()

    def _other(self, line: bytes, fresh: bool) -> None:
        rec = self._parse(decoded(line))
        if rec is None:
            return
        self.add(rec, 1)
        if fresh and self._tries and len(self._layouts) < _LAYOUTS:
            self._tries -= 1
            pattern = self._form.alike(self._shape, line)
            if pattern is not None and pattern.fullmatch(line):
                self._layouts.append(_Layout(pattern, self._parse, self._cut))

    def add(self, rec: Rec, n: int) -> None:
        """Of what is put together the time is right to the minute."""
        if rec.at is not None:
            self._first = rec.at if self._first is None else min(self._first, rec.at)
            self._last = rec.at if self._last is None else max(self._last, rec.at)
        if self._ask.fits(rec):
            self._groups[tuple(_key(rec, dimension) for dimension in self._by)] += n

    def _settle(self) -> None:
        for layout in self._layouts:
            for rec, n in layout.settled():
                self.add(rec, n)

    def times(self) -> tuple[float, float] | None:
        """The first and the last minute of what was taken since this was last asked, as times at both ends of them."""
        self._settle()
        first, last = self._first, self._last
        self._first = self._last = None
        return None if first is None or last is None else (first // 60 * 60, last // 60 * 60 + 60)

    def settled(self) -> Counter[tuple[str, ...]]:
        self._settle()
        return self._groups


def _key(rec: Rec, dimension: str) -> str:
    if dimension == "service":
        return rec.service
    if dimension == "level":
        return rec.level
    if dimension == "code":
        return rec.code
    if rec.at is None:
        return ""
    span = _SPAN[dimension]
    return str(int(rec.at // span) * span)

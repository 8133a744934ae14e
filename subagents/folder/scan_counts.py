"""Counts of log records by service, level, time and code. Runs in worker processes, like `scan`, on which it stands.

Most lines of a file look alike: where their format knows a pattern for them (`LogFormat.alike`), lines with equal
groups are put together as bytes, and of those only as many are parsed as tell what the groups mean. All others are
parsed one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from subagents.folder import files
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Row, Search
from subagents.folder.scan import Ask, Late, Part, decoded, finder, records, timely

DIMENSIONS = ("service", "level", "hour", "minute", "day", "code")
_SPAN = {"hour": 3600, "minute": 60, "day": 86400}
_LAYOUTS = 8  # layouts of one file that are told apart
_TRIES = 64  # lines that a layout is sought in
_KINDS = 20_000  # different groups kept before they are read
Groups = tuple[bytes | None, ...]


def count(part: Part, form: LogFormat, hints: Hints, ask: Ask, by: tuple[str, ...]) -> Row:
    """{"groups": [[key, …], n] …, "late", "broken"}: matching records by the asked dimensions."""
    tally = _Tally(form, hints, ask, by)
    out: Row = {"late": None, "broken": ""}
    try:
        if ask.text:
            for found in records(part, form, hints, ask):
                tally.add(found.rec, 1)
        else:
            _lines(part, tally, ask, finder(form, hints, ask))
    except Late as e:
        out["late"] = e.at
    except files.Unreadable as e:
        out["broken"] = str(e)
    out["groups"] = [[list(k), n] for k, n in tally.settled().items()]
    return out


def _lines(part: Part, tally: _Tally, ask: Ask, search: Search | None) -> None:
    for _, block in timely(ask, files.line_blocks(part.path, part.packed, part.start, part.end)):
        tally.take(block[:-1].split(b"\n") if search is None else _hit(block, search(block)))


def _hit(block: bytes, places: list[int]) -> Iterator[bytes]:
    """The lines around some places of a block, each once."""
    end = -1
    for place in places:
        if place > end:
            end = block.find(b"\n", place)
            yield block[block.rfind(b"\n", 0, place) + 1 : end]


class _Layout:
    """Lines of one layout, by their groups: one of each, and how many there are. What a group of the time means is
    read once, and what the others mean once, not each pair of them."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self._match = pattern.fullmatch
        timed = {n - 1 for n in pattern.groupindex.values()}
        self._split = [n in timed for n in range(pattern.groups)]
        self.kinds: dict[Groups, list[Any]] = {}
        self._times: dict[Groups, float] = {}
        self._rests: dict[Groups, Rec] = {}

    def took(self, line: bytes) -> bool:
        match = self._match(line)
        if match is None:
            return False
        groups = match.groups()
        kind = self.kinds.get(groups)
        if kind is None:
            self.kinds[groups] = [line, 1]
        else:
            kind[1] += 1
        return True

    def settled(self, parse: LineParser) -> Iterator[tuple[Rec, int]]:
        """A record of each kind, which it forgets, and how many there are."""
        kinds, self.kinds = self.kinds, {}
        for groups, (line, n) in kinds.items():
            rec = self._read(groups, line, parse)
            if rec is not None:
                yield rec, n
        if len(self._times) + len(self._rests) > _KINDS:
            self._times, self._rests = {}, {}

    def _read(self, groups: Groups, line: bytes, parse: LineParser) -> Rec | None:
        when = tuple(g for g, timed in zip(groups, self._split, strict=True) if timed)
        rest = tuple(g for g, timed in zip(groups, self._split, strict=True) if not timed)
        if when in self._times and rest in self._rests:
            return self._rests[rest]._replace(at=self._times[when])
        rec = parse(decoded(line))
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
        whole = all(t is None or t % 60 == 0 for t in (ask.since, ask.until))
        self._tries = _TRIES if whole else 0  # a window that cuts minutes needs each line's own time

    def take(self, lines: Iterator[bytes] | list[bytes]) -> None:
        for line in lines:
            line = files.capped(line).removesuffix(b"\r")
            for layout in self._layouts:
                if layout.took(line):
                    break
            else:
                self._other(line)
        if sum(len(layout.kinds) for layout in self._layouts) > _KINDS:
            self._settle()

    def _other(self, line: bytes) -> None:
        rec = self._parse(decoded(line))
        if rec is None:
            return
        self.add(rec, 1)
        if self._tries and len(self._layouts) < _LAYOUTS:
            self._tries -= 1
            pattern = self._form.alike(self._shape, line)
            if pattern is not None and pattern.fullmatch(line):
                self._layouts.append(_Layout(pattern))

    def add(self, rec: Rec, n: int) -> None:
        if self._ask.fits(rec):
            self._groups[tuple(_key(rec, dimension) for dimension in self._by)] += n

    def _settle(self) -> None:
        for layout in self._layouts:
            for rec, n in layout.settled(self._parse):
                self.add(rec, n)

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

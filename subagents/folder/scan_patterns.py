"""Templates of log messages in a window and before it. Runs in worker processes, like `scan`, on which it stands.

Most lines differ from one seen before in nothing but digits. Where their format knows a pattern for them
(`LogFormat.alike`, which tells minute, service, level and code), such a line isn't read again: its template is that
one's. All others are read one by one, and so are those of a minute that a window cuts, and those that others continue.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, NamedTuple

from subagents.folder import files
from subagents.folder.mining import Cluster, Miner, gist, masked
from subagents.folder.records import Hints, LogFormat, Rec, Row
from subagents.folder.scan import Ask, Found, Part, Reader, decoded, finder, following, records, timely
from subagents.folder.scan_rows import guarded

_TRACE = 200  # lines of a trace in which the error is sought
_LAYOUTS = 4  # layouts of one part that are told apart
_TRIES = 64  # lines that a layout is sought in
_KINDS = 20_000  # lines that are remembered
_TRIED = 2_000  # lines after which it is known whether remembering pays
_STAMP = 20  # bytes that a time has after its minute, at most
_SAMPLE = 500
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_DIGIT = re.compile(r"\d")
Groups = tuple[bytes | None, ...]


def patterns(
    part: Part, form: LogFormat, hints: Hints, ask: Ask, baseline: tuple[float, float] | None, most: int = 2000
) -> Row:
    """{"patterns": [{template, service, level, n, before, first, last, sample}] …} of the window and its baseline."""
    wide = ask
    if baseline is not None and ask.since is not None and ask.until is not None:
        wide = ask._replace(since=min(ask.since, baseline[0]), until=max(ask.until, baseline[1]))
    mined = _Mined(ask, baseline)
    out: Row = {"late": None, "broken": ""}
    found = records(part, form, hints, wide) if ask.worded else _Alike(part, form, hints, wide, mined).others()
    for one in guarded(found, out):
        mined.note(one)
    out["patterns"] = sorted(mined.templates(), key=lambda r: -(r["n"] + r["before"]))[:most]
    return out


class _Mined:
    """Templates by service and level, with their figures."""

    def __init__(self, ask: Ask, baseline: tuple[float, float] | None) -> None:
        self._ask, self._baseline = ask, baseline
        self._miners: dict[tuple[str, str], Miner] = {}
        self._stats: dict[tuple[str, str], dict[Cluster, Row]] = {}

    def note(self, found: Found) -> None:
        stat = self.stat(found.rec, "\n".join((found.message, *found.more[:_TRACE])))
        at = found.rec.at
        inside, earlier = self.lies(at)
        stat["n"] += inside
        stat["before"] += earlier
        span(stat, at, at if inside else None)
        if inside and not stat["sample"]:
            stat["sample"] = found.message[:_SAMPLE]

    def lies(self, at: float | None) -> tuple[bool, bool]:
        """Whether a time is in the window, and in the baseline."""
        base = self._baseline
        return self._ask.spans(at), base is not None and at is not None and base[0] <= at < base[1]

    def cut(self) -> frozenset[float]:
        """The minutes of which only a part is in the window, or in the baseline."""
        edges = (self._ask.since, self._ask.until, *(self._baseline or ()))
        return frozenset(t // 60 for t in edges if t is not None and t % 60)

    def stat(self, rec: Rec, message: str) -> Row:
        """The figures of a message's template."""
        group = (rec.service, rec.level)
        cluster = self._miners.setdefault(group, Miner()).add(gist(message))
        of_group = self._stats.setdefault(group, {})
        if cluster not in of_group:
            of_group[cluster] = {"n": 0, "before": 0, "first": None, "last": None, "sample": ""}
        return of_group[cluster]

    def templates(self) -> Iterator[Row]:
        """Clusters that have grown together meanwhile are one."""
        for (service, level), of_group in self._stats.items():
            merged: dict[Cluster, Row] = {}
            for cluster, stat in of_group.items():
                root = cluster.root
                merged[root] = added(merged[root], stat) if root in merged else stat
            for root, stat in merged.items():
                yield {"template": root.template, "service": service, "level": level, **stat}


def span(stat: Row, first: float | None, last: float | None) -> None:
    """`first`: in the baseline too, since that is when a template was first seen; `last`: in the window."""
    if first is not None and (stat["first"] is None or first < stat["first"]):
        stat["first"] = first
    if last is not None and (stat["last"] is None or last > stat["last"]):
        stat["last"] = last


def added(a: Row, b: Row) -> Row:
    """Two patterns' figures as one."""
    out = {**a, "n": a["n"] + b["n"], "before": a["before"] + b["before"], "sample": a["sample"] or b["sample"]}
    span(out, b["first"], b["last"])
    return out


class _When(NamedTuple):
    """A minute, and where its records lie."""

    minute: float
    wide: bool
    inside: bool
    earlier: bool


class _Kind:
    """Lines that differ in digits alone: what the first of them said, and which came first and last. `finer`: where in
    such a line what is finer than the minute begins."""

    __slots__ = ("finer", "first", "last", "rec", "stat", "wanted")

    def __init__(self, rec: Rec, finer: int, wanted: bool) -> None:
        self.rec, self.finer, self.wanted = rec, finer, wanted
        self.stat: Row | None = None
        self.first: tuple[float, bytes, bytes] | None = None
        self.last: tuple[float, bytes, bytes] | None = None


Known = tuple[bytes, _Kind, _When]


class _Alike:
    """Goes through a part: counts the lines that it knows, and gives out the records that must be read."""

    def __init__(self, part: Part, form: LogFormat, hints: Hints, wide: Ask, mined: _Mined) -> None:
        self._part, self._form, self._shape, self._wide, self._mined = part, form, hints.shape, wide, mined
        self._reader, self._search = Reader(form, hints, wide, 0), finder(form, hints, wide)
        self._patterns: list[tuple[re.Pattern[bytes], list[int], list[int]]] = []  # and the groups: time, others
        self._kinds: dict[tuple[Any, ...], _Kind | None] = {}
        self._whens: dict[Groups, _When | None] = {}
        self._cut = mined.cut()
        self._tries, self._asked = _TRIES, 0
        self._held: Known | None = None  # a wanted line that the next one may continue

    def others(self) -> Iterator[Found]:
        part = self._part
        try:
            for _, block in timely(self._wide, files.line_blocks(part.path, part.packed, part.start, part.end)):
                for line in block[:-1].split(b"\n") if self._search is None else self._hit(block, self._search(block)):
                    yield from self._take(line)
            yield from self._read()
            yield from following(part, self._reader)
        finally:
            self._settle()

    def _hit(self, block: bytes, places: list[int]) -> Iterator[bytes]:
        """The lines that a search hits, and after each of them those that may continue it."""
        position = n = 0
        while position < len(block):
            if self._held is None and not self._reader.busy:
                n = bisect_left(places, position, n)
                if n == len(places):
                    return
                position = block.rfind(b"\n", 0, places[n]) + 1
            end = block.find(b"\n", position)
            yield block[position:end]
            position = end + 1

    def _take(self, line: bytes) -> Iterator[Found]:
        known = self._known(line)
        if known is None:
            yield from self._read(line)
        elif self._held is None:
            yield from self._reader.rest()  # the line begins a record
        else:
            self._count(*self._held)
        self._held = known if known is not None and known[1].wanted and known[2].wide else None

    def _read(self, *lines: bytes) -> Iterator[Found]:
        for line in lines if self._held is None else (self._held[0], *lines):
            yield from self._reader.feed(0, 0, decoded(files.capped(line)))
        self._held = None

    def _known(self, line: bytes) -> Known | None:
        """None where the line must be read."""
        if self._asked > _TRIED and len(self._kinds) * 2 > self._asked:  # remembering doesn't pay
            return None
        line = line.removesuffix(b"\r")
        for pattern, *split in self._patterns:
            if match := pattern.fullmatch(line):
                timed, rest = split
                break
        else:
            self._learn(line)
            return None
        self._asked += 1
        groups = match.groups()
        when = tuple([groups[n] for n in timed])
        lies = self._whens[when] if when in self._whens else self._lies(when, line)
        key = (line.translate(_DIGITS), *[groups[n] for n in rest])
        if key not in self._kinds and len(self._kinds) < _KINDS:
            self._remember(key, line, max(match.end(n + 1) for n in timed if groups[n] is not None))
        kind = self._kinds.get(key)
        return None if kind is None or lies is None else (line, kind, lies)

    def _learn(self, line: bytes) -> None:
        if self._tries and len(self._patterns) < _LAYOUTS and self._reader.parse(decoded(line)) is not None:
            self._tries -= 1
            pattern = self._form.alike(self._shape, line)
            if pattern is not None and pattern.fullmatch(line):
                named = {n - 1 for n in pattern.groupindex.values()}
                self._patterns.append((pattern, sorted(named), [n for n in range(pattern.groups) if n not in named]))

    def _lies(self, when: Groups, line: bytes) -> _When | None:
        rec = self._reader.parse(decoded(line))
        lies = None
        if rec is not None and rec.at is not None and rec.at // 60 not in self._cut:
            lies = _When(rec.at // 60, self._wide.spans(rec.at), *self._mined.lies(rec.at))
        if len(self._whens) > _KINDS:
            self._whens.clear()
        self._whens[when] = lies
        return lies

    def _remember(self, key: tuple[Any, ...], line: bytes, finer: int) -> None:
        """A line whose template holds no digit any more says it for all that are like it. (Digits mean something in
        hexadecimal numbers and in escapes.)"""
        rec = self._reader.parse(decoded(line))
        odd = rec is None or rec.at is None or b"\\u" in line or b"0x" in key[0] or b"0X" in key[0]
        if rec is None or odd or _DIGIT.search(masked(gist(rec.message))):
            self._kinds[key] = None
        else:
            self._kinds[key] = _Kind(rec, finer, self._wide._replace(since=None, until=None).fits(rec))

    def _count(self, line: bytes, kind: _Kind, when: _When) -> None:
        stat = kind.stat
        if stat is None:
            stat = kind.stat = self._mined.stat(kind.rec, kind.rec.message)
        place = (when.minute, line[kind.finer : kind.finer + _STAMP], line)
        if kind.first is None or place < kind.first:
            kind.first = place
        stat["before"] += when.earlier
        if not when.inside:
            return
        stat["n"] += 1
        if kind.last is None or place > kind.last:
            kind.last = place
        if not stat["sample"]:
            stat["sample"] = self._rec(line).message[:_SAMPLE]

    def _rec(self, line: bytes) -> Rec:
        rec = self._reader.parse(decoded(line))
        assert rec is not None  # its layout says so
        return rec

    def _settle(self) -> None:
        for kind in self._kinds.values():
            if kind is not None and kind.stat is not None:
                first, last = (self._rec(place[2]).at if place else None for place in (kind.first, kind.last))
                span(kind.stat, first, last)

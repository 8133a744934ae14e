"""What log servers have in common: levels by the words that systems write, windows in whole steps, templates mined from
lines that were read. It knows no server."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import cast

from orchestrator.contracts import Window
from subagents.folder import levels
from subagents.folder.formats import several
from subagents.folder.mining import Cluster, Miner, gist
from subagents.folder.records import Hints
from subagents.sources import Count, Level, LogLine, LogQuery, Pattern, SourceError

STEPS: Mapping[str, int] = {"minute": 60, "hour": 3600, "day": 86_400}  # seconds
_LOOKED = 200  # lines by which a format is told
MINED = 20_000  # lines of a window that templates are mined from
_TURN = 500  # lines after which others get a turn


def level_of(value: str) -> Level:
    return cast(Level, levels.level(value))


def words(level: str) -> tuple[str, ...]:
    """The words that systems write for one of our levels, in small letters."""
    return levels.words(level)


def written(wanted: Sequence[str], given: Mapping[str, tuple[str, ...]], escape: Callable[[str], str]) -> str:
    """A regular expression (RE2) for how levels are written: as `given`, exactly; the others by all usual words, in any
    case, and unknown by none as well."""
    exact = [escape(word) for level in wanted for word in given.get(level, ())]
    usual = [escape(word) for level in wanted if not given.get(level) for word in words(level)]
    if "unknown" in wanted and not given.get("unknown"):
        usual += ["unknown", ""]
    return "|".join([*exact, f"(?i:{'|'.join(usual)})"])


def unit_of(by: tuple[str, ...]) -> str:
    """The one unit of time among some dimensions, "" without one."""
    return next((d for d in by if d in STEPS), "")


def checked(name: str, by: tuple[str, ...], known: Mapping[str, str]) -> None:
    """`known`: dimension → the server's field. Raises SourceError (bad_query) for others."""
    wrong = [d for d in by if d not in STEPS and not known.get(d)]
    if wrong:
        can = ", ".join([*(d for d, f in known.items() if f), *STEPS])
        raise SourceError(name, f"can't count by {', '.join(wrong)}: use {can}.", "bad_query")


@dataclass
class Tally:
    """Counts by the asked dimensions; points of time go to the unit that was asked for."""

    by: tuple[str, ...]
    groups: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def add(self, keys: Mapping[str, str], at: datetime | None, n: int) -> None:
        """`keys`: service, level, code, as the server has them."""
        self.groups[tuple(self._key(d, keys, at) for d in self.by)] += n

    def _key(self, dimension: str, keys: Mapping[str, str], at: datetime | None) -> str:
        if dimension in STEPS:
            assert at is not None
            step = STEPS[dimension]
            start = datetime.fromtimestamp(at.timestamp() // step * step, UTC)
            return start.isoformat().replace("+00:00", "Z")
        value = keys.get(dimension, "")
        return level_of(value) if dimension == "level" else value

    def counts(self) -> tuple[Count, ...]:
        rows = sorted((k, n) for k, n in self.groups.items() if n)
        return tuple(Count(dict(zip(self.by, key, strict=True)), n) for key, n in rows)

    @property
    def total(self) -> int:
        return sum(self.groups.values())


def whole(window: Window, step: int) -> tuple[datetime, datetime] | None:
    """The part of a window that is made of whole steps of UTC; None where there is none."""
    start = datetime.fromtimestamp(-(-window.start.timestamp() // step) * step, UTC)
    end = datetime.fromtimestamp(window.end.timestamp() // step * step, UTC)
    return (start, end) if start < end else None


def edges(window: Window, step: int) -> Iterator[tuple[datetime, datetime]]:
    """What of a window isn't made of whole steps: before them and after them, each within one step."""
    inner = whole(window, step)
    if inner is not None:
        parts = [(window.start, inner[0]), (inner[1], window.end)]
    else:
        cut = datetime.fromtimestamp(-(-window.start.timestamp() // step) * step, UTC)
        parts = [(window.start, min(cut, window.end)), (min(cut, window.end), window.end)]
    yield from ((a, b) for a, b in parts if a < b)


def chunks(start: datetime, end: datetime, length: timedelta) -> Iterator[tuple[datetime, datetime]]:
    at = start
    while at < end:
        yield at, (at := min(end, at + length))


# ── lines ─────────────────────────────────────────────────────────────────────────────────────


class Texts:
    """The message and the level inside lines as programs wrote them, by the formats that files are read with."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._parse = several.parser(several.written(several.told(list(lines[:_LOOKED]), timed=False)), Hints())

    def read(self, line: str) -> tuple[str, Level]:
        """The whole line where it is in no known format; of several lines the first one's level."""
        first, newline, rest = line.partition("\n")
        rec = self._parse(first.rstrip("\r"))
        if rec is None:
            return line, "unknown"
        return rec.message + newline + rest, cast(Level, rec.level)


# ── templates ─────────────────────────────────────────────────────────────────────────────────


@dataclass
class _Seen:
    n: int = 0
    before: int = 0
    first: datetime | None = None
    last: datetime | None = None
    sample: str = ""

    def also(self, other: _Seen) -> _Seen:
        firsts = [t for t in (self.first, other.first) if t]
        lasts = [t for t in (self.last, other.last) if t]
        return _Seen(
            self.n + other.n, self.before + other.before, min(firsts, default=None), max(lasts, default=None),
            self.sample or other.sample,
        )  # fmt: skip


class Mine:
    """Templates of lines as they are read, apart by service and level."""

    def __init__(self) -> None:
        self._miners: dict[tuple[str, Level], Miner] = {}
        self._seen: dict[tuple[str, Level], dict[Cluster, _Seen]] = {}

    async def take(self, batches: AsyncIterator[tuple[LogLine, ...]], baseline: bool) -> int:
        """How many lines were read; at most `MINED` and what the last batch held."""
        n = 0
        async for lines in batches:
            for line in lines:
                self._add(line, baseline)
                n += 1
                if n % _TURN == 0:
                    await asyncio.sleep(0)
            if n >= MINED:
                break
        return n

    def _add(self, line: LogLine, baseline: bool) -> None:
        group = (line.service, line.level)
        cluster = self._miners.setdefault(group, Miner()).add(gist(line.message))
        seen = self._seen.setdefault(group, {}).setdefault(cluster, _Seen())
        one = _Seen(0, 1, line.at) if baseline else _Seen(1, 0, line.at, line.at, line.message[:500])
        self._seen[group][cluster] = seen.also(one)

    def patterns(self, compared: bool) -> list[Pattern]:
        """Those of the window, the most changed first."""
        found: dict[tuple[str, Level, Cluster], _Seen] = {}
        for (service, level), clusters in self._seen.items():
            for cluster, seen in clusters.items():
                key = (service, level, cluster.root)
                found[key] = found[key].also(seen) if key in found else seen
        rows = [
            Pattern(root.template, service, level, s.n, s.before if compared else None, s.first, s.last, s.sample)
            for (service, level, root), s in found.items()
            if s.n
        ]
        return sorted(rows, key=lambda p: (-abs(p.n - (p.before or 0)), -p.n, p.template))


def of(q: LogQuery, window: Window) -> LogQuery:
    return replace(q, window=window)

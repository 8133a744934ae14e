"""The typed figures of cited evidence, and which numbers they bear out: directly or by an allowed derivation.

Allowed: rounding as far as the number's own precision shows it, units (seconds, bytes, a ratio as a percentage), a
percentage or a multiple or a difference of two figures that are named beside it or belong together (a part and its
whole, the same figure under one other label). It deliberately doesn't know the text: `claims.py` says what a number's
clause names (`Named`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias, TypeVar

from orchestrator.evidence.exhibits import QUANTILE, TIME, Entry, Exhibit
from orchestrator.evidence.numbers import Number, reach, reaches

_TELLING = re.compile(
    r"[_ ](?:before|after|baseline|previous|prev|now|current|yesterday|today|p\d{2,3})\b"
    r"|^(?:previous|baseline|p\d\d)[_ ]"
)
_TOTAL = re.compile(r"[共总里中]|合计|全部|所有|total|overall|altogether|in all|\ball\b|\bof\b")
_CHANGE = re.compile(
    r"(?=[多少增减升降涨跌差翻更dfghilmrtu])(?:[多少增减升降涨跌差翻]|更[高低]|more|fewer|less|increas|decreas|r[io]se|drop"
    r"|f[ea]ll|\bup\b|\bdown\b|gain|grew|differ|higher|lower|fold|doubled|tripled|halved)"
)
_COMPLEMENT = re.compile(r"可用|成功|availab|success|uptime")
_PAIRS = 6  # more figures than that make a derivation worthless as proof
_FEW = 8  # nor do more namesakes than that

K = TypeVar("K")
Alike: TypeAlias = tuple[str, str, frozenset[tuple[str, frozenset[str]]]]  # name, unit, labels


@dataclass
class Named:
    """What a number's clause names: allowed values by label key, the concepts right beside it, and what words allow.

    `block`: (key, value) said anywhere in the block; `words`: those around the number, `head`: its column's, in lower
    case; they are read when it matters only.
    """

    labels: Mapping[str, frozenset[str]]
    block: frozenset[tuple[str, str]]
    concepts: frozenset[str]
    words: str
    head: str

    @cached_property
    def total(self) -> bool:
        return _TOTAL.search(self.words) is not None

    @cached_property
    def change(self) -> bool:
        """Says more, fewer, rose, fell …"""
        return _CHANGE.search(self.words) is not None

    @cached_property
    def complement(self) -> bool:
        """Says availability, success."""
        return _COMPLEMENT.search(self.words + self.head) is not None


class Pool:
    """The figures of some evidence, by unit and value."""

    def __init__(self, exhibits: Sequence[Exhibit]) -> None:
        self.exhibits = tuple(exhibits)
        self.empty = any(x.evidence.result.status == "no_data" for x in exhibits)
        self._entries = sorted((x for ex in exhibits for x in ex.entries), key=lambda x: x.value)
        self._by_unit = _grouped((x.unit, x) for x in self._entries)
        self._values = {unit: [x.value for x in found] for unit, found in self._by_unit.items()}

    @cached_property
    def _by_name(self) -> Mapping[str, list[Entry]]:
        return _grouped((x.name, x) for x in self._entries)

    @cached_property
    def _by_base(self) -> Mapping[str, list[Entry]]:
        return _grouped((_base(x.name), x) for x in self._entries)

    @cached_property
    def _alike(self) -> Mapping[Alike, list[Entry]]:
        """Figures of one name with the same unit and labels."""
        return _grouped(((x.name, x.unit, frozenset(x.labels.items())), x) for x in self._entries)

    @cached_property
    def literals(self) -> frozenset[tuple[float, str]]:
        """Numbers that stand in the evidence's text without being typed figures, with their units."""
        return frozenset().union(*(x.literals for x in self.exhibits))

    @cached_property
    def listed(self) -> Mapping[str, int]:
        """How many different values each label takes: what "3 services" may count."""
        values: dict[str, set[str]] = defaultdict(set)
        for x in self.exhibits:
            for f in x.evidence.result.figures:
                for key, value in f.labels.items():
                    values[key].add(str(value))
        return {key: len(found) for key, found in values.items()}

    def near(self, n: Number) -> list[Entry]:
        """The figures that the number may be a rounding of, whatever they are called."""
        keys = self._values.get(n.unit)
        if not keys:
            return []
        found = self._by_unit[n.unit]
        return [x for low, high in reaches(n) for x in found[bisect_left(keys, low) : bisect_right(keys, high)]]

    def direct(self, n: Number, named: Named) -> Entry | None:
        return next((x for x in self.near(n) if self.fits(x, named)), None)

    def fits(self, x: Entry, named: Named) -> bool:
        """Name and labels agree with what the clause says."""
        if named.concepts and x.concepts and not named.concepts & x.concepts:
            return False
        for key, allowed in named.labels.items():
            mine = x.labels.get(key)
            if mine is None and key != TIME and not named.total and self._has_part(x, key, allowed):
                return False
            if mine is not None and not mine & allowed:
                return False
        return not any(self._unsaid(x, key, named) for key in x.labels)

    def derived(self, n: Number, named: Named, shown: Sequence[Entry]) -> bool:
        """A percentage, multiple or difference of two figures that are shown beside it or belong together."""
        if not self._entries or (n.unit not in ("%", "x") and not named.change):
            return False
        low, high = reach(n)
        return any(low <= value <= high for value in self._derivable(n, named, shown[-_PAIRS:]))

    def _derivable(self, n: Number, named: Named, shown: Sequence[Entry]) -> Iterator[float]:
        for a, b in self._pairs(named, shown):
            if n.unit == "%":
                yield from _percents(a, b, named)
            elif n.unit == "x" and a.unit == b.unit and min(a.value, b.value) > 0:
                yield a.value / b.value
                if named.change and a.value > b.value:
                    yield a.value / b.value - 1
            elif named.change and a.unit == b.unit and n.unit == ("pp" if a.unit == "%" else a.unit):
                yield abs(a.value - b.value)
        if n.unit == "%":
            for whole, part in self._shares(named, shown):
                yield from _percents(part, whole, named)

    def _pairs(self, named: Named, shown: Sequence[Entry]) -> Iterator[tuple[Entry, Entry]]:
        """Both shown; or one shown and its few namesakes under one other label; or, where nothing comparable is shown,
        the few figures the clause names that exist twice (errors and errors before, today's and yesterday's)."""
        for a in shown:
            namesakes = self._by_base.get(_base(a.name), ())
            beside = [x for x in shown if x is not a and x in namesakes]
            partners = beside or [x for x in namesakes if x is not a and _kin(a, x)]
            for b in partners if beside or len(partners) <= _FEW else ():
                yield from ((a, b), (b, a)) if a.unit == b.unit else ()
        if not shown and named.change:
            twins = [(a, b) for a, b in self._twins if self.fits(a, named) and self.fits(b, named)]
            yield from (pair for a, b in (twins if len(twins) <= _FEW // 2 else ()) for pair in ((a, b), (b, a)))

    @cached_property
    def _twins(self) -> list[tuple[Entry, Entry]]:
        """Figures of one base name with the same unit and labels."""
        alike = _grouped(
            ((base, x.unit, frozenset(x.labels.items())), x) for base, found in self._by_base.items() for x in found
        )
        return [(found[0], found[1]) for found in alike.values() if len(found) == 2]

    def _shares(self, named: Named, shown: Sequence[Entry]) -> Iterator[tuple[Entry, Entry]]:
        """(whole, part): a part the clause names, or one shown, of the same figure without one of its labels, or of the
        requests under the same labels."""
        plain = self._by_unit.get("", ()) if named.labels else ()
        parts = [x for x in plain if _names(x, named) and self.fits(x, named)]
        parts = [x for x in parts if TIME not in x.labels or TIME in named.labels]
        for part in (*shown, *sorted(parts, key=lambda x: len(x.labels))[:_FEW]):
            for whole in self._by_name.get(part.name, ()):
                if whole.unit == part.unit and _without_one(part, whole):
                    yield whole, part
            for whole in self._by_unit.get(part.unit, ()):
                if "request" in whole.concepts and "error" in part.concepts and whole.labels == part.labels:
                    yield whole, part

    def _has_part(self, x: Entry, key: str, allowed: frozenset[str]) -> bool:
        return any(y.unit == x.unit and y.labels.get(key, frozenset()) & allowed for y in self._by_name[x.name])

    def _unsaid(self, x: Entry, key: str, named: Named) -> bool:
        """A part given as if it were the whole: nothing says the label, and the whole is a figure of its own."""
        if key in (TIME, QUANTILE) or named.labels.get(key) or any((key, v) in named.block for v in x.labels[key]):
            return False
        rest = frozenset(label for label in x.labels.items() if label[0] != key)
        return any(y.value != x.value for y in self._alike.get((x.name, x.unit, rest), ()))


def _grouped(entries: Iterable[tuple[K, Entry]]) -> dict[K, list[Entry]]:
    groups: dict[K, list[Entry]] = defaultdict(list)
    for key, entry in entries:
        groups[key].append(entry)
    return dict(groups)


@lru_cache(maxsize=1024)
def _base(name: str) -> str:
    """The name without what tells a period or a percentile: errors before → errors, latency_p99 → latency."""
    return _TELLING.sub("", name)


def _percents(a: Entry, b: Entry, named: Named) -> Iterator[float]:
    if b.value <= 0 or a.unit != b.unit:
        return
    share = 100 * a.value / b.value
    if share <= 100:
        yield share
        if named.complement:
            yield 100 - share
    if named.change:
        yield abs(share - 100)


def _kin(a: Entry, b: Entry) -> bool:
    """The same labels, or all but one."""
    return a.unit == b.unit and sum(a.labels.get(k) != b.labels.get(k) for k in {*a.labels, *b.labels}) <= 1


def _without_one(part: Entry, whole: Entry) -> bool:
    return len(whole.labels) < len(part.labels) and all(part.labels.get(k) == v for k, v in whole.labels.items())


def _names(x: Entry, named: Named) -> bool:
    return any(x.labels.get(k, frozenset()) & allowed for k, allowed in named.labels.items())

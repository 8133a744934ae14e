"""Which label values, hours and percentiles an answer names, and which of them a number at some place speaks of.

A number belongs to what its own clause names, else to the nearest clause before it in the sentence; where nothing is
named before it, to the first that names something ("412 of checkout, 318 of payment"); with 分别 / respectively the
n-th number to the n-th name. It deliberately doesn't know values or units.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from orchestrator.evidence.clocks import clock_of
from orchestrator.evidence.exhibits import QUANTILE, TIME, Entry, quantiles
from orchestrator.evidence.prose import Sentence, clauses

_ALSO = {  # other words for the usual values of level and severity, and for a label that is blank
    "": ("(no service)", "（未标明服务）"),
    "error": ("errors", "错误", "报错"),
    "warn": ("warnings", "warning", "警告"),
    "warning": ("warnings", "warn", "警告"),
    "critical": ("严重", "紧急"),
    "fatal": ("致命",),
}
_OPEN = re.compile(
    r"\s?(?:\([^)]*\)|[+-]\d\d:\d\d|UTC)?\s?"
    r"(?:之?后|以后|起|开始|到|至|以来|之?前|以前|[-–—~～]|to\b|until)"
)
_TOKEN = re.compile(r"[A-Za-z0-9_]++(?:[-.,/][A-Za-z0-9_]++)*+")
_JOIN = re.compile(r"\s?(?:[-–—~～至到和与]|to|and|until)\s?")
_SINCE = re.compile(r"(?:since|after|before|from|until|by|自|从|[-–—~～至到]|to)\s?$", re.IGNORECASE)
_RESPECTIVELY = re.compile(r"分别|依次|respectively")


class Mention(NamedTuple):
    start: int
    end: int
    key: str
    value: str


class Vocabulary:
    """All label values of the evidence, as an answer may write them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._keys: dict[str, list[tuple[str, str]]] = {}
        self.hours: set[str] = set()
        for key, values in {label: None for entry in entries for label in entry.labels.items()}:
            self._learn(key, values)
        odd = sorted((f for f in self._keys if not _TOKEN.fullmatch(f)), key=len, reverse=True)
        self._odd = re.compile("|".join(map(re.escape, odd)), re.IGNORECASE) if odd else None

    def _learn(self, key: str, values: Iterable[str]) -> None:
        for value in values:
            if key == TIME:
                self.hours.add(value)
            elif key != QUANTILE and len(value) != 1:
                for form in filter(None, (value, *_ALSO.get(value, ()))):
                    known = self._keys.setdefault(form, [])
                    known += [(key, value)] if (key, value) not in known else []

    def code(self, word: str) -> bool:
        """A label value made of digits, such as the 502 of code=502."""
        return word in self._keys

    def find(self, text: str, clocks: Iterable[re.Match[str]] = ()) -> list[Mention]:
        """What a text names, in order; `clocks` are the clock times in it (`prose.NAMES`)."""
        found: list[Mention] = []
        for m in chain(_TOKEN.finditer(text), self._odd.finditer(text) if self._odd else ()):
            word = m[0].lower()
            for key, value in self._keys.get(word) or self._keys.get(word.removesuffix("s")) or ():
                found.append(Mention(m.start(), m.end(), key, value))
        found += [Mention(a, b, QUANTILE, q) for a, b, q in quantiles(text)]
        for m, hour in _hours(list(clocks), text):
            found += [Mention(m.start(), m.end(), TIME, hour)] if hour in self.hours else []
        return sorted(found, key=lambda x: x.start)


def _hours(clocks: Sequence[re.Match[str]], text: str) -> Iterator[tuple[re.Match[str], str]]:
    """The hours that are meant: not the edges of something longer ("since 14:00", "14:00–18:00")."""
    last = False  # the time ends a range
    for m, after in zip_longest(clocks, clocks[1:]):
        gap = text[m.end() : after.start()] if after else ""
        joined = after is not None and _JOIN.fullmatch(gap) is not None
        hour, minute, _, _ = clock_of(m, text)
        bucket = joined and clock_of(after, text)[:2] == ((hour + 1) % 24, minute)
        edge = joined or _SINCE.search(text, max(0, m.start() - 8), m.start()) or _OPEN.match(text, m.end())
        if not last and (bucket or not edge):
            yield m, f"{hour:02}:{minute:02}"
        last = joined


Labels = Mapping[str, frozenset[str]]


class Bound:
    """For one sentence: the values by key that hold at a place. `heads`: of a table's columns, by the cell's start."""

    def __init__(self, text: str, s: Sentence, mentions: Sequence[Mention], heads: Mapping[int, Labels]) -> None:
        self._spans = clauses(text, s.start, s.end)
        self._starts = [a for a, _ in self._spans]
        self._own: list[dict[str, frozenset[str]]] = [{} for _ in self._spans]
        self._heads = {self.clause(at): labels for at, labels in heads.items()}
        self._in_turn = _RESPECTIVELY.search(text, s.start, s.end) is not None
        self._order: dict[str, list[str]] = defaultdict(list)
        for m in mentions:
            own = self._own[self.clause(m.start)]
            own[m.key] = own.get(m.key, frozenset()) | {m.value}
            if m.value not in self._order[m.key]:
                self._order[m.key].append(m.value)
        self._filled = self._fill()

    def clause(self, at: int) -> int:
        return max(0, bisect_right(self._starts, at) - 1)

    def span(self, at: int) -> tuple[int, int]:
        return self._spans[self.clause(at)]

    def at(self, at: int, nth: int, of: int) -> Labels:
        """What the `nth` of the sentence's `of` numbers, at place `at`, speaks of."""
        i = self.clause(at)
        if self._in_turn:
            return {k: frozenset({v[nth]}) if len(v) == of else frozenset(v) for k, v in self._order.items()}
        return {**self._filled[i], **self._heads[i]} if i in self._heads else self._filled[i]

    def _fill(self) -> list[dict[str, frozenset[str]]]:
        filled, carried = [], dict[str, frozenset[str]]()
        for own in self._own:
            carried = {**carried, **own} if own else carried
            filled.append(carried)
        first = next((own for own in self._own if own), {})
        return [now or first for now in filled]


def between(mentions: Sequence[Mention], start: int, end: int) -> Sequence[Mention]:
    """Those of the sorted `mentions` that begin in `[start, end)`."""
    return mentions[bisect_left(mentions, (start,)) : bisect_left(mentions, (end,))]

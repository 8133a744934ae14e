"""What one piece of evidence bears out: its typed figures in comparable form, and its text.

It deliberately doesn't compare anything: `figures.py` does.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

from orchestrator.contracts import Evidence, Figure
from orchestrator.evidence.clocks import everything, stamps
from orchestrator.evidence.numbers import plain, reaches, read, unit_of
from orchestrator.evidence.prose import NAMES, covered

TIME, QUANTILE = "~time", "~quantile"  # labels we add: the hour of a bucket, the p99 of a name
_CONCEPTS = {
    "error": "错误|报错|失败|异常|error|fail|exception|5xx|bad",
    "alert": "告警|报警|警报|alert|episode|firing",
    "request": "请求|调用|流量|request|call|traffic|hits",
    "deploy": "部署|发布|上线|deploy|release|rollout",
    "commit": "提交|commit",
    "change": "变更|改动|change",
    "latency": "延迟|耗时|时延|响应时间|latency|duration|response time|response_time|response-time|responsetime",
    "available": "可用|成功率|availab|success|uptime",
    "restart": "重启|restart",
    "memory": "内存|memory|heap",
    "cpu": "cpu|处理器",
    "disk": "磁盘|disk",
}
_MEANS = {word: concept for concept, words in _CONCEPTS.items() for word in words.split("|")}
_CONCEPT = re.compile("|".join(map(re.escape, _MEANS)))  # of lower-case text
_QUANTILE = re.compile(
    r"[_pP](?:(?<=_)p(\d{2,3})(?![0-9])|(?<!_)(?<![A-Za-z0-9].)(\d{2,3}(?:\.\d)?)(?![A-Za-z0-9]))", re.DOTALL
)
_FEW_TIMES = 6
_RATE = re.compile(r"ratio|rate|share|percent|availab|utili[sz]ation", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class Entry:
    """A figure as it is compared: `name` in lower case, `value` and `unit` as `numbers.py` has them, labels as
    `label_forms` made them."""

    figure: Figure
    name: str
    value: float
    unit: str
    labels: Mapping[str, frozenset[str]]

    @property
    def concepts(self) -> frozenset[str]:
        return concepts(" ".join((self.figure.name, *map(str, self.figure.labels.values()))))


@lru_cache(maxsize=4096)
def concepts(words: str, last: bool = False) -> frozenset[str]:
    """What words speak of (error, latency …); with `last` only what they end in."""
    found = list(_CONCEPT.finditer(words.lower()))
    if last:
        found = [m for m in found if re.fullmatch(r"[a-z]{0,3}|[率数量次]{0,2}", words[m.end() :])]
    return frozenset(_MEANS[m[0]] for m in found)


def quantiles(words: str) -> Iterator[tuple[int, int, str]]:
    for m in _QUANTILE.finditer(words):
        yield m.start(), m.end(), "p" + (m[1] or m[2]).replace(".", "")


def label_forms(figure: Figure, zone: tzinfo) -> dict[str, frozenset[str]]:
    """A figure's labels as a text may say them: lower case; an instant as its clock time in each zone, under TIME."""
    forms: dict[str, frozenset[str]] = {}
    for key, value in figure.labels.items():
        timed, said = _forms(str(value), zone)
        forms[TIME if timed else key] = said
    said = _kind(figure.name, figure.unit).quantiles
    q = figure.labels.get("quantile", "")
    if said or q:
        forms[QUANTILE] = said or frozenset({"p" + str(q).removeprefix("0.").removeprefix("p").ljust(2, "0")})
        forms.pop("quantile", None)
    return forms


@lru_cache(maxsize=4096)
def _forms(value: str, zone: tzinfo) -> tuple[bool, frozenset[str]]:
    """Whether a label's value is an instant, and how a text may say it."""
    found = stamps(value, zone) if value[:4].isdigit() else ()
    for at in found:
        return True, frozenset(f"{at.astimezone(z):%H:%M}" for z in (UTC, zone, at.tzinfo))
    return False, frozenset({value.lower()})


class _Kind(NamedTuple):
    """What all figures of one name and unit have in common. `ratio`: a value up to 1 may be said in percent."""

    name: str
    unit: str
    factor: float
    ratio: bool
    quantiles: frozenset[str]


@lru_cache(maxsize=1024)
def _kind(name: str, unit: str) -> _Kind:
    kind, factor = unit_of(unit)
    ratio = not kind and _RATE.search(name + unit) is not None
    return _Kind(name.lower(), kind, factor, ratio, frozenset(q for _, _, q in quantiles(name)))


@dataclass
class Exhibit:
    """One piece of evidence with what is read out of it: its figures, rows counted and shown among them, and text."""

    evidence: Evidence
    zone: tzinfo

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        r = self.evidence.result
        rows = [Figure(name, n) for name, n in (("total", r.total), ("shown", r.shown or None)) if n is not None]
        for gap in r.gaps:  # what is missing is said in numbers, too
            names = covered(gap, NAMES.finditer(gap))
            rows += [Figure("missing", n.value, n.unit) for n in read(gap) if not names[n.start]]
        entries: list[Entry] = []
        for f in (*r.figures, *rows):
            kind, labels = _kind(f.name, f.unit), label_forms(f, self.zone)
            value = abs(float(f.value))
            entries.append(Entry(f, kind.name, value * kind.factor, kind.unit, labels))
            if kind.ratio and value <= 1:
                entries.append(Entry(f, kind.name, value * 100, "%", labels))
        return tuple(entries)

    @cached_property
    def text(self) -> str:
        return plain(everything(self.evidence))

    @cached_property
    def durations(self) -> frozenset[float]:
        """Seconds between any two times of its text, where it has few: of many, some two are any time apart."""
        times = stamps(self.evidence.result.text, self.zone)
        pairs = combinations(times, 2) if len(times) <= _FEW_TIMES else ()
        return frozenset(abs((b - a).total_seconds()) for a, b in pairs)

    @cached_property
    def literals(self) -> frozenset[tuple[float, str]]:
        """Numbers of its text, with unit, that are none of its typed figures."""
        names = covered(self.text, NAMES.finditer(self.text))
        typed: dict[str, list[float]] = defaultdict(list)
        for x in sorted(self.entries, key=lambda x: x.value):
            typed[x.unit].append(x.value)
        return frozenset(
            (n.value, n.unit)
            for n in read(self.text)
            if not names[n.start] and not any(_some(typed[n.unit], low, high) for low, high in reaches(n))
        )


def _some(values: list[float], low: float, high: float) -> bool:
    """Whether one of the sorted `values` lies in `[low, high]`."""
    return bisect_left(values, low) < bisect_right(values, high)

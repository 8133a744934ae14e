"""From checks to rates with their uncertainty, and whether they reach a suite's thresholds. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from hermes_ops.evals.score import Check
from orchestrator.contracts import Json

Z = 1.96  # 95 %


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case. `asked`, `wanted`: sub-agents, where the case says whom it concerns."""

    id: str
    question: str
    checks: tuple[Check, ...]
    seconds: float
    answer: str = ""
    asked: tuple[str, ...] = ()
    wanted: tuple[str, ...] | None = None
    tokens: int = 0

    @property
    def wrong(self) -> tuple[Check, ...]:
        return tuple(c for c in self.checks if not c.ok)


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` of `n`; the 95 % interval of Wilson, which holds for few cases and at the edges too."""

    name: str
    hits: int
    n: int
    threshold: float | None = None

    @property
    def value(self) -> float:
        return self.hits / self.n if self.n else 0.0

    @property
    def reached(self) -> bool:
        """A threshold over nothing isn't reached."""
        return self.threshold is None or (self.n > 0 and self.value >= self.threshold)

    def interval(self) -> tuple[float, float]:
        if not self.n:
            return 0.0, 1.0
        p, n = self.value, self.n
        middle, spread = p + Z * Z / (2 * n), Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        whole = 1 + Z * Z / n
        return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)

    def as_json(self) -> Json:
        low, high = (round(x, 4) for x in self.interval())
        about = {"name": self.name, "hits": self.hits, "n": self.n, "rate": round(self.value, 4)}
        return {**about, "low": low, "high": high, "threshold": self.threshold, "reached": self.reached}


def rates(outcomes: Sequence[Outcome], thresholds: Mapping[str, float]) -> tuple[Rate, ...]:
    """One for each kind of check, by case; for routes also precision and recall over all sub-agents."""
    found: dict[str, list[bool]] = defaultdict(list)
    for outcome in outcomes:
        for name in dict.fromkeys(c.name for c in outcome.checks):
            found[name].append(all(c.ok for c in outcome.checks if c.name == name))
    counted = [(name, sum(hits), len(hits)) for name, hits in found.items()] + _routing(outcomes)
    missing = [(name, 0, 0) for name in thresholds if name not in {c[0] for c in counted}]
    return tuple(Rate(name, hits, n, thresholds.get(name)) for name, hits, n in (*counted, *missing))


def _routing(outcomes: Sequence[Outcome]) -> list[tuple[str, int, int]]:
    routed = [(set(o.asked), set(o.wanted)) for o in outcomes if o.wanted is not None]
    if not routed:
        return []
    both = sum(len(asked & wanted) for asked, wanted in routed)
    quiet = [not asked for asked, wanted in routed if not wanted]
    rows = [
        ("precision", both, sum(len(asked) for asked, _ in routed)),
        ("recall", both, sum(len(wanted) for _, wanted in routed)),
        ("quiet", sum(quiet), len(quiet)),
    ]
    return [row for row in rows if row[2]]

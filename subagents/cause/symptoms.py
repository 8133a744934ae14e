"""What left its usual level, where and since when: metrics, log errors, log patterns, spans, alerts, each alike.

A hard symptom is harm (errors, latency, a crash, an alert); a soft one only moved (load, a cache's hits, memory).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import log10

from subagents.cause.breaks import Break, breaks
from subagents.cause.facts import MINUTE, Bins, Facts
from subagents.cause.model import Reason
from subagents.cause.words import DOWN_IS_BAD, INFO, LOAD, UP_IS_BAD, families
from subagents.onset import rises, whole_bins
from subagents.sources import Episode, Pattern, Series

HARD = re.compile(
    r"error|fail|5xx|4xx|40\d|42\d|50\d|latency|duration|p9\d|_wait|wait_|lag|_age|depth|restart|oom|panic|timeout"
    r"|reject|decline|availab|ready|crash|success|exceeded|violat|dropp|dead_?letter|dlq|stale|conflict|denied|held|pause|stall|(?<!cpu_)throttl|refus"
    r"|(?<![a-z])lost|deadlock|abort|duplicat",
    re.IGNORECASE,
)
FULL = frozenset(("memory", "pool", "disk", "queue", "cpu"))
NEW = 3.0  # times as many as before: a pattern that is not the usual one
MANY, FEW = 10, 5  # times as many warnings as before are harm, whatever they say; fewer before count as so many
TOGETHER = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Symptom:
    """`at` to `sure`: between these it began; `weight` about 0.2 to 3."""

    service: str
    source: str  # metric | errors | pattern | alert
    name: str
    families: frozenset[str]
    at: datetime
    sure: datetime
    end: datetime | None
    weight: float
    hard: bool
    up: bool
    reason: Reason
    dated: bool = True  # False: its time is only that of the others

    @property
    def times(self) -> float:
        """How many times the value before; 1 where there was none."""
        before, during = self.reason.figures.get("before", 0.0), self.reason.figures.get("during", 0.0)
        return during / before if before > 0 else 1.0

    def lasts(self, at: datetime, slack: timedelta) -> bool:
        """Goes on at that time, give or take."""
        return self.at <= at + slack and (self.end is None or self.end >= at - slack)


def measured(facts: Facts, usual_until: datetime | None = None) -> list[Symptom]:
    """Of metrics and log errors, dated by their own change points."""
    watched = {(e.service, e.labels["metric"]) for e in facts.episodes if "metric" in e.labels}
    found = [
        _metric(s, b, facts, (s.service, s.name) in watched)
        for s in facts.series
        for b in breaks(s.points, usual_until)
    ]
    for service, bins in facts.errors.items():
        found += _errors(service, bins, facts, usual_until)
    return [s for s in found if s is not None]


def _metric(series: Series, change: Break, facts: Facts, watched: bool) -> Symptom | None:
    """`watched`: an alert says that it does harm; that something is full only says that it may."""
    name, bad = series.name, _is_bad(series.name, change.up)
    kinds = families(name)
    if bad is False and not LOAD.search(name):
        return None
    harm = (bool(bad) and bool(HARD.search(name))) or (watched and not kinds & FULL)
    hard = harm and not LOAD.search(name)
    size = min(3.0, 0.6 + log10(max(1.0, abs(change.spreads))))
    values = {"before": _short(change.before), "during": _short(change.during), "extreme": _short(change.extreme)}
    arrow = "rose" if change.up else "fell"
    text = f"{series.service} {name} {arrow} from {values['before']:g} to {values['during']:g}{series.unit}"
    reason = Reason("metric", text, size, facts.queries.get("metrics", ""), facts.window, values)
    return Symptom(
        series.service, "metric", name, kinds, change.at, change.sure, change.end, size, hard, change.up, reason
    )


def _is_bad(name: str, up: bool) -> bool | None:
    """Whether a move in that direction is harm; None: can't be told."""
    if INFO.search(name):
        return None
    if DOWN_IS_BAD.search(name):
        return not up
    if LOAD.search(name):
        return None
    if UP_IS_BAD.search(name):
        return up
    return None


def _errors(service: str, bins: Bins, facts: Facts, until: datetime | None) -> list[Symptom]:
    every = facts.lines.get(service, bins)
    start, end = min(every), max(every) + MINUTE
    covered = whole_bins(replace(facts.window, start=start, end=end), MINUTE)
    found = []
    for rise in rises(bins, covered, MINUTE, until or covered.start):
        weight = min(3.0, 0.5 + log10(max(1.0, rise.excess)))
        values = {"lines": rise.total, "most in one step": rise.peak}
        text = f"{service} logged {rise.total:g} {facts.loud} since {rise.start:%H:%M}"
        reason = Reason("errors", text, weight, facts.queries.get("errors", ""), facts.window, values)
        sure = rise.start + timedelta(seconds=rise.width)
        kinds = frozenset(("errors",))
        found.append(
            Symptom(service, "errors", "errors", kinds, rise.start, sure, rise.end, weight, True, True, reason)
        )
    return found


def told(facts: Facts, onset: datetime) -> list[Symptom]:
    """Of log patterns that are new since the onset."""
    found = []
    for pattern in facts.patterns:
        if is_new(pattern) and is_bad(pattern):
            found.append(_pattern(pattern, facts, onset))
    return found


def is_new(p: Pattern) -> bool:
    return p.n >= 1 and (p.before is None or p.n >= NEW * max(p.before, 0.34))


def is_bad(p: Pattern) -> bool:
    if p.level in ("error", "fatal"):
        return True
    said = families(p.template) - {"config", "logging"}
    return p.level == "warn" and (bool(said) or _many(p))


def _many(p: Pattern) -> bool:
    return p.before is not None and p.n >= MANY * max(p.before, FEW)


def _pattern(p: Pattern, facts: Facts, onset: datetime) -> Symptom:
    weight = min(2.5, 0.5 + log10(max(1, p.n - (p.before or 0))) * 0.6)
    values = {"lines": float(p.n), "before": float(p.before or 0)}
    text = f"{p.service} says {p.n} times (before: {p.before or 0}): {p.sample[:160]}"
    reason = Reason("pattern", text, weight, facts.queries.get("patterns", ""), facts.window, values)
    dated = p.first is not None and not p.before and p.first >= onset - TOGETHER
    at = p.first if dated and p.first else onset
    kinds = families(p.template)
    return Symptom(p.service, "pattern", p.template, kinds, at, at + MINUTE, None, weight, True, True, reason, dated)


def fired(facts: Facts, episodes: Iterable[Episode]) -> list[Symptom]:
    """Alerts of the services that are known from elsewhere too: a status page is no service of ours."""
    found = []
    for e in episodes:
        text = " ".join((e.name, e.labels.get("metric", ""), *e.annotations.values()))
        reason = Reason(
            "alert", f"{e.name} fired for {e.service} at {e.start:%H:%M}", 1.0, facts.queries.get("alerts", "")
        )
        found.append(
            Symptom(e.service, "alert", text, families(text), e.start, e.start, e.end, 1.0, True, True, reason)
        )
    return found


def named_in(text: str, known: Sequence[str], own: str) -> list[str]:
    """The services that a text names, other than its own: `paymentservice`, and `payment` where it is long enough."""
    low = re.sub(r"[_/.:]", " ", text.lower())
    found = []
    for service in known:
        name, short = service.lower(), bare(service)
        said = re.search(rf"(?<!\w){re.escape(re.sub(r'[_/.:]', ' ', name))}(?!\w)", low) if len(name) >= 4 else None
        short_said = len(short) >= 5 and re.search(rf"(?<!\w){re.escape(short)}(?!\w)", low)
        if bare(own) != short and (said or short_said):
            found.append(service)
    return found


def bare(service: str) -> str:
    """`payment` of payment, paymentservice, payment-service, payment-svc-1."""
    return re.sub(r"[-_ ]?(?:service|svc|server|app)?(?:-\d+)?$", "", service.lower())


def _short(value: float) -> float:
    return float(f"{value:.4g}")

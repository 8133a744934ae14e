"""What left its usual level, where and since when: metrics, log errors, log patterns, spans, alerts, each alike.

A hard symptom is harm (errors, latency, a crash, an alert); a soft one only moved (load, a cache's hits, memory).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import log10

from subagents.cause.breaks import Break, breaks
from subagents.cause.facts import MINUTE, Bins, Facts
from subagents.cause.model import Reason
from subagents.cause.words import DOWN_IS_BAD, INFO, LOAD, UP_IS_BAD, families
from subagents.onset import rises, whole_bins
from subagents.severity import CALM, rank
from subagents.sources import Episode, Pattern, Series

HARD = re.compile(
    r"error|fail|5xx|4xx|40\d|42\d|50\d|latency|duration|p9\d|_wait|wait_|lag|_age|depth|restart|oom|panic|timeout"
    r"|reject|decline|availab|ready|crash|success|exceeded|violat|dropp|dead_?letter|dlq|stale|conflict|denied|held|pause|stall|(?<!cpu_)throttl|refus"
    r"|(?<![a-z])lost|deadlock|abort|duplicat",
    re.IGNORECASE,
)
HABIT = 0.3  # what a move of a restless metric weighs
BUSY = re.compile(r"cpu.*(?:us(?:age|ed)|util|rate|ratio|percent|pct)", re.IGNORECASE)
WHOLE = 1.5  # a share beyond it is one in percent
STEADY = 1.25  # times as many requests is more to do
USUAL, LOUD = 0.97, 1.5  # of a restless metric's moves so many are its way, and what goes so many times as far is none
MANY_SERVICES, SLOT, LEAST_SLOTS, RESTLESS = 5, timedelta(minutes=10), 6, 0.6
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
    every = [(series, breaks(series.points, usual_until)) for series in facts.series]
    noise, busier = restless(every), _busier(every)
    found = []
    for series, mine in every:
        for change in mine:
            symptom = _metric(series, change, facts, (series.service, series.name) in watched)
            usual = _far(change) < LOUD * noise.get(series.name, 0.0)
            if symptom and series.service not in busier and _pinned(series, change):
                symptom = replace(symptom, hard=True)
            elif symptom and usual:
                symptom = replace(symptom, hard=False, weight=HABIT * symptom.weight)
            found.append(symptom)
    for service, bins in facts.errors.items():
        found += _errors(service, bins, facts, usual_until)
    return [s for s in found if s is not None]


def restless(every: Sequence[tuple[Series, Sequence[Break]]]) -> dict[str, float]:
    """Names of metrics that leave their level somewhere all the time (of many services, at all hours), and how far."""
    named: dict[str, list[tuple[Series, Sequence[Break]]]] = defaultdict(list)
    for series, mine in every:
        if series.points:
            named[series.name].append((series, mine))
    found = {}
    for name, rows in named.items():
        first, last = min(s.points[0][0] for s, _ in rows), max(s.points[-1][0] for s, _ in rows)
        all_ = [b for _, mine in rows for b in mine]
        slots, moved = (last - first) / SLOT, {(b.at - first) // SLOT for b in all_}
        if len(rows) >= MANY_SERVICES and slots >= LEAST_SLOTS and len(moved) >= RESTLESS * slots:
            found[name] = sorted(map(_far, all_))[int(USUAL * len(all_))]
    return found


def _far(change: Break) -> float:
    return abs(change.during - change.before)


def _busier(every: Sequence[tuple[Series, Sequence[Break]]]) -> set[str]:
    """Services that get more requests than before."""
    return {
        s.service for s, mine in every for b in mine if LOAD.search(s.name) and b.up and b.during >= STEADY * b.before
    }


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


def _pinned(series: Series, change: Break) -> bool:
    """A processor that had much room is busy: what runs on it waits."""
    whole = 100.0 if series.unit == "%" or change.extreme > WHOLE else 1.0
    return bool(BUSY.search(series.name)) and change.during >= 0.7 * whole and change.before <= 0.35 * whole


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
        harm = rank(e.severity) < CALM  # a notice is none
        reason = Reason(
            "alert", f"{e.name} fired for {e.service} at {e.start:%H:%M}", 1.0, facts.queries.get("alerts", "")
        )
        found.append(
            Symptom(e.service, "alert", text, families(text), e.start, e.start, e.end, 1.0, harm, True, reason)
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

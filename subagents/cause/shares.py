"""Whose own doing it is: the time or the failures that a service adds, less what its callees add.

Needs how often services are called and how long they take or how often they fail; from metrics. What a callee added
is part of its caller's, so that the rest is the caller's own. Pure.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean, median

from subagents.cause.facts import Facts
from subagents.sources import Series, Span
from subagents.topology import Topology

TAKES = re.compile(r"latency|duration|response_?time", re.IGNORECASE)
FAILS = re.compile(
    r"availab|success_?(?:rate|ratio)|error_?(?:rate|ratio|pct)|fail(?:ure)?_?(?:rate|ratio)|5xx_?(?:rate|ratio)", re.I
)
CALLED = re.compile(
    r"^requests?$|request_?(?:count|rate|s_total)|requests_per|\brps\b|\bqps\b|invocations", re.IGNORECASE
)
MEANS = ("average", "avg", "mean")
STEP = timedelta(minutes=5)
RECENT = timedelta(hours=2)
NOISE = 3.0  # median deviations that are no chance
SPANS = 500  # on each side of the onset; fewer are no measure
LEAST = 0.02  # of the whole: an own share that small is none


@dataclass(frozen=True, slots=True)
class Share:
    """`own` and `whole` per step: seconds (of `what` time) or failed requests; `part`: of the largest own, 0 to 1."""

    what: str
    own: float
    whole: float
    part: float


def shares(facts: Facts, at: datetime, crying: str, calls: Topology) -> dict[str, Share]:
    """By service; empty where loads or times aren't known. `crying`: it fails, or it is slow, and so are the others
    looked at. `calls`: who calls whom; without it the callee's part would be anybody's."""
    loads = {s.service: s for s in facts.series if CALLED.search(s.name)}
    fails = {s.service: s for s in facts.series if FAILS.search(s.name)}
    takes: dict[str, Series] = {}
    for s in sorted(facts.series, key=_middle):
        if TAKES.search(s.name):
            takes.setdefault(s.service, s)
    if len(loads) < 2:
        return {}
    failing = crying in fails and (_alerted(facts, at, crying) or _added(fails[crying], at)[1] >= NOISE)
    added = {n: _added(s, at) for n, s in (fails if failing else takes).items() if n in loads}
    reach = {crying, *calls.downstream(crying)}
    whole = {n: max(0.0, v) * _after(loads[n], at) for n, (v, z) in added.items() if z >= 1.0}
    own = _own(whole, calls)
    top = max((own[n] for n in own if n in reach), default=0.0)
    if top <= 0:
        return {}
    what = "failures" if failing else "time"
    return {n: Share(what, own[n], whole[n], own[n] / top) for n in own if n in reach and own[n] / top > LEAST}


def _alerted(facts: Facts, at: datetime, crying: str) -> bool:
    """An alert of it watches how often it fails."""
    watched = [
        e.labels.get("metric", e.name) for e in facts.episodes if e.service == crying and abs(e.start - at) <= RECENT
    ]
    return any(FAILS.search(metric) for metric in watched)


def _own(whole: Mapping[str, float], calls: Topology) -> dict[str, float]:
    callees: dict[str, set[str]] = {}
    for a, b in calls.edges:
        callees.setdefault(a, set()).add(b)
    return {n: v - sum(whole.get(c, 0.0) for c in sorted(callees.get(n, ()))) for n, v in whole.items()}


def _middle(s: Series) -> int:
    """Means before medians before high quantiles."""
    text = " ".join((s.name, *s.labels.values())).lower()
    return 0 if any(m in text for m in MEANS) else 1 if "p50" in text or "median" in text else 2


def _after(s: Series, at: datetime) -> float:
    return median([v for t, v in s.points if t >= at - STEP] or [0.0])


def _added(s: Series, at: datetime) -> tuple[float, float]:
    """(how much more than usual, in median deviations); the usual is the higher one of history and the last hours."""
    good = bool(re.search(r"availab|success", s.name, re.IGNORECASE))
    most = max((v for _, v in s.points), default=1.0)
    points = [(t, (most - v) / (100.0 if most > 1.5 else 1.0) if good else v) for t, v in s.points]
    later = [v for t, v in points if t >= at - STEP]
    before = [v for t, v in points if t < at - STEP]
    near = [v for t, v in points if at - RECENT <= t < at - STEP]
    if not later or not before:
        return 0.0, 0.0
    usual = median(before)
    spread = 1.4826 * median(abs(v - usual) for v in before)
    scale = max(spread, 0.02 * abs(usual), 0.002 if good else 1e-9)
    base = max([usual, median(near)] if near else [usual])
    return median(later) - base, (median(later) - base) / scale


def slower(facts: Facts, at: datetime) -> dict[str, Share]:
    """The same from spans: by how much a service's own part of a span (less its children) takes longer than before,
    over operations seen on both sides. Empty where there are too few spans to tell."""
    before = [s for s in facts.spans if s.start < at - timedelta(seconds=30)]
    later = [s for s in facts.spans if s.start >= at - timedelta(seconds=30)]
    if min(len(before), len(later)) < SPANS:
        return {}
    usual, now = _own_times(before), _own_times(later)
    rise: dict[str, float] = defaultdict(float)
    number: Counter[str] = Counter()
    for key in (k for k in usual if k in now):
        if min(len(usual[key]), len(now[key])) >= 3:
            rise[key[0]] += len(now[key]) * (fmean(now[key]) - fmean(usual[key]))
            number[key[0]] += len(now[key])
    each = {n: rise[n] / number[n] for n in number}
    top = max(each.values(), default=0.0)
    return {n: Share("time", v, rise[n], v / top) for n, v in each.items() if top > 0 and v / top > LEAST}


def _own_times(spans: Sequence[Span]) -> dict[tuple[str, str], list[float]]:
    """(service, operation) → seconds of each span that nothing below or beside it took. What a call takes on the way
    is half the caller's and half the called one's: who stands at the end of all slow calls comes out."""
    at = {(s.trace, s.id) for s in spans}
    below: dict[tuple[str, str], list[Span]] = defaultdict(list)
    for span in spans:
        below[span.trace, span.parent or ""].append(span)
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for span in spans:
        inner = below.get((span.trace, span.id), [])
        took = sum(s.seconds for s in inner)
        if not inner and (span.trace, span.parent) in at:  # it waits for what is begun beside it
            took = sum(_overlap(span, s) for s in below[span.trace, span.parent or ""] if s is not span)
        callee = next((s.service for s in inner if s.service != span.service), "")
        own = max(0.0, span.seconds - took)
        if callee:
            found[callee, f"called by {span.service}"].append(own / 2)
            found[span.service, f"calls {callee}"].append(own / 2)
        else:
            found[span.service, span.name].append(own)
    return found


def _overlap(span: Span, other: Span) -> float:
    """Seconds that the other, begun later, runs at the same time."""
    late = (other.start - span.start).total_seconds()
    return max(0.0, min(span.seconds, late + other.seconds) - late) if late >= 0 else 0.0


def said(service: str, share: Share) -> str:
    unit = "s" if share.what == "time" else "requests"
    return f"{service} itself adds {share.own:.3g} {unit} of {share.what} a step, of {share.whole:.3g} in all"

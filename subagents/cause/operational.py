"""Causes that are no change of ours, with their own evidence: they compete with changes on equal terms. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from subagents.cause.facts import Facts
from subagents.cause.leaning import SAME, store
from subagents.cause.model import Reason
from subagents.cause.places import Incident
from subagents.cause.rules import RULES, Rule
from subagents.cause.symptoms import Symptom, is_bad, is_new
from subagents.cause.telling import Telling
from subagents.cause.words import LOAD, families
from subagents.sources import Episode, Pattern
from subagents.topology import Topology

INNER = re.compile(
    r"\.(?:svc|internal|local|localdomain|cluster|lan|corp|intra|consul|test)(?:\.|$|:)|^localhost|^\d+\.", re.I
)
_HOST = re.compile(r"(?<![\w.-])[.-]*+((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})\b(?![\w(=])", re.IGNORECASE)
_ENDINGS = "go py js ts java rb rs php cs c h cc cpp kt sql yaml yml json toml xml html css sh log md txt lock mod"
_SETTINGS = "ms sec bytes size records"  # of keys as `max.poll.interval.ms`
_ROOTS = "com org net io cn de java javax jdk sun kotlin scala github golang google"
_CODE, _PACKAGE = frozenset((*_ENDINGS.split(), *_SETTINGS.split())), frozenset(_ROOTS.split())
_DOWN = re.compile(
    r"\b50\d\b|unavailable|time[d ]?out|no answer|deadline|refused|reset|outage|unreachable|too many|\b429\b|failed",
    re.I,
)
NEAR = timedelta(minutes=20)


@dataclass(frozen=True, slots=True)
class Operational:
    kind: str
    title: str
    service: str
    score: float
    reasons: tuple[Reason, ...]


def operational(facts: Facts, found: Incident, told: Telling) -> list[Operational]:
    """All that anything speaks for, best first."""
    bad = [p for p in facts.patterns if is_new(p) and is_bad(p)]
    made = [_by_rule(rule, facts, found, told, bad) for rule in RULES]
    made += [_provider(facts, found, bad), _traffic(facts, found), _planned(facts, found, told)]
    return sorted((o for o in made if o is not None), key=lambda o: -o.score)


def _by_rule(rule: Rule, facts: Facts, found: Incident, told: Telling, bad: list[Pattern]) -> Operational | None:
    reasons = []
    says = re.compile(rule.says, re.IGNORECASE)
    hits = [p for p in bad if says.search(p.template) or says.search(p.sample)]
    lines = sum(p.n for p in hits)
    share = lines / max(1, sum(p.n for p in bad if p.service == found.first) or lines)
    if hits:
        weight = rule.weight * min(1.0, 0.5 + share)
        text = f"{lines} new lines say so: {hits[0].sample[:140]}"
        reasons.append(Reason("wording", text, weight, facts.queries.get("patterns", ""), facts.window))
    elif says.search(told.own):
        reasons.append(Reason("wording", "the failures' own words say so", 0.6 * rule.weight))
    moved = [s for s in found.symptoms if s.source == "metric" and rule.moved and re.search(rule.moved, s.name, re.I)]
    if moved:
        reasons.append(Reason("metric", moved[0].reason.text, 1.0, moved[0].reason.query, facts.window))
    if rule.kind == "bad data" and (same := _same_record(hits)):
        reasons.append(Reason("record", f"the same record fails again and again: {same}", 2.0))
    if rule.kind == "certificate":
        reasons += _ran_out(facts, found)
    feed = _feed(facts, found, says) if reasons or rule.kind in ("region", "network") else None
    if feed is not None:
        reasons.append(Reason("status page", f"{feed.service}: {feed.name} since {feed.start:%H:%M}", 1.5))
    if not reasons:
        return None
    return Operational(rule.kind, rule.title, found.first, sum(r.weight for r in reasons), tuple(reasons))


_RECORD = re.compile(
    r"\b(offset|record(?:_id)?|message(?:_id)?|partition|row|line|key|id|batch|file)[=: #]+([\w.-]*\d[\w.-]*)", re.I
)


def _same_record(hits: list[Pattern]) -> str:
    """A record that all lines of a pattern name: it stands in the template, where what varies would be a hole."""
    for p in hits:
        if p.n >= 3 and (match := _RECORD.search(p.template)):
            return match.group()
    return ""


def _ran_out(facts: Facts, found: Incident) -> Iterator[Reason]:
    """A countdown to the end of a certificate that reached nothing near the onset."""
    onset = found.onset or found.at
    for series in facts.series:
        if not re.search(r"cert.*(?:expir|not_?after|remaining|ttl|until)", series.name, re.IGNORECASE):
            continue
        crossed = next((at for at, v in series.points if v <= 0), None)
        if crossed is not None and abs(crossed - onset) <= NEAR:
            yield Reason("countdown", f"{series.service} {series.name} reached 0 at {crossed:%H:%M}", 2.0)


def _feed(facts: Facts, found: Incident, says: re.Pattern[str]) -> Episode | None:
    """A status page's incident: an episode of something that is no service of ours."""
    feeds = facts.outside
    for e in facts.episodes:
        outside = e.service in feeds
        text = " ".join((e.name, *e.annotations.values()))
        if outside and e.start <= found.at + NEAR and (e.end is None or e.end >= found.at - NEAR) and says.search(text):
            return e
    return None


# ── a provider outside ────────────────────────────────────────────────────────────────────────


def hosts(text: str) -> set[str]:
    """Names of machines outside: with a domain, and not of an inner network."""
    found = {h for h in _HOST.findall(text) if h == h.lower() and h.split(".")[0] not in _PACKAGE}
    return {h for h in found if not INNER.search(h) and h.rsplit(".", 1)[-1] not in _CODE and len(h) >= 6}


def _provider(facts: Facts, found: Incident, bad: list[Pattern]) -> Operational | None:
    reasons = []
    told = [
        (h, p) for p in bad for h in hosts(p.template) | hosts(p.sample) if _DOWN.search(p.sample) and not _borne(p)
    ]
    name = ""
    if told:
        name = max(sorted({h for h, _ in told}), key=lambda h: sum(p.n for x, p in told if x == h))
        own = sum(p.n for p in bad if p.service == found.first)
        lines = sum(p.n for h, p in told if h == name)
        weight = 3.8 * min(1.0, 0.4 + lines / max(1, own))
        said = next(p for h, p in told if h == name)
        text = f"{lines} new lines blame {name}: {said.sample[:120]}"
        reasons.append(Reason("wording", text, weight, facts.queries.get("patterns", ""), facts.window))
    moved = [
        s
        for s in found.symptoms
        if s.source == "metric" and re.search(r"provider|external|third_?party|vendor", s.name)
    ]
    if moved:
        reasons.append(Reason("metric", moved[0].reason.text, 1.5, moved[0].reason.query, facts.window))
    feed = _feed(facts, found, _DOWN) or _feed(
        facts, found, re.compile(r"error|latency|degrad|disrupt|elevated|incident", re.I)
    )
    if feed is not None:
        reasons.append(Reason("status page", f"{feed.service}: {feed.name} since {feed.start:%H:%M}", 2.0))
        name = name or feed.service
    if not reasons:
        return None
    title = f"{name or 'a provider outside'} is out or slow"
    return Operational("provider outage", title, found.first, sum(r.weight for r in reasons), tuple(reasons))


def _borne(p: Pattern) -> bool:
    """The host in it is not to blame: its name isn't found, or its certificate isn't trusted."""
    return bool(families(p.sample) & {"certificate", "dns"}) or "dns" in p.service.lower()


# ── traffic, planned work ─────────────────────────────────────────────────────────────────────


def _traffic(facts: Facts, found: Incident) -> Operational | None:
    """More requests come in where nobody of ours calls: the load rose at the edge, not by a caller's fan-out."""
    loads = [s for s in found.symptoms if s.source == "metric" and LOAD.search(s.name) and s.up]
    loads = [s for s in loads if s.times >= 1.7 and s.at <= (found.onset or found.at) + NEAR]
    ways = _ways_in(found)
    edges = [s for s in loads if _comes_in(s, facts, loads, found.calls) and (not ways or s.service in ways)]
    if not edges:
        return None
    top = max(edges, key=lambda s: s.times)
    if _steady_before(facts, found, top, loads):
        return None
    weight = min(3.2, 1.2 + top.times / 2)
    reasons = [Reason("traffic", f"{top.reason.text}, {top.times:.1f}-fold", weight, top.reason.query, facts.window)]
    says = re.compile(
        r"queue full|shed|overload|all workers busy|too many requests|rate limit|capacity|backpressure|限流", re.I
    )
    hit = next((p for p in facts.patterns if is_new(p) and is_bad(p) and says.search(p.template)), None)
    if hit:
        reasons.append(Reason("wording", f"says that it has too much to do: {hit.sample[:120]}", 1.2))
    return Operational(
        "traffic surge", "more requests than usual", top.service, sum(r.weight for r in reasons), tuple(reasons)
    )


def _steady_before(facts: Facts, found: Incident, top: Symptom, loads: list[Symptom]) -> bool:
    """Who failed before the one with more to do is known to get no more than usual: then requests multiply within."""
    known = {s.service for s in facts.series if LOAD.search(s.name)} - {s.service for s in loads}
    began = {p.service: p.onset for p in found.places}
    first, then = began.get(found.first), began.get(top.service)
    return found.first in known and first is not None and then is not None and first < then - SAME


def _comes_in(s: Symptom, facts: Facts, loads: list[Symptom], calls: Topology) -> bool:
    """Its callers (those we know the load of) got as much more as it did; with none, it is the edge. Nobody outside
    calls a data store."""
    if store(s.service):
        return False
    callers = calls.callers(s.service)
    known = {x.service for x in facts.series if LOAD.search(x.name)} & set(callers)
    risen = {x.service for x in loads if x.times >= 0.5 * s.times}
    return known <= risen if known else not callers


def _ways_in(found: Incident) -> set[str]:
    """Whoever can bring more to what failed first: itself and those above it; empty where nobody is known to call."""
    if not found.calls.callers(found.first):
        return set()
    everyone = {name for edge in found.calls.edges for name in edge}
    return {s for s in everyone if found.calls.distance(s, found.first) is not None}


def _planned(facts: Facts, found: Incident, told: Telling) -> Operational | None:
    """Planned work that was going on, on what fails or what it depends on."""
    onset = found.onset or found.at
    near = {found.first, *facts.topology.downstream(found.first)}
    for c in facts.changes:
        if c.until is None or not c.at <= onset + timedelta(minutes=2) or c.until < onset:
            continue
        mine = c.service in near or any(n and n.lower() in f"{c.title} {c.body}".lower() for n in near)
        if mine:
            says = re.search(r"drain|read-only|maintenance|migrat|cordon|failover|restart|switchover|维护", told.text)
            weight = 1.6 + (1.4 if says else 0.0)
            reason = Reason("planned", f"{c.id} ({c.title[:80]}) ran from {c.at:%H:%M} to {c.until:%H:%M}", weight)
            return Operational("planned work", c.title or c.id, c.service or found.first, weight, (reason,))
    return None

"""Where the trouble began: which symptoms are one incident, which service failed first, whom it reached.

A callee stands before its caller: who complains of another, or calls one that fails as well, merely waits. Services
that fail at the same time but are not connected are another incident. Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from orchestrator.contracts import Window
from subagents.cause.facts import Facts
from subagents.cause.model import Place, Reason
from subagents.cause.shares import Share, said, shares, slower
from subagents.cause.symptoms import Symptom, named_in
from subagents.cause.words import DOWN_IS_BAD, families
from subagents.topology import Topology

NEAR = timedelta(minutes=20)
TOGETHER = timedelta(minutes=45)  # what begins so much later is another thing, or a late consequence
LONG_BEFORE = timedelta(hours=12)
SAME = timedelta(minutes=2)  # what begins so near each other began together
MOVED = ("strength", "onset", "waits")
BREAKS_OFF = 2.0  # what it weighs that a service's work no longer goes on where it did
SHARE = 3.0  # what a service's own share of the added time or failures weighs
OWN = frozenset(
    ("crash", "pool", "memory", "cpu", "disk", "race", "sql", "cache", "certificate", "dns", "data", "quota")
)
STORE = re.compile(
    r"db(?:\b|[-_\d])|sql|postgres|\bpg\b|maria|mongo|redis|valkey|memcache|kafka|rabbit|elastic|opensearch|cassandra"
    r"|scylla|dynamo|aurora|\brds\b|etcd|zookeeper|clickhouse|minio|\bs3\b|dns\b|broker",
    re.IGNORECASE,
)
COMMON = frozenset(("dns", "certificate"))
FILLS = frozenset(("memory", "pool", "disk", "queue", "cpu"))


@dataclass(frozen=True, slots=True)
class Incident:
    """`at`: a moment at which it certainly goes on; `symptoms`: its own."""

    at: datetime
    symptoms: tuple[Symptom, ...]
    places: tuple[Place, ...]
    onset: datetime | None
    sure: datetime | None
    calls: Topology = Topology(())  # who calls whom, as far as it is known or told

    @property
    def first(self) -> str:
        return self.places[0].service if self.places else ""

    def of(self, service: str) -> list[Symptom]:
        return [s for s in self.symptoms if s.service == service]


def store(service: str) -> bool:
    """Its name says that it keeps data or names for others: it calls nobody."""
    return bool(STORE.search(service))


def anchor(
    facts: Facts, symptoms: Sequence[Symptom], hint: datetime | None, window: Window
) -> tuple[datetime | None, str]:
    """(a moment in the middle of the trouble, the service that cries), from the hint, the alerts or the symptoms.
    What began in the window counts before what only reaches into it."""
    asked = set(facts.services)
    hard = [s for s in symptoms if s.hard and (s.service in asked if asked else s.service not in facts.outside)]
    if hint is not None:
        near = [s for s in hard if s.lasts(hint, NEAR)]
        best = max(near, key=lambda s: s.weight, default=None)
        return hint, best.service if best else next(iter(facts.services), "")
    weight: dict[tuple[datetime, str], float] = defaultdict(float)
    for s in hard:
        score = 2 * s.weight * (1.0 if s.source == "errors" else 0.8)
        if s.source == "alert":
            own = [x.weight for x in hard if x.service == s.service and x.source != "alert" and x.lasts(s.at, NEAR)]
            score = s.weight + 2 * max(own, default=0.0)
        inside = window.start - SAME <= s.at < window.end
        overlaps = s.at < window.end and (s.end is None or s.end > window.start)
        if overlaps:
            weight[s.sure, s.service] += score * (1.0 if inside else 0.4)
    if not weight:
        return None, ""
    return max(weight, key=lambda k: (weight[k], k[0]))


def incident(facts: Facts, symptoms: Sequence[Symptom], at: datetime, crying: str) -> Incident:
    """The symptoms that belong together around `at`, and what they say about where it began."""
    going = [s for s in symptoms if s.lasts(at, NEAR) and s.at >= at - LONG_BEFORE]
    hard = {s.service for s in going if s.hard and s.service} - facts.outside
    below = {*facts.topology.downstream(crying)} & hard
    if crying not in hard and not (below and crying in facts.services):
        crying = _loudest(going) or crying
    blames = _blames(facts, going)
    calls = _calls(facts, blames)
    own = shares(facts, at, crying, calls) or slower(facts, at)
    if not hard and crying and not own:
        return Incident(at, tuple(going), (Place(crying, 0.0, at),), at, at)
    stores = _stores(hard, facts, blames)
    net = Net(facts.topology.edges | blames | stores, hard, _began(hard, going))
    alike = {s for s in hard if _same_trouble(s, crying, going)}
    origins = (net.below(crying) | alike | below | own.keys()) if net.edges else set(hard)
    ranked = _places(hard, going, blames, facts, own)
    best = next((p.service for p in ranked if p.service in origins), crying)
    joined = net.above(best) | {best, crying} | alike | net.dragged(best) if net.edges else set(hard)
    kept = tuple(p for p in ranked if p.service in joined or p.service in own)
    kept = tuple(sorted(kept, key=lambda p: p.service != best))
    mine = tuple(s for s in going if s.service in joined or (not s.hard and _touches(s.service, joined, facts)))
    onset, sure = _onset([s for s in mine if s.service == best])
    return Incident(at, mine, kept, onset, sure, Topology(calls.edges | stores))


def _stores(hard: set[str], facts: Facts, blames: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """A failing data store that nobody is known to call: any other that fails may do so."""
    tied = {name for edge in (*facts.topology.edges, *blames) for name in edge}
    return frozenset((caller, s) for s in hard - tied if store(s) for caller in hard if not store(caller))


class Net:
    """Failing services and who leans on whom: callers on callees, complainers on whom they name."""

    def __init__(self, edges: frozenset[tuple[str, str]], hard: set[str], began: dict[str, datetime]) -> None:
        self.edges, self.hard, self.began = edges, hard, began
        self.down: dict[str, set[str]] = defaultdict(set)
        self.up: dict[str, set[str]] = defaultdict(set)
        for a, b in edges:
            self.down[a].add(b)
            self.up[b].add(a)

    def below(self, start: str) -> set[str]:
        """What fails among that which it leans on, and itself."""
        return self._reach(start, self.down) | {start}

    def above(self, start: str) -> set[str]:
        """What fails among those who lean on it, not long before it."""
        floor = self.began.get(start)
        return {s for s in self._reach(start, self.up) if floor is None or self.began[s] >= floor - TOGETHER}

    def dragged(self, start: str) -> set[str]:
        """Its callees that failed no sooner, and what complains of nobody else but is tied to it."""
        floor = self.began.get(start)
        return {s for s in self.down[start] & self.hard if floor is None or self.began[s] >= floor - SAME}

    def _reach(self, start: str, along: dict[str, set[str]]) -> set[str]:
        """Over failing services; one healthy one between two doesn't part them."""
        found: set[str] = set()
        open_ = [start]
        while open_:
            here = open_.pop()
            near = along[here] | {n for b in along[here] - self.hard for n in along[b]}
            for name in (near & self.hard) - found - {start}:
                found.add(name)
                open_.append(name)
        return found


def _loudest(going: Sequence[Symptom]) -> str:
    total: dict[str, float] = defaultdict(float)
    for s in going:
        total[s.service] += s.weight if s.hard else 0.0
    return max(total, key=lambda k: total[k], default="")


def _blames(facts: Facts, going: Sequence[Symptom]) -> frozenset[tuple[str, str]]:
    """Who complains of whom: texts of a service's failures, and its metrics, that name another one."""
    known = facts.known
    told = [(s.service, s.name) for s in going if s.hard and s.source in ("pattern", "metric")]
    told += [(s.service, re.sub(r"\d+", "#", s.error)) for s in facts.spans if s.error]
    # of a name that can't be resolved, the resolver is to blame, not who bears it
    fair = {(who, text) for who, text in told if who and not store(who) and "dns" not in families(text)}
    return frozenset((who, whom) for who, text in fair for whom in named_in(text, known, who))


def _calls(facts: Facts, blames: frozenset[tuple[str, str]]) -> Topology:
    """Who calls whom: as it is known, and who complains of whom, as far as the other one doesn't complain back."""
    told = {(a, b) for a, b in blames if not {(b, a)} & (blames | facts.topology.edges)}
    return Topology(facts.topology.edges | told)


def _began(services: set[str], symptoms: Sequence[Symptom]) -> dict[str, datetime]:
    """When each began to do harm; told by dated symptoms where there are any, an alert's being the last resort."""
    found = {}
    for service in services:
        hard = [s for s in symptoms if s.service == service and s.hard]
        dated = [s for s in hard if s.dated and s.source != "alert"] or [s for s in hard if s.dated] or hard
        if dated:
            found[service] = min(s.at for s in dated)
    return found


def _same_trouble(service: str, start: str, going: Sequence[Symptom]) -> bool:
    """Says the very same of its failures as the one that cries, or both tell of what all lean on."""
    mine = [s for s in going if s.service == service and s.source == "pattern"]
    said, kinds = {s.name for s in mine}, {f for s in mine for f in s.families & COMMON}
    cries = (s for s in going if s.service == start and s.source == "pattern")
    return any(s.name in said or s.families & kinds for s in cries)


def _touches(service: str, joined: set[str], facts: Facts) -> bool:
    return any(service in (*facts.topology.callees(j), *facts.topology.callers(j)) for j in joined)


def _places(
    joined: set[str],
    mine: Sequence[Symptom],
    blames: frozenset[tuple[str, str]],
    facts: Facts,
    own: Mapping[str, Share],
) -> tuple[Place, ...]:
    began = _began(joined, mine)
    if not began:
        return tuple(sorted(_quiet(set(), own), key=lambda p: -p.score))
    earliest = min(began.values())
    found = []
    for service, at in began.items():
        reasons = [*_weighed(service, at, earliest, began, mine, blames, facts), *_own_share(service, own)]
        if own:  # measured shares say more than how clearly something moved
            reasons = [replace(r, weight=r.weight / 3) if r.signal in MOVED else r for r in reasons]
        found.append(Place(service, round(sum(r.weight for r in reasons), 3), at, tuple(reasons)))
    found += _quiet(set(began), own)
    return tuple(sorted(found, key=lambda p: (-p.score, p.onset or earliest, p.service)))


def _own_share(service: str, own: Mapping[str, Share]) -> list[Reason]:
    if not own:
        return []
    if service not in own:
        return [Reason("own share", f"{service} adds nothing of its own", -1.0)]
    return [Reason("own share", said(service, own[service]), SHARE * max(-0.3, own[service].part))]


def _quiet(known: set[str], own: Mapping[str, Share]) -> list[Place]:
    """Services that add their share without having left their usual level for sure."""
    made = [Place(n, SHARE * s.part, None, tuple(_own_share(n, own))) for n, s in own.items() if n not in known]
    return [p for p in made if p.score > 0]


def _weighed(
    service: str,
    at: datetime,
    earliest: datetime,
    began: dict[str, datetime],
    mine: Sequence[Symptom],
    blames: frozenset[tuple[str, str]],
    facts: Facts,
) -> list[Reason]:
    own = [s for s in mine if s.service == service]
    strong = sorted((s.weight for s in own if s.hard), reverse=True)
    found = [Reason("strength", f"{service} shows {len(own)} symptoms", sum(strong[:3]) / 3)]
    accused = sorted({who for who, whom in blames if whom == service and who in began})
    if accused:
        found.append(Reason("blamed", f"{', '.join(accused)} complain of {service}", 0.8 + 0.3 * len(accused)))
    if store(service):
        found.append(Reason("store", f"{service} is a store of data or names, which others wait for", 0.8))
    others = sorted({whom for who, whom in blames if who == service and whom in began})
    if others and not set(others) <= set(accused):
        found.append(Reason("complains", f"{service} complains of {', '.join(others)}, which fails too", -1.5))
    waits = [c for c in facts.topology.callees(service) if c in began and began[c] <= at + SAME and c not in accused]
    if waits:
        found.append(Reason("waits", f"{service} calls {', '.join(waits)}, which failed no later", -1.0))
    if at <= earliest + SAME:
        found.append(Reason("onset", f"{service} failed first, at {at:%H:%M}", 0.6))
    else:
        late = min(1.0, (at - earliest) / timedelta(minutes=15))
        found.append(Reason("onset", f"{service} failed {(at - earliest).total_seconds() / 60:.0f} min later", -late))
    gone = next((s for s in own if s.source == "missing"), None)
    if gone is not None and not waits and not set(others) - set(accused):
        found.append(Reason("missing", gone.reason.text, BREAKS_OFF, gone.reason.query, figures=gone.reason.figures))
    filling = [s for s in own if s.source == "metric" and not s.hard and s.families & FILLS and s.at <= earliest + SAME]
    if filling:
        found.append(Reason("building up", filling[0].reason.text, 0.8))
    inner = {f for s in own if s.source != "alert" for f in s.families} & OWN
    if inner:
        found.append(Reason("own", f"{service} itself tells of {', '.join(sorted(inner))}", 0.5))
    if any(s.source == "alert" for s in own):
        found.append(Reason("alert", f"an alert watches {service}", 0.4))
    return found


def _onset(own: Sequence[Symptom]) -> tuple[datetime | None, datetime | None]:
    """Of the first harm; an alert only dates it where nothing else does."""
    harm = [s for s in own if s.hard]
    hard = [s for s in harm if s.source != "alert" and s.dated] or [s for s in harm if s.dated] or harm
    first = min(hard, key=lambda s: (s.at, s.sure), default=None)
    return (first.at, first.sure) if first else (None, None)


def precursors(found: Incident, service: str) -> list[Symptom]:
    """What moved on the service before it did harm and still goes on: memory that fills, a cache that cools."""
    early = {"memory", "pool", "cache", "disk", "queue", "cpu", "sql"}
    return [s for s in found.of(service) if s.source == "metric" and (s.families & early or DOWN_IS_BAD.search(s.name))]

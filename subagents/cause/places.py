"""Where the trouble began: which symptoms are one incident, which service failed first, whom it reached.

A callee stands before its caller: who complains of another, or calls one that fails as well, merely waits. Services
that fail at the same time but are not connected are another incident. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from orchestrator.contracts import Window
from subagents.cause.facts import Facts
from subagents.cause.leaning import SAME, Net, complaints, known_calls, leaners, pressed, store, turned, used
from subagents.cause.model import Place, Reason
from subagents.cause.shares import Share, said, shares, slower
from subagents.cause.symptoms import FULL, Symptom
from subagents.cause.words import CALLING, DOWN_IS_BAD
from subagents.topology import Topology

NEAR = timedelta(minutes=20)
LONG_BEFORE = timedelta(hours=12)
MOVED = ("strength", "onset", "waits")
AGAIN, EVEN, ALIKE = 2, 0.1, 0.7  # how often it came before, how evenly (of the distance), and as how heavy
BREAKS_OFF = 2.0  # what it weighs that a service's work no longer goes on where it did
WAITS = 1.0  # what it weighs that a service calls one that fails no later
PRESSED = 1.5  # what it weighs that requests multiply between a caller and a callee
SHARE = 3.0  # what a service's own share of the added time or failures weighs
OWN = frozenset(
    ("crash", "pool", "memory", "cpu", "disk", "race", "sql", "cache", "certificate", "dns", "data", "quota")
)
COMMON = frozenset(("dns", "certificate"))


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


def anchor(
    facts: Facts, symptoms: Sequence[Symptom], hint: datetime | None, window: Window, begins: bool = False
) -> tuple[datetime | None, str]:
    """(a moment in the middle of the trouble, the service that cries), from the hint, the alerts or the symptoms.
    What began in the window counts before what only reaches into it; `begins`: only what began with it."""
    asked, outside = set(facts.services), facts.outside
    hard = [s for s in symptoms if s.hard and (s.service in asked if asked else s.service not in outside)]
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
        if begins:
            overlaps = window.start - SAME <= s.at <= window.start + NEAR
        if overlaps:
            weight[s.sure, s.service] += score * (1.0 if inside else 0.4)
    if not weight:
        return None, ""
    return max(weight, key=lambda k: (weight[k], k[0]))


def incident(facts: Facts, symptoms: Sequence[Symptom], at: datetime, crying: str) -> Incident:
    """The symptoms that belong together around `at`, and what they say about where it began."""
    going = [s for s in symptoms if s.lasts(at, NEAR) and s.at >= at - LONG_BEFORE]
    going = [*going, *_before(going, symptoms)]
    hard = {s.service for s in going if s.hard and s.service} - facts.outside
    below = {*facts.topology.downstream(crying)} & hard
    if crying not in hard and not (below and crying in facts.services):
        crying = _loudest(going) or crying
    blames = complaints(facts, going)
    calls = known_calls(facts, blames)
    began = _began(hard, going)
    press = pressed(facts, going, calls, began)
    own = {} if press else shares(facts, at, crying, calls) or slower(facts, at)
    if not hard and crying and not own:
        return Incident(at, tuple(going), (Place(crying, 0.0, at),), at, at)
    stores = leaners(hard, facts, blames)
    scene = _Scene(facts, tuple(going), blames, began, _began(hard, going, sure=True), used(going), press)
    net = Net(turned(facts.topology.edges | blames | stores, scene.used, press), hard, scene.began)
    alike = {s for s in hard if _same_trouble(s, crying, going)}
    near = net.below(crying) | net.apart(crying)
    origins = (near | alike | below | own.keys()) if net.edges else set(hard)
    ranked = _places(scene, own)
    best = next((p.service for p in ranked if p.service in origins), crying)
    joined = net.above(best) | {best, crying} | alike | net.dragged(best) | net.untied(best) if net.edges else set(hard)
    kept = tuple(p for p in ranked if p.service in joined or p.service in own)
    kept = tuple(sorted(kept, key=lambda p: p.service != best))
    mine = tuple(s for s in going if s.service in joined or (not s.hard and _touches(s.service, joined, facts)))
    onset, sure = _onset([s for s in mine if s.service == best])
    return Incident(at, mine, kept, onset, sure, Topology(calls.edges | stores))


def _before(going: Sequence[Symptom], symptoms: Sequence[Symptom]) -> list[Symptom]:
    """The same at even distances before: what comes every hour began the first time."""
    found = []
    for now in (s for s in going if s.hard and s.source == "errors"):
        mine = [s for s in symptoms if s.service == now.service and s.source == now.source and s.at <= now.at]
        times = sorted({s.at for s in mine if s.weight >= ALIKE * now.weight})
        gaps = [b - a for a, b in pairwise(times)]
        even = len(gaps) >= AGAIN and max(gaps) - min(gaps) <= max(EVEN * max(gaps), SAME)
        if even and min(gaps) > NEAR and now.at - times[0] <= LONG_BEFORE:
            found += [s for s in mine if s is not now and s.at in times]
    return found


def _loudest(going: Sequence[Symptom]) -> str:
    total: dict[str, float] = defaultdict(float)
    for s in going:
        total[s.service] += s.weight if s.hard else 0.0
    return max(total, key=lambda k: total[k], default="")


def _began(services: set[str], symptoms: Sequence[Symptom], sure: bool = False) -> dict[str, datetime]:
    """When each began to do harm, or did so for sure; told by dated symptoms where there are any, an alert's being the
    last resort."""
    found = {}
    for service in services:
        hard = [s for s in symptoms if s.service == service and s.hard]
        dated = [s for s in hard if s.dated and s.source != "alert"] or [s for s in hard if s.dated] or hard
        if dated:
            found[service] = min(s.sure if sure else s.at for s in dated)
    return found


def _same_trouble(service: str, start: str, going: Sequence[Symptom]) -> bool:
    """Says the very same of its failures as the one that cries, or both tell of what all lean on."""
    mine = [s for s in going if s.service == service and s.source == "pattern"]
    said, kinds = {s.name for s in mine}, {f for s in mine for f in s.families & COMMON}
    cries = (s for s in going if s.service == start and s.source == "pattern")
    return any(s.name in said or s.families & kinds for s in cries)


def _same_words(service: str, other: str, mine: Sequence[Symptom]) -> bool:
    """Both say the very same of their failures: then each fails by itself, and neither waits for the other."""
    said = {s.name for s in mine if s.source == "pattern" and s.service == other}
    return any(s.name in said for s in mine if s.source == "pattern" and s.service == service)


def _touches(service: str, joined: set[str], facts: Facts) -> bool:
    return any(service in (*facts.topology.callees(j), *facts.topology.callers(j)) for j in joined)


@dataclass(frozen=True, slots=True)
class _Scene:
    """What goes on. `began`, `sure`: since when each does harm; `used`, `pressed`: who suffers from its users."""

    facts: Facts
    going: tuple[Symptom, ...]
    blames: frozenset[tuple[str, str]]
    began: Mapping[str, datetime]
    sure: Mapping[str, datetime]
    used: set[str]
    pressed: Mapping[str, Sequence[str]]

    @property
    def earliest(self) -> datetime:
        return min(self.began.values())


def _places(scene: _Scene, own: Mapping[str, Share]) -> tuple[Place, ...]:
    if not scene.began:
        return tuple(sorted(_quiet(set(), own), key=lambda p: -p.score))
    found = []
    for service, at in scene.began.items():
        mine = [s for s in scene.going if s.service == service]
        reasons = [*_own_trouble(scene, service, mine), *_leans(scene, service, mine), *_own_share(service, own)]
        if own:  # measured shares say more than how clearly something moved
            reasons = [replace(r, weight=r.weight / 3) if r.signal in MOVED else r for r in reasons]
        found.append(Place(service, round(sum(r.weight for r in reasons), 3), at, tuple(reasons)))
    found += _quiet(set(scene.began), own)
    return tuple(sorted(found, key=lambda p: (-p.score, p.onset or scene.earliest, p.service)))


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


def _own_trouble(scene: _Scene, service: str, own: Sequence[Symptom]) -> Iterator[Reason]:
    """What it shows itself, and how early."""
    strong = sorted((s.weight for s in own if s.hard), reverse=True)
    yield Reason("strength", f"{service} shows {len(own)} symptoms", sum(strong[:3]) / 3)
    at, earliest = scene.began[service], scene.earliest
    if at <= earliest + SAME:
        yield Reason("onset", f"{service} failed first, at {at:%H:%M}", 0.6)
    else:
        late = min(1.0, (at - earliest) / timedelta(minutes=15))
        yield Reason("onset", f"{service} failed {(at - earliest).total_seconds() / 60:.0f} min later", -late)
    filling = [s for s in own if s.source == "metric" and not s.hard and s.families & FULL and s.at <= earliest + SAME]
    if filling:
        yield Reason("building up", filling[0].reason.text, 0.8)
    inner = {f for s in own if s.source != "alert" for f in s.families} & OWN
    if inner:
        yield Reason("own", f"{service} itself tells of {', '.join(sorted(inner))}", 0.5)
    if any(s.source == "alert" for s in own):
        yield Reason("alert", f"an alert watches {service}", 0.4)


def _leans(scene: _Scene, service: str, own: Sequence[Symptom]) -> Iterator[Reason]:
    """Who complains of it, and whom it waits for or complains of itself."""
    began = scene.began
    accused = sorted({who for who, whom in scene.blames if whom == service and who in began})
    if accused:
        yield Reason("blamed", f"{', '.join(accused)} complain of {service}", 0.8 + 0.3 * len(accused))
    if store(service):
        waited = "its users wait for one another or don't take what it holds"
        text, weight = (waited, -0.8) if service in scene.used else ("others wait for it", 0.8)
        yield Reason("store", f"{service} is a store of data or names: {text}", weight)
    others = sorted({whom for who, whom in scene.blames if who == service and whom in began} - {*accused})
    waits = [c for c in scene.facts.topology.callees(service) if c not in accused and _waits(scene, service, c)]
    if others:
        yield Reason("complains", f"{service} complains of {', '.join(others)}, which fails too", -1.5)
    if waits:
        yield Reason("waits", f"{service} calls {', '.join(waits)}, which failed no later", -WAITS)
    said = [s.name for s in own if s.hard and s.source == "pattern"] if waits else []
    said = said or [s.name for s in own if s.hard and s.source == "metric"]
    if len(began) > 1 and said and all(CALLING.search(name) for name in said):
        yield Reason("calling", f"{service} fails only in what it calls: {said[0][:80]}", -0.8)
    if callers := scene.pressed.get(service):
        text = f"{service} gets more requests than usual from {', '.join(callers)}, which gets no more itself"
        yield Reason("pressed", text, -PRESSED)
    if pressed := sorted(c for c, callers in scene.pressed.items() if service in callers):
        yield Reason("pressed", f"{service} sends more to {', '.join(pressed)} than it gets itself", PRESSED)
    gone = next((s for s in own if s.source == "missing"), None)
    if gone is not None and not waits and not others:
        yield Reason("missing", gone.reason.text, BREAKS_OFF, gone.reason.query, figures=gone.reason.figures)


def _waits(scene: _Scene, service: str, callee: str) -> bool:
    """The callee failed no later, and neither suffers from its users nor fails, later, in the very same words."""
    began = scene.began
    if callee not in began or callee in scene.used or service in scene.pressed.get(callee, ()):
        return False
    by = max(began[service], scene.sure[service]) + SAME
    late = began[callee] > began[service]
    return began[callee] <= by and not (late and _same_words(callee, service, scene.going))


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

"""The plot of an incident: who calls whom, what breaks when, what was changed, what only looks guilty.

Draws everything from the seed; writes no file. Times are aware UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

from hermes_ops.demo import names
from hermes_ops.demo.changes import Deed, deeds, undoing
from hermes_ops.demo.decoys import decoys
from hermes_ops.demo.faults import FAULTS, Fault
from hermes_ops.demo.variant import Variant

MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Graph:
    """`main` holds the service that is asked about first, then what it calls; `side` a branch apart from it."""

    edge: str
    main: tuple[str, ...]
    side: tuple[str, ...]
    calls: tuple[tuple[str, str], ...]
    worker: str

    @property
    def services(self) -> tuple[str, ...]:
        return (self.edge, *self.main, *self.side)

    def routes(self) -> list[tuple[str, ...]]:
        """Every way a request may go, from the edge on."""
        found: list[tuple[str, ...]] = [(self.edge,)]
        for route in found:
            found += [(*route, callee) for caller, callee in self.calls if caller == route[-1]]
        return found

    def callers(self, service: str) -> tuple[str, ...]:
        """The service and all that depend on it, nearest first."""
        found = [service]
        for name in found:
            found += [a for a, b in self.calls if b == name and a not in found]
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Incident:
    """`origin` breaks, `asked` is where people see it; `share`: of its requests that fail."""

    cause: str
    fault: Fault
    origin: str
    asked: str
    onset: datetime
    end: datetime | None
    share: float
    host: str
    flag: str
    deeds: tuple[Deed, ...]

    def at(self, when: datetime) -> bool:
        return self.onset <= when and (self.end is None or when < self.end)


@dataclass(frozen=True, slots=True)
class Story:
    seed: int
    variant: Variant
    now: datetime
    since: datetime
    until: datetime
    graph: Graph
    incidents: tuple[Incident, ...]
    deeds: tuple[Deed, ...]
    decoys: dict[str, str]  # id → what it is
    versions: dict[str, str]


def plot(seed: int, now: datetime, variant: Variant) -> Story:
    """The seed's story of the day before `now` in the variant's zone."""
    rng = Random(f"story {seed}")
    graph = _graph(rng, variant.services)
    versions = {s: f"{rng.randint(1, 5)}.{rng.randint(0, 12)}.{rng.randint(0, 9)}" for s in graph.services}
    onset, since, until = _times(rng, now, variant)
    origin = rng.choice(graph.main[:1] + graph.main[1:] * 2)
    first = _incident(rng, variant, variant.fault, variant.cause, (origin, graph.main[0]), onset, versions)
    incidents = [first]
    if variant.two:
        later = onset + timedelta(seconds=rng.randint(300, 1500))
        name = rng.choice(("node", "pool", "null"))
        incidents.append(_incident(rng, variant, name, FAULTS[name].causes[0], graph.side[-1:] * 2, later, versions))
    false = decoys(rng, variant, first, graph, versions, (since, until))
    told = sorted((*(d for i in incidents for d in i.deeds), *(d for d, _ in false)), key=lambda d: d.at)
    why = {d.id: what for d, what in false}
    return Story(seed, variant, now, since, until, graph, tuple(incidents), tuple(told), why, versions)


def _graph(rng: Random, n: int) -> Graph:
    """4: edge → a → c, edge → b; then b → d, a → e, c → f."""
    edge = rng.choice(names.EDGES)
    a, b, c, *more = rng.sample(names.SERVICES, n - 1)
    calls = [(edge, a), (edge, b), (a, c)]
    calls += [(caller, callee) for caller, callee in zip((b, a, c), more, strict=False)]
    side = (b, *more[:1])
    return Graph(edge, (a, c, *more[1:]), side, tuple(calls), rng.choice(names.WORKERS))


def _times(rng: Random, now: datetime, variant: Variant) -> tuple[datetime, datetime, datetime]:
    """Onset, and the stretch of data around it, all on the asker's yesterday."""
    zone = ZoneInfo(variant.zone)
    day = (now.astimezone(zone) - timedelta(days=1)).date()
    start, end = (datetime.combine(day + timedelta(days=n), time(), zone).astimezone(ZoneInfo("UTC")) for n in (0, 1))
    began = datetime.combine(day, time(variant.hour), zone).astimezone(ZoneInfo("UTC"))
    onset = began + timedelta(seconds=rng.randint(60, 1500))
    since = max(start, began - timedelta(hours=variant.hours - 4))
    return onset, since, min(end, since + timedelta(hours=variant.hours))


def _incident(
    rng: Random, variant: Variant, name: str, cause: str, where: tuple[str, ...], onset: datetime, versions: dict[str, str]
) -> Incident:
    fault, (origin, asked) = FAULTS[name], where
    delay = timedelta(minutes=variant.delay) if variant.fault == name and variant.delay else timedelta()
    at = onset - delay - timedelta(seconds=rng.randint(20, 240))
    lasts = timedelta(minutes=rng.randint(25, 80), seconds=rng.randint(0, 59))
    end = None if variant.open else onset + lasts
    flag = rng.choice(names.FLAGS)
    done = deeds(rng, cause, fault, origin, flag, at, versions) if cause in ("deploy", "config", "flag") else ()
    undone = undoing(rng, done, end - 40 * SECOND, versions) if end and done else ()
    share = rng.uniform(0.3, 0.7)
    return Incident(cause, fault, origin, asked, onset, end, share, rng.choice(names.PROVIDERS), flag, (*done, *undone))

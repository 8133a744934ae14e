"""The plot of a generated incident: what breaks where and when, what was changed, what only looks guilty.

Draws everything from the seed; writes no file. Times are aware UTC.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

from hermes_ops.demo import names
from hermes_ops.demo.changes import Deed, deeds, undoing
from hermes_ops.demo.decoys import decoys
from hermes_ops.demo.faults import FAULTS, Fault
from hermes_ops.demo.graph import Graph, drawn
from hermes_ops.demo.variant import Variant


@dataclass(frozen=True, slots=True)
class Incident:
    """`origin` breaks, `asked` is where people see it; `share`: of its requests that fail; `deeds`: the change that
    did it with what it carries, `blamed` the one to name, then what took it back."""

    cause: str
    fault: Fault
    origin: str
    asked: str
    onset: datetime
    end: datetime | None
    share: float
    host: str
    flag: str
    deeds: tuple[Deed, ...] = ()
    blamed: str = ""

    def at(self, when: datetime) -> bool:
        return self.onset <= when and (self.end is None or when < self.end)


@dataclass(frozen=True, slots=True)
class Story:
    """`decoys`: id → what that change really is; `versions`: (service, version) before the first deploy."""

    seed: int
    variant: Variant
    now: datetime
    since: datetime
    until: datetime
    graph: Graph
    incidents: tuple[Incident, ...]
    deeds: tuple[Deed, ...]
    decoys: dict[str, str]
    versions: dict[str, str]

    def version(self, service: str, at: datetime) -> str:
        """What runs at that time."""
        put = [d.version for d in self.deeds if d.kind == "deploy" and d.service == service and d.at <= at]
        return put[-1] if put else self.versions[service]


def plot(seed: int, now: datetime, variant: Variant) -> Story:
    """The seed's story of the day before `now` in the variant's zone."""
    rng = Random(f"story {seed}")
    graph = drawn(rng, variant.services)
    versions = {s: f"{rng.randint(1, 5)}.{rng.randint(0, 12)}.{rng.randint(0, 9)}" for s in graph.services}
    onset, since, until = _times(rng, now, variant)
    origin = rng.choice(graph.main)
    delay = timedelta(minutes=variant.delay)
    first = _incident(rng, variant, (variant.cause, variant.fault), (origin, graph.main[0]), onset, delay)
    incidents = [first]
    if variant.two:
        later = onset + timedelta(seconds=rng.randint(300, 1500))
        what = rng.choice((("none", "node"), ("deploy", "null"), ("config", "pool")))
        where = (graph.side[-1], graph.side[0])
        incidents.append(_incident(rng, variant, what, where, later, timedelta()))
    false = decoys(rng, variant, graph, onset, since)
    told = numbered([*(d for i in incidents for d in i.deeds), *(d for d, _ in false)], versions)
    why = {d.id: what for d, what in false}
    return Story(seed, variant, now, since, until, graph, tuple(incidents), told, why, versions)


def numbered(done: Iterable[Deed], versions: dict[str, str]) -> tuple[Deed, ...]:
    """In order of time, each deploy with the service's next version."""
    latest, found = dict(versions), []
    for deed in sorted(done, key=lambda d: d.at):
        if deed.kind == "deploy":
            major, minor, patch = latest[deed.service].split(".")
            latest[deed.service] = f"{major}.{minor}.{int(patch) + 1}"
            deed = replace(deed, version=latest[deed.service])
        found.append(deed)
    return tuple(found)


def _times(rng: Random, now: datetime, variant: Variant) -> tuple[datetime, datetime, datetime]:
    """Onset, and the stretch of data around it, all on the asker's yesterday."""
    zone = ZoneInfo(variant.zone)
    day = (now.astimezone(zone) - timedelta(days=1)).date()
    start, end = (datetime.combine(day + timedelta(days=n), time(), zone).astimezone(UTC) for n in (0, 1))
    began = datetime.combine(day, time(variant.hour), zone).astimezone(UTC)
    onset = began + timedelta(seconds=rng.randint(60, 1500))
    since = max(start, began - timedelta(hours=variant.hours - 4))
    return onset, since, min(end, since + timedelta(hours=variant.hours))


def _incident(
    rng: Random, variant: Variant, what: tuple[str, str], where: tuple[str, str], onset: datetime, delay: timedelta
) -> Incident:
    """`what`: cause and fault; `where`: origin and the service that is asked about."""
    (cause, name), (origin, asked) = what, where
    at = onset - delay - timedelta(seconds=rng.randint(20, 240))
    lasts = timedelta(minutes=rng.randint(25, 80), seconds=rng.randint(0, 59))
    end = None if variant.open else onset + lasts
    host, flag, share = rng.choice(names.PROVIDERS), rng.choice(names.FLAGS), rng.uniform(0.4, 0.85)
    found = Incident(cause, FAULTS[name], origin, asked, onset, end, share, host, flag)
    if cause not in ("deploy", "config", "flag"):
        return found
    done = deeds(rng, cause, FAULTS[name], origin, flag, at)
    undone = undoing(rng, done, end - timedelta(seconds=40)) if end else ()
    return replace(found, deeds=(*done, *undone), blamed=done[-1].id)

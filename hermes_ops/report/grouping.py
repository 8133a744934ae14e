"""Incidents: alerts that fired near each other in time on connected services, and bursts of errors without an alert.

Grouping only: why an incident happened is for `subagents.cause`, and `explaining.py` asks it. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hermes_ops.report.alerting import Fired, Judgement
from hermes_ops.report.erring import Counted, on_clock
from subagents.alerts.episodes import clusters
from subagents.severity import rank, severe
from subagents.sources import Episode
from subagents.topology import Topology

CALLS = 2  # services so many calls apart are connected
OFTEN = 5  # times as many errors in an hour as in its service's usual hour
HOUR = timedelta(hours=1)
AROUND = timedelta(minutes=15)  # of an incident, in which suppressed alerts are its own
NAMES = 20  # alerts that are named


@dataclass(frozen=True, slots=True)
class Seed:
    """What one incident is made of. `alerts` (): errors alone tell of it; `open_known` as of an incident."""

    key: str
    start: datetime
    end: datetime | None
    severity: str
    services: tuple[str, ...]
    alerts: tuple[str, ...]
    open_known: bool = True


def seeds(
    had: Fired, judged: Judgement, errors: Counted, like: Counted | None, graph: Topology, burst: int
) -> list[Seed]:
    """By start. A lone warning is none, nor are alerts that the triage holds for noise, nor errors as on the like
    day at that hour."""
    loud = [e for e in had.rows if not e.suppressed and e.start in had.window and not _noise(e, judged)]
    links = Links(graph)
    groups = [part for cluster in clusters(loud) for part in _connected(cluster, links)]
    hidden = [e for e in had.rows if e.suppressed]
    found = [_of_alerts(_with(part, hidden, links), had.window.end) for part in groups if _heavy(part)]
    return sorted([*found, *_bursts(had, errors, like, burst)], key=lambda s: (s.start, s.key))


def _noise(e: Episode, judged: Judgement) -> bool:
    """Held for noise, and not for another alert's symptom."""
    page, why = judged.get((e.name, e.service, e.severity), (True, ""))
    return not page and not why.startswith("a symptom of")


def _heavy(part: Sequence[Episode]) -> bool:
    return any(severe(e.severity) for e in part) or len({e.name for e in part}) > 1


class Links:
    """Which services lie at most `CALLS` calls apart, either way."""

    def __init__(self, graph: Topology) -> None:
        below: dict[str, set[str]] = defaultdict(set)
        for caller, callee in graph.edges:
            below[caller].add(callee)
        self.known = {name for edge in graph.edges for name in edge}
        self._reach = {name: set(below[name]) for name in self.known}
        for _ in range(CALLS - 1):
            self._reach = {name: got.union(*(below[n] for n in got)) for name, got in self._reach.items()}

    def linked(self, a: str, b: str) -> bool:
        """What the graph doesn't know is linked with anything: only time tells."""
        if a == b or a not in self.known or b not in self.known:
            return True
        return b in self._reach[a] or a in self._reach[b]

    def parts(self, services: Sequence[str]) -> dict[str, int]:
        """Known services → the number of their part; those that are linked share one."""
        part = {s: n for n, s in enumerate(dict.fromkeys(s for s in services if s in self.known))}
        for a in part:
            for b in [b for b in part if part[b] != part[a] and self.linked(a, b)]:
                old, new = part[b], part[a]
                part.update({s: new for s, n in part.items() if n == old})
        return part


def _connected(cluster: Sequence[Episode], links: Links) -> list[list[Episode]]:
    """Parts whose services are linked. A service that the graph doesn't know goes with what fired just before it: when
    it fired is all that is known of it."""
    numbers = links.parts([e.service for e in cluster])
    parts: dict[int, list[Episode]] = defaultdict(list)
    last = next((numbers[e.service] for e in cluster if e.service in numbers), 0)
    for e in cluster:
        last = numbers.get(e.service, last)
        parts[last].append(e)
    return list(parts.values())


def _with(part: list[Episode], hidden: Sequence[Episode], links: Links) -> list[Episode]:
    """With the inhibited ones around it: the first signal is often one of them."""
    first, last = part[0].start - AROUND, part[-1].start + AROUND
    services = {e.service for e in part}
    more = [e for e in hidden if first <= e.start <= last and any(links.linked(e.service, s) for s in services)]
    return sorted([*part, *more], key=lambda e: e.start)


def _of_alerts(part: Sequence[Episode], until: datetime) -> Seed:
    """Over when all that nobody suppressed is over: what is silenced or inhibited keeps no incident open."""
    loud = [e for e in part if not e.suppressed]
    ends = [e.end for e in loud]
    over = max((e for e in ends if e is not None), default=None)
    open_ = None in ends or (over is not None and over > until)
    worst = min(part, key=lambda e: rank(e.severity))
    first = [e.service for e in part if e.service][:1]
    services = tuple(dict.fromkeys(e.service for e in (*loud, *part) if e.service))
    names = tuple(dict.fromkeys(f"{e.name}/{e.service}" for e in part))
    start = part[0].start
    known = any(e.end_known if e.end is None else e.end > until for e in loud) if open_ else True
    end = None if open_ else over
    return Seed(key_of(first, start), start, end, worst.severity, services, names[:NAMES], known)


def key_of(services: Sequence[str], start: datetime) -> str:
    """The same whoever asks: the first service and the minute, in UTC."""
    return f"{next(iter(services), 'unknown')}@{start.astimezone(UTC):%Y-%m-%dT%H:%MZ}"


def _bursts(had: Fired, errors: Counted, like: Counted | None, burst: int) -> list[Seed]:
    """Hours in which services logged far more errors than usual, and no alert of theirs fired."""
    rows: list[tuple[datetime, str]] = []
    for service, by in errors.hours.items():
        usual = sorted(by.values())[len(by) // 2] if len(by) > 2 else 0
        then = _by_clock(service, like)
        for start, n in by.items():
            known = max(1, usual, then.get(on_clock(start, errors.window, ZoneInfo(errors.window.zone)), 0))
            if n >= max(burst, OFTEN * known) and not _told(had, service, start):
                rows.append((start, service))
    found: list[Seed] = []
    for start in sorted({start for start, _ in rows}):
        services = tuple(sorted(s for at, s in rows if at == start))
        if found and found[-1].end == start and set(found[-1].services) & set(services):
            merged = tuple(dict.fromkeys((*found[-1].services, *services)))
            found[-1] = Seed(found[-1].key, found[-1].start, start + HOUR, "", merged, ())
        else:
            found.append(Seed(key_of(services, start), start, start + HOUR, "", services, ()))
    return found


def _by_clock(service: str, like: Counted | None) -> dict[str, int]:
    if like is None:
        return {}
    tz = ZoneInfo(like.window.zone)
    return {on_clock(start, like.window, tz): n for start, n in like.hours.get(service, {}).items()}


def _told(had: Fired, service: str, start: datetime) -> bool:
    """An alert spoke for that hour: one of the service, or any that could be the same trouble."""
    return any(
        e.start < start + HOUR and (e.end is None or e.end > start) and (e.service == service or severe(e.severity))
        for e in had.rows
    )

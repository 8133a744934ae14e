"""Who leans on whom among those that fail: callers on callees, complainers on whom they name, anybody on a data store
that nobody is known to call. Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from subagents.cause.facts import Facts
from subagents.cause.symptoms import Symptom, named_in
from subagents.cause.words import LOAD, families
from subagents.topology import Topology

TOGETHER = timedelta(minutes=45)  # what begins so much later is another thing, or a late consequence
MULTIPLIED, STEADY = 1.7, 1.25  # times its usual load, and what is as much as usual
SHORTLY = timedelta(minutes=10)
SAME = timedelta(minutes=2)  # what begins so near each other began together
STORE = re.compile(
    r"db(?:\b|[-_\d])|sql|postgres|\bpg\b|maria|mongo|redis|valkey|memcache|kafka|rabbit|elastic|opensearch|cassandra"
    r"|scylla|dynamo|aurora|\brds\b|etcd|zookeeper|clickhouse|tables?$|buckets?$|minio|\bs3\b|dns\b|broker",
    re.IGNORECASE,
)
FRONT = re.compile(
    r"gateway|ingress|\bedge\b|prox(?:y|ies)|envoy|nginx|haproxy|traefik|kong\b|istio|\bmesh\b|balancer|\blb\b|\bcdn\b|\bwaf\b",
    re.IGNORECASE,
)


def store(service: str) -> bool:
    """Its name says that it keeps data or names for others: it calls nobody."""
    return bool(STORE.search(service))


def shared(service: str) -> bool:
    """Its name says that it stands before the others or behind them."""
    return store(service) or bool(FRONT.search(service))


def used(going: Sequence[Symptom]) -> set[str]:
    """Stores that only suffer from their users: what they hold isn't taken, one waits for what another locks, or one
    isn't let in."""
    kinds: dict[str, list[frozenset[str]]] = defaultdict(list)
    for s in going:
        if s.hard and s.source in ("metric", "pattern") and store(s.service):
            kinds[s.service].append(s.families - {"errors"})
    return {service for service, told in kinds.items() if all("race" in k or k in ({"queue"}, {"auth"}) for k in told)}


def turned(
    edges: frozenset[tuple[str, str]], suffering: set[str], pressing: Mapping[str, Sequence[str]]
) -> frozenset[tuple[str, str]]:
    """Who suffers from its users leans on them."""
    return frozenset((b, a) if b in suffering or a in pressing.get(b, ()) else (a, b) for a, b in edges)


def pressed(
    facts: Facts, going: Sequence[Symptom], calls: Topology, began: Mapping[str, datetime]
) -> dict[str, list[str]]:
    """Service → the callers, failing no later, that send it more than they get: requests multiply between them (tries
    again, a call in a loop), and that is the callers' doing. Of one that failed before them they only try again."""
    up: dict[str, float] = {}
    for s in going:
        if s.source == "metric" and s.up and LOAD.search(s.name):
            up[s.service] = max(up.get(s.service, 1.0), s.times)
    known = {s.service for s in facts.series if LOAD.search(s.name)}
    found = {}
    for service in (s for s, times in up.items() if times >= MULTIPLIED and s in began):
        callers = [c for c in calls.callers(service) if c in known]
        first = [c for c in callers if c in began and began[c] <= began[service]]
        if first and all(up.get(c, 1.0) <= STEADY for c in callers):
            found[service] = first
    return found


def leaners(hard: set[str], facts: Facts, blames: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """A failing data store that nobody is known to call: any other that fails may do so."""
    tied = {name for edge in (*facts.topology.edges, *blames) for name in edge}
    return frozenset((caller, s) for s in hard - tied if store(s) for caller in hard if not store(caller))


def complaints(facts: Facts, going: Sequence[Symptom]) -> frozenset[tuple[str, str]]:
    """Who complains of whom: texts of a service's failures, and its metrics, that name another one."""
    known = facts.known
    told = [(s.service, s.name) for s in going if s.hard and s.source in ("pattern", "metric")]
    told += [(s.service, re.sub(r"\d+", "#", s.error)) for s in facts.spans if s.error]
    # of a name that can't be resolved, the resolver is to blame, not who bears it
    fair = {(who, text) for who, text in told if who and not store(who) and "dns" not in families(text)}
    return frozenset((who, whom) for who, text in fair for whom in named_in(text, known, who))


def known_calls(facts: Facts, blames: frozenset[tuple[str, str]]) -> Topology:
    """Who calls whom: as it is known, and who complains of whom, as far as the other one doesn't complain back."""
    told = {(a, b) for a, b in blames if not {(b, a)} & (blames | facts.topology.edges)}
    return Topology(facts.topology.edges | told)


class Net:
    """Failing services and who leans on whom: callers on callees, complainers on whom they name."""

    def __init__(self, edges: frozenset[tuple[str, str]], hard: set[str], began: Mapping[str, datetime]) -> None:
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

    def untied(self, start: str) -> set[str]:
        """Those of whom no call to another that fails is known, neither way, that began with it or soon after."""
        floor = self.began.get(start)
        return {s for s in self._alone() if floor and floor - SAME <= self.began.get(s, floor) <= floor + TOGETHER}

    def apart(self, start: str) -> set[str]:
        """Those that began with it or a little before, and that it may lean on in a way that no call shows: any, where
        no call between it and another that fails is known, else those of whom none is."""
        at, alone = self.began.get(start), self._alone()
        near = self.hard if start in alone else alone
        return {s for s in near if at and at - SHORTLY <= self.began.get(s, at) <= at + SAME}

    def _alone(self) -> set[str]:
        return self.hard - {
            name for edge in self.edges if edge[0] in self.hard and edge[1] in self.hard for name in edge
        }

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

"""Requests of a generated incident, one by one: which services they pass, where they fail, what each service logs.

Everything countable of the truth comes from here. Writes no file and knows no format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple

from hermes_ops.demo.story import Incident, Story

SURGE = 4  # how many times the usual traffic comes on top in a surge
TRACES = 160
BOUNCES = ("mailbox full", "host unreachable", "message refused as spam")


class Line(NamedTuple):
    """What one service logs of one request. `code` "" where it answers nobody; `fault`: an exception's class."""

    at: datetime
    service: str
    level: str  # error | warn | info
    message: str
    code: str = ""
    ms: int = 0
    trace: str = ""
    fault: str = ""


class Hop(NamedTuple):
    """One service's part of a traced request: a span. `parent` "" for the first."""

    trace: str
    id: str
    parent: str
    service: str
    at: datetime
    ms: int
    failed: str


@dataclass(slots=True)
class Traffic:
    """`counts`: (minute from the start, service, code) → requests."""

    lines: list[Line] = field(default_factory=list)
    hops: list[Hop] = field(default_factory=list)
    counts: Counter[tuple[int, str, str]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Request:
    at: datetime
    route: tuple[str, ...]
    trace: str
    incident: Incident | None  # that makes it fail
    code: str  # of the last service it reaches


def simulate(story: Story) -> Traffic:
    rng = Random(f"traffic {story.seed}")
    traffic = Traffic()
    for n, request in enumerate(_requests(rng, story)):
        _pass(rng, story, traffic, request, n)
    traffic.lines += _worker(rng, story)
    traffic.lines.sort(key=lambda line: line.at)
    return traffic


def _requests(rng: Random, story: Story) -> Iterator[_Request]:
    routes = story.graph.routes()
    weights = [1 + 3 * (story.graph.main[0] in r) + (len(r) > 1) for r in routes]
    surged = [r for r in routes if story.incidents[0].origin in r]
    at, minute = story.since, timedelta(minutes=1)
    while at < story.until:
        n = story.variant.per_minute + rng.randint(-2, 2)
        usual = rng.choices(routes, weights, k=n)
        extra = rng.choices(surged, k=SURGE * n) if _surging(story, at) else []
        for route in (*usual, *extra):
            moment = at + timedelta(milliseconds=rng.randrange(60_000))
            yield _request(rng, story, moment, route)
        at += minute


def _surging(story: Story, at: datetime) -> bool:
    """From the minute of the onset on."""
    return any(i.cause == "traffic" and i.at(at + timedelta(seconds=59)) for i in story.incidents)


def _request(rng: Random, story: Story, at: datetime, route: tuple[str, ...]) -> _Request:
    trace = f"{rng.getrandbits(64):016x}"
    for incident in story.incidents:
        if incident.origin in route and incident.at(at) and rng.random() < incident.share * _ramp(incident, at):
            reached = route[: route.index(incident.origin) + 1]
            return _Request(at, reached, trace, incident, str(incident.fault.status))
    luck = rng.random()
    return _Request(at, route, trace, None, "500" if luck < 0.0008 else "404" if luck < 0.02 else "200")


def _ramp(incident: Incident, at: datetime) -> float:
    """A fault is full after two minutes."""
    return min(1.0, 0.4 + (at - incident.onset).total_seconds() / 200)


def _pass(rng: Random, story: Story, traffic: Traffic, request: _Request, n: int) -> None:
    """What each service on the way logs and counts, the last one first, as it is the first to be done."""
    number, spent, below = str(rng.randint(100_000, 9_999_999)), 0, ""
    minute = int((request.at - story.since).total_seconds() // 60)
    traced = (request.incident is not None or n % 97 == 0) and len(traffic.hops) < TRACES * 3
    for depth in range(len(request.route) - 1, -1, -1):
        service, last = request.route[depth], not below
        spent += _took(rng, story, request, service)
        code = request.code if last or request.code < "500" else "502"
        level, message, fault = _said(rng, request, below, code, number, spent)
        done = request.at + timedelta(milliseconds=spent)
        traffic.lines.append(Line(done, service, level, message, code, spent, request.trace, fault))
        traffic.counts[minute, service, code] += 1
        if traced:
            start = request.at + timedelta(milliseconds=depth)
            parent = f"{request.trace[:12]}{depth - 1:04x}" if depth else ""
            failed = message if code >= "500" else ""
            traffic.hops.append(
                Hop(request.trace, f"{request.trace[:12]}{depth:04x}", parent, service, start, spent, failed)
            )
        below = service


def _took(rng: Random, story: Story, request: _Request, service: str) -> int:
    usual = rng.randint(4, 60)
    if request.incident and request.incident.origin == service:
        return int(usual * request.incident.fault.slow) + 1
    ill = any(i.origin == service and i.at(request.at) for i in story.incidents)
    return usual * 2 if ill else usual


def _said(rng: Random, request: _Request, below: str, code: str, number: str, ms: int) -> tuple[str, str, str]:
    """Level, message and exception class."""
    if code == "200":
        return "info", f"handled request {number}", ""
    if code == "404":
        return "warn", f"request {number} asks for what is not there", ""
    if below:
        answered = request.code if request.route[-1] == below else "502"
        return "error", f"call of {below} failed for request {number}: it answered {answered}", "UpstreamException"
    incident = request.incident
    if incident is None:
        return "error", f"request {number} ended early: body incomplete", "IOException"
    said = rng.choice(incident.fault.said)
    where = {"service": incident.origin, "host": incident.host, "flag": incident.flag}
    return "error", said.format(**where, id=number, ms=ms, n=rng.randint(3, 90)), incident.fault.logger


def _worker(rng: Random, story: Story) -> Iterator[Line]:
    """A job that nobody calls: quiet, or noisy all day at the same rate."""
    at, noisy = story.since, "noisy" in story.variant.decoys
    while at < story.until:
        moment = at + timedelta(seconds=rng.randrange(60))
        if noisy and rng.random() < 0.4:
            yield Line(moment, story.graph.worker, "error", f"item {rng.randint(100, 99999)}: {rng.choice(BOUNCES)}")
        else:
            yield Line(moment, story.graph.worker, "info", f"run finished: {rng.randint(3, 60)} items")
        at += timedelta(minutes=1)

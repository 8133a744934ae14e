"""Generates an incident of yesterday: a folder of exported files, and the truth about it for whoever checks answers.

The same seed, time and variant give the same bytes. Nothing that answers questions knows anything of this package.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path

from hermes_ops.demo import alerts, logs, metrics, records
from hermes_ops.demo.questions import questions
from hermes_ops.demo.story import Incident, Story, plot
from hermes_ops.demo.traffic import Traffic, simulate
from hermes_ops.demo.truth import AlertEpisode, Cause, LogFile, Requests, Trouble, Truth
from hermes_ops.demo.variant import Variant


def generate(out: Path, seed: int, now: datetime, variant: Variant) -> Truth:
    """Writes the files under `out` (made if need be; under 8 MB). `now`: aware; the incident lies on the day before
    it in the variant's zone. The truth is returned, not written there."""
    story = plot(seed, now.astimezone(UTC), variant)
    traffic = simulate(story)
    episodes = alerts.fired(story)
    written = logs.write(out, story, traffic)
    metrics.write(out, story, traffic)
    alerts.write(out, story, episodes)
    records.write(out, story, traffic.hops)
    return _truth(story, traffic, episodes, written)


def _truth(story: Story, traffic: Traffic, episodes: tuple[AlertEpisode, ...], written: tuple[LogFile, ...]) -> Truth:
    first, *others = (_trouble(story, i) for i in story.incidents)
    requests = _requests(traffic)
    errors = _errors(traffic)
    return Truth(
        seed=story.seed,
        variant=story.variant,
        now=story.now,
        zone=story.variant.zone,
        since=story.since,
        until=story.until,
        trouble=first,
        other=others[0] if others else None,
        services=(*story.graph.services, story.graph.worker),
        calls=story.graph.calls,
        errors=errors,
        alerts=episodes,
        requests=requests,
        changes=dict(Counter(d.kind for d in story.deeds)),
        decoys=story.decoys,
        files=written,
        questions=questions(story, errors, episodes, requests),
    )


def _trouble(story: Story, incident: Incident) -> Trouble:
    reached = story.graph.waiting(incident.origin)
    return Trouble(_cause(story, incident), incident.asked, incident.origin, reached, incident.onset, incident.end)


def _cause(story: Story, incident: Incident) -> Cause:
    signature, kind = incident.fault.signature, incident.cause
    blamed = next((d for d in story.deeds if d.id == incident.blamed), None)
    if blamed is None:
        verdict = "unknown" if kind == "none" else "operational"
        return Cause(verdict, kind, incident.origin, signature)
    named = blamed.sha or blamed.id
    ids = tuple(dict.fromkeys((named, blamed.id)))
    return Cause("change", kind, incident.origin, signature, named, ids, blamed.version, blamed.title)


def _errors(traffic: Traffic) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for line in traffic.lines:
        if line.level == "error":
            hour = line.at.replace(minute=0, second=0, microsecond=0).isoformat()
            found[line.service][hour] = found[line.service].get(hour, 0) + 1
    return dict(found)


def _requests(traffic: Traffic) -> dict[str, Requests]:
    total: Counter[str] = Counter()
    bad: Counter[str] = Counter()
    for (_, service, code), n in traffic.counts.items():
        total[service] += n
        bad[service] += n if code >= "500" else 0
    return {service: Requests(n, bad[service]) for service, n in sorted(total.items())}

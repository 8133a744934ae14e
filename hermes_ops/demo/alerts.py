"""Alerts of a generated incident: those it fires, and one that flaps elsewhere. An ALERTS series, or webhook bodies."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from hermes_ops.demo import files
from hermes_ops.demo.story import Incident, Story
from hermes_ops.demo.truth import AlertEpisode

STEP = timedelta(seconds=30)  # rules are evaluated this often
OPEN = "0001-01-01T00:00:00Z"


def fired(story: Story) -> tuple[AlertEpisode, ...]:
    """All episodes, oldest first; two incidents that fire the same alert make one episode of it."""
    rng = Random(f"alerts {story.seed}")
    found: dict[tuple[str, str], AlertEpisode] = {}
    for n, incident in enumerate(story.incidents):
        for episode in _of(rng, story, incident, related=n == 0):
            key = (episode.name, episode.service)
            found[key] = _joined(found[key], episode) if key in found else episode
    loud = _flapping(rng, story) if "flapping" in story.variant.decoys else ()
    return tuple(sorted((*found.values(), *loud), key=lambda e: (e.start, e.name, e.service)))


def _joined(one: AlertEpisode, other: AlertEpisode) -> AlertEpisode:
    end = None if one.end is None or other.end is None else max(one.end, other.end)
    start = min(one.start, other.start)
    return AlertEpisode(one.name, one.service, one.severity, start, end, one.related or other.related)


def _of(rng: Random, story: Story, incident: Incident, related: bool) -> Iterator[AlertEpisode]:
    name = incident.fault.alert[0]
    ends = incident.end and incident.end + timedelta(seconds=rng.randint(20, 60))
    begins = incident.onset + timedelta(seconds=rng.randint(20, 60))
    yield AlertEpisode(name, incident.origin, "warning", _tick(story, begins), ends and _tick(story, ends), related)
    for service in story.graph.waiting(incident.origin):
        begins = incident.onset + timedelta(seconds=rng.randint(75, 180))
        ends = incident.end and incident.end + timedelta(seconds=rng.randint(60, 180))
        severity = "critical" if service in (incident.asked, story.graph.edge) else "warning"
        episode = (_tick(story, begins), ends and _tick(story, ends))
        yield AlertEpisode("HighErrorRate", service, severity, *episode, related)


def _flapping(rng: Random, story: Story) -> Iterator[AlertEpisode]:
    at = story.since + timedelta(minutes=rng.randint(30, 90))
    for _ in range(rng.randint(4, 7)):
        end = at + timedelta(minutes=rng.randint(2, 4))
        yield AlertEpisode("QueueBacklog", story.graph.worker, "warning", _tick(story, at), _tick(story, end), False)
        at = end + timedelta(minutes=rng.randint(6, 15))


def _tick(story: Story, at: datetime) -> datetime:
    """The next evaluation, within the data."""
    steps = -((story.since - at) // STEP)
    return min(story.since + steps * STEP, story.until - STEP)


def write(folder: Path, story: Story, episodes: tuple[AlertEpisode, ...]) -> None:
    if story.variant.alerts == "series":
        files.put(folder, "alerts/alerts.om", ("# TYPE ALERTS gauge", *_series(story, episodes), "# EOF"))
    else:
        files.put_rows(folder, "alerts/webhooks", _bodies(story, episodes), as_list=False)


def _series(story: Story, episodes: tuple[AlertEpisode, ...]) -> Iterator[str]:
    for e in episodes:
        labels = f'alertname="{e.name}",alertstate="firing",service="{e.service}",severity="{e.severity}"'
        at, end = e.start, e.end or story.until
        while at < end:
            yield f"ALERTS{{{labels}}} 1 {int(at.timestamp())}"
            at += STEP


def _bodies(story: Story, episodes: tuple[AlertEpisode, ...]) -> Iterator[Any]:
    """One for each time that something was sent: at its start and at its end."""
    sent = [(e.start, "firing", e) for e in episodes] + [(e.end, "resolved", e) for e in episodes if e.end]
    for _, status, e in sorted(sent, key=lambda row: (row[0], row[2].name, row[2].service)):
        labels = {"alertname": e.name, "service": e.service, "severity": e.severity}
        alert = {
            "status": status,
            "labels": labels,
            "annotations": {"summary": _summary(story, e)},
            "startsAt": files.iso(e.start),
            "endsAt": files.iso(e.end) if status == "resolved" and e.end else OPEN,
            "generatorURL": "",
            "fingerprint": f"{abs(hash_of(e)):016x}",
        }
        yield {"version": "4", "status": status, "receiver": "ops", "groupLabels": {"alertname": e.name},
               "commonLabels": labels, "commonAnnotations": {}, "externalURL": "", "alerts": [alert]}  # fmt: skip


def hash_of(e: AlertEpisode) -> int:
    return Random(f"{e.name} {e.service}").getrandbits(64)


def _summary(story: Story, e: AlertEpisode) -> str:
    for incident in story.incidents:
        if e.name == incident.fault.alert[0]:
            return incident.fault.alert[1].format(service=incident.origin, host=incident.host)
    return f"{e.service}: more errors than usual" if e.name == "HighErrorRate" else f"the queue of {e.service} is long"

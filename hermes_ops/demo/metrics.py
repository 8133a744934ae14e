"""The metrics of a generated incident: request counters as they were counted, and gauges that show what is wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from hermes_ops.demo import files
from hermes_ops.demo.story import Incident, Story
from hermes_ops.demo.traffic import Traffic

MINUTE = timedelta(minutes=1)
Point = tuple[datetime, str, str, float]  # time, service, metric, value


def write(folder: Path, story: Story, traffic: Traffic) -> None:
    rng = Random(f"metrics {story.seed}")
    points = sorted(_gauges(rng, story))
    lines = [*_counters(story, traffic)]
    if rng.random() < 0.5:
        rows = (f"{files.iso(at)},{service},{name},{value:.4g}" for at, service, name, value in points)
        files.put(folder, "metrics/gauges.csv", ("timestamp,service,metric,value", *rows))
    else:
        lines += _openmetrics(points)
    files.put(folder, "metrics/metrics.om", (*lines, "# EOF"), rng.random() < 0.5)


def _minutes(story: Story) -> list[datetime]:
    n = int((story.until - story.since) / MINUTE)
    return [story.since + k * MINUTE for k in range(n + 1)]


def _counters(story: Story, traffic: Traffic) -> Iterator[str]:
    """From zero at the start; each sample holds the requests that began before it."""
    yield "# TYPE http_requests counter"
    by_minute: dict[int, list[tuple[str, str, int]]] = defaultdict(list)
    for (minute, service, code), n in traffic.counts.items():
        by_minute[minute + 1].append((service, code, n))
    totals = {(service, code): 0 for _, service, code in sorted(traffic.counts)}
    for k, at in enumerate(_minutes(story)):
        for service, code, n in by_minute[k]:
            totals[service, code] += n
        for (service, code), total in sorted(totals.items()):
            yield f'http_requests_total{{service="{service}",code="{code}"}} {total} {int(at.timestamp())}'


def _gauges(rng: Random, story: Story) -> Iterator[Point]:
    for at in _minutes(story)[1:]:
        for service in story.graph.services:
            yield at, service, "process_cpu_ratio", round(rng.uniform(0.18, 0.32), 4)
        for incident in story.incidents:
            name = incident.fault.metric[0]
            yield at, incident.origin, name, round(_value(incident, at) * rng.uniform(0.95, 1.05), 5)


def _value(incident: Incident, at: datetime) -> float:
    """What builds up (memory) begins with the change; everything else with the onset."""
    _, usual, bad = incident.fault.metric
    if incident.at(at):
        return bad
    began = next((d.at for d in incident.deeds if d.id == incident.blamed), incident.onset)
    if incident.fault.signature == "crash" and incident.fault.late[1] and began < at < incident.onset:
        return usual + (bad - usual) * ((at - began) / (incident.onset - began))
    return usual


def _openmetrics(points: list[Point]) -> Iterator[str]:
    for name in sorted({p[2] for p in points}):
        yield f"# TYPE {name} gauge"
        for at, service, metric, value in points:
            if metric == name:
                yield f'{name}{{service="{service}"}} {value:.4g} {int(at.timestamp())}'

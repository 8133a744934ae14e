"""Which alerts of the window deserve a person: the triage of `subagents.cause` on the facts of the whole window.

A crowd is judged by its worst and most frequent alerts, a few firings of each; the rest stays unjudged, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from hermes_ops.report.alerting import Fired, Judgement
from hermes_ops.report.desk import Desk
from subagents.alerts.episodes import Group, grouped
from subagents.asking import Merged, widened
from subagents.cause.facts import Facts
from subagents.cause.triage import alert_id, triage
from subagents.severity import rank
from subagents.sources import (
    Answered,
    Change,
    Episode,
    LogQuery,
    LogSource,
    MetricQuery,
    MetricSource,
    Pattern,
    Series,
)
from subagents.topology import Topology

ALERTS, FIRINGS = 150, 8  # so many alerts are judged, by so many of their firings
PATTERNS = 300
AROUND = timedelta(hours=3)  # of a metric before the window, for its usual level


async def judge(
    desk: Desk, had: Fired, patterns: Sequence[Pattern], changes: Sequence[Change], graph: Topology
) -> Judgement:
    """(name, service, severity) → (deserves a person, why)."""
    groups = sorted(grouped(had.rows), key=lambda g: (rank(g.severity), -len(g.episodes), g.start))[:ALERTS]
    chosen = [e for g in groups for e in few(g)]
    if not chosen:
        return {}
    facts = Facts(
        window=had.window,
        topology=graph,
        series=await _series(desk, had, chosen),
        patterns=await _patterns(desk, had, chosen) or tuple(patterns),
        episodes=(*chosen, *had.records),
        changes=tuple(changes),
    )
    said = {t.id: t for t in triage(facts)}
    found: dict[tuple[str, str, str], tuple[bool, str]] = {}
    for e in chosen:
        told, key = said[alert_id(e)], (e.name, e.service, e.severity)
        if key not in found or (told.decision == "page" and not found[key][0]):
            found[key] = (told.decision == "page", desk.mask(told.reason))
    return found


def few(g: Group) -> Sequence[Episode]:
    """The latest firings, which stand nearest to each other where it flaps, and the longest."""
    if len(g.episodes) <= FIRINGS:
        return g.episodes
    longest = max(g.episodes, key=lambda e: (e.end is None, (e.end or e.start) - e.start))
    latest = [e for e in g.episodes[-FIRINGS:] if e is not longest]
    return sorted([longest, *latest], key=lambda e: e.start)


async def _series(desk: Desk, had: Fired, chosen: Sequence[Episode]) -> tuple[Series, ...]:
    """Only what an alert says it watches."""
    names = tuple(sorted({m for e in chosen if (m := e.labels.get("metric"))}))
    if not names:
        return ()
    services = tuple(sorted({e.service for e in chosen if e.service}))
    asked = MetricQuery(widened(had.window, AROUND), services, names)

    async def call(source: MetricSource) -> Answered[tuple[Series, ...]]:
        return await source.series(asked)

    found: Merged[Series] | None = await desk.ask("metrics", asked.window, call, desk.sources.metrics, "alerts")
    return found.rows if found else ()


async def _patterns(desk: Desk, had: Fired, chosen: Sequence[Episode]) -> tuple[Pattern, ...]:
    """Of all levels, where alerts name the log pattern that they watch, which may come mined; else the errors' do."""
    if not any("pattern" in key for e in chosen for key in e.labels):
        return ()
    before = replace(had.window, start=had.window.start - (had.window.end - had.window.start), end=had.window.start)
    usual = None if desk.reaches["logs"].none_of(before) else before

    async def call(source: LogSource) -> Answered[tuple[Pattern, ...]]:
        return await source.patterns(LogQuery(had.window), usual, PATTERNS)

    found = await desk.ask("logs", had.window, call, desk.sources.logs, "alerts", anyhow=True)
    return found.rows if found else ()

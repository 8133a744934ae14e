"""Alerts that fired, from Prometheus's own ALERTS series: episodes by rising edges, not by samples.

Asked for `timestamp(ALERTS…)`, a server gives when each sample was really written, whatever the step: starts are exact,
and neither its five-minute look-back nor the grid moves an end. It knows nothing of silences: Alertmanager does.
(Facts: prometheus.io/docs/prometheus/latest/configuration/alerting_rules, querying/basics#staleness.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from orchestrator.contracts import Window
from subagents.prometheus.api import Api, Row, Said
from subagents.prometheus.labels import Labels, among, selector
from subagents.prometheus.presence import Presence
from subagents.prometheus.rules import Noted, Rules
from subagents.saying import moment
from subagents.sources import AlertQuery, Answered, Coverage, Episode, Health
from subagents.web.links import filled

AROUND = timedelta(hours=6)  # how far beyond a window the ends of what fires at its edge are looked for
MOST = 200_000  # points of a series; a longer stretch is looked at with a longer step
GAP = 2.5  # sample steps: a longer silence ends an episode (as in subagents/folder/survey.py)
START = timedelta(minutes=2)  # in which a server that just came up takes targets for down that it hasn't asked yet
LOOK_BACK = timedelta(minutes=5)
ROWS = 5_000  # series of alerts; more is no list that anybody reads
SAMPLES = 1_000_000  # of all of them together
_NOT_IDENTITY = frozenset({"__name__", "alertstate"})


class PrometheusAlerts:
    caps = frozenset({"history", "current"})

    def __init__(
        self, name: str, api: Api, labels: Labels, presence: Presence, matchers: str, step: float, link: str,
        zone: str, runbooks: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.name = name
        self._api, self._labels, self._presence = api, labels, presence
        self._matchers, self._step, self._link, self._zone = matchers, step, link, zone
        self._rules = Rules(api, runbooks)

    async def probe(self) -> Health:
        return await self._presence.probe()

    async def coverage(self) -> Coverage:
        since = await self._presence.since()
        return Coverage(since, None, self._zone, await self._presence.services(self._labels.services))

    async def episodes(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        """Those that overlap the window, with their ends beyond it as far as six hours."""
        query, zone = self._query(q), q.window.zone
        now = datetime.now(UTC)
        if q.window.start >= now:
            return self._answered(q, query, (), (f"the window lies in the future of {moment(now, zone)}",))
        start, end = q.window.start - AROUND, min(q.window.end + AROUND, now)
        step = max(self._step, (end - start).total_seconds() / MOST)
        said = Said()
        written = await self._written(f"timestamp({query})", start, end, step, said)
        usual = _usual(written, step)
        notes = await self._rules.notes() if written else {}
        found = [e for row, times in written for e in self._each(row, times, usual, end, notes)]
        rows = tuple(sorted((e for e in found if _fits(e, q)), key=lambda e: (e.start, e.name, e.service)))
        return self._answered(q, query, rows, await self._gaps(q, rows, start, step, said))

    async def current(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        """Those that fire at the end of the window."""
        found = await self.episodes(q)
        rows = tuple(e for e in found.rows if e.end is None or e.end >= q.window.end)
        return replace(found, rows=rows, total=len(rows))

    def _query(self, q: AlertQuery) -> str:
        names = among("alertname", q.names) if q.names else ""
        return selector("ALERTS", 'alertstate="firing"', names, self._matchers)

    async def _written(
        self, query: str, start: datetime, end: datetime, step: float, said: Said
    ) -> list[tuple[Row, list[datetime]]]:
        """Each series with the times its samples were written at."""
        found: dict[object, tuple[Row, list[datetime]]] = {}
        n = 0
        async with aclosing(self._api.range(query, start, end, step, said)) as rows:
            async for row in rows:
                n += len(row.points)
                if n > SAMPLES:
                    said.warnings["more samples of alerts than are read at once: narrow the window"] = None
                    break
                if len(found) == ROWS and row.key not in found:
                    said.warnings[f"more than {ROWS} alerts fired; the others are left out"] = None
                    break
                _add(found.setdefault(row.key, (row, []))[1], row, start)
        return [kept for kept in found.values() if kept[1]]

    def _each(
        self, row: Row, times: Sequence[datetime], usual: timedelta, end: datetime, notes: Mapping[str, Noted]
    ) -> Iterator[Episode]:
        labels = {k: v for k, v in row.labels.items() if k not in _NOT_IDENTITY}
        for first, last, interval in runs(times, usual):
            over = last + interval
            name = labels.get("alertname", "")
            noted = notes.get(name, Noted())
            seen = Window(first - AROUND / 12, over + AROUND / 12)
            yield Episode(
                name=name,
                service=self._labels.service(labels),
                severity=self._labels.severity(labels),
                start=first,
                end=None if last + GAP * interval > end else over,
                labels=labels,
                annotations=noted.annotations,
                runbook=noted.runbook,
                link=filled(self._link, selector("ALERTS", among("alertname", (name,))), seen),
            )

    async def _gaps(
        self, q: AlertQuery, rows: Sequence[Episode], start: datetime, step: float, said: Said
    ) -> tuple[str, ...]:
        gaps, zone = list(said.gaps()), q.window.zone
        if n := sum(1 for e in rows if e.start - start < LOOK_BACK):
            gaps.append(f"{n} of these alerts fired already at {moment(start, zone)}; their start isn't known")
        if step > self._step:
            gaps.append(f"alerts were looked for every {step:.0f} s; shorter ones may be missing")
        if failing := await self._rules.failing():
            gaps.append(f"{len(failing)} alert rule(s) can't be evaluated: {', '.join(failing[:5])}")
        began = await self._presence.started() if rows else None
        if began and (n := sum(_early(e, began) for e in rows)):
            gaps.append(f"{n} of these alerts began while {self.name} was starting ({moment(began, zone)})")
        if (since := await self._presence.since()) and since > q.window.start + LOOK_BACK:
            gaps.append(f"{self.name} has no data before {moment(since, zone)}")
        return tuple(gaps)

    def _answered(
        self, q: AlertQuery, query: str, rows: tuple[Episode, ...], gaps: tuple[str, ...]
    ) -> Answered[tuple[Episode, ...]]:
        link = filled(self._link, query, q.window)
        return Answered(rows, query, q.window, link=link, total=len(rows), complete=not gaps, gaps=gaps)


def _early(e: Episode, began: datetime) -> bool:
    """It may tell of the server's start only: what fires long after that is meant."""
    return began <= e.start <= began + START and (e.end or datetime.now(UTC)) <= began + START + LOOK_BACK


def _add(times: list[datetime], row: Row, start: datetime) -> None:
    """The times that are this row's values, each once; what the look-back shows from before the start isn't meant."""
    for _, value in row.points:
        at = datetime.fromtimestamp(value, UTC)
        if at >= start and (not times or at > times[-1]):
            times.append(at)


def runs(times: Sequence[datetime], usual: timedelta) -> Iterator[tuple[datetime, datetime, timedelta]]:
    """(first, last, time between two) of each stretch of samples without a silence; `usual`: if there is one only."""
    steps = sorted(b - a for a, b in pairwise(times))
    own = steps[len(steps) // 2] if steps else usual
    began = 0
    for i in range(1, len(times) + 1):
        if i == len(times) or times[i] - times[i - 1] > GAP * own:
            yield times[began], times[i - 1], own
            began = i


def _usual(written: Sequence[tuple[Row, list[datetime]]], step: float) -> timedelta:
    """The time between two evaluations, over all alerts."""
    steps = sorted(b - a for _, times in written for a, b in pairwise(times[:50]))
    return steps[len(steps) // 2] if steps else timedelta(seconds=step)


def _fits(e: Episode, q: AlertQuery) -> bool:
    if e.start >= q.window.end or (e.end is not None and e.end <= q.window.start):
        return False
    named = not q.names or e.name in q.names
    severe = not q.severities or e.severity in q.severities
    return named and severe and (not q.services or e.service in q.services)

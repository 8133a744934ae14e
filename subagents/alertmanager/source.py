"""Alertmanager, API v2: what fires now, and what of it is silenced or inhibited, by whom.

It keeps no history: what was resolved is gone. Silenced and inhibited alerts are asked for too, since the first signal
is often the inhibited one. (Facts: prometheus/alertmanager api/v2/openapi.yaml; a zero or future `endsAt` is an alert
that still fires: prometheus/alertmanager#3341, #5198.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from orchestrator.contracts import Json, Window
from subagents import paging
from subagents.paging import Hold
from subagents.prometheus.labels import Labels, among
from subagents.saying import moment
from subagents.sources import AlertQuery, Answered, Coverage, Episode, Health, SourceError
from subagents.web import Caller
from subagents.web.links import allowed, filled

CONSOLE = "/#/alerts?filter={query}"
NOW = timedelta(minutes=5)  # a window that ends no longer ago is about now
SKEW = 30.0  # seconds


class Alertmanager:
    caps = frozenset({"current", "suppressed"})

    def __init__(
        self, name: str, caller: Caller, labels: Labels, matchers: Sequence[str] = (), zone: str = "UTC",
        link: str = "", runbooks: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.name = name
        self._caller, self._labels, self._matchers, self._zone = caller, labels, tuple(matchers), zone
        self._runbooks = tuple(runbooks)
        self._link = link or caller.site.address(CONSOLE)

    async def probe(self) -> Health:
        """Raises SourceError."""
        body = await self._caller.json("api/v2/status")
        if not isinstance(body, dict) or "versionInfo" not in body:
            raise SourceError(self.name, "it answers JSON, but not as Alertmanager does. Check its url.", "bad_answer")
        peers = len(body.get("cluster", {}).get("peers") or ())
        said = f"Alertmanager {body['versionInfo'].get('version', '?')}, {peers or 1} peer(s)"
        if abs(skew := self._caller.skew) > SKEW:
            said += f"; its clock is {abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} ours"
        return Health(True, said)

    async def coverage(self) -> Coverage:
        found = await self._alerts(AlertQuery(_now(self._zone)))
        services = dict.fromkeys(e.service for e in found if e.service)
        return Coverage(None, None, self._zone, tuple(services), ("it knows only what fires now",))

    async def episodes(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        """Of those that fire now, what overlaps the window. What is over isn't known, and that is said."""
        now = datetime.now(UTC)
        found = await self._alerts(q)
        rows = tuple(e for e in found if e.start < q.window.end)
        gaps = () if q.window.start >= now else (f"{self.name} keeps no history: alerts that are over aren't in it",)
        if q.window.start >= now:
            rows, gaps = (), (f"the window lies in the future of {moment(now, q.window.zone)}",)
        return self._answered(q, rows, gaps)

    async def current(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        """Those that fire now, whatever the clocks of the two differ by; an earlier "now" has only what still fires."""
        past = datetime.now(UTC) - q.window.end > NOW
        found = await self._alerts(q)
        rows = tuple(e for e in found if not past or e.start < q.window.end)
        gap = f"{self.name} knows what fires now, not what fired at {moment(q.window.end, q.window.zone)}"
        return self._answered(q, rows, (gap,) if past else ())

    def _answered(
        self, q: AlertQuery, rows: tuple[Episode, ...], gaps: tuple[str, ...]
    ) -> Answered[tuple[Episode, ...]]:
        query = f"alerts {' '.join(self._filters(q)) or 'all'}, silenced and inhibited ones as well"
        link = filled(self._link, "{" + ",".join(self._filters(q)) + "}", q.window)
        return Answered(rows, query, q.window, link=link, total=len(rows), complete=not gaps, gaps=gaps)

    def _filters(self, q: AlertQuery) -> list[str]:
        return [*self._matchers, *([among("alertname", q.names)] if q.names else [])]

    async def _alerts(self, q: AlertQuery) -> list[Episode]:
        """Each once; in groups, one that is in several has all of them."""
        params = [("filter", f) for f in self._filters(q)]
        listed = await self._caller.json("api/v2/alerts/groups" if q.grouped else "api/v2/alerts", params)
        if not isinstance(listed, list):
            raise SourceError(self.name, "it answers JSON, but no list of alerts. Check its url.", "bad_answer")
        alerts = [a for a in (_flat(listed) if q.grouped else listed) if isinstance(a, dict) and _at(a, "startsAt")]
        silences = await self._silences(alerts)
        names = {a.get("fingerprint", ""): _text(a, "labels").get("alertname", "") for a in alerts}
        found = [self._episode(a, silences, names) for a in alerts]
        return sorted((e for e in found if _fits(e, q)), key=lambda e: (e.start, e.name, e.service))

    async def _silences(self, alerts: Sequence[Json]) -> Mapping[str, Json]:
        """Who silenced what until when; asked for only where there is a silenced alert."""
        if not any(a.get("status", {}).get("silencedBy") for a in alerts if isinstance(a, dict)):
            return {}
        return {s["id"]: s for s in await self._caller.json("api/v2/silences")}

    def _episode(self, alert: Json, silences: Mapping[str, Json], names: Mapping[str, str]) -> Episode:
        labels, status = _text(alert, "labels"), alert.get("status") or {}
        held = [_silence(silences.get(i, {}), i) for i in status.get("silencedBy") or ()]
        held += [Hold("inhibited", names.get(i) or i) for i in status.get("inhibitedBy") or ()]
        held += [Hold("muted", str(name)) for name in status.get("mutedBy") or ()]  # since 0.28
        return Episode(
            name=labels.get("alertname", ""),
            service=self._labels.service(labels),
            severity=self._labels.severity(labels),
            start=_at(alert, "startsAt") or datetime.now(UTC),
            end=None,  # it lists only what fires; the endsAt it gives is when that would lapse if nobody repeated it
            suppressed=status.get("state") == "suppressed" or bool(held),
            by=paging.together(held),
            labels=labels,
            annotations=(notes := _text(alert, "annotations")),
            runbook=allowed(notes.get("runbook_url", ""), self._runbooks),
            link=filled(self._link, "{" + among("alertname", (labels.get("alertname", ""),)) + "}", None),
            notified=tuple(alert.get("in", [(str(r.get("name", "")), "") for r in alert.get("receivers") or ()])),
        )


def _flat(groups: Sequence[Json]) -> list[Json]:
    """The alerts of groups, each once, with the groups it is `in`: (receiver, group)."""
    found: dict[str, Json] = {}
    for g in (g for g in groups if isinstance(g, dict)):
        receiver = str((g.get("receiver") or {}).get("name", ""))
        for n, alert in enumerate(g.get("alerts") or ()):
            kept = found.setdefault(alert.get("fingerprint") or f"{len(found)} {n}", {**alert, "in": []})
            kept["in"].append((receiver, paging.group(_text(g, "labels"))))
    return list(found.values())


def _silence(silence: Json, id: str) -> Hold:
    by = str(silence.get("createdBy") or "?") if silence else id
    return Hold("silenced", by, _at(silence, "endsAt"), str(silence.get("comment") or ""))


def _fits(e: Episode, q: AlertQuery) -> bool:
    return (not q.services or e.service in q.services) and (not q.severities or e.severity in q.severities)


def _text(alert: Json, key: str) -> dict[str, str]:
    return {str(k): str(v) for k, v in (alert.get(key) or {}).items()} if isinstance(alert, dict) else {}


def _at(record: Json, key: str) -> datetime | None:
    """RFC 3339; None for a time that is absent, unreadable or zero (year 1)."""
    try:
        at = datetime.fromisoformat(str(record.get(key, "")))
    except ValueError:
        return None
    return at.astimezone(UTC) if at.tzinfo and at.year > 1 else None


def _now(zone: str) -> Window:
    now = datetime.now(UTC)
    return Window(now - NOW, now, zone)

"""What a Prometheus looks at now: its alert rules and its scrape targets. It knows no history of either.

(HTTP API v1, `rules` and `targets`; VictoriaMetrics alone has no rules, vmalert beside it does.)
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TypeVar

from orchestrator.contracts import Json, Window
from subagents.prometheus.api import Api
from subagents.prometheus.labels import Labels
from subagents.prometheus.presence import Presence
from subagents.sources import Answered, Coverage, Health
from subagents.watched import Rule, Target

T = TypeVar("T")


class PrometheusWatched:
    caps = frozenset({"rules", "targets"})

    def __init__(self, name: str, api: Api, labels: Labels, presence: Presence, zone: str) -> None:
        self.name = name
        self._api, self._labels, self._presence, self._zone = api, labels, presence, zone

    async def probe(self) -> Health:
        return await self._presence.probe()

    async def coverage(self) -> Coverage:
        return Coverage(None, None, self._zone)

    async def rules(self) -> Answered[tuple[Rule, ...]]:
        """Of alerts alone, by group and place in it. Raises SourceError."""
        body = await self._api.get("rules", {"type": "alert"})
        groups: list[Json] = body["data"].get("groups") or []
        found = tuple(self._rule(r, g) for g in groups for r in g.get("rules") or () if r.get("type") == "alerting")
        return self._answered(found, "rules?type=alert", "/alerts")

    async def targets(self) -> Answered[tuple[Target, ...]]:
        """Those that are scraped. Raises SourceError."""
        body = await self._api.get("targets", {"state": "active"})
        found = tuple(self._target(t) for t in body["data"].get("activeTargets") or ())
        return self._answered(found, "targets?state=active", "/targets")

    def _answered(self, rows: tuple[T, ...], query: str, page: str) -> Answered[tuple[T, ...]]:
        now = datetime.now(UTC)
        span = Window(now - timedelta(minutes=1), now, self._zone)
        return Answered(rows, query, span, link=self._api.address(page), total=len(rows))

    def _rule(self, rule: Json, group: Json) -> Rule:
        labels = {k: str(v) for k, v in (rule.get("labels") or {}).items()}
        failed = rule.get("health") == "err"
        return Rule(
            name=str(rule.get("name", "")),
            query=str(rule.get("query", "")),
            service=self._labels.service(labels),
            severity=self._labels.severity(labels),
            state=str(rule.get("state", "")),
            wait=float(rule.get("duration") or 0),
            trouble=str(rule.get("lastError") or "it can't be evaluated") if failed else "",
            group=str(group.get("name", "")),
        )

    def _target(self, target: Json) -> Target:
        labels = {k: str(v) for k, v in (target.get("labels") or {}).items()}
        up = target.get("health") != "down"
        return Target(
            address=str(target.get("scrapeUrl") or labels.get("instance", "?")),
            service=self._labels.service(labels),
            job=labels.get("job", ""),
            up=up,
            trouble="" if up else str(target.get("lastError") or "no answer"),
            since=_moment(target.get("lastScrape")),
        )


def _moment(text: object) -> datetime | None:
    """RFC 3339; None where it is absent or zero (it was never scraped)."""
    try:
        at = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return at.astimezone(UTC) if at.tzinfo and at.year > 1 else None

"""What alerting rules say of their alerts, and which can't be evaluated: series of ALERTS carry no annotations.

Rules are today's, whatever day is asked about.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.contracts import Json
from subagents.prometheus.api import Api
from subagents.sources import SourceError
from subagents.web.links import allowed

KEPT = 300.0  # seconds
TEMPLATE = "{{"  # an annotation that depends on the series, which nobody fills in here


@dataclass(frozen=True, slots=True)
class Noted:
    """Of one alert. `runbook`: where its address is allowed."""

    annotations: Mapping[str, str] = field(default_factory=dict)
    runbook: str = ""


class Rules:
    """`runbooks`: addresses below which a `runbook_url` may be shown."""

    def __init__(self, api: Api, runbooks: Sequence[str]) -> None:
        self._api, self._runbooks = api, tuple(runbooks)
        self._kept: tuple[float, tuple[Json, ...]] | None = None

    async def notes(self) -> Mapping[str, Noted]:
        """By the alert's name; nothing where the server tells no rules."""
        return {rule["name"]: self._noted(rule) for rule in await self._all()}

    async def failing(self) -> tuple[str, ...]:
        """Alerts that can't fire, since their rule can't be evaluated."""
        return tuple(dict.fromkeys(rule["name"] for rule in await self._all() if rule.get("health") == "err"))

    async def _all(self) -> tuple[Json, ...]:
        if self._kept is None or time.monotonic() - self._kept[0] > KEPT:
            self._kept = time.monotonic(), await self._read()
        return self._kept[1]

    async def _read(self) -> tuple[Json, ...]:
        try:
            body = await self._api.get("rules", {"type": "alert"})
        except SourceError:  # not every server has rules
            return ()
        groups: list[Json] = (body.get("data") or {}).get("groups") or []
        return tuple(rule for group in groups for rule in group.get("rules") or () if rule.get("name"))

    def _noted(self, rule: Json) -> Noted:
        fixed = {k: str(v) for k, v in (rule.get("annotations") or {}).items() if TEMPLATE not in str(v)}
        return Noted(fixed, allowed(fixed.get("runbook_url", ""), self._runbooks))

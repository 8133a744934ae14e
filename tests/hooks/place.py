"""An ear on a real store with a clock of its own, and the sources that answer from it."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import UTC, datetime
from typing import Any

from pydantic import SecretStr

from hermes_ops.hooks.ear import Arrived, Ear
from hermes_ops.hooks.settings import AlertHook, ChangeHook, HookSettings
from memory import Memory
from memory.records import Records
from orchestrator.contracts import Window
from orchestrator.guard import AllowAll
from subagents.sources import AlertQuery
from subagents.store.alerts import StoredAlerts
from subagents.store.changes import StoredChanges

SECRET = "correct horse"
BEARER = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}
START = datetime(2026, 11, 29, 14, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 29, 15, 0, tzinfo=UTC)
DAY = Window(datetime(2026, 11, 29, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC), "UTC")
ZERO = "0001-01-01T00:00:00Z"


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


class Place:
    """An ear on a real store, and what is answered from that."""

    def __init__(self, memory: Memory, settings: HookSettings) -> None:
        self.clock = Clock()
        self.records = Records(memory.db, self.clock)
        self.heard: list[Arrived] = []
        self.ear = Ear(settings, self.records, AllowAll(b"k" * 32).mask, lambda repository: "", self._hear)
        self.alerts = StoredAlerts("received", self.records, clock=self.clock)
        self.changes = StoredChanges("received", self.records)

    async def _hear(self, arrived: Arrived) -> None:
        self.heard.append(arrived)

    async def post(self, path: str, body: Any, headers: dict[str, str] | None = None) -> tuple[int, dict[str, Any]]:
        domain, _, name = path.partition("/")
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.ear.take(domain, name, BEARER if headers is None else headers, raw)  # type: ignore[arg-type]

    async def tell(self, **alert: Any) -> dict[str, Any]:
        """One alert of Alertmanager's."""
        given = {"labels": {"alertname": "Slow", "service": "checkout", "severity": "critical"}, "status": "firing",
                 "startsAt": START.isoformat(), "endsAt": ZERO, "fingerprint": "f1"}  # fmt: skip
        status, told = await self.post("alerts/alertmanager", {"version": "4", "alerts": [{**given, **alert}]})
        assert status == 200, told
        return told

    async def episodes(self) -> list[tuple[str, datetime, datetime | None]]:
        return [(e.name, e.start, e.end) for e in (await self.alerts.episodes(AlertQuery(DAY))).rows]


def hooks(**given: Any) -> HookSettings:
    secret = SecretStr(SECRET)
    alerts = {kind: AlertHook(secret=secret) for kind in ("alertmanager", "grafana", "anything")}
    changes = {kind: ChangeHook(secret=secret) for kind in ("github", "gitlab")}
    return HookSettings(alerts={**alerts, "open": AlertHook()}, changes=changes, **given)


def signed(body: bytes, secret: str = SECRET) -> dict[str, str]:
    return {"X-Hub-Signature-256": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}

"""What `hermes-ops serve` consists of while it runs: what its parts and pages look at. It starts nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_ops.app import App
from hermes_ops.channels.base import Health, Served
from hermes_ops.hooks.ear import Ear
from hermes_ops.hooks.look.looking import FirstLook
from hermes_ops.host import Host
from hermes_ops.runtime.alone import Alone
from hermes_ops.runtime.cluster import Replica
from hermes_ops.schedule.clockwork import Clockwork
from hermes_ops.sourcing.pulse import Pulse
from orchestrator.errors import HermesError

Hook = Callable[[Mapping[str, str], bytes], Awaitable[tuple[int, dict[str, Any]]]]


@dataclass(frozen=True)
class Plugged:
    """A channel, and its web hook where it has one: path → (headers, body) to (status, JSON)."""

    channel: Served
    hooks: Mapping[str, Hook] = field(default_factory=dict)


@dataclass
class Service:
    """What serves: `url` once it listens; `ended` is set by a signal, or when it can't go on (`error`)."""

    host: Host
    app: App
    plugged: Sequence[Plugged]
    member: Alone | Replica
    clockwork: Clockwork
    ear: Ear
    pulse: Pulse
    look: FirstLook | None = None
    url: str = ""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    error: HermesError | None = None

    def ready(self) -> tuple[bool, dict[str, Any]]:
        """Messages come in. A source that is away doesn't count: what can be answered still is, and says what is
        missing."""
        channels = self.channels()
        told = {name: {"ok": h.ok, "says": h.says, **h.figures} for name, h in channels.items()}
        ok = all(h.ok for h in channels.values()) and self.error is None
        sources = {place: {"ok": h.ok, "says": h.detail} for place, h in self.pulse.health.items()}
        return ok, {"ready": ok, "channels": told, "sources": sources, **self.figures()}

    def channels(self) -> dict[str, Health]:
        return {p.channel.name: self._health(p.channel) for p in self.plugged}

    def figures(self) -> dict[str, Any]:
        """`inbox`: running here, waiting in all; `outbox`: to be delivered by this process; `replicas`: the processes
        on this database, and what they took over from dead ones."""
        return {
            "inbox": self.host.inbox.figures,
            "outbox": self.host.deliveries.waiting,
            "schedules": self.clockwork.figures,
            "replicas": self.member.figures,
        }

    def _health(self, channel: Served) -> Health:
        elsewhere = self.member.elsewhere(f"channel {channel.name}")
        return Health(True, "Another replica has the connection.") if elsewhere else channel.health()

    def fail(self, error: HermesError) -> None:
        self.error = self.error or error
        self.ended.set()

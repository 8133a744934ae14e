"""What monitoring itself looks at, as it is now: alert rules and scrape targets. A part of the sources' protocol."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from subagents.sources import Answered, Source


@dataclass(frozen=True, slots=True)
class Rule:
    """An alert rule as it is now. `state`: firing | pending | inactive; `wait`: seconds for which `query` must hold;
    `trouble`: why it can't be evaluated, "" where it can."""

    name: str
    query: str
    service: str = ""
    severity: str = ""
    state: str = ""
    wait: float = 0.0
    trouble: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """What is scraped. `since`: of the last scrape; `trouble`: why it doesn't answer, "" where it does."""

    address: str
    service: str
    job: str
    up: bool
    trouble: str = ""
    since: datetime | None = None


class WatchSource(Source, Protocol):
    """What monitoring looks at, as it is now."""

    async def rules(self) -> Answered[tuple[Rule, ...]]: ...
    async def targets(self) -> Answered[tuple[Target, ...]]: ...

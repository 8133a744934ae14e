"""Rows that arrive by web hook and are kept, because their senders forget them (alerts, changes)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from orchestrator.contracts import Json, Window


@dataclass(frozen=True, slots=True)
class Record:
    kind: str
    key: str
    at: datetime
    until: datetime | None
    service: str
    body: Json


class Records(Protocol):
    async def put(self, kind: str, key: str, at: datetime, until: datetime | None, service: str, body: Json) -> bool:
        """False where the same (kind, key) stands already unchanged."""

    async def find(self, kind: str, window: Window, service: str | None = None, limit: int = 1000) -> list[Record]: ...

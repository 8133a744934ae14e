"""What these sources need of whoever keeps what was received (in this program, `memory.records`), and what both say of
how far back it reaches.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, Protocol, TypeVar

from orchestrator.contracts import Json, Window
from orchestrator.errors import StoreError
from subagents.saying import moment
from subagents.sources import Coverage, Health, SourceError

Kind = Literal["alert", "change"]
T = TypeVar("T")


class Record(Protocol):
    """An alert from `at` to `until` (None: open), or a change at `at`. `seen`: when it was last told of."""

    @property
    def source(self) -> str: ...
    @property
    def series(self) -> str: ...
    @property
    def at(self) -> datetime | None: ...
    @property
    def until(self) -> datetime | None: ...
    @property
    def service(self) -> str: ...
    @property
    def body(self) -> Json: ...
    @property
    def seen(self) -> datetime | None: ...


class Page(Protocol):
    """Oldest first; `total` of all that fit."""

    @property
    def rows(self) -> Sequence[Record]: ...
    @property
    def total(self) -> int: ...


class Records(Protocol):
    """Raises StoreError."""

    async def find(
        self, kind: Kind, window: Window, services: Sequence[str] = (), sources: Sequence[str] = (), limit: int = 10_000
    ) -> Page: ...
    async def services(self, kind: Kind, sources: Sequence[str] = (), limit: int = 2000) -> list[str]: ...
    async def since(self, kind: Kind, sources: Sequence[str] = ()) -> Mapping[str, datetime]: ...


async def ask(name: str, asked: Awaitable[T]) -> T:
    """Raises SourceError where the store fails."""
    try:
        return await asked
    except StoreError as e:
        raise SourceError(name, str(e)) from e


async def health(records: Records, kind: Kind, hooks: Sequence[str]) -> Health:
    since = await records.since(kind, hooks)
    if missing := [name for name in hooks if name not in since]:
        return Health(False, f"nothing was ever heard by the hook {missing[0]}: has `hermes-ops serve` run with it?")
    if not since:
        return Health(
            False, f"no hook for {kind}s was ever heard: set one up (docs/HOOKS.md) and run `hermes-ops serve`"
        )
    named = ", ".join(f"{name} since {at:%Y-%m-%d %H:%M} UTC" for name, at in sorted(since.items()))
    return Health(True, f"store of web hooks: {named}")


async def coverage(records: Records, kind: Kind, hooks: Sequence[str], zone: str, now: datetime) -> Coverage:
    """One that was never told anything begins now."""
    since = await records.since(kind, hooks)
    services = await records.services(kind, hooks)
    notes = ("it knows what was sent to it: what was sent while `serve` was away for long is missing",)
    return Coverage(min(since.values(), default=now), None, zone, tuple(services), notes)


def span(window: Window) -> str:
    """As the query of an answer states it, in UTC."""
    start, end = (f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" for at in (window.start, window.end))
    return f"{start} to {end}"


async def gaps(records: Records, kind: Kind, hooks: Sequence[str], window: Window) -> tuple[str, ...]:
    """Why an answer about this window may lack something."""
    since = await records.since(kind, hooks)
    if not since:
        return ("the store of web hooks was never filled: no hook runs",)
    late = sorted((at, name) for name, at in since.items() if at > window.start)
    told = ", ".join(f"{moment(at, window.zone)} ({name})" for at, name in late)
    return (f"the store of web hooks runs since {told}: what was before is missing",) if late else ()

"""Everything that went over the wire, in order: calls, frames, sockets, pushes, and what was odd.

Secrets are left out. It doesn't know what an entry means; who writes it chooses the kind and the fields.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from hermes_ops.sandbox.clock import Clock

KEPT = 20_000
SECRETS = frozenset({"AppSecret", "app_secret", "Authorization", "authorization", "tenant_access_token"})


@dataclass(frozen=True)
class Entry:
    """One exchange. `kind`: rest, discover, socket, frame, push, click, webhook, odd. `at`: the platform's clock."""

    n: int
    at: float
    kind: str
    data: dict[str, Any] = field(default_factory=dict)


class Journal:
    """The entries of one sandbox; the oldest go when there are too many."""

    def __init__(self, clock: Clock, publish: Callable[[str, Any], None]) -> None:
        self._clock, self._publish = clock, publish
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self._count = 0
        self._more = asyncio.Event()

    def add(self, kind: str, **data: Any) -> Entry:
        self._count += 1
        entry = Entry(self._count, self._clock.now(), kind, without_secrets(data))
        self._entries.append(entry)
        more, self._more = self._more, asyncio.Event()
        more.set()
        self._publish("journal", entry)
        return entry

    def odd(self, what: str, **data: Any) -> None:
        """Something that a careful client would not do, or that the platform would not know."""
        self.add("odd", what=what, **data)

    def __iter__(self) -> Iterator[Entry]:
        return iter(list(self._entries))

    def __len__(self) -> int:
        return self._count

    def of(self, kind: str, **fields: Any) -> list[Entry]:
        """The entries of a kind whose data has these values."""
        return [e for e in self if e.kind == kind and all(e.data.get(k) == v for k, v in fields.items())]

    def calls(self, path: str = "", method: str = "", code: int | None = None) -> list[Entry]:
        """The REST calls whose path contains `path`; `code` is the one that was answered."""
        found = (e for e in self.of("rest") if path in e.data["path"] and method in ("", e.data["method"]))
        return [e for e in found if code is None or e.data.get("code") == code]

    async def wait(self, found: Callable[[Entry], bool], timeout: float = 5.0) -> Entry:  # noqa: ASYNC109
        """The first entry, old or new, that `found` accepts. Raises TimeoutError after so many real seconds."""
        async with asyncio.timeout(timeout):
            while True:
                more = self._more
                entry = next((e for e in self if found(e)), None)
                if entry:
                    return entry
                await more.wait()


def without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: "…" if k in SECRETS and v else without_secrets(v) for k, v in value.items()}
    return [without_secrets(v) for v in value] if isinstance(value, list) else value

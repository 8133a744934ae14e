"""Sinks without a database: events kept in memory, and a sink that lets others watch.

Neither knows what an event means.
"""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.contracts import Event
from orchestrator.ports import Sink
from orchestrator.stop import Stop


class MemorySink:
    """Keeps events, in order, for as long as it lives; a key's second event is ignored. For benchmarks and tests."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._keys: set[tuple[str, str, int]] = set()

    def emit(self, e: Event) -> None:
        key = (e.run, e.path, e.n)
        if key not in self._keys:
            self._keys.add(key)
            self.events.append(e)

    async def commit(self) -> None:
        """Memory is as durable as this sink promises."""

    def tick(self, path: str, text: str) -> None:
        """Nobody watches here."""

    def load(self, run: str) -> dict[str, dict[int, Event]]:
        """What a second `LocalRuntime` of the run needs to go on: path → n → event with its texts."""
        recorded: dict[str, dict[int, Event]] = {}
        for e in self.events:
            if e.run == run:
                recorded.setdefault(e.path, {})[e.n] = e
        return recorded


class Watched:
    """A sink whose events and ticks are shown to listeners as well (progress on a terminal, a chat card).

    Listeners are called on the event loop, after the sink took the event; they must be quick and must not raise.
    A resumed run shows its recorded steps again, with the times they had.
    """

    def __init__(
        self,
        sink: Sink,
        on_event: Callable[[Event], None] | None = None,
        on_tick: Callable[[str, str], None] | None = None,
    ) -> None:
        self._sink = sink
        self._on_event = on_event
        self._on_tick = on_tick

    def emit(self, e: Event) -> None:
        self._sink.emit(e)
        if self._on_event:
            self._on_event(e)

    async def commit(self) -> None:
        await self._sink.commit()

    def tick(self, path: str, text: str) -> None:
        self._sink.tick(path, text)
        if self._on_tick:
            self._on_tick(path, text)


class UntilCancelled:
    """A sink that takes nothing more once its run was cancelled.

    What a cancelled run still gathers while it winds down is partial; unrecorded, a later resume does it properly.
    """

    def __init__(self, sink: Sink, stop: Stop) -> None:
        self._sink = sink
        self._stop = stop

    def emit(self, e: Event) -> None:
        if self._stop.reason != "cancelled":
            self._sink.emit(e)

    async def commit(self) -> None:
        await self._sink.commit()

    def tick(self, path: str, text: str) -> None:
        self._sink.tick(path, text)

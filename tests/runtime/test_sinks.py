"""Sinks without a database."""

from __future__ import annotations

from datetime import UTC, datetime

from hermes_ops.runtime.local import LocalRuntime
from hermes_ops.runtime.sinks import MemorySink, UntilCancelled, Watched
from orchestrator.contracts import Event
from orchestrator.stop import Stop

AT = datetime(2026, 11, 29, 14, 2, tzinfo=UTC)


def test_a_key_is_kept_once() -> None:
    sink = MemorySink()
    first, second = (Event("r", "p", 0, "x", AT, {"n": n}) for n in range(2))
    for e in (first, second, Event("other", "p", 0, "x", AT, {})):
        sink.emit(e)
    assert sink.load("r") == {"p": {0: first}}
    assert len(sink.events) == 2


async def test_who_watches_sees_events_and_ticks_and_the_sink_keeps_the_events() -> None:
    kept, seen, ticks = MemorySink(), list[Event](), list[tuple[str, str]]()
    rt = LocalRuntime("r", "supervisor", Watched(kept, seen.append, lambda path, text: ticks.append((path, text))))
    rt.emit("start", {})
    rt.tick("asking the logs")
    await rt.commit()
    assert seen == kept.events
    assert ticks == [("supervisor", "asking the logs")]


async def test_nobody_has_to_watch() -> None:
    rt = LocalRuntime("r", "supervisor", Watched(MemorySink()))
    rt.emit("start", {})
    rt.tick("x")
    await rt.commit()


async def test_a_cancelled_run_records_nothing_more() -> None:
    kept, stop = MemorySink(), Stop()
    rt = LocalRuntime("r", "supervisor", UntilCancelled(kept, stop))
    rt.emit("start", {})
    stop.cancel()
    rt.emit("partial", {})
    await rt.commit()
    assert [e.kind for e in kept.events] == ["start"]

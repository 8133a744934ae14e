"""All persistence, behind one door: `open_memory(url)`.

Synchronous SQLAlchemy Core on one thread with group commit (`desk`); SQLite files and PostgreSQL by URL. It knows the
kernel's data (`orchestrator.contracts`) and no agent, channel or command.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.desk import Desk
from memory.engine import open_engine
from memory.erasing import Eraser, Trace
from memory.inbox import Entry, InboxStore
from memory.outbox import Outbox, Parcel
from memory.posts import Feedback, Post, Posts
from memory.preferences import Note, Preferences
from memory.runs import RunInfo, Runs, RunStatus
from memory.store import EventStore
from memory.traces import Pruned, Traces, Wanted
from memory.turns import Summary, Turn, Turns

__all__ = [
    "Entry", "Eraser", "EventStore", "Feedback", "InboxStore", "Memory", "Note", "Outbox", "Parcel", "Post", "Posts",
    "Preferences", "Pruned", "RunInfo", "RunStatus", "Runs", "Summary", "Trace", "Traces", "Turn", "Turns", "Wanted",
    "open_memory",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Memory:
    """What one database holds."""

    events: EventStore
    runs: Runs
    turns: Turns
    preferences: Preferences
    eraser: Eraser
    traces: Traces
    inbox: InboxStore
    outbox: Outbox
    posts: Posts
    desk: Desk

    async def close(self) -> None:
        """Writes what waits and ends the thread; nothing works after it. Raises StoreError where it can't write."""
        self.events.flush()
        await self.desk.close()


def open_memory(url: str) -> Memory:
    """Opens `sqlite:///FILE` (made if it isn't there) or `postgresql://…` and brings its schema up to date.

    Blocks for milliseconds, or for as long as a server takes to answer. Raises StoreError.
    """
    desk = Desk(open_engine(url))
    events = EventStore(desk)
    runs = Runs(desk, events)
    past = (Turns(desk), Preferences(desk), Eraser(desk), Traces(desk, runs))
    return Memory(events, runs, *past, InboxStore(desk), Outbox(desk), Posts(desk), desk)

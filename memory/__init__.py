"""All persistence, behind one door: `open_memory(url)`.

SQLAlchemy Core on one thread with group commit (`database`); SQLite files and PostgreSQL by URL. It knows the
kernel's data (`orchestrator.contracts`) and no agent, channel or command.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.database import Database
from memory.engine import open_engine
from memory.erasing import Eraser, Trace
from memory.inbox import Entry, InboxStore
from memory.limits import Quotas
from memory.outbox import Outbox, Parcel
from memory.posts import Feedback, Post, Posts
from memory.preferences import Note, Preferences
from memory.records import Page, Record, Records
from memory.replicas import Live, Replicas
from memory.reports import Confirmed, Reports, Stored
from memory.runs import RunInfo, Runs, RunStatus
from memory.schedules import Schedule, Schedules, Slot
from memory.store import EventStore
from memory.traces import Pruned, Spent, Traces, Wanted
from memory.turns import Summary, Turn, Turns

__all__ = [
    "Confirmed", "Entry", "Eraser", "EventStore", "Feedback", "InboxStore", "Live", "Memory", "Note", "Outbox", "Page",
    "Parcel", "Post", "Posts", "Preferences", "Pruned", "Quotas", "Record", "Records", "Replicas", "Reports",
    "RunInfo", "RunStatus", "Runs", "Schedule", "Schedules", "Slot", "Spent", "Stored", "Summary", "Trace", "Traces",
    "Turn", "Turns", "Wanted", "open_memory",
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
    reports: Reports
    schedules: Schedules
    quotas: Quotas
    replicas: Replicas
    records: Records
    db: Database

    async def close(self) -> None:
        """Writes what waits and ends the thread; nothing works after it. Raises StoreError where it can't write."""
        self.events.flush()
        await self.db.close()


def open_memory(url: str) -> Memory:
    """Opens `sqlite:///FILE` (made if it isn't there) or `postgresql://…` and brings its schema up to date.

    Blocks for milliseconds, or for as long as a server takes to answer. Raises StoreError.
    """
    db = Database(open_engine(url))
    events = EventStore(db)
    runs = Runs(db, events)
    past = (Turns(db), Preferences(db), Eraser(db), Traces(db, runs))
    chats = (InboxStore(db), Outbox(db), Posts(db))
    shared = (Quotas(db), Replicas(db), Records(db))
    return Memory(events, runs, *past, *chats, Reports(db), Schedules(db), *shared, db)

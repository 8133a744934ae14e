"""Replies to a report that came by itself: the report becomes the turn before, so that the reply goes on from its
window and its figures ("那 272 个是什么？"). It knows no platform: only which message of ours was replied to.
"""

from __future__ import annotations

import json
from dataclasses import replace

from hermes_ops.report.kept import read
from hermes_ops.report.model import Kind, Report
from hermes_ops.report.turn import remember
from hermes_ops.schedule.sending import Told, window_in
from memory import Entry, Memory
from orchestrator.contracts import Incoming, Window, from_json


async def replied_to(memory: Memory, entry: Entry) -> Report | None:
    """The stored report that an entry's message is a reply to, pushed or asked for. Raises StoreError."""
    parent = str(entry.extra.get("parent") or "") if isinstance(entry.extra, dict) else ""
    post = await memory.posts.by_message(parent) if parent else None
    if post is None:
        return None
    told = window_in(post.key) or (await _asked_for(memory, post.run) if post.run else None)
    stored = await memory.reports.find(*told) if told else None
    return read(stored) if stored else None


async def _asked_for(memory: Memory, run: str) -> Told | None:
    """The report that a run's answer consists of."""
    made = next((e.blobs[0].text for e in await memory.events.events(run) if e.kind == "report" and e.blobs), None)
    found = json.loads(made).get("made") if made else None
    if not isinstance(found, dict):
        return None
    window = from_json(Window, found["window"])
    kind: Kind = found["kind"]
    return str(found["team"]), kind, window.start, window.end


async def take_up(memory: Memory, entry: Entry, asked: Incoming) -> Incoming:
    """The question, with the report as the turn before it in place of a quote. Once for an entry, however often it is
    begun. Raises StoreError."""
    report = await replied_to(memory, entry) if entry.conversation else None
    if report is None:
        return asked
    await remember(memory.turns, entry.conversation, report, asked.at, f"{entry.run or entry.id}.report", asked.text)
    return replace(asked, quote=None)

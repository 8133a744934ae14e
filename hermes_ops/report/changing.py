"""The change section: what took effect in the window, what is under way at its end, and what stands near an incident.

A commit that a deploy of the window carries is that deploy's, not a change of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from hermes_ops.report.desk import Desk
from hermes_ops.report.model import ChangeRow, Changes, Incident
from orchestrator.contracts import Window
from subagents.asking import Merged
from subagents.sources import Answered, Change, ChangeQuery, ChangeSource

MOST = 2_000  # of one source
SHOWN = 200
BEFORE = timedelta(days=3)  # planned work may have begun so long before the window
NEAR = timedelta(hours=1)  # from a change to an incident's onset
AFTER = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Changed:
    """`rows` took effect in the window, the oldest first; `going` are planned work that overlaps it; `found` None:
    nothing is known."""

    window: Window
    found: Merged[Change] | None
    rows: tuple[Change, ...] = ()
    going: tuple[Change, ...] = ()

    @property
    def all(self) -> tuple[Change, ...]:
        return tuple({c.id: c for c in (*self.going, *self.rows)}.values())


async def changed(desk: Desk, services: tuple[str, ...]) -> Changed:
    window = desk.window
    wide = replace(window, start=window.start - BEFORE)

    async def call(source: ChangeSource) -> Answered[tuple[Change, ...]]:
        return await source.list(ChangeQuery(wide, services), MOST)

    found = await desk.ask("changes", wide, call, desk.sources.changes)
    if found is None:
        return Changed(window, None)
    rows = sorted({c.id: c for c in found.rows}.values(), key=lambda c: (c.at, c.id))
    going = tuple(c for c in rows if c.until is not None and c.at < window.end and c.until > window.start)
    return Changed(window, found, tuple(_own([c for c in rows if c.at in window])), going)


def _own(rows: Sequence[Change]) -> list[Change]:
    """Without the commits that another change of the window carries."""
    carried = {sha for c in rows if c.kind != "commit" for sha in (c.sha, *c.commits) if sha}
    return [c for c in rows if c.kind != "commit" or not ({c.id, c.sha} & carried)]


def section(desk: Desk, had: Changed, incidents: Sequence[Incident]) -> Changes:
    rows = [_row(desk, c, incidents) for c in had.rows]
    shown = sorted(rows, key=lambda r: (not r.blamed, not r.near))[:SHOWN]
    return Changes(
        desk.count(len(rows), "changes", had.window, had.found),
        dict(Counter(c.kind for c in had.rows).most_common()),
        tuple(sorted(shown, key=lambda r: (r.at, r.id))),
    )


def in_flight(desk: Desk, had: Changed) -> tuple[ChangeRow, ...]:
    """Planned work that isn't over at the window's end."""
    return tuple(_row(desk, c, ()) for c in had.going if c.until is not None and c.until > had.window.end)


def _row(desk: Desk, c: Change, incidents: Sequence[Incident]) -> ChangeRow:
    row = ChangeRow(c.id, c.kind, c.service, c.at, desk.mask(c.title), desk.mask(c.author), c.version, c.until)
    leads = [(i, (i.onset or i.start) - c.at) for i in incidents]
    for i, lead in leads:
        if i.cause.change and i.cause.change in (c.id, c.sha, *c.commits):
            return replace(row, near=i.key, lead=lead.total_seconds(), blamed=True)
    near = [(abs(lead), i, lead) for i, lead in leads if -AFTER <= lead <= NEAR]
    if not near:
        return row
    _, i, lead = min(near, key=lambda n: (n[0], n[1].key))
    return replace(row, near=i.key, lead=lead.total_seconds())

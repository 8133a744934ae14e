"""Stored reports, read back: one of a window, and those among which somebody means an incident.

What is stored under another schema, or was written by hand, is no report and never an error.
"""

from __future__ import annotations

from datetime import timedelta

from pydantic import ValidationError

from hermes_ops.report.model import SCHEMA, Report
from memory import Reports, Stored
from orchestrator.contracts import from_json

RECENT = timedelta(days=8)  # of the reports among which an incident is looked for


def read(stored: Stored) -> Report | None:
    """None of a schema that isn't this one."""
    if not isinstance(stored.figures, dict) or stored.figures.get("schema") != SCHEMA:
        return None
    try:
        return from_json(Report, stored.figures)
    except ValidationError:
        return None


async def recent(reports: Reports, team: str) -> list[Report]:
    """The one that was made last, then those of the latest days. Raises StoreError."""
    latest = await reports.latest(team)
    if latest is None:
        return []
    days = await reports.within(team, "day", latest.end - RECENT, latest.end + RECENT)
    found = [r for stored in (latest, *reversed(days)) if (r := read(stored)) is not None]
    return list({(r.kind, r.window.start, r.window.end): r for r in found}.values())

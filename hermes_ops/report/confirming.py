"""Which incident somebody means who confirms its cause: by its key, by a run about it, or by a service."""

from __future__ import annotations

import json
import re

from hermes_ops.report.grouping import key_of
from hermes_ops.report.model import Report
from memory import Memory
from orchestrator.contracts import Answer, from_json
from orchestrator.errors import ConfigError
from subagents.cause.model import Cause

_KEY = re.compile(r"\S+@\d{4}-\d\d-\d\dT\d\d:\d\dZ")


async def find_incident(memory: Memory, team: str, said: str) -> str:
    """The key of the incident. A service means the latest report's. Raises ConfigError for what names none."""
    if _KEY.fullmatch(said):
        return said
    if await memory.runs.get(said) is not None:
        return await _of_run(memory, said)
    latest = await memory.reports.latest(team)
    report = from_json(Report, latest.figures) if latest else None
    found = [i.key for i in report.incidents if said in i.services] if report else []
    if len(found) == 1:
        return found[0]
    keys = ", ".join(i.key for i in report.incidents[:5]) if report else ""
    known = f" The latest report has: {keys}." if keys else " No stored report has an incident."
    raise ConfigError(f"{said[:80]!r} names no one incident: give its key, or the id of a run about it.{known}")


async def _of_run(memory: Memory, run: str) -> str:
    """From the cause that the run's answer gives: where it began, and when."""
    events = await memory.events.events(run)
    told = next((e.blobs[0].text for e in reversed(events) if e.kind == "answer" and e.blobs), None)
    answer = from_json(Answer, json.loads(told)) if told else None
    cause = from_json(Cause, answer.cause) if answer and answer.cause else None
    service = cause.first_failing or cause.service if cause else ""
    if cause is None or cause.onset is None or not service:
        raise ConfigError(f"Run {run} tells of no incident: its answer gives no cause with a start.")
    return key_of([service], cause.onset)

"""Which incident somebody means who confirms its cause: by its key, by a run about it, or by a service."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from hermes_ops.report.grouping import key_of
from hermes_ops.report.kept import recent
from hermes_ops.report.model import CauseSaid, Incident, Report
from memory import Memory
from orchestrator.contracts import Answer, from_json
from orchestrator.errors import ConfigError
from subagents.cause.model import Cause

KEY = re.compile(r"\S+@\d{4}-\d\d-\d\dT\d\d:\d\dZ")
VERSION = re.compile(r"v?\d[\w.+-]*\b", re.IGNORECASE)


async def find_incident(memory: Memory, team: str, said: str) -> str:
    """The key of the incident. A service means the newest report that has one incident of it. Raises ConfigError for
    what names none."""
    if KEY.fullmatch(said):
        return said
    if await memory.runs.get(said) is not None:
        return await _of_run(memory, said)
    return named(said, await recent(memory.reports, team)).key


def named(said: str, reports: Sequence[Report]) -> Incident:
    """By its key or one of its services, in the first of the reports that has such an incident. Raises ConfigError."""
    for report in reports:
        found = [i for i in report.incidents if said == i.key or said in i.services]
        if len(found) == 1:
            return found[0]
        if found:
            keys = ", ".join(i.key for i in found[:5])
            raise ConfigError(f"{said[:80]!r} had several incidents: give the key of one. There are: {keys}.")
    keys = ", ".join(dict.fromkeys(i.key for r in reports for i in r.incidents[:5]))
    known = f" The latest reports have: {keys}." if keys else " No stored report has an incident."
    raise ConfigError(f"{said[:80]!r} names no one incident: give its key, or the id of a run about it.{known}")


def suspected(cause: CauseSaid) -> str:
    """The suspect as a cause; "" where the report names none."""
    if cause.kind not in ("change", "operational"):
        return ""
    return " ".join(filter(None, (cause.service, cause.version))) if cause.version else cause.title


def completed(service: str, text: str) -> str:
    """ "2.4.1 连接池太小" said of payment is "payment 2.4.1 连接池太小"."""
    return f"{service} {text}" if VERSION.match(text) and not KEY.fullmatch(service) else text


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

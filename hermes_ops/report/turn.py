"""A report that was put into a chat, as a turn of its conversation: a reply goes on from its window and its figures.

How a follow-up is recognised is for `hermes_ops.recall`; this only keeps what it reads.
"""

from __future__ import annotations

from datetime import datetime

from hermes_ops.report.figures import ID, figures
from hermes_ops.report.model import Report
from hermes_ops.report.view import digest, markdown
from memory import Turns
from orchestrator.contracts import Figure, Json, Scope, to_json

FIGURES = 40  # that are kept of one report, the most telling first
LONGEST = 3_000  # characters of its text


def about(report: Report) -> Json:
    """What `recall` keeps of a turn: window, scope, the question, and the evidence in short."""
    told = [_short(f) for f in figures(report)[:FIGURES]]
    return {
        "window": to_json(report.window),
        "scope": to_json(Scope(services=report.services)),
        "asked": [digest.title(report)],
        "evidence": [{"id": ID, "tool": "daily_report", "figures": told}],
    }


def _short(f: Figure) -> str:
    whose = " ".join(str(v) for v in f.labels.values())
    return f"{f.name}{f' of {whose}' if whose else ''} {f.value:g}{f.unit}"


async def remember(turns: Turns, session: str, report: Report, at: datetime) -> None:
    """One report is one turn of a session, however often it is told. Raises StoreError."""
    w = report.window
    run = f"report-{report.team}-{report.kind}-{w.start:%Y%m%dT%H%M}-{w.end:%Y%m%dT%H%M}@{session}"
    text = markdown.render(report)[:LONGEST]
    await turns.add(session, run, digest.title(report), text, "ok", at, about=about(report))

"""An analysis for people and for programs. The field names of `analyze --json` are a promise and are made here."""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import ZoneInfo

from hermes_ops.report.reasons import timed
from orchestrator.cleaning import clean
from orchestrator.contracts import Json, Window, to_json
from subagents.cause.model import Analysis, Cause, Suspect

SHOWN = 5


def as_object(found: Analysis) -> dict[str, Json]:
    """The object that `--json` prints (docs/CAUSE.md)."""
    whole: dict[str, Json] = to_json(found)
    return whole


def as_text(found: Analysis, zone: str) -> str:
    """The verdict first, then its reasons, what competed with it, and the alerts."""
    c = found.cause
    lines = [_verdict(found)]
    if c.onset is not None:
        at = c.onset.astimezone(ZoneInfo(zone))
        lines.append(f"Onset {at:%Y-%m-%d %H:%M:%S %z} (within {c.uncertainty:.0f} s); signature: {c.signature or '-'}")
        lines.append(f"First failing: {c.first_failing}; reached: {', '.join(c.blast_radius) or 'nobody else'}")
    lines += [f"  - {text}" for text in _reasons(c, zone)[:8]]
    good = [s for s in found.ranked if not s.against][:SHOWN]
    if good:
        lines += ["", "Explanations:", *(f"  {s.probability:4.0%}  {_suspect(s)}" for s in good)]
    if found.triage:
        paged = [t for t in found.triage if t.decision == "page"]
        lines += ["", f"Alerts: {len(paged)} of {len(found.triage)} deserve a person"]
        lines += [f"  {t.decision:8} {t.id} {t.service}: {t.reason}" for t in found.triage]
    lines += [f"Not seen: {gap}" for gap in found.gaps]
    return clean("\n".join(lines))


def _reasons(c: Cause, zone: str) -> list[str]:
    """Each once, its clock times on the asker's clock."""
    said = [r.text for r in c.reasons]
    if c.onset is not None:
        clock = Window(c.onset, c.onset + timedelta(seconds=1), zone)
        said = [timed(text, c.onset, clock) for text in said]
    return list(dict.fromkeys(said))


def _verdict(found: Analysis) -> str:
    c = found.cause
    if c.verdict == "change":
        return f"Cause: the {c.kind} {c.change} of {c.service}: {c.title} ({c.confidence:.0%})"
    if c.verdict == "operational":
        return f"Cause: no change, but {c.title} ({c.kind}, {c.confidence:.0%})"
    if c.tied:
        return f"Undecided between {', '.join(c.tied)}"
    return "No change explains it, and nothing else clearly does"


def _suspect(s: Suspect) -> str:
    if s.verdict == "unknown":
        return s.title
    return f"{s.kind} {s.id if s.verdict == 'change' else ''} {s.service}: {s.title}".replace("  ", " ")

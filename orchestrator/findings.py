"""From what a sub-agent's loop took to its Findings, and from Findings to what the supervisor reads.

The summary is the model's; figures, onset, services, gaps and what was unreachable come from tool results alone.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Literal

from orchestrator.agent import Agent, Outcome, Taken
from orchestrator.contracts import Evidence, Figure, Findings

NEEDS = re.compile(r"^[^\S\n]*(?:NEEDS|需要用户补充)[^\S\n]*[:：]\s*(\S.*)$", re.MULTILINE)
SHOWN = 16  # figures of one finding that the supervisor reads


def gather(agent: Agent, outcome: Outcome) -> Findings:
    """The findings of one loop."""
    kept = [t for t in outcome.taken if t.id and not t.repeated]
    good = [t for t in kept if t.result.status in ("ok", "no_data")]
    evidence = tuple(Evidence(t.id, agent.name, t.call.name, t.call.args, t.result) for t in good)
    data = [t.result.data for t in good if isinstance(t.result.data, dict)]
    onsets = [datetime.fromisoformat(d["onset"]) for d in data if d.get("onset")]
    services = dict.fromkeys(s for d in data for s in d.get("services") or ())
    needs = NEEDS.search(outcome.text)
    return Findings(
        agent.name,
        _status(outcome, kept, good),
        outcome.text,
        outcome.stopped,
        evidence,
        min(onsets, default=None),
        tuple(services),
        tuple(dict.fromkeys(_trouble(t) for t in kept if t.result.status in ("error", "denied"))),
        tuple(dict.fromkeys(gap for t in good for gap in t.result.gaps)),
        needs[1].strip() if needs else "",
    )


def _status(outcome: Outcome, kept: list[Taken], good: list[Taken]) -> Literal["ok", "partial", "failed"]:
    if kept and not good:
        return "failed"
    return "partial" if outcome.stopped else "ok"


def _trouble(taken: Taken) -> str:
    first = taken.result.text.strip().splitlines()[0] if taken.result.text.strip() else taken.result.status
    return f"{taken.result.source or taken.call.name}: {first[:200]}"


def render(found: Findings) -> str:
    """What the supervisor's model reads: the summary, then what code vouches for."""
    lines = [found.summary.strip()]
    if found.status != "ok":
        lines.insert(0, f"({found.status}{': ' + found.stopped if found.stopped else ''})")
    if found.evidence:
        lines.append("evidence: " + "; ".join(f"{e.id} {e.tool} {e.result.status}" for e in found.evidence))
    figures = [f"{e.id} {_figure(f)}" for e in found.evidence for f in e.result.figures[:SHOWN]][:SHOWN]
    if figures:
        lines.append("figures: " + "; ".join(figures))
    if found.onset:
        lines.append(f"onset: {found.onset.isoformat()}")
    for name, rows in (("unreachable", found.unreachable), ("gaps", found.gaps)):
        if rows:
            lines.append(f"{name}: " + "; ".join(rows))
    if found.needs:
        lines.append(f"needs from the person: {found.needs}")
    return "\n".join(lines)


def _figure(figure: Figure) -> str:
    labels = ",".join(f"{k}={v}" for k, v in figure.labels.items())
    about = "≈" if figure.approx else "="
    value = f"{figure.value:g}" if isinstance(figure.value, float) else str(figure.value)
    return (
        f"{figure.name}{{{labels}}}{about}{value}{figure.unit}"
        if labels
        else f"{figure.name}{about}{value}{figure.unit}"
    )

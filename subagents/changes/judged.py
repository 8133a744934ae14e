"""The ranking of changes with what the root-cause analysis says of them: it judges content, not closeness alone.

Where nothing but changes is known (no metrics, logs or alerts of the failing services), closeness stands. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from orchestrator.contracts import Json, to_json
from subagents.cause.model import Analysis, Suspect
from subagents.changes.ranking import CLEAR, ENOUGH, Ranked, tied

REASONS = 3  # said of each suspect
SURE = 0.8  # from this probability on it is sure
WEAK = 0.1  # a less likely change is no suspect


def knows(found: Analysis) -> bool:
    """It saw the failures themselves, so that it can judge what brings them."""
    return any(place.reasons for place in found.services)


def onset_of(found: Analysis, asked: datetime) -> datetime:
    """When the trouble began: as the analysis dates it where it saw the failures, so that one time is spoken of."""
    return found.cause.onset if knows(found) and found.cause.onset is not None else asked


def judged(rows: Sequence[Ranked], found: Analysis) -> list[Ranked]:
    """`rows` in the order of the analysis, scores on the same scale: CLEAR and more is a change that it names."""
    if not knows(found):
        return list(rows)
    known = {name: s for s in found.ranked if s.verdict == "change" for name in (s.id, *s.ids)}
    scored = [_scored(row, _of(row, known), found) for row in rows]
    return sorted(scored, key=lambda r: (-r.score, r.change.id))


def _of(row: Ranked, known: dict[str, Suspect]) -> Suspect | None:
    """The likeliest of what a deploy carries, or the change itself."""
    names = [x for c in (row.change, *row.commits) for x in (c.id, c.sha) if x]
    return max((known[n] for n in names if n in known), key=lambda s: s.probability, default=None)


def _scored(row: Ranked, suspect: Suspect | None, found: Analysis) -> Ranked:
    named = suspect is not None and found.cause.verdict == "change" and suspect.id == found.cause.change
    if suspect is None or (not named and row.against in ("after_onset", "other_environment", "not_done")):
        return replace(row, score=0.0, against=row.against or "cannot")
    if not named and (suspect.against or suspect.probability < WEAK):
        return replace(row, score=0.0, against=suspect.against or row.against or "cannot")
    score = CLEAR + (1 - CLEAR) * suspect.probability if named else min(0.75, max(ENOUGH, suspect.probability))
    return replace(row, score=score, against="", near=row.near or found.cause.first_failing)


def ties(rows: Sequence[Ranked], found: Analysis) -> int:
    """How many of the first are as likely as one another; 1 where one is named."""
    if not knows(found):
        return len(tied(rows))
    good = [r for r in rows if r.score >= ENOUGH]
    return max(
        min(len(good), 1),
        sum(bool({r.change.id, r.change.sha, *(c.id for c in r.commits)} & set(found.cause.tied)) for r in good),
    )


def cause_json(found: Analysis) -> Json:
    """For `data["cause"]`; None where the analysis saw no failures. The kernel lifts it into the answer."""
    return to_json(found)["cause"] if knows(found) else None


def why(row: Ranked, found: Analysis) -> list[str]:
    """The strongest reasons for a change, as sentences."""
    known = {name: s for s in found.ranked if s.verdict == "change" for name in (s.id, *s.ids)}
    suspect = _of(row, known)
    if suspect is None or not knows(found):
        return []
    return [r.text for r in suspect.reasons if r.weight > 0 and r.signal in ("effect", "wording")][:REASONS]


def content(row: Ranked, found: Analysis) -> Json:
    """`sure`: how sure the analysis is ("" where it saw no failures); `why`: what in the change can bring them."""
    if not knows(found):
        return {"sure": "", "why": []}
    named = row.score >= CLEAR
    sure = "low" if not named else "high" if found.cause.confidence >= SURE else "medium"
    return {"sure": sure, "why": why(row, found)}

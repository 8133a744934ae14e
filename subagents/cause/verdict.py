"""One verdict from changes and operational causes: probabilities, a tie said as a tie, or that nothing explains it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from math import exp

from subagents.cause.model import Cause, Reason, Suspect
from subagents.cause.operational import Operational
from subagents.cause.places import Incident
from subagents.cause.suspects import SHARED, Weighed
from subagents.cause.telling import Telling
from subagents.cause.words import signature

UNKNOWN = 1.6  # what an explanation must outweigh: nothing explains it
SHARP = 1.0  # how much a point of score is worth in log-odds
NAMED = 0.55  # the least probability at which one cause is named
AHEAD = 0.12  # and by so much before the next
SHOWN = 10
TOGETHER = timedelta(minutes=2)  # of one deploy
EFFECT, ALIKE = 0.8, 0.4  # of the effects of two changes: enough to bring it, and no difference
AWAY = 1.8  # what an operational cause loses where a change explains it
KINDS = {"dns": "dns", "quota": "quota", "certificate": "certificate", "disk full": "disk", "traffic surge": "traffic",
         "noisy neighbour": "cpu", "bad data": "data"}  # fmt: skip


def suspects(weighed: Sequence[Weighed], others: Sequence[Operational]) -> list[Suspect]:
    """All explanations with their probabilities, best first; "unknown" among them."""
    fair = [w for w in weighed if not w.against]
    rows = [_change(w) for w in fair] + [_operational(o, _explained(o, fair)) for o in others]
    rows.append(Suspect("unknown", "", "unknown", "", "nothing that is known explains it", 0.0, UNKNOWN))
    total = sum(exp(SHARP * r.score) for r in rows)
    rows = [replace(r, probability=round(exp(SHARP * r.score) / total, 4)) for r in rows]
    return sorted(rows, key=lambda r: (-r.probability, r.id))


def ruled_out(weighed: Sequence[Weighed]) -> list[Suspect]:
    return [replace(_change(w), against=w.against) for w in weighed if w.against]


def _change(w: Weighed) -> Suspect:
    c = w.candidate
    reasons = tuple(sorted(w.reasons, key=lambda r: -abs(r.weight)))
    return Suspect("change", c.id, c.kind, c.service, c.change.title, 0.0, w.score, c.at, c.ids, "", reasons)


def _operational(o: Operational, by: Weighed | None) -> Suspect:
    reasons, score = o.reasons, o.score
    if by is not None:
        why = Reason("explained", f"{by.candidate.id[:12]} on {by.candidate.service} can bring just that", -AWAY)
        reasons, score = (*reasons, why), score - AWAY
    return Suspect("operational", o.kind, o.kind, o.service, o.title, 0.0, score, reasons=reasons)


def _explained(o: Operational, weighed: Sequence[Weighed]) -> Weighed | None:
    """A change there, or near it, that can bring just this kind of trouble explains it away."""
    kind = KINDS.get(o.kind, "")
    fits = [w for w in weighed if kind in w.brings and w.score >= UNKNOWN and _near(w, o)]
    return max(fits, key=lambda w: w.score, default=None)


def _near(w: Weighed, o: Operational) -> bool:
    return w.candidate.service == o.service or all(r.weight >= SHARED for r in w.reasons if r.signal == "place")


def cause(found: Incident, told: Telling, ranked: Sequence[Suspect]) -> Cause:
    """The first of the ranked, where it stands clear of the second."""
    best, second = ranked[0], ranked[1] if len(ranked) > 1 else None
    blast = tuple(sorted(p.service for p in found.places[1:] if p.onset is not None))
    base = Cause(
        "unknown",
        first_failing=found.first,
        blast_radius=blast,
        signature=_signature(found, told),
        onset=found.onset,
        uncertainty=(found.sure - found.onset).total_seconds() if found.sure and found.onset else 0.0,
        service=found.first,
        reasons=_where(found),
    )
    clear = best.probability >= NAMED and (second is None or best.probability - second.probability >= AHEAD)
    twins = tuple(r.id for r in ranked[1:] if _twins(best, r))
    clear = clear and not twins
    if best.verdict != "unknown" and clear:
        return replace(
            base,
            verdict=best.verdict,
            change=best.id if best.verdict == "change" else "",
            kind=best.kind,
            title=best.title,
            service=best.service or found.first,
            confidence=best.probability,
            reasons=(*best.reasons, *base.reasons),
        )
    near = (r for r in ranked if r.verdict != "unknown" and r.probability >= 0.6 * best.probability)
    tied = tuple(dict.fromkeys((*((best.id, *twins) if twins else ()), *(r.id for r in near))))
    tied = tied if len(tied) > 1 and best.verdict != "unknown" else ()
    why = f"{len(tied)} explanations are as likely as one another" if tied else "no change clearly explains this"
    sure = next((r.probability for r in ranked if r.verdict == "unknown"), 0.0)
    return replace(base, confidence=sure, tied=tied, reasons=(Reason("undecided", why), *base.reasons))


def _twins(best: Suspect, other: Suspect) -> bool:
    """Two changes of one service that took effect together, and whose content brings the same as strongly: then only
    words speak for one of them, and words of failures are those of what fails, not of what was set."""
    same = (best.verdict, best.kind, best.service) == ("change", other.kind, other.service) and best.id != other.id
    if not same or best.at is None or other.at is None or abs(best.at - other.at) > TOGETHER:
        return False
    mine, its = ({r.signal: r for r in s.reasons} for s in (best, other))
    if "effect" not in mine or "effect" not in its or {"named", "taken back"} & (mine.keys() ^ its.keys()):
        return False
    weights = mine["effect"].weight, its["effect"].weight
    return min(weights) >= EFFECT and abs(weights[0] - weights[1]) <= ALIKE and _brings(mine) == _brings(its)


def _brings(reasons: Mapping[str, Reason]) -> str:
    return reasons["effect"].text.rpartition(": ")[2]


def _signature(found: Incident, told: Telling) -> str:
    return signature(told.families.items())


def _where(found: Incident) -> tuple[Reason, ...]:
    own = [s.reason for s in found.of(found.first) if s.hard]
    return tuple(sorted(own, key=lambda r: -r.weight)[:4]) + (found.places[0].reasons[:4] if found.places else ())

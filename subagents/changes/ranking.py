"""Which change may explain a symptom: a simple ranking by closeness in time, in the service graph, and by kind.

Honest rather than clever: it gives its reasons and what speaks against each other change, says a tie is a tie, and
that no change explains it when none is near. It reads no diff and knows no mechanism. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from orchestrator.contracts import Json
from subagents.cause.relations import carries, on_paper, same_environment, same_sha, taken_back, touches
from subagents.changes.switches import turned_back
from subagents.sources import Change
from subagents.topology import Topology

MARGIN = timedelta(minutes=2)  # an onset is no more exact than the bins it was counted in
HALF_LIFE = timedelta(hours=1)
ENOUGH = 0.25  # under this no change is a suspect
CLEAR = 0.8  # under this it is only the nearest, and nothing speaks for it but that
TIE = 0.95  # a score that near the best is as good
KINDS = {"deploy": 1.0, "release": 1.0, "flag": 1.0, "config": 1.0, "commit": 0.6, "ticket": 0.5}
STEP_ORDER, STEP_CALL = 0.85, 0.7  # a place further down in the order of services; a call further away
BACK = 1.3  # it was taken back later
ENDED = timedelta(minutes=30)  # planned work that was over so long before the onset has no part in it


@dataclass(frozen=True, slots=True)
class Symptom:
    """`services`: what fails, the likely origin first; `environment`: "" when none was named."""

    onset: datetime
    services: tuple[str, ...]
    topology: Topology
    environment: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """`against`: "" or what rules it out; `near`: the failing service it touches, `calls` away from it."""

    change: Change
    commits: tuple[Change, ...]
    score: float
    against: str
    near: str = ""
    calls: int = 0
    back: Change | None = None

    @property
    def what(self) -> str:
        return name(self.change)

    @property
    def key(self) -> str:
        return key(self.change)


def live(changes: Sequence[Change]) -> str:
    """The environment that is meant where nobody names one: production, as a change calls it that went there; "" where
    none says so."""
    return next((e for c in changes if (e := c.environment) and same_environment(e, "production")), "")


def rank(changes: Sequence[Change], symptom: Symptom) -> list[Ranked]:
    """All changes, best first; commits that a deploy carries stand under it."""
    whole = bundled(changes)
    found = [_weigh(change, commits, changes, symptom) for change, commits in whole]
    return sorted(found, key=lambda r: (-r.score, abs(symptom.onset - r.change.at), r.change.id))


def suspects(ranked: Sequence[Ranked]) -> list[Ranked]:
    return [r for r in ranked if r.score >= ENOUGH]


def tied(ranked: Sequence[Ranked]) -> list[Ranked]:
    """The best, and those as good; empty when there is no suspect."""
    good = suspects(ranked)
    return [r for r in good if r.score >= TIE * good[0].score]


def bundled(changes: Sequence[Change]) -> list[tuple[Change, tuple[Change, ...]]]:
    """Each change with the commits it carries; a carried commit doesn't stand alone."""
    commits = [c for c in changes if c.kind == "commit"]
    found, carried = [], set[str]()
    for change in changes:
        if change.kind == "commit":
            continue
        inside = tuple(c for c in commits if carries(change, c))
        carried |= {c.id for c in inside}
        found.append((change, inside))
    return found + [(c, ()) for c in commits if c.id not in carried]


def _weigh(change: Change, commits: tuple[Change, ...], others: Sequence[Change], symptom: Symptom) -> Ranked:
    near, calls, closeness = _relation(change, commits, symptom)
    against = _against(change, commits, symptom, closeness)
    if against:
        return Ranked(change, commits, 0.0, against, near, calls)
    back = taken_back(change, commits, others, symptom.onset) or turned_back(change, others)
    lead = max(timedelta(), symptom.onset - change.at) if change.until is None else timedelta()
    score = closeness * KINDS[change.kind] * 0.5 ** (lead / HALF_LIFE) * (BACK if back else 1.0)
    return Ranked(change, commits, score, "" if score >= ENOUGH else "too_far", near, calls, back)


def _relation(change: Change, commits: Sequence[Change], symptom: Symptom) -> tuple[str, int, float]:
    """The failing service that it touches or that depends on what it touches, how many calls away, and how close."""
    best = ("", 0, 0.0)
    for place, failing in enumerate(symptom.services):
        for touched in touches(change, commits, symptom.services):
            calls = symptom.topology.distance(failing, touched)
            close = 0.0 if calls is None else STEP_ORDER**place * STEP_CALL**calls
            best = max(best, (failing, calls or 0, close), key=lambda b: b[2])
    return best


def _against(change: Change, commits: Sequence[Change], symptom: Symptom, closeness: float) -> str:
    if change.outcome:
        return "not_done"
    if change.at > symptom.onset + MARGIN:
        return "after_onset"
    if change.environment and symptom.environment and not same_environment(change.environment, symptom.environment):
        return "other_environment"
    if on_paper(change, commits):
        return "docs_only"
    if change.until is not None and change.until < symptom.onset - ENDED:
        return "ended_before"
    return "" if closeness else _unrelated(change, commits, symptom)


def _unrelated(change: Change, commits: Sequence[Change], symptom: Symptom) -> str:
    """Why a change has nothing to do with what fails, as far as anybody says."""
    if not change.service:
        return "unknown_service"
    known = any(symptom.topology.knows(s) for s in touches(change, commits, symptom.services))
    return "other_service" if known else "unlinked"


def as_json(r: Ranked, onset: datetime) -> Json:
    c = r.change
    return {
        "id": c.id,
        "kind": c.kind,
        "service": c.service,
        "version": c.version,
        "sha": c.sha or (c.id if c.kind == "commit" else ""),
        "at": c.at.isoformat(),
        **by_whom(c, r.commits),
        "title": c.title[:200],
        "what": r.what,
        "key": r.key,
        "lead": round((onset - c.at).total_seconds()),
        "score": round(r.score, 3),
        "clear": r.score >= CLEAR,
        "against": r.against,
        "near": r.near,
        "calls": r.calls,
        "back": {"what": name(r.back), "at": r.back.at.isoformat()} if r.back else None,
    }


def by_whom(change: Change, commits: Sequence[Change]) -> dict[str, str]:
    """The author, and what names him: the change itself, or where it doesn't, the commit that it carries."""
    if change.author or not commits:
        return {"author": change.author, "author_of": change.kind if change.author else ""}
    own = [c for c in commits if c.author and same_sha(change.sha, c.id)]
    author = next((c.author for c in (*own, *commits) if c.author), "")
    return {"author": author, "author_of": "commit" if author else ""}


def key(change: Change) -> str:
    """A word that names this change and no other: its short sha, else its id."""
    return change.sha[:12] or (change.id[:12] if change.kind == "commit" else change.id)


def name(change: Change) -> str:
    """payment 2.4.1, a short sha, or what its system calls it (without the time that tells two switches apart)."""
    if change.version:
        return f"{change.service} {change.version}".strip()
    return change.id[:12] if change.kind == "commit" else change.id.partition("@")[0]

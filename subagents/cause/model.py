"""What an analysis says: the cause, what competed with it, where trouble began, which alerts deserve a person.

Data only; everything round-trips through JSON (`orchestrator.contracts.to_json`). Probabilities are between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from orchestrator.contracts import Window

Verdict = Literal["change", "operational", "unknown"]
Decision = Literal["page", "suppress"]


@dataclass(frozen=True, slots=True)
class Reason:
    """One piece of evidence for (or, with a negative weight, against), checkable by `query` over `window`.

    `signal`: which part of the analysis it comes from (timing, place, wording, effect …).
    """

    signal: str
    text: str
    weight: float = 0.0
    query: str = ""
    window: Window | None = None
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Suspect:
    """One explanation. `id`: the full sha where there is one, else the id of the deploy, flag or ticket; of an
    operational cause its kind. `ids`: all names of the same change; `against`: "" or what rules it out."""

    verdict: Verdict
    id: str
    kind: str
    service: str
    title: str
    probability: float
    score: float
    at: datetime | None = None
    ids: tuple[str, ...] = ()
    against: str = ""
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A service, by how likely the trouble began there. `onset`: of its first symptom."""

    service: str
    score: float
    onset: datetime | None = None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Triaged:
    """One alert. `group`: the alert that it belongs to (its own id where it stands for itself)."""

    id: str
    decision: Decision
    reason: str
    group: str
    service: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """`change`: the full sha where there is one, else the id of the deploy, flag or ticket; "" otherwise. `kind`: of
    the change, or of the operational cause. `onset` is known to within `uncertainty` seconds. `tied`: others that
    are as likely."""

    verdict: Verdict
    change: str = ""
    service: str = ""
    first_failing: str = ""
    blast_radius: tuple[str, ...] = ()
    signature: str = ""
    onset: datetime | None = None
    confidence: float = 0.0
    reasons: tuple[Reason, ...] = ()
    kind: str = ""
    title: str = ""
    uncertainty: float = 0.0
    tied: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Analysis:
    cause: Cause
    ranked: tuple[Suspect, ...] = ()
    services: tuple[Place, ...] = ()
    triage: tuple[Triaged, ...] = ()
    window: Window | None = None
    gaps: tuple[str, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)  # query → its console

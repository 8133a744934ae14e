"""What a report counts: amounts, rules, alerts, availability, errors and changes. `model.py` makes a report of them.

Data only, a part of its schema (docs/REPORT.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from orchestrator.contracts import Window

Kind = Literal["day", "week", "shift"]
Lang = Literal["zh", "en"]
Rating = Literal["quiet", "incomplete", "watch", "bad"]
Sure = Literal["known", "approx", "least", "unknown"]
Place = Literal["alerts", "availability", "errors", "changes", "incidents", "comparison"]


@dataclass(frozen=True, slots=True)
class Amount:
    """A number and how sure it is. `value` is None when it is unknown, and only then; `why`: what it lacks. `least`:
    what was seen of it, where a part of the time or of the answer is missing."""

    value: int | float | None
    sure: Sure = "known"
    why: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) != (self.sure == "unknown"):
            raise ValueError("an amount without a value is unknown, and one with a value is not")


def unknown(why: str) -> Amount:
    return Amount(None, "unknown", why)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the verdict that fired. `name`: as docs/REPORT.md lists it; `text`: what it saw."""

    name: str
    rating: Rating
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    rating: Rating
    rules: tuple[Rule, ...] = ()


# ── alerts ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class AlertRow:
    """One alert of one service with all its firings of the window.

    `fired`: rising edges inside the window, suppressed ones not; `firing`: seconds it fired inside the window, as far
    as is known; `end`
    None: open at the window's end, or not known to be over (`open` tells); `recurring` None: nobody can say whether it
    fired before; `page` None: not judged; `why`: what speaks for a person, or against.
    """

    name: str
    service: str
    severity: str
    fired: int
    first: datetime
    end: datetime | None
    firing: float
    open: bool = False
    open_known: bool = True
    recurring: bool | None = None
    flapping: bool = False
    suppressed: int = 0
    page: bool | None = None
    why: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class AlertHour:
    """Rising edges of one hour of the local clock, by severity. None: unknown, not zero."""

    start: datetime
    by: Mapping[str, int] | None


@dataclass(frozen=True, slots=True)
class Alerts:
    """`fired`: rising edges inside the window that nobody suppressed; `inhibited`, `silenced`: those that were, apart;
    `carried`: firing since before the window; `by_severity`, `by_service`: of `fired`, the most first; `rows`: the
    worst first, at most as many as `distinct` says there are; `resolve_median`, `resolve_p90`: seconds from start to
    end of firings that ended inside the window; `deserved`: rows that deserve a person, by the triage."""

    fired: Amount
    inhibited: Amount
    silenced: Amount
    carried: Amount
    still_open: Amount
    distinct: Amount
    new: Amount
    recurring: Amount
    flapping: Amount
    deserved: Amount
    resolve_median: Amount
    resolve_p90: Amount
    by_severity: Mapping[str, int] = field(default_factory=dict)
    by_service: Mapping[str, int] = field(default_factory=dict)
    hours: tuple[AlertHour, ...] = ()
    rows: tuple[AlertRow, ...] = ()
    longest: AlertRow | None = None


# ── availability, errors, changes ─────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Availability:
    """`percent` of `total` requests that were good; `objective` in percent, None: none is set; `budget_left`: percent
    of the error budget of `budget_window`, below 0 when overspent; `budget_spent`: percent of it that this report's
    window alone spent."""

    service: str
    percent: Amount
    total: Amount
    bad: Amount
    objective: float | None
    budget_left: Amount
    budget_window: Window | None = None
    budget_spent: Amount = Amount(None, "unknown")


@dataclass(frozen=True, slots=True)
class ErrorHour:
    """Error lines of an hour of the local clock, and in the same hour of the like day. None: unknown, not zero."""

    start: datetime
    n: int | None
    before: int | None = None


@dataclass(frozen=True, slots=True)
class ServiceErrors:
    """Lines of level error and fatal. `before`: on the like day; `hours`: by hour, in the order of `Errors.hours`."""

    service: str
    n: Amount
    before: Amount
    hours: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PatternRow:
    """`before` None: there is no like day to look at; `new`: it wasn't there then."""

    template: str
    service: str
    level: str
    n: int
    before: int | None
    new: bool
    first: datetime | None
    sample: str


@dataclass(frozen=True, slots=True)
class Errors:
    """`rows`: the most errors first; `patterns`: new ones first; `like`: the day that `before` speaks of, None where
    there is none; `why_not`: then why; `sampled`: the logs are a sample, so that what patterns count stands in `total`
    and `rows`, while `hours` are of the sample."""

    total: Amount
    before: Amount
    rows: tuple[ServiceErrors, ...] = ()
    hours: tuple[ErrorHour, ...] = ()
    patterns: tuple[PatternRow, ...] = ()
    like: Window | None = None
    why_not: str = ""
    sampled: bool = False


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """`near`: key of the incident that it stands near, else ""; `lead`: seconds from the change to that incident's
    onset (below 0: after it); `blamed`: it is that incident's suspect or cause; `until`: planned work's end."""

    id: str
    kind: str
    service: str
    at: datetime
    title: str
    author: str = ""
    version: str = ""
    until: datetime | None = None
    near: str = ""
    lead: float | None = None
    blamed: bool = False


@dataclass(frozen=True, slots=True)
class Changes:
    total: Amount
    by_kind: Mapping[str, int] = field(default_factory=dict)
    rows: tuple[ChangeRow, ...] = ()

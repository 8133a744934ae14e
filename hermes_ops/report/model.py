"""A finished ops report: figures that code counted, the verdict that stated rules gave, and the words around them.

Data only, schema 1 (docs/REPORT.md): it round-trips through JSON by `orchestrator.contracts.to_json` and `from_json`.
Times are aware, durations are seconds, shares are percent. It knows no source, no page and no chat. Whatever was
counted is an `Amount`, which tells zero from unknown. Names of services, alerts and people are what the sources say:
whoever shows them escapes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from hermes_ops.report.parts import AlertHour as AlertHour
from hermes_ops.report.parts import AlertRow as AlertRow
from hermes_ops.report.parts import Alerts as Alerts
from hermes_ops.report.parts import Amount as Amount
from hermes_ops.report.parts import Availability as Availability
from hermes_ops.report.parts import ChangeRow as ChangeRow
from hermes_ops.report.parts import Changes as Changes
from hermes_ops.report.parts import ErrorHour as ErrorHour
from hermes_ops.report.parts import Errors as Errors
from hermes_ops.report.parts import Kind as Kind
from hermes_ops.report.parts import Lang as Lang
from hermes_ops.report.parts import PatternRow as PatternRow
from hermes_ops.report.parts import Place as Place
from hermes_ops.report.parts import Rating as Rating
from hermes_ops.report.parts import Rule as Rule
from hermes_ops.report.parts import ServiceErrors as ServiceErrors
from hermes_ops.report.parts import Sure as Sure
from hermes_ops.report.parts import Verdict as Verdict
from hermes_ops.report.parts import unknown as unknown
from orchestrator.contracts import Window

SCHEMA = 1

CauseKind = Literal["confirmed", "change", "operational", "unknown", "undecided"]
Against = Literal["day_before", "week_before", "period_before"]


# ── incidents ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Proof:
    """One line of evidence, with the query that shows it and the console at that query, where there is one."""

    text: str
    query: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class CauseSaid:
    """`confirmed`: an operator's word (`by`, `at`); `change`: a suspect, `change` its id and `service` its service;
    `operational`: no change, but what `title` says; `unknown`: no change explains this; `undecided`: not analysed,
    or nothing is clear enough to be named, `title` being what comes nearest. `confidence` 0 to 1."""

    kind: CauseKind
    title: str = ""
    change: str = ""
    service: str = ""
    version: str = ""
    author: str = ""
    changed_at: datetime | None = None
    confidence: float | None = None
    by: str = ""
    at: datetime | None = None

    @property
    def found(self) -> bool:
        return self.kind not in ("unknown", "undecided")


@dataclass(frozen=True, slots=True)
class Incident:
    """Alerts near in time and on the service graph. `key`: the same in every report that covers it; `start`: of its
    first alert; `end` None: not over at the window's end, or (`open_known` False) nobody can say; `onset`: of its first
    symptom, where one was found; `alerts`: "name/service"; `first_failing`: "" where the analysis doesn't say;
    `reached`: services that suffered; `seen_until`: how far alerts are known, where that is before the window's end."""

    key: str
    start: datetime
    end: datetime | None
    severity: str
    services: tuple[str, ...]
    alerts: tuple[str, ...]
    cause: CauseSaid
    onset: datetime | None = None
    first_failing: str = ""
    reached: tuple[str, ...] = ()
    proof: tuple[Proof, ...] = ()
    cleared: tuple[str, ...] = ()  # changes near it that were looked at and not blamed
    open_known: bool = True
    seen_until: datetime | None = None


# ── the rest ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Compared:
    """The same figures of an earlier time. `window` None: there is nothing to compare with, `why_not` says why."""

    against: Against
    window: Window | None
    alerts: Amount
    errors: Amount
    availability: Mapping[str, float] = field(default_factory=dict)
    like: bool = True  # False: a workday beside a day off
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Attention:
    """What needs a person now. `kind`: open_alert | budget | incident | errors | gap | change; `service` may be ""."""

    kind: str
    text: str
    service: str = ""


@dataclass(frozen=True, slots=True)
class OnCall:
    """`start`, `end`: None where the roster gives none."""

    who: str
    contact: str = ""
    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class Silence:
    """An alert that is kept quiet. `by`: whom or what; `until` None: the source doesn't say."""

    name: str
    service: str
    by: str = ""
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Handover:
    """What the next shift gets: open alerts, what is silenced, changes in flight, what to watch."""

    open: tuple[AlertRow, ...] = ()
    silences: tuple[Silence, ...] = ()
    in_flight: tuple[ChangeRow, ...] = ()
    watch: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """What could not be told. `source`: whose answer it is about; `where`: the part of the report it touches."""

    source: str
    what: str
    where: Place


@dataclass(frozen=True, slots=True)
class Prose:
    """Two to five sentences. `author`: who wrote them; `model`: its name; `why`: why a template, where a model was
    wanted; `dropped`: sentences of the model that its figures didn't bear out."""

    sentences: tuple[str, ...] = ()
    author: Literal["template", "model"] = "template"
    model: str = ""
    why: str = ""
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DayLine:
    """One day of a week. `missing`: no report of it is stored."""

    window: Window
    rating: Rating | None
    alerts: Amount
    errors: Amount
    incidents: Amount
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """`services`: what it was narrowed to, () = all; `days`: of a week, its days; `corrected`: it replaces an earlier
    one of the same window; `workday`: whether the window's first day is one."""

    kind: Kind
    team: str
    window: Window
    lang: Lang
    made_at: datetime
    verdict: Verdict
    alerts: Alerts
    errors: Errors
    changes: Changes
    availability: tuple[Availability, ...] = ()
    incidents: tuple[Incident, ...] = ()
    comparison: tuple[Compared, ...] = ()
    attention: tuple[Attention, ...] = ()
    on_call: tuple[OnCall, ...] = ()
    handover: Handover | None = None
    gaps: tuple[Gap, ...] = ()
    prose: Prose = Prose()
    services: tuple[str, ...] = ()
    days: tuple[DayLine, ...] = ()
    corrected: bool = False
    workday: bool = True
    schema: int = SCHEMA

"""What is true of a generated incident: written beside the folder that the bot reads, never into it. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from hermes_ops.demo.variant import Variant


@dataclass(frozen=True, slots=True)
class Cause:
    """`verdict`: change | operational | unknown; `change`: the full sha where there is one, else the id; `ids`: all
    names under which the same change may rightly be given."""

    verdict: str
    kind: str
    service: str
    signature: str
    change: str = ""
    ids: tuple[str, ...] = ()
    version: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Trouble:
    """One incident. `service`: the one that people ask about; `end` None: still going on where the data ends."""

    cause: Cause
    service: str
    first_failing: str
    blast_radius: tuple[str, ...]
    onset: datetime
    end: datetime | None


@dataclass(frozen=True, slots=True)
class AlertEpisode:
    name: str
    service: str
    severity: str
    start: datetime
    end: datetime | None
    related: bool


@dataclass(frozen=True, slots=True)
class Requests:
    requests: int
    bad: int


@dataclass(frozen=True, slots=True)
class LogFile:
    path: str
    service: str
    format: str


@dataclass(frozen=True, slots=True)
class Expected:
    """A figure that the answer must rest on."""

    name: str
    value: float
    labels: dict[str, str] = field(default_factory=dict)
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True)
class Question:
    """`about`: cause | day (the cause, asked without an hour) | errors | alerts | availability | changes; `route`: the
    sub-agents it concerns."""

    about: str
    lang: str
    text: str
    route: tuple[str, ...]
    figures: tuple[Expected, ...] = ()


@dataclass(frozen=True, slots=True)
class Truth:
    """`errors`: service → hour (UTC, ISO) → lines of level error and worse; hours without any are left out."""

    seed: int
    variant: Variant
    now: datetime
    zone: str
    since: datetime
    until: datetime
    trouble: Trouble
    other: Trouble | None
    services: tuple[str, ...]
    calls: tuple[tuple[str, str], ...]
    errors: dict[str, dict[str, int]]
    alerts: tuple[AlertEpisode, ...]
    requests: dict[str, Requests]
    changes: dict[str, int]
    decoys: dict[str, str]
    files: tuple[LogFile, ...]
    questions: tuple[Question, ...]

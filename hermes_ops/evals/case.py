"""One case of a suite: what is asked, and what must be true of the answer. Knows neither files nor the application."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pydantic import ConfigDict

from orchestrator.contracts import AnswerStatus

STRICT = ConfigDict(extra="forbid")  # a misspelt key would be a check that is never made


@dataclass(frozen=True, slots=True)
class Wanted:
    """A figure that the evidence must hold, or the answer say. `labels`: at least these."""

    __pydantic_config__ = STRICT

    name: str
    value: float
    labels: dict[str, str] = field(default_factory=dict)
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True)
class Span:
    __pydantic_config__ = STRICT

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class WantedCause:
    """`ids`: names under which the change may be given; none where no change did it. `decoys`: what must not be.
    `first_failing`, `blast_radius`: "" and () aren't checked."""

    __pydantic_config__ = STRICT

    verdict: Literal["change", "operational", "unknown"]
    ids: tuple[str, ...] = ()
    decoys: tuple[str, ...] = ()
    first_failing: str = ""
    blast_radius: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """What is None isn't checked; `route` () means that nobody is asked. `folder`: absolute, or "" where `seed` says
    which incident is generated; its question is then the one `about` something in `lang`, unless one is written.

    `before`: questions of the same conversation, asked first; `catalogue`: services that the application is told of.
    A `window` may also be "usual" (no time was named) or "present" (that, or one that ends now)."""

    __pydantic_config__ = STRICT

    id: str
    question: str = ""
    before: tuple[str, ...] = ()
    now: datetime | None = None
    zone: str = "UTC"
    folder: str = ""
    catalogue: tuple[str, ...] = ()
    seed: int | None = None
    variant: str = ""
    about: str = "cause"
    lang: str = "en"
    status: tuple[AnswerStatus, ...] = ()
    route: tuple[str, ...] | None = None
    facts: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    figures: tuple[Wanted, ...] = ()
    window: Span | Literal["usual", "present"] | None = None
    services: tuple[str, ...] | None = None  # exactly those of the answer's scope
    cause: WantedCause | None = None
    verified: bool = False  # nothing in the answer may be marked as not borne out
    whole: bool = False  # no file of the folder may be left unread

"""What a domain asks of a data source, whatever lies behind it (a folder, Prometheus, Loki, git …).

Sources push work down: counting and grouping happen where the data is. Each answer states its exact query, its
absolute window, how many rows there are in all, whether it is complete, and its gaps in words. Times are aware UTC;
windows are half-open; durations are seconds. Rows come oldest first. A source that can't answer raises `SourceError`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Generic, Literal, Protocol, TypeVar

from orchestrator.contracts import Scope, Window
from orchestrator.errors import HermesError

if TYPE_CHECKING:
    from subagents.watched import WatchSource

T = TypeVar("T")
Level = Literal["fatal", "error", "warn", "info", "debug", "unknown"]


class SourceError(HermesError):
    """A source is unreachable or refuses. `kind`: unreachable | denied | timeout | bad_query | bad_answer."""

    def __init__(self, source: str, message: str, kind: str = "unreachable") -> None:
        super().__init__(f"{source}: {message}")
        self.source = source
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """Rows with their provenance. `total`: of all rows (None: unknown); `link`: the console at that window."""

    rows: T
    query: str
    window: Window | None
    scope: Scope = Scope()
    link: str = ""
    total: int | None = None
    complete: bool = True
    approx: bool = False
    gaps: tuple[str, ...] = ()
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Health:
    ok: bool
    detail: str  # a sentence: what answered, or what is wrong and what to do


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a source can speak of. `since`/`until`: first and last record; `zone`: the clock the data is written in;
    `sparse`: of something that needn't happen for days, so that `since` isn't when the source began to look."""

    since: datetime | None
    until: datetime | None
    zone: str = "UTC"
    services: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sparse: bool = False


class Source(Protocol):
    name: str
    caps: frozenset[str]

    async def probe(self) -> Health: ...
    async def coverage(self) -> Coverage: ...


# ── logs ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class LogQuery:
    """() = all. `text`: literals that must all occur, in any case; `near`: words near each other (`subagents.near`)."""

    window: Window
    services: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    text: tuple[str, ...] = ()
    near: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class LogLine:
    at: datetime | None
    service: str
    level: Level
    message: str  # without the parsed prefix; a stack trace belongs to its first line
    origin: str  # "file:line" or the stream
    fields: Mapping[str, str] = field(default_factory=dict)
    context: tuple[str, ...] = ()  # neighbouring lines where asked for


@dataclass(frozen=True, slots=True)
class Count:
    """One group: `keys` by the asked dimensions (service, level, hour, code …; hour = ISO start of the hour in UTC)."""

    keys: Mapping[str, str]
    n: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """A mined template (`<*>` for what varies) with its counts inside the window and in the baseline before it."""

    template: str
    service: str
    level: Level
    n: int
    before: int | None  # in the baseline of the same length; None: no baseline there
    first: datetime | None
    last: datetime | None
    sample: str
    name: str = ""  # its id in the tool that mined it, where one did


class LogSource(Source, Protocol):
    async def count(self, q: LogQuery, by: tuple[str, ...]) -> Answered[tuple[Count, ...]]: ...
    async def search(
        self, q: LogQuery, limit: int = 50, context: int = 0, cursor: str | None = None
    ) -> Answered[tuple[LogLine, ...]]: ...
    async def patterns(
        self, q: LogQuery, baseline: Window | None, limit: int = 20
    ) -> Answered[tuple[Pattern, ...]]: ...
    def batches(self, q: LogQuery) -> AsyncIterator[tuple[LogLine, ...]]: ...


# ── alerts, metrics, spans ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Episode:
    """One firing of one alert, from rising to falling edge. `end` None: still open at the end of the data.
    `suppressed`: inhibited or silenced for all or part of it, by whom or what is in `by`; it is kept all the same."""

    name: str
    service: str
    severity: str
    start: datetime
    end: datetime | None
    suppressed: bool = False
    by: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    link: str = ""
    end_known: bool = True  # False: the source can't tell whether it still fires
    runbook: str = ""  # its runbook's address, where the settings allow it to be shown
    notified: tuple[tuple[str, str], ...] = ()  # (receiver, its group's labels) for each that its sender routes it to


@dataclass(frozen=True, slots=True)
class AlertQuery:
    """Episodes that overlap `window`. `grouped`: with `notified`, where a source must ask for that apart."""

    window: Window
    services: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    grouped: bool = False


class AlertSource(Source, Protocol):
    async def episodes(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]: ...
    async def current(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]: ...


@dataclass(frozen=True, slots=True)
class MetricQuery:
    window: Window
    services: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Series:
    """`points`: (time, value), oldest first. `kind` counter: raw, ever growing; the source gives `rate` beside it."""

    name: str
    service: str
    kind: Literal["gauge", "counter", "unknown"]
    unit: str
    points: tuple[tuple[datetime, float], ...]
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Good of all requests of a service in a window: an availability. `objective`: what is promised, in percent."""

    service: str
    total: int | float
    bad: int | float
    unit: str = "requests"
    approx: bool = False
    objective: float | None = None

    @property
    def percent(self) -> float | None:
        return None if not self.total else 100.0 * (self.total - self.bad) / self.total

    @property
    def spent(self) -> float | None:
        """Percent of the window's error budget that the bad ones used; over 100: the objective was missed."""
        if self.objective is None or not self.total:
            return None
        return 100.0 * self.bad / (self.total * (1 - self.objective / 100))


class MetricSource(Source, Protocol):
    async def series(self, q: MetricQuery, step: float | None = None) -> Answered[tuple[Series, ...]]: ...
    async def ratio(self, services: tuple[str, ...], window: Window) -> Answered[tuple[Ratio, ...]]: ...


@dataclass(frozen=True, slots=True)
class Span:
    trace: str
    id: str
    parent: str | None
    service: str
    name: str
    start: datetime
    seconds: float
    error: str = ""  # "" = ok
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edge:
    caller: str
    callee: str
    calls: int


class SpanSource(Source, Protocol):
    async def spans(
        self, window: Window, services: tuple[str, ...] = (), limit: int = 50
    ) -> Answered[tuple[Span, ...]]: ...
    async def edges(self, window: Window | None) -> Answered[tuple[Edge, ...]]: ...


# ── changes ───────────────────────────────────────────────────────────────────────────────────

ChangeKind = Literal["commit", "deploy", "release", "flag", "config", "ticket"]


@dataclass(frozen=True, slots=True)
class Change:
    """Something that was changed. `at`: when it took effect (a commit: committer time); `until`: planned work's end."""

    id: str  # full sha of a commit, else the id in its system
    kind: ChangeKind
    service: str
    at: datetime
    title: str
    author: str = ""
    until: datetime | None = None
    version: str = ""
    sha: str = ""  # of a deploy or release: what it carries
    environment: str = ""
    files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()  # shas a deploy carries
    reverts: str = ""  # id of the change that this one takes back
    body: str = ""
    has_diff: bool = False
    outcome: str = ""  # its system's word where it changed nothing: failed, canceled …


@dataclass(frozen=True, slots=True)
class ChangeQuery:
    window: Window
    services: tuple[str, ...] = ()
    kinds: tuple[ChangeKind, ...] = ()


class ChangeSource(Source, Protocol):
    async def list(
        self, q: ChangeQuery, limit: int = 200, cursor: str | None = None
    ) -> Answered[tuple[Change, ...]]: ...
    async def diff(self, id: str, cap: int = 4000) -> Answered[str]: ...


@dataclass(frozen=True, slots=True)
class Sources:
    """What one environment offers; a kind may have none, or several that are asked together."""

    alerts: tuple[AlertSource, ...] = ()
    metrics: tuple[MetricSource, ...] = ()
    logs: tuple[LogSource, ...] = ()
    spans: tuple[SpanSource, ...] = ()
    changes: tuple[ChangeSource, ...] = ()
    watched: tuple[WatchSource, ...] = ()
    skipped: tuple[Mapping[str, str], ...] = ()  # files that nothing recognised: {path, why}

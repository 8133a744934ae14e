"""Names and shapes that every room shares. Data only: nothing here reads a clock, a file or a socket.

Everything round-trips through JSON (`to_json`, `from_json`); times are aware; windows are half-open
`[start, end)`; durations are seconds. This module deliberately knows no domain, no database and no chat platform.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal, TypeAlias, TypeVar

import pydantic_core
from pydantic import TypeAdapter

Json: TypeAlias = Any  # what json.loads returns
Message: TypeAlias = dict[str, Any]  # one chat-completions message
T = TypeVar("T")

ToolStatus = Literal["ok", "no_data", "error", "denied"]
AnswerStatus = Literal["ok", "partial", "no_evidence", "needs_input", "busy", "cancelled", "failed"]


_adapter: Callable[[Any], TypeAdapter[Any]] = lru_cache(maxsize=64)(TypeAdapter)


def dumps(value: Json) -> str:
    """JSON text, Chinese as it is; NaN and infinities as json.loads reads them back. TypeError: no JSON data."""
    try:
        return pydantic_core.to_json(value, inf_nan_mode="constants").decode()
    except pydantic_core.PydanticSerializationError:  # half a surrogate pair, or no JSON data
        return json.dumps(value, ensure_ascii=False)


def to_json(value: Any) -> Json:
    """A contract object as plain JSON data (ISO 8601 times)."""
    return _adapter(type(value)).dump_python(value, mode="json")


def from_json(cls: type[T], data: Json) -> T:
    """The contract object that `to_json` made. Raises pydantic.ValidationError on a foreign shape."""
    result: T = _adapter(cls).validate_python(data)
    return result


# ── what a question is about ──────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Window:
    """Half-open and absolute. `zone`: the asker's, by IANA name; `said`: the words; `why`: how they were read."""

    start: datetime
    end: datetime
    zone: str = "UTC"
    said: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise ValueError("a window needs aware times")
        if self.end < self.start:
            raise ValueError("a window ends after it starts")

    def __contains__(self, at: datetime) -> bool:
        return self.start <= at < self.end


@dataclass(frozen=True, slots=True)
class Scope:
    """What the question is about: an environment and the canonical names of services ("" / () = not said)."""

    environment: str = ""
    services: tuple[str, ...] = ()
    said: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks, and where: both the asker's and the chat's rights count."""

    user: str = "local"
    chat: str = ""
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    name: str
    kind: str  # media type
    path: str  # where the bytes lie


@dataclass(frozen=True, slots=True)
class Incoming:
    """One message, already masked. `at`: when it was sent; `anchored`, `zoned`: by hand; `attempt`: from 0."""

    id: str
    text: str
    at: datetime
    zone: str = "UTC"
    tenant: str = ""
    channel: str = "cli"
    chat: str = ""
    thread: str | None = None
    user: str = "local"
    locale: str = ""
    quote: str | None = None
    attachments: tuple[Attachment, ...] = ()
    attempt: int = 0
    anchored: bool = False
    zoned: bool = False


# ── what tools and agents give back ───────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Figure:
    """One number that code counted or measured. `unit`: "", "%", "s", "ms", "B", "/s" …; a ratio is given in %."""

    name: str
    value: int | float
    unit: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    approx: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool found. `query` is the exact query, `shown` of `total` rows are in `text`; counts cover all rows."""

    status: ToolStatus
    text: str
    data: Json = None
    figures: tuple[Figure, ...] = ()
    source: str = ""
    query: str = ""
    window: Window | None = None
    link: str = ""
    shown: int = 0
    total: int | None = None
    complete: bool = True
    gaps: tuple[str, ...] = ()
    labels: frozenset[str] = frozenset()  # who may see it; empty: whoever may ask (all that the one policy knows)
    ends: bool = False  # a house tool whose result is the answer (a question back to the person)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One tool result under the id by which an answer cites it (A1, L3, C101 …)."""

    id: str
    agent: str
    tool: str
    args: Json
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Findings:
    """Sub-agent → supervisor. `summary` is the model's words; all else is filled by code from tool results."""

    agent: str
    status: Literal["ok", "partial", "failed"]
    summary: str
    stopped: str | None = None
    evidence: tuple[Evidence, ...] = ()
    onset: datetime | None = None
    services: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    needs: str = ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(f for e in self.evidence for f in e.result.figures)


@dataclass(frozen=True, slots=True)
class Usage:
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost is None and other.cost is None else (self.cost or 0.0) + (other.cost or 0.0)
        return Usage(
            self.model_calls + other.model_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            cost,
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of the route: which sub-agent was asked what, for which window, why, and how it went."""

    subagent: str
    task: str
    window: str
    reason: str
    status: str
    ms: int


@dataclass(frozen=True, slots=True)
class Answer:
    run_id: str
    status: AnswerStatus
    text: str
    window: Window | None = None
    scope: Scope = Scope()
    evidence: tuple[Evidence, ...] = ()
    cause: Json = None
    unverified: tuple[str, ...] = ()
    route: tuple[Asked, ...] = ()
    skipped: tuple[Json, ...] = ()
    usage: Usage = Usage()
    model: str = ""
    offline: bool = False
    fallback: str = ""  # why the configured model was not used, if it was not


# ── events: journal, trace and progress in one ────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class BlobRef:
    """A text kept outside its event under its content's hash. `text` is there when it was just made or was loaded."""

    hash: str
    size: int
    text: str | None = field(default=None, compare=False)

    @classmethod
    def of(cls, text: str) -> BlobRef:
        raw = text.encode("utf-8", "surrogatepass")
        return cls(sha256(raw).hexdigest()[:40], len(raw), text)


@dataclass(frozen=True, slots=True)
class Event:
    """One fact about a run under its deterministic key (run, path, n). `body` ≤ 4 KB, no long texts."""

    run: str
    path: str
    n: int
    kind: str
    at: datetime
    body: dict[str, Json]
    blobs: tuple[BlobRef, ...] = ()
    v: int = 1


# ── models ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model asked for. `args` is None when `raw` could not be read; `fault` then says why."""

    id: str
    name: str
    args: dict[str, Json] | None
    raw: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """`finish`: stop | tool_calls | length | content_filter. `notes`: what the gateway had to mend, for the trace."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    finish: str = "stop"
    usage: Usage = Usage()
    model: str = ""
    attempts: int = 1
    notes: tuple[str, ...] = ()

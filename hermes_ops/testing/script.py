"""What a scripted model says, step by step, whether in the process (`ScriptedModel`) or over HTTP (`ScriptedServer`).

Strict: a request nobody expected raises `Unexpected`, steps nobody asked for raise `Leftovers`. It knows nothing of
HTTP and nothing of agents.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from orchestrator.contracts import Json, Message


class Unexpected(AssertionError):
    """A request that the script has no step for, or that isn't what its step expects."""


class Leftovers(AssertionError):
    """Steps that nobody asked for."""


class Fault(StrEnum):
    """Ways in which one reply goes wrong. Those of the last group need HTTP: `ScriptedModel` refuses them."""

    EMPTY = "empty"  # neither text nor calls
    LENGTH = "length"  # finish_reason length, the last call's arguments cut
    CONTENT_FILTER = "content_filter"
    TWO_OBJECTS = "two_objects"  # all calls' arguments behind one another in the first call
    SINGLE_QUOTES = "single_quotes"
    TRAILING_COMMA = "trailing_comma"
    FENCED = "fenced"  # arguments in a Markdown fence
    CUT_JSON = "cut_json"  # arguments end in the middle
    REASONING_FIRST = "reasoning_first"  # <think>…</think> in the content, before text and calls
    LEAKED_TAGS = "leaked_tags"  # calls as <tool_call> tags in the content
    LEAKED_FENCE = "leaked_fence"  # calls as a fenced JSON block in the content
    LEAKED_JSON = "leaked_json"  # calls as bare JSON in the content
    TEXT_DIALECT = "text_dialect"  # calls as [TOOL_CALL]…[/TOOL_CALL]

    NO_CHOICES = "no_choices"
    MISSING_ID = "missing_id"
    REPEATED_ID = "repeated_id"
    NO_USAGE = "no_usage"

    SERVER_ERROR = "server_error"
    OVERLOADED = "overloaded"
    RATE_LIMIT = "rate_limit"  # 429; `retry_after` of the step is sent when set
    QUOTA = "quota"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    UNKNOWN_MODEL = "unknown_model"
    MODERATION = "moderation"
    CONTEXT_LENGTH = "context_length"
    BAD_REQUEST = "bad_request"
    REDIRECT = "redirect"

    NO_INDEX = "no_index"
    NO_INDEX_NO_ID = "no_index_no_id"
    BAD_CHUNK = "bad_chunk"
    CUT_STREAM = "cut_stream"  # the connection ends in the middle
    NO_FINISH = "no_finish"  # a whole stream, without finish_reason
    HTML = "html"  # 200 with a web page
    PLAIN_BODY = "plain_body"  # one JSON object where a stream was asked for
    NOT_JSON = "not_json"
    ERROR_CHUNK = "error_chunk"  # an error object inside the stream
    DROPPED = "dropped"  # the connection ends before any answer
    HANG = "hang"  # never answers


ON_THE_WIRE = frozenset(list(Fault)[list(Fault).index(Fault.NO_INDEX) :])


@dataclass(frozen=True, slots=True)
class Step:
    """One reply, and what its request must look like. `calls`: (tool, arguments or raw argument text).

    Expectations: `offers` names of tools that are in the request (() = none at all, None = no matter), `contains` a
    piece of the last message's content, `choice` what tool_choice says. `latency`: seconds before the reply.
    """

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Json] | str], ...] = ()
    reasoning: str = ""
    finish: str = ""
    fault: Fault | None = None
    retry_after: float | None = None
    usage: tuple[int, int] = (100, 20)
    latency: float = 0.0
    offers: tuple[str, ...] | None = None
    contains: str = ""
    choice: str = ""

    def check(self, messages: Sequence[Message], names: Sequence[str], choice: str) -> None:
        """Raises Unexpected when the request isn't what this step expects."""
        last = str(messages[-1].get("content") or "") if messages else ""
        if self.contains and self.contains not in last:
            raise Unexpected(f"the last message doesn't contain {self.contains!r}: {last[:300]!r}")
        if self.offers == () and names:
            raise Unexpected(f"no tools were expected in the request, but {', '.join(names)} came")
        if self.offers and (missing := [n for n in self.offers if n not in names]):
            raise Unexpected(f"tools {', '.join(missing)} aren't offered; these are: {', '.join(names) or 'none'}")
        if self.choice and self.choice != choice:
            raise Unexpected(f"tool_choice is {choice!r}, expected {self.choice!r}")


def says(text: str, **more: Json) -> Step:
    return Step(text=text, **more)


def calls(*wanted: tuple[str, Mapping[str, Json] | str], **more: Json) -> Step:
    return Step(calls=wanted, **more)


Decide: TypeAlias = Callable[[Sequence[Message], Sequence[Json]], Step]
Lanes: TypeAlias = Mapping[str, Iterable[Step]]
Source: TypeAlias = Iterable[Step] | Lanes | Decide


def tool_names(tools: Sequence[Json]) -> list[str]:
    return [str(t["function"]["name"]) for t in tools]


class Script:
    """Where the next step comes from: a list in order, a function of (messages, tools), or lanes.

    Lanes are for agents that run at the same time: a request belongs to the lane whose key is the name of a tool it
    offers, or stands in its first message.
    """

    def __init__(self, source: Source) -> None:
        self._decide: Decide | None = source if callable(source) else None
        self._lanes: dict[str, deque[Step]] = {}
        if isinstance(source, Mapping):
            self._lanes = {key: deque(steps) for key, steps in source.items()}
        elif not callable(source):
            self._lanes = {"": deque(source)}
        self.taken = 0

    def take(self, messages: Sequence[Message], tools: Sequence[Json], choice: str = "auto") -> Step:
        """The step for this request. Raises Unexpected."""
        names = tool_names(tools)
        if self._decide is not None:
            step = self._decide(messages, tools)
        else:
            lane = self._lane(messages, names)
            if not lane:
                raise Unexpected(f"no step left for request {self.taken + 1} (tools: {', '.join(names) or 'none'})")
            step = lane.popleft()
        self.taken += 1
        step.check(messages, names, choice)
        return step

    def left(self) -> int:
        return sum(len(lane) for lane in self._lanes.values())

    def done(self) -> None:
        """Raises Leftovers when steps remain."""
        if left := self.left():
            rest = {key or "script": len(lane) for key, lane in self._lanes.items() if lane}
            raise Leftovers(f"{left} steps were never asked for: {rest}")

    def _lane(self, messages: Sequence[Message], names: Sequence[str]) -> deque[Step] | None:
        first = str(messages[0].get("content") or "") if messages else ""
        for key, lane in self._lanes.items():
            if not key or key in names:
                return lane
        return next((lane for key, lane in self._lanes.items() if key in first), None)

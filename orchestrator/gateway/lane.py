"""One endpoint of the gateway: makes the request, mends what the server refuses, tries again what may pass.

It knows nothing of other endpoints; which comes next is the gateway's business.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from orchestrator.contracts import Json, Message, Reply, Usage
from orchestrator.gateway import dialect, history
from orchestrator.gateway.door import Door
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.failures import AGAIN, Failure
from orchestrator.gateway.mends import Learned, mend
from orchestrator.gateway.replies import read_reply
from orchestrator.gateway.stream import Assembly
from orchestrator.gateway.tokens import TokenMeter
from orchestrator.ports import Limiter

if TYPE_CHECKING:
    from tenacity import RetryCallState

MENDS = 8  # refusals one request survives; each teaches something new
CAP = 20.0  # seconds that one wait takes at most, whatever Retry-After says


@dataclass(slots=True)
class Ask:
    """One question to the model, and what became of it so far. `deadline`: time.monotonic() seconds; `first`: when the
    first of the `pieces` came in which the reply's text was streamed."""

    messages: Sequence[Message]
    tools: Sequence[Json]
    forbid: bool
    deadline: float
    attempts: int = 0
    pieces: int = 0
    first: float = 0.0
    unseen: bool = False
    notes: list[str] = field(default_factory=list)


class NoLimit:
    """How fast the models may be asked: not limited. What limits them across processes stands outside."""

    async def acquire(self, model: str, tokens: int) -> None:
        """Never waits."""

    def cool(self, seconds: float) -> None:
        """Nothing to slow down: the call that met the 429 waits by itself."""


class Lane:
    """`tries`: requests at most for one kind of failure; `backoff`: seconds before the second one."""

    def __init__(self, endpoint: Endpoint, limiter: Limiter, tries: int = 4, backoff: float = 0.5) -> None:
        self.at = endpoint
        self.profile = endpoint.quirks()
        self.learned = Learned(text=endpoint.tools == "text", omit=self.profile.forbid == "omit")
        self.learned.blind = not endpoint.sees
        self.learned.stream = self.profile.stream if endpoint.stream is None else endpoint.stream
        self.meter = TokenMeter()
        self.rests_until = 0.0
        self._limiter, self._tries, self._backoff = limiter, tries, backoff
        self._door = Door(endpoint)
        self._taught: tuple[Sequence[Json], str] = ((), "")

    async def complete(self, ask: Ask) -> Reply:
        """Raises Failure when it is no use to go on here."""
        try:
            return await self._once(ask)
        except Failure as e:
            if not _worth(e):
                raise
            return await self._again(ask, e)

    async def aclose(self) -> None:
        await self._door.aclose()

    # ── trying again ──────────────────────────────────────────────────────────────────────────

    async def _again(self, ask: Ask, first: Failure) -> Reply:
        from tenacity import AsyncRetrying, retry_if_exception, wait_exponential, wait_random  # only trouble pays

        backoff = wait_exponential(multiplier=self._backoff, max=CAP / 2) + wait_random(0, self._backoff)
        failed = [first]

        def wait(state: RetryCallState) -> float:
            e = state.outcome and state.outcome.exception()
            said = e.retry_after if isinstance(e, Failure) else None
            seconds = min(CAP, backoff(state) if said is None else said)
            if isinstance(e, Failure) and e.kind == "rate":
                self._limiter.cool(seconds)
            return seconds

        def stop(state: RetryCallState) -> bool:
            e = state.outcome and state.outcome.exception()
            most = min(self._tries, 1 + AGAIN[e.kind]) if isinstance(e, Failure) else 1
            return state.attempt_number >= most or time.monotonic() + state.upcoming_sleep >= ask.deadline

        async def attempt() -> Reply:
            if failed:
                raise failed.pop()
            return await self._once(ask)

        policy = AsyncRetrying(retry=retry_if_exception(_worth), wait=wait, stop=stop, reraise=True)
        return await policy(attempt)

    # ── one request, mended until it is taken ─────────────────────────────────────────────────

    async def _once(self, ask: Ask) -> Reply:
        estimated = self.meter.estimate(ask.messages, ask.tools)
        for _ in range(MENDS):
            await self._limiter.acquire(self.at.model, estimated)
            body = self._body(ask)
            ask.attempts += 1
            try:
                assembly = await self._hear(body, ask)
            except Failure as e:
                note = mend(self.learned, body, e.text) if e.kind == "refused" else ""
                if not note and (e.kind != "refused" or self._body(ask) == body):
                    raise  # a request beside this one may have learned it meanwhile; then the body is another
                ask.notes += [note] if note else []
                continue
            names = [t["function"]["name"] for t in ask.tools]
            reply = read_reply(assembly, ask.messages, names)
            if ask.forbid and reply.calls:
                if self._again_without_tools(ask, body):
                    continue
                reply = _only_words(reply)
            return self._accounted(reply, assembly, ask, estimated)
        raise Failure("refused", "it refuses each form of the request")

    async def _hear(self, body: Json, ask: Ask) -> Assembly:
        assembly = Assembly()
        async with aclosing(self._door.chunks(body)) as chunks:
            async for together in chunks:
                try:
                    spoken = [piece for chunk in together if (piece := assembly.add(chunk))]
                except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as e:
                    raise Failure("broken", f"a chunk has an unknown shape ({type(e).__name__}: {e})") from None
                if spoken and not ask.first:
                    ask.first = time.monotonic()
        ask.pieces = len(assembly.text)
        return assembly

    def _again_without_tools(self, ask: Ask, body: Json) -> bool:
        """The model called though calls were forbidden: whether asking without tools may help."""
        if "tools" not in body:
            return False
        self.learned.omit = True
        ask.notes.append("The model called a tool in spite of tool_choice none: asked again without tools.")
        return True

    def _accounted(self, reply: Reply, assembly: Assembly, ask: Ask, estimated: int) -> Reply:
        usage = assembly.usage
        if usage is None:
            said = self.meter.text(reply.text + reply.reasoning + "".join(c.raw for c in reply.calls))
            usage = Usage(1, estimated, said)
            ask.notes.append("The server sent no usage: tokens are estimated.")
        else:
            self.meter.correct(estimated, usage.prompt_tokens)
        if self.at.price is not None:
            usage = replace(usage, cost=self.at.price.of(usage))
        notes = (*ask.notes, *reply.notes, *([history.UNSEEN] if ask.unseen else []))
        return replace(reply, usage=usage, model=reply.model or self.at.model, attempts=ask.attempts, notes=notes)

    # ── the request ───────────────────────────────────────────────────────────────────────────

    def _body(self, ask: Ask) -> dict[str, Json]:
        learned, profile, at = self.learned, self.profile, self.at
        body: dict[str, Json] = {"model": at.model, "messages": self._messages(ask)}
        if ask.tools and not learned.text and not (ask.forbid and learned.omit):
            body["tools"] = ask.tools
            if ask.forbid:
                body["tool_choice"] = "none"
            elif profile.parallel is not None:
                body["parallel_tool_calls"] = profile.parallel
        if at.temperature is not None:
            body["temperature"] = min(at.temperature, profile.max_temperature)
        if learned.stream:
            body["stream"] = True
            if profile.usage:
                body["stream_options"] = {"include_usage": True}
        body |= at.extra_body
        for name in learned.dropped:
            body.pop(name, None)
        return body

    def _messages(self, ask: Ask) -> Sequence[Message]:
        messages, learned = ask.messages, self.learned
        ask.unseen = history.has_pictures(messages) and (learned.blind or learned.text)
        messages = history.without_pictures(messages) if ask.unseen else messages
        if learned.reasoning:
            filled = learned.reasoning == "fill"
            messages = history.with_reasoning(messages) if filled else history.without_reasoning(messages)
        if learned.text:
            return dialect.as_text(messages, self._teach(ask.tools), ask.forbid)
        bare = not ask.tools or (ask.forbid and learned.omit)
        return dialect.as_text(messages) if learned.flat and bare and history.has_results(messages) else messages

    def _teach(self, tools: Sequence[Json]) -> str:
        if self._taught[0] is not tools:
            self._taught = (tools, dialect.prompt(tools) if tools else "")
        return self._taught[1]


def _worth(e: BaseException) -> bool:
    return isinstance(e, Failure) and e.kind in AGAIN


def _only_words(reply: Reply) -> Reply:
    """What a reply says beside calls that were forbidden; that may be nothing, and the loop then sums up itself."""
    notes = (*reply.notes, "Calls were forbidden: they were left out.")
    return replace(reply, calls=(), finish="stop", notes=notes)

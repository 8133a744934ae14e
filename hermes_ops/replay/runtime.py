"""The runtime of a replay: steps are answered from the tape, everything between them is computed afresh, and each event
is held to the recorded one at its place.

It knows no agents and no store; what may be asked anew is for `Policy` to say.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from hashlib import sha256

from hermes_ops.replay.tape import LOOPS, SUPERVISOR, TIMES, Recorded, Tape, agent_of, same
from hermes_ops.runtime.local import LocalRuntime, Work, utc_now
from orchestrator.contracts import Event, Json, Message, ToolResult, dumps, to_json
from orchestrator.errors import Stopped
from orchestrator.ports import Call, Sink
from orchestrator.stop import Stop
from orchestrator.supervisor import ask_user

MARKS = "replay"  # the path on which a replay tells of itself
HARMLESS = (ask_user.__name__,)  # tools of the supervisor's own that change nothing
PLACE: ContextVar[Replaying | None] = ContextVar("place of a replay", default=None)
UNRECORDED = (
    "This call was not recorded in the run that is replayed, and a replay asks no live source unless it is told to. "
    "Go on with what is known."
)


@dataclass(frozen=True, slots=True)
class Policy:
    """What of the tape counts. `anew`: no recorded reply of a model; `changed`: only one to the very same messages;
    `live`: a call that wasn't recorded goes to the sources. `start`: replies from this step on are asked anew, with
    `say` in the place of the message, or the result, that stood there."""

    anew: bool = False
    changed: bool = False
    live: bool = False
    start: Recorded | None = None
    say: str | None = None

    @property
    def exact(self) -> bool:
        """Nothing is different: the same must come out."""
        return not (self.anew or self.changed or self.start)


@dataclass(slots=True)
class Deck:
    """What all paths of one replay share. `agents`: whose loops are gone through again; any other branch is work that
    is answered from the tape, like a tool. `divergences`: as they were found."""

    tape: Tape
    policy: Policy
    sink: Sink
    run: str
    agents: frozenset[str] = frozenset()
    divergences: list[Json] = field(default_factory=list)
    matched: set[tuple[str, int]] = field(default_factory=set)
    parted: set[str] = field(default_factory=set)  # paths that aren't what was recorded any more

    @property
    def cut(self) -> bool:
        """The recording was cut off, and nothing is to go on where it ends."""
        return self.policy.exact and not self.tape.whole

    def loops(self, name: str) -> bool:
        """Whether a branch of this name holds loops: "1.0.logs", "2.0.logs+changes", "1.0.investigate", "again"."""
        own = name in LOOPS or name.endswith(".investigate")
        return own or all(part in self.agents for part in name.rpartition(".")[2].split("+"))

    def diverge(self, path: str, step: str, why: str, **more: Json) -> None:
        body = {"path": path, "step": step[:200], "why": why, **more}
        self.divergences.append(body)
        self.sink.emit(Event(self.run, MARKS, len(self.divergences), "divergence", utc_now(), body))


class Gate:
    """A sink for one path. `only`: numbers that it takes, where the recording was cut off: what isn't on it then, the
    run didn't come to, though others beside it may have gone on. None: all."""

    def __init__(self, sink: Sink, only: frozenset[int] | None) -> None:
        self._sink, self._only = sink, only

    def emit(self, e: Event) -> None:
        if self._only is None or e.n in self._only:
            self._sink.emit(e)

    async def commit(self) -> None:
        await self._sink.commit()

    def tick(self, path: str, text: str) -> None:
        self._sink.tick(path, text)


class Replaying(LocalRuntime):
    """One path of a replay. `window`: in which words the window of this loop was named."""

    def __init__(self, deck: Deck, path: str = SUPERVISOR, window: str = "") -> None:
        self._gate = Gate(deck.sink, frozenset(n for p, n in deck.tape.at if p == path) if deck.cut else None)
        super().__init__(deck.run, path, self._gate)
        self.deck, self.window, self.now = deck, window, ""
        self._prefix = ""

    def seek(self, kind: str) -> Event | None:
        """Nothing lies ahead: all is gone through again."""
        return None

    # ── events ────────────────────────────────────────────────────────────────────────────────

    def _event(self, n: int, kind: str, body: dict[str, Json], texts: Sequence[str]) -> Event:
        """The recorded event where it says the same; what is different is told once a path."""
        made = super()._event(n, kind, body, texts)
        deck = self.deck
        known = deck.tape.at.get((self.path, n))
        if known and same(known, made):
            deck.matched.add((self.path, n))
            return replace(known, run=self.run) if deck.policy.exact else made
        if not (self._told(kind) or (known is None and deck.cut)):
            deck.parted.add(self.path)
            name = str(body.get("step", kind))
            was = str(known.body.get("step", known.kind)) if known else ""
            why = "a step that wasn't recorded" if known is None else _difference(known, made)
            deck.diverge(self.path, name, why, n=n, was=was)
        return made

    def _told(self, kind: str) -> bool:
        """That this path has parted was told, or goes without saying: a loop that wasn't recorded inside one that
        wasn't, and what a person changed on the tape."""
        tape, above = self.deck.tape, self.path.rpartition("/")[0]
        inside = self.path not in tape.paths and (above not in tape.paths or above in self.deck.parted)
        return kind == "context" or self.path in self.deck.parted or (inside and bool(above))

    # ── steps ─────────────────────────────────────────────────────────────────────────────────

    async def _do(self, n: int, call: Call) -> Json:
        kind = "branch" if call.branch else call.name.split(" ", 1)[0]
        known = self.deck.tape.steps.get((self.path, call.name[:200]))
        begun = time.perf_counter()
        value, source = await self._value(kind, call, known)
        ms = source.event.body.get("ms") if source else round((time.perf_counter() - begun) * 1000)
        if call.branch and known and known.value:
            made = super()._event(n, kind, _noted(value, ms, call), (_encoded(value),))
            if same(known.event, made):  # with the times that it took
                value, ms = known.value, known.event.body.get("ms")
        self._gate.emit(self._event(n, kind, _noted(value, ms, call), (_encoded(value),)))
        if kind == "model" and not self.deck.policy.exact:  # as in any run: no answered model call is made twice
            await self._gate.commit()
        return value

    async def _value(self, kind: str, call: Call, known: Recorded | None) -> tuple[Json, Recorded | None]:
        """What the step gives, and from where on the tape, None where it was worked out now."""
        if call.branch and self.deck.loops(call.name):
            return await self._enter(call.name, call.fn, call.args), None
        if call.branch and known and known.value:
            return known.value, known
        if call.branch or kind == "tool":
            return await self._tool(call)
        if kind == "model":
            return await self._model(call, known)
        if known is None or known.value is None:
            raise Stopped("cancelled")
        return known.value, known

    async def _enter(self, name: str, fn: Work, args: tuple[Json, ...]) -> Json:
        told = args[0] if args and isinstance(args[0], dict) else {}
        child = Replaying(self.deck, f"{self.path}/{name}", str(told.get("window") or ""))
        child._task = asyncio.current_task()
        outer = PLACE.get()
        try:
            return await fn(child, *args)
        finally:
            child._inside = "its end"
            PLACE.set(outer)

    async def _tool(self, call: Call) -> tuple[Json, Recorded | None]:
        deck, args = self.deck, call.args[0] if call.args else {}
        found = deck.tape.tool(self.path, call.name, self.window, args)
        if found is not None:
            return self._edited(found), found
        name = call.name.partition(" ")[2].partition(" ")[2]
        own = agent_of(self.path) == SUPERVISOR
        if name in HARMLESS or (deck.policy.live and not own):
            deck.diverge(self.path, call.name, "a call that wasn't recorded; it was asked for now", args=_short(args))
            return await call.fn(*call.args), None
        if not deck.cut:
            deck.diverge(self.path, call.name, "a call that wasn't recorded; it has no result here", args=_short(args))
        result = ToolResult("error", UNRECORDED, source=name)
        note = {"tool": name, "args": args, "status": "error", "seconds": 0.0, "query": "", "shown": 0, "total": None}
        return {"note": note, "result": to_json(result)}, None

    def _edited(self, found: Recorded) -> Json:
        start, say = self.deck.policy.start, self.deck.policy.say
        if start is None or say is None or found.event is not start.event:
            return found.value
        return {**found.value, "result": {**found.value["result"], "text": say}}

    async def _model(self, call: Call, known: Recorded | None) -> tuple[Json, Recorded | None]:
        self.now = call.name
        PLACE.set(self)
        value = await call.fn(*call.args)
        source = known if known and known.value and value.get("reply") == known.value.get("reply") else None
        if source:  # whether it was to be the last depended on the clock
            value = {**value, "note": {**value["note"], "final": source.value["note"].get("final")}}
        if "sent" in value and (edited := self.edited(value["sent"])) != value["sent"]:
            told = sha256((self._prefix + dumps(edited)).encode("utf-8", "replace")).hexdigest()[:12]
            value = {**value, "sent": edited, "note": {**value["note"], "prefix": told}}
        self._prefix = str(value["note"].get("prefix") or self._prefix)
        return value, source

    # ── for the model ─────────────────────────────────────────────────────────────────────────

    def taped(self, step: str, messages: Sequence[Message] | None = None, prompt: str = "") -> bool:
        """Whether the recorded reply of this step counts. `messages`: what would be sent; `prompt`: hash with tools."""
        policy, tape = self.deck.policy, self.deck.tape
        found = tape.steps.get((self.path, step))
        if found is None or found.value is None or policy.anew:
            return False
        if policy.start is not None and not self._before(found, policy.start):
            return False
        if messages is None or policy.exact:
            return True
        unchanged = not prompt or found.event.body.get("prompt") in (None, prompt)
        return unchanged and tape.sent(self.path, step) == list(messages)

    def _before(self, found: Recorded, start: Recorded) -> bool:
        return found.order < start.order

    def edited(self, messages: Sequence[Message]) -> list[Message]:
        """With the message that a person wrote anew, from the step on where it begins."""
        start, say = self.deck.policy.start, self.deck.policy.say
        if start is None or say is None or start.event.kind != "model" or start.event.path != self.path:
            return list(messages)
        old = ((start.value or {}).get("sent") or [None])[-1]
        return [{**m, "content": say} if m == old else m for m in messages]


class Untimed(Stop):
    """A run on its tape: no clock ends it; it hurries where it was recorded to hurry."""

    def child(self, seconds: float) -> Stop:
        return Untimed(parent=self)

    @property
    def hurry(self) -> bool:
        place = PLACE.get()
        return place is not None and place.deck.tape.hurried((place.path, place.now))


def _noted(value: Json, ms: Json, call: Call) -> dict[str, Json]:
    """The event's body."""
    note: dict[str, Json] = {"ms": ms}
    note |= (value.get("note") or {}) if isinstance(value, dict) else {}
    return {**note, "step": call.name[:200]}


def _encoded(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _difference(known: Event, made: Event) -> str:
    if known.kind != made.kind:
        return f"the recording has the event {known.kind!r} here"
    both = {**known.body, **made.body}
    keys = [k for k in both if known.body.get(k) != made.body.get(k) and k not in TIMES]
    if keys:
        return f"{', '.join(keys)}: other than recorded"
    return "its text is other than recorded"


def _short(args: Json) -> str:
    return json.dumps(args, ensure_ascii=False)[:500]

"""Replays a run as a new one: what may be different is said in `Changes`, and the rest comes from the tape.

The new run is kept beside the others, under the kind "replay"; nothing is remembered of it in conversations, and
nothing is kept or forgotten of persons.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path

from hermes_ops.app import DOMAINS, App, new_run
from hermes_ops.logs import open_log
from hermes_ops.recall.desk import Recall
from hermes_ops.replay.model import TapedModels, named
from hermes_ops.replay.runtime import MARKS, Deck, Policy, Replaying, Untimed
from hermes_ops.replay.tape import Recorded, Tape
from hermes_ops.runtime.local import LocalRuntime, utc_now
from hermes_ops.settings import LogSettings, Settings
from hermes_ops.sourcing.opener import Opener, Places
from hermes_ops.trace import digesting
from hermes_ops.trace.tree import Step
from memory import Memory, RunInfo, RunStatus
from orchestrator.contracts import Answer, Event, Incoming, Json, Scope
from orchestrator.errors import ConfigError, Stopped
from orchestrator.planner import NAME
from orchestrator.ports import Runtime, Sink
from orchestrator.stop import Stop
from subagents.sources import Sources

KIND = "replay"
GONE = "Run {run} can't be replayed: its texts were removed, or it ended before its question was read."


@dataclass(frozen=True, slots=True)
class Changes:
    """What is other than recorded. `model`: another one's name, or "offline"; `prompts`: agent → prompt; `sets`: the
    settings that were changed, for the record; `live`: calls that weren't recorded go to the sources; `start`: the step
    from which models are asked anew, with `say` in the place of what stood there."""

    model: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)
    live: bool = False
    start: Step | None = None
    say: str | None = None

    @property
    def asks(self) -> bool:
        """A model may have to be asked."""
        return bool(self.model not in ("", NAME) or self.prompts or self.sets or self.start)


@dataclass(frozen=True, slots=True)
class Replayed:
    """`matched` of `recorded` events came out the same; `divergences`: in the order they were found."""

    run: str
    of: str
    answer: Answer
    recorded: int
    matched: int
    divergences: list[Json]

    @property
    def identical(self) -> bool:
        return self.matched == self.recorded and not self.divergences


async def replay(
    memory: Memory, settings: Settings, info: RunInfo, events: Sequence[Event], changes: Changes
) -> Replayed:
    """`settings`: already with what was changed. Raises ConfigError where the run can't be replayed."""
    with open_log(LogSettings(level="off"), settings.data_dir) as log:
        app = Replayer(settings, memory, Path(info.folder) if info.folder and changes.live else None, True, log)
        try:
            return await app.replay(info, events, changes)
        finally:
            await app.models.aclose()
            await app.opener.aclose()
            app.threads.close()


class Replayer(App):
    """The application with a tape in the place of models, sources and memory."""

    async def replay(self, info: RunInfo, events: Sequence[Event], changes: Changes) -> Replayed:
        tape = Tape(events, self.guard.mask)
        if not tape.steps or any(r.value is None for r in tape.steps.values()):
            raise ConfigError(GONE.format(run=info.id))
        policy = _policy(tape, changes)
        run = new_run(info.question)
        await self.memory.runs.create(run, info.question, "", info.folder, kind=KIND)
        sink: Sink = self.memory.events.of(run)
        sink.emit(Event(run, MARKS, 0, KIND, utc_now(), _told(info, changes)))
        agents = frozenset(make(Sources()).name for make in DOMAINS)
        deck = Deck(tape, policy, sink, run, agents)
        self._prepare(tape, changes)
        stop: Stop = (
            Untimed() if policy.exact else Stop(self.settings.limits.question_soft, self.settings.limits.question_hard)
        )
        again = RunInfo(run, info.question, "", info.folder, "running", datetime.now(UTC))
        answer = await self._again(again, Replaying(deck), stop, info.status)
        missed = [key for key in tape.at if key not in deck.matched] if policy.exact else []
        if missed and not deck.divergences:
            path, n = missed[0]
            deck.diverge(
                path,
                str(tape.at[path, n].body.get("step", tape.at[path, n].kind)),
                "recorded, and not reached now",
                n=n,
            )
        await sink.commit()
        return Replayed(run, info.id, answer, len(tape.at), len(deck.matched), deck.divergences)

    def _prepare(self, tape: Tape, changes: Changes) -> None:
        told = bool(tape.known and not tape.known["offline"])
        wanted = changes.model != NAME if changes.model else told
        if tape.known and changes.model:
            tape.known["offline"] = not wanted
        name = changes.model or named(tape)
        self.models = TapedModels(tape, self.settings, wanted, name, ask=wanted and changes.asks)
        self.prompts = dict(changes.prompts)
        self.recall = Quiet(self.memory, self.settings.memory.sharing(), lambda: None, self.settings.memory.notes, tape)
        if not changes.live:
            self.opener = TapedOpener(tape)

    async def _again(self, info: RunInfo, runtime: LocalRuntime, stop: Stop, was: RunStatus) -> Answer:
        status: RunStatus = "failed"
        try:
            answer = await self._answer(info, runtime, stop)
            status = "cancelled" if answer.status == "cancelled" else "failed" if answer.status == "failed" else "done"
        except Stopped as s:
            answer = Answer(info.id, "cancelled", s.reason)
            status = "cancelled"
        finally:
            await self.memory.runs.finish(info.id, status)
            await digesting.settle(self.memory, info.id)
        return answer


class Quiet(Recall):
    """Memory as the run met it; nothing is looked up, kept or forgotten now."""

    def __init__(self, memory: Memory, sharing: Json, light: Json, notes: bool, tape: Tape) -> None:
        super().__init__(memory, sharing, light, notes)
        self._tape = tape

    async def tell(self, info: RunInfo, runtime: Runtime, told: Json, text: str, lang: str = "") -> str:
        if ("supervisor", "tell") not in self._tape.steps:
            return text
        return await super().tell(info, runtime, told, text, lang)


class TapedOpener(Opener):
    """Sources of which nothing is asked; the same kinds as the run had, so that its agents had the same tools."""

    def __init__(self, tape: Tape) -> None:
        self.folder = None
        self._tape = tape

    @property
    def environments(self) -> tuple[str, ...]:
        return ()

    async def places(self, question: Incoming, folder: str, stop: Stop) -> Places:
        return Places(None, None)

    async def sources(
        self, places: Places, question: Incoming, scope: Scope, models: tuple[str, ...], stop: Stop
    ) -> Sources:
        hashes = self._tape.hashes()
        skipped = tuple((self._tape.answer or {}).get("skipped") or ())
        offers = list(_offers())
        fits = (
            s
            for s in offers
            if all(hashes.get(a.name, a.prompt_hash) == a.prompt_hash for a in (m(s) for m in DOMAINS))
        )
        return replace(next(fits, offers[0]), skipped=skipped)

    async def aclose(self) -> None:
        """Nothing is open."""


class Everything:
    """Holds whatever one looks for."""

    def __contains__(self, name: object) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Unasked:
    """Stands for a source: which there were decides which tools an agent had."""

    caps: Container[str] = Everything()


def _offers() -> Iterator[Sources]:
    """Every choice of kinds of sources, all of them first."""
    kinds = [f.name for f in fields(Sources) if f.name != "skipped"]
    for many in range(len(kinds), -1, -1):
        for some in itertools.combinations(kinds, many):
            yield replace(Sources(), **dict.fromkeys(some, (Unasked(),)))  # type: ignore[arg-type]


def _policy(tape: Tape, changes: Changes) -> Policy:
    anew = bool(changes.model) or any(key.partition(".")[0] == "model" for key in changes.sets)
    changed = bool(changes.prompts or changes.sets)
    return Policy(anew, changed, changes.live, _start(tape, changes), changes.say)


def _start(tape: Tape, changes: Changes) -> Recorded | None:
    """Raises ConfigError for a step that isn't a model's or a tool's."""
    step = changes.start
    if step is None:
        return None
    found = tape.steps.get((step.path, str(step.body.get("step", ""))))
    if found is None or step.kind not in ("model", "tool") or "too_long" in (step.body or {}):
        raise ConfigError(f"Step {step.number} is no model's call and no tool's: --from takes one of these.")
    return found


def _told(info: RunInfo, changes: Changes) -> dict[str, Json]:
    """What the new run says of itself."""
    told: dict[str, Json] = {"of": info.id}
    told |= {"model": changes.model} if changes.model else {}
    told |= {"prompts": sorted(changes.prompts)} if changes.prompts else {}
    told |= {"sets": dict(changes.sets)} if changes.sets else {}
    told |= {"live": True} if changes.live else {}
    told |= {"from": changes.start.number} if changes.start else {}
    return told | ({"said": changes.say[:500]} if changes.say is not None else {})

"""Memory as one question meets it: before it (orders, notes, the past), after it (what was kept, the turn, extraction).

`begin` and `tell` are steps of the run, so that a resumed run remembers what it remembered then. It knows no folder and
no agent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from hermes_ops.grasp import Known
from hermes_ops.recall.extraction import Extractions
from hermes_ops.recall.keeper import Keeper
from hermes_ops.recall.orders import read
from hermes_ops.recall.past import about, recall
from hermes_ops.recall.sessions import Sharing, session_key
from hermes_ops.recall.tools import house_tools
from hermes_ops.recall.wording import kept, obeyed
from memory import Memory, RunInfo
from orchestrator.cleaning import CHINESE
from orchestrator.context import Past
from orchestrator.contracts import Answer, Incoming, Json, to_json
from orchestrator.ports import Model, Runtime
from orchestrator.stop import Stop
from orchestrator.tool import Tool

DRAIN_SECONDS = 5.0  # how long the end of the program waits for extractions
DEFAULTS = {  # fields of `Known` → keys of notes; `keeper.trace` looks for them in what is stored
    "default_environment": "environment",
    "default_services": "services",
    "zone": "zone",
    "language": "language",
}
NO_ORDERS: Json = {"gone": [], "back": [], "refused": [], "missing": [], "only": False}
NO_NOTES: Json = {"supervisor": "", "agents": "", "environment": "", "services": "", "zone": "", "language": ""}


class Recall:
    """`light` gives the model for summaries and extraction, None offline; `notes` False: nothing is kept of persons;
    `count`: hears of each run of its own that has asked a model."""

    def __init__(
        self,
        memory: Memory,
        sharing: Sharing,
        light: Callable[[], Model | None],
        notes: bool = True,
        count: Callable[[RunInfo], Awaitable[None]] | None = None,
    ) -> None:
        self._memory, self._sharing, self._light, self._on = memory, sharing, light, notes
        self.keeper = Keeper(memory)
        self.jobs = Extractions(memory, self.keeper, light, count)
        self._before: dict[str, tuple[str, ...]] = {}  # run → the questions it goes on from

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The supervisor's tools for notes."""
        return house_tools(self.keeper) if self._on else ()

    def session(self, asked: Incoming) -> str:
        return session_key(asked, self._sharing)

    async def begin(self, info: RunInfo, runtime: Runtime, stop: Stop) -> Json:
        """Before a question is read: plain orders are followed, notes and the past are looked up. What an undo takes
        back is a step of its own: a run that goes on after a crash takes back the same, not what came before it."""
        asked, kept = info.question, []
        if self._on and any(order.action == "undo" for order in read(asked.text).orders):

            async def last() -> Json:
                return {"kept": await self.keeper.kept_last(asked.tenant, asked.user)}

            kept = (await runtime.step("undo", last))["kept"]
        return await runtime.step("recall", lambda: stop.race(self._look_up(info, kept)))

    async def _look_up(self, info: RunInfo, kept: Sequence[Json]) -> Json:
        asked = info.question
        done = await self.keeper.obey(asked, info.id, kept) if self._on else NO_ORDERS
        notes = await self.keeper.given(asked) if self._on else NO_NOTES
        past = await recall(self._memory.turns, info.session, datetime.now(UTC), self._light())
        values = {name: notes[key] for name, key in DEFAULTS.items()}
        note = {"turns": len(past.turns), "model": past.model, "usage": to_json(past.usage)}
        return {
            "note": note | {"orders": {key: len(done[key]) for key in ("gone", "back", "refused")}},
            "only": done["only"],
            "orders": done,
            "notes": {"supervisor": notes["supervisor"], "agents": notes["agents"]},
            "known": to_json(Known(past.former, **values)),
            "turns": to_json(past.turns),
            "summary": past.summary,
            "usage": to_json(past.usage),
        }

    def past(self, info: RunInfo, told: Json, before: Sequence[str]) -> Past:
        """What `begin` found, for the supervisor. `before`: the questions that this one goes on from."""
        self._before[info.id] = tuple(before)
        turns = tuple((q, a) for q, a in told["turns"])
        return Past(told["notes"]["supervisor"], told["summary"], turns, tuple(before))

    async def tell(self, info: RunInfo, runtime: Runtime, told: Json, text: str, lang: str = "") -> str:
        """The answer's text with what was kept, forgotten and refused; each is said once."""
        if not self._on:
            return text
        asked = info.question

        async def untold() -> Json:
            fresh = await self.keeper.untold(asked.tenant, asked.user)
            return {"note": {"kept": [key for key, _ in fresh]}, "kept": fresh}

        fresh = (await runtime.step("tell", untold))["kept"]
        lang = lang or told["known"]["language"] or ("zh" if CHINESE.search(asked.text) else "en")
        lines = [text, kept(fresh, lang, asked.channel == "cli"), *obeyed(told["orders"], lang)]
        return "\n\n".join(filter(None, lines))

    async def keep(self, info: RunInfo, answer: Answer) -> None:
        """Stores the turn, however it ended."""
        before = self._before.pop(info.id, ())
        if info.session:
            asked = info.question
            subject = about(answer, [asked.text, *before])
            await self._memory.turns.add(
                info.session, info.id, asked.text, answer.text, answer.status, asked.at, asked.user, subject
            )

    def leave(self, run: str) -> None:
        """Nothing is held for it any more; it may have been cut off before `keep`."""
        self._before.pop(run, None)

    async def settle(self, info: RunInfo, answer: Answer) -> None:
        """After the run's end: what it forgot is erased from what it wrote; an extraction begins where one is due."""
        await self.keeper.settle(info.question, info.id)
        if self._on and answer.status not in ("cancelled", "failed"):
            await self.jobs.begin(info)

    async def close(self) -> None:
        await self.jobs.drain(DRAIN_SECONDS)

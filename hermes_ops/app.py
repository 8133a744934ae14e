"""The application put together: the only place that knows every room. A fourth domain is its folder and one line here.

One question, left to right: claim its run, work out window and scope, let the supervisor answer, store the turn.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from hermes_ops import readonly
from hermes_ops.budget import Budget, Turns
from hermes_ops.grasp import Known, grasp, trouble
from hermes_ops.logs import Decisions, open_log
from hermes_ops.meter import Meter
from hermes_ops.models import Models
from hermes_ops.pictures import Sight, marks
from hermes_ops.recall.desk import Recall
from hermes_ops.report.making import Maker
from hermes_ops.runtime.local import LocalRuntime
from hermes_ops.runtime.sinks import UntilCancelled, Watched
from hermes_ops.schedule import asking
from hermes_ops.schedule.asking import Reports
from hermes_ops.settings import Settings
from hermes_ops.sourcing.opener import Opener, Places
from hermes_ops.toolkit import Toolkit
from hermes_ops.trace import digesting
from hermes_ops.trace.retention import once_a_day
from hermes_ops.zones import machine_zone
from memory import Memory, RunInfo, RunStatus, open_memory
from orchestrator import work
from orchestrator.agent import Agent
from orchestrator.context import Past
from orchestrator.contracts import (
    Answer,
    Event,
    Incoming,
    Json,
    Principal,
    Scope,
    Usage,
    Window,
    dumps,
    from_json,
    to_json,
)
from orchestrator.errors import ConfigError, ModelError, Stopped, StoreError
from orchestrator.guard import AllowAll
from orchestrator.planner import OfflineBrain, Way, supervising
from orchestrator.ports import Context, Guard, Runtime
from orchestrator.stop import Stop
from orchestrator.supervisor import Manner, Supervisor
from subagents import alerts, changes, logs
from subagents.joined import compose
from subagents.plain.accused import suffering
from subagents.plain.aims import aim
from subagents.sources import Sources

DOMAINS = (alerts.make, logs.make, changes.make)
LEAST = 5.0  # seconds that a resumed run has at least, to sum up what it has
ENDED: dict[str, RunStatus] = {"failed": "failed", "cancelled": "cancelled"}  # of an answer; all others are done

OnEvent = Callable[[Event], None]
OnTick = Callable[[str, str], None]


class App:
    """Answers questions, one at a time per call of `answer`. Made by `open_app`."""

    def __init__(self, settings: Settings, memory: Memory, folder: Path | None, offline: bool, log: Decisions) -> None:
        self.settings, self.memory = settings, memory
        self.models = Models(settings, offline, Turns(memory.quotas, settings.model.calls_per_minute))
        zone = settings.zone or machine_zone()
        self.budget = Budget(memory.quotas, settings.budget, settings.budgets, zone, lambda: datetime.now(UTC))
        self.log, self.meter = log, Meter()
        self.guard: Guard = AllowAll(settings.masking_key())
        self.prompts: dict[str, str] = {}  # agent → a prompt in the place of its own
        self._running: dict[Stop, str] = {}  # with the run it was asked to be, "" where it makes its own
        self.threads = work.Threads()
        index = settings.data_dir / "index"
        calls = {name: service.depends_on for name, service in settings.services.items()}
        self.opener = Opener(settings.sources, folder, index, self.guard.mask, self.threads, calls, memory.records)
        self.toolkit = Toolkit(settings.toolkit)
        self.recall = Recall(
            memory, settings.memory.sharing(), lambda: self.models.light, settings.memory.notes, self.budget.count
        )
        self.reporter = Maker.of(self, keep=folder is None)
        self.reports = Reports(self.reporter, settings, memory.runs)

    def cancel(self, run: str = "") -> None:
        """Ends all that runs, or one of those that were given their run; an answer comes back with what there is."""
        for stop, its in self._running.items():
            if run in ("", its):
                stop.cancel()

    async def answer(
        self,
        incoming: Incoming,
        *,
        session: str = "",
        resume: str | None = None,
        new: bool = False,
        run: str = "",
        ran: float = 0.0,
        on_event: OnEvent | None = None,
        on_tick: OnTick | None = None,
    ) -> Answer:
        """Raises HermesError for what a person has to mend; everything else ends in an Answer.

        `session`: a conversation's name, else the message's chat makes it. `resume`: a run to go on with; else an
        interrupted run of the same question is gone on with, unless `new`. `run`: its run, which is begun or gone on
        with; `ran`: seconds it was worked on before, which count against its deadlines.
        """
        limits = self.settings.limits
        stop = Stop(max(limits.question_soft - ran, 0.0), max(limits.question_hard - ran, LEAST))
        self._running[stop] = run
        try:
            info = await self._claim(incoming, session or self.recall.session(incoming), resume, new, run)
            try:
                return await self._work(info, stop, on_event, on_tick)
            finally:
                self.recall.leave(info.id)
        finally:
            del self._running[stop]

    async def _work(self, info: RunInfo, stop: Stop, on_event: OnEvent | None, on_tick: OnTick | None) -> Answer:
        """One run, from what is recorded of it to its row's end."""
        status: RunStatus = "interrupted"
        begun = time.monotonic()
        try:
            recorded = await self.memory.events.load(info.id)
            logged = Watched(self.memory.events.of(info.id), self.log.listener(info.question, info.session, recorded))
            metered = Watched(logged, self.meter.listener(recorded))
            sink = Watched(UntilCancelled(metered, stop), on_event, on_tick)
            answer = await self._answer(info, LocalRuntime(info.id, "supervisor", sink, recorded), stop)
            status = ENDED.get(answer.status, "done")
        except Stopped as s:  # before there was anything to answer with
            answer = Answer(info.id, "cancelled" if s.reason == "cancelled" else "partial", s.reason)
            status = "cancelled"
        except Exception:
            status = "failed"
            await self._remember(info, Answer(info.id, "failed", ""))
            raise
        finally:
            self.meter.count("questions_total", status=status)
            self.meter.observe("question_seconds", time.monotonic() - begun)
            with suppress(StoreError):  # an answer counts more; a row left running is found again as interrupted
                await self.memory.runs.finish(info.id, status)
                await self.budget.count(info)
                await digesting.settle(self.memory, info.id)
        await self._remember(info, answer)
        return answer

    async def _remember(self, info: RunInfo, answer: Answer) -> None:
        """A store that fails now costs the memory of this turn, not its answer."""
        with suppress(StoreError):
            await self.recall.keep(info, answer)
            await self.recall.settle(info, answer)

    async def _claim(self, incoming: Incoming, session: str, resume: str | None, new: bool, run: str) -> RunInfo:
        runs = self.memory.runs
        if resume or (run and await runs.get(run)):
            return await runs.claim(resume or run, mine=bool(run))
        folder = str(self.opener.folder.resolve()) if self.opener.folder else ""
        masked = replace(incoming, text=self.guard.mask(incoming.text))
        if not new and not run and (found := await runs.find_interrupted(masked, session, folder)):
            if found.model in ("", self.models.name):
                return found
            await runs.finish(found.id, "interrupted")  # begun with another model: left to --resume
        if not self.models.offline:
            await self.budget.check(incoming)
        run = run or new_run(incoming)
        await runs.create(run, masked, session, folder)
        return RunInfo(run, masked, session, folder, "running", incoming.at)

    async def _answer(self, info: RunInfo, runtime: LocalRuntime, stop: Stop) -> Answer:
        if ended := runtime.seek("answer"):
            return from_json(Answer, json.loads(ended.blobs[0].text or "null"))
        told = await self.recall.begin(info, runtime, stop)
        if told["only"]:
            text = await self.recall.tell(info, runtime, told, "")
            return Answer(info.id, "ok", text, model=self.models.name, usage=from_json(Usage, told["usage"]))
        if wanted := asking.read(info.question.text):
            lang = told["known"]["language"]
            return await self.reports.answer(wanted, info.question, info.id, runtime, stop, self.models.name, lang)
        places = await self.opener.places(info.question, info.folder, stop)
        known = await runtime.step("context", self._grasp, places, info, told)
        window, scope, lang = from_json(Window, known["window"]), from_json(Scope, known["scope"]), known["lang"]
        if self.models.offline and not known["offline"]:
            raise ConfigError(f"Run {info.id} was begun with a language model: set one, or ask afresh with --new.")
        await self.memory.runs.note(info.id, window=known["window"], scope=known["scope"], model=self.models.name)
        ctx = Context(
            question=info.question,
            window=window,
            scope=scope,
            now=datetime.fromisoformat(known["now"]),
            runtime=runtime,
            guard=self.guard,
            stop=stop,
            principal=Principal(info.question.user, info.question.chat, info.question.tenant),
            limits=self.settings.limits,
            lang=lang,
            threads=self.threads,
            notes=told["notes"]["agents"],
        )
        if asked_back := trouble(known, lang):
            return Answer(info.id, "needs_input", asked_back, window, scope, model=self.models.name)
        sources = await self.opener.sources(places, info.question, scope, self.models.asked(known["offline"]), stop)
        past, sight = self.recall.past(info, told, known["before"]), Sight(info.question, known.get("pictures", ()))
        answer = await self._ask(ctx, runtime, sources, past, known["offline"], sight)
        text = await self.recall.tell(info, runtime, told, sight.said(answer, lang), lang)
        usage = answer.usage + from_json(Usage, told["usage"])
        answer = replace(answer, text=text, usage=usage, skipped=tuple(dict(s) for s in sources.skipped))
        runtime.emit("answer", {"status": answer.status}, dumps(to_json(answer)))
        return answer

    def _cast(self, agent: Agent) -> Agent:
        steps = self.settings.limits.subagent_steps
        return replace(agent, prompt=self.prompts.get(agent.name, agent.prompt), steps=steps)

    async def _grasp(self, places: Places, info: RunInfo, told: Json) -> Json:
        catalogue = self.settings.catalogue()
        known = grasp(info.question, await places.coverage(), catalogue, from_json(Known, told["known"]))
        return {**known, "offline": self.models.offline, "pictures": await asyncio.to_thread(marks, info.question)}

    async def _ask(
        self, ctx: Context, runtime: LocalRuntime, sources: Sources, past: Past, offline: bool, sight: Sight
    ) -> Answer:
        made = (self._cast(make(sources)) for make in DOMAINS)
        agents = tuple(self.toolkit.equip(a, ctx.scope.environment, self.models.asked(offline)) for a in made)
        if offline:
            return replace(await self._by_rules(ctx, agents, past), offline=True)
        supervisor = Supervisor(
            agents,
            self.prompts.get("supervisor") or prompt(),
            sight.over(self.models.brain),
            (*self.recall.tools, *self.reports.tools),
            manner=Manner(uncited=self.settings.uncited),
            steps=ctx.limits.supervisor_steps,
        )
        if fell := runtime.seek("fallback"):  # a resumed run stays with what it was decided to do
            why = str(fell.body["why"])
        else:
            try:
                return await supervisor.answer(sight.into(ctx), past)
            except ModelError as e:
                why = str(e)
        kept: list[Answer] = []

        async def work(runtime: Runtime) -> Json:
            kept.append(await self._by_rules(replace(ctx, runtime=runtime), agents, past))
            return {}

        ctx.runtime.emit("fallback", {"why": why})
        await ctx.runtime.branch("offline", work)
        return replace(kept[0], offline=True, fallback=why)

    async def _by_rules(self, ctx: Context, agents: tuple[Agent, ...], past: Past) -> Answer:
        cast = Agent("supervisor", "", "", (), playbook=supervising(agents, Way(compose, aim), past.asked))
        supervisor = Supervisor(agents, "", lambda agent: OfflineBrain(), manner=Manner("mark"), cast=cast)
        looked = replace(ctx, scope=replace(ctx.scope, services=suffering(ctx.question.text, ctx.scope.services)))
        answer = replace(await supervisor.answer(looked, Past()), scope=ctx.scope)
        if readonly.asks_for_a_change(ctx.question.text):
            answer = replace(answer, text=f"{readonly.said(ctx.lang)}\n\n{answer.text}")
        return answer


def new_run(incoming: Incoming) -> str:
    """An id for a run of this question."""
    return f"{incoming.at:%Y%m%d}-{secrets.token_hex(4)}"


def prompt() -> str:
    return files("orchestrator").joinpath("supervisor.md").read_text(encoding="utf-8")


@asynccontextmanager
async def open_app(settings: Settings, folder: Path | None = None, offline: bool = False) -> AsyncIterator[App]:
    """Opens the store, checks the folder, and closes everything at the end. Raises ConfigError and StoreError."""
    memory = open_memory(settings.database_url)
    async with AsyncExitStack() as closing:  # in reverse; each, whatever another raises
        closing.push_async_callback(memory.close)
        app = App(settings, memory, folder, offline, closing.enter_context(open_log(settings.log, settings.data_dir)))
        closing.callback(app.threads.close)
        for close in (app.toolkit.aclose, app.opener.aclose, app.models.aclose, app.recall.close):
            closing.push_async_callback(close)
        await closing.enter_async_context(once_a_day(memory, settings))
        yield app

"""The application put together: the only place that knows every room. A fourth domain is its folder and one line here.

One question, left to right: claim its run, work out window and scope, let the supervisor answer, store the turn.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from importlib.resources import files
from pathlib import Path

from hermes_ops import attached
from hermes_ops.grasp import Known, grasp, trouble
from hermes_ops.logs import Decisions, open_log
from hermes_ops.models import Models
from hermes_ops.recall.desk import Recall
from hermes_ops.runtime.local import LocalRuntime
from hermes_ops.runtime.sinks import UntilCancelled, Watched
from hermes_ops.settings import Settings
from hermes_ops.trace.retention import once_a_day
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
from orchestrator.planner import OfflineBrain, supervising
from orchestrator.ports import Context, Guard, Runtime
from orchestrator.stop import Stop
from orchestrator.supervisor import Manner, Supervisor
from subagents import alerts, changes, logs
from subagents.folder.folder import Folder, open_folder
from subagents.sources import Sources

DOMAINS = (alerts.make, logs.make, changes.make)
LEAST = 5.0  # seconds that a resumed run has at least, to sum up what it has
ENDED: dict[str, RunStatus] = {"failed": "failed", "cancelled": "cancelled"}  # of an answer; all others are done

OnEvent = Callable[[Event], None]
OnTick = Callable[[str, str], None]


class App:
    """Answers questions, one at a time per call of `answer`. Made by `open_app`."""

    def __init__(self, settings: Settings, memory: Memory, folder: Path | None, offline: bool, log: Decisions) -> None:
        self.settings, self.memory, self.folder = settings, memory, folder
        self.models = Models(settings, offline)
        self.log = log
        self.guard: Guard = AllowAll(settings.masking_key())
        self._running: dict[Stop, str] = {}  # with the run it was asked to be, "" where it makes its own
        self.opened: dict[Path, Folder] = {}
        self._opening = asyncio.Lock()
        self.threads = work.Threads()
        self.recall = Recall(memory, settings.memory.sharing(), lambda: self.models.light, settings.memory.notes)

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
            return await self._work(info, stop, on_event, on_tick)
        finally:
            del self._running[stop]

    async def _work(self, info: RunInfo, stop: Stop, on_event: OnEvent | None, on_tick: OnTick | None) -> Answer:
        """One run, from what is recorded of it to its row's end."""
        status: RunStatus = "interrupted"
        try:
            recorded = await self.memory.events.load(info.id)
            logged = Watched(self.memory.events, self.log.listener(info.question, info.session, recorded))
            sink = Watched(UntilCancelled(logged, stop), on_event, on_tick)
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
            with suppress(StoreError):  # an answer counts more; a row left running is found again as interrupted
                await self.memory.runs.finish(info.id, status)
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
            return await runs.claim(resume or run)
        folder = str(self.folder.resolve()) if self.folder else ""
        masked = replace(incoming, text=self.guard.mask(incoming.text))
        if not new and not run and (found := await runs.find_interrupted(masked, session, folder)):
            if found.model in ("", self.models.name):
                return found
            await runs.finish(found.id, "interrupted")  # begun with another model: left to --resume
        run = run or new_run(incoming)
        await runs.create(run, masked, session, folder)
        return RunInfo(run, masked, session, folder, "running", incoming.at)

    async def _answer(self, info: RunInfo, runtime: LocalRuntime, stop: Stop) -> Answer:
        if ended := runtime.seek("answer"):
            return from_json(Answer, json.loads(ended.blobs[0].text or "null"))
        told = await runtime.step("recall", lambda: stop.race(self.recall.begin(info)))
        if told["only"]:
            text = await self.recall.tell(info, runtime, told, "")
            return Answer(info.id, "ok", text, model=self.models.name)
        folder = await self._folder(info, stop)
        known = await runtime.step("context", self._grasp, folder, info, told)
        window, scope = from_json(Window, known["window"]), from_json(Scope, known["scope"])
        if self.models.offline and not known["offline"]:
            raise ConfigError(f"Run {info.id} was begun with a language model: set one, or ask afresh with --new.")
        await self.memory.runs.note(info.id, window=known["window"], scope=known["scope"], model=self.models.name)
        lang, now = known["lang"], datetime.fromisoformat(known["now"])
        ctx = Context(
            question=info.question,
            window=window,
            scope=scope,
            now=now,
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
        sources = await self._sources(folder, info, stop)
        agents = tuple(replace(make(sources), steps=ctx.limits.subagent_steps) for make in DOMAINS)
        past = self.recall.past(info, told, known["before"])
        answer = await self._ask(ctx, runtime, agents, past, offline=known["offline"])
        text = await self.recall.tell(info, runtime, told, answer.text, lang)
        usage = answer.usage + from_json(Usage, told["usage"])
        answer = replace(answer, text=text, usage=usage, skipped=tuple(dict(s) for s in folder.skipped))
        runtime.emit("answer", {"status": answer.status}, dumps(to_json(answer)))
        return answer

    async def _grasp(self, folder: Folder, info: RunInfo, told: Json) -> Json:
        known = await grasp(info.question, folder, self.settings.catalogue(), from_json(Known, told["known"]))
        return {**known, "offline": self.models.offline}

    async def _ask(
        self, ctx: Context, runtime: LocalRuntime, agents: tuple[Agent, ...], past: Past, offline: bool
    ) -> Answer:
        if offline:
            return replace(await self._by_rules(ctx, agents, past), offline=True)
        desk = Supervisor(
            agents,
            prompt(),
            self.models.brain,
            self.recall.tools,
            manner=Manner(uncited=self.settings.uncited),
            steps=ctx.limits.supervisor_steps,
        )
        if fell := runtime.seek("fallback"):  # a resumed run stays with what it was decided to do
            why = str(fell.body["why"])
        else:
            try:
                return await desk.answer(ctx, past)
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
        cast = Agent("supervisor", "", "", (), playbook=supervising(agents, past.asked))
        desk = Supervisor(agents, "", lambda agent: OfflineBrain(), manner=Manner("mark"), cast=cast)
        return await desk.answer(ctx, Past())

    async def _folder(self, info: RunInfo, stop: Stop) -> Folder:
        """The folder of this run, recognised once; in a thread, so that Ctrl-C works meanwhile."""
        path = self.folder or (Path(info.folder) if info.folder else attached.place(info.question))
        if path is None:
            raise ConfigError("No folder was given: say which exported files to read with --folder DIR.")
        return await self._open(path, stop)

    async def _sources(self, folder: Folder, info: RunInfo, stop: Stop) -> Sources:
        """The folder's, and those of what the message brought along."""
        more = attached.place(info.question)
        if more is None or more == folder.path:
            return folder.sources()
        return attached.together(folder.sources(), (await self._open(more, stop)).sources())

    async def _open(self, path: Path, stop: Stop) -> Folder:
        async with self._opening:  # two questions at once open a folder once
            if path not in self.opened:
                given = {"path": path, "cache_dir": self.settings.data_dir / "index", "mask": self.guard.mask}
                self.opened[path] = await stop.race(work.run(open_folder, given, "io", None, self.threads))
        return self.opened[path]


def new_run(incoming: Incoming) -> str:
    """An id for a run of this question."""
    return f"{incoming.at:%Y%m%d}-{secrets.token_hex(4)}"


def prompt() -> str:
    return files("orchestrator").joinpath("supervisor.md").read_text(encoding="utf-8")


@asynccontextmanager
async def open_app(settings: Settings, folder: Path | None = None, offline: bool = False) -> AsyncIterator[App]:
    """Opens the store, checks the folder, and closes everything at the end. Raises ConfigError and StoreError."""
    memory = open_memory(settings.database_url)
    with open_log(settings.log, settings.data_dir) as log:
        app = App(settings, memory, folder, offline, log)
        try:
            async with once_a_day(memory, settings.trace, settings.data_dir):
                yield app
        finally:
            await app.recall.close()
            await app.models.aclose()
            for opened in app.opened.values():
                opened.close()
            app.threads.close()
            await memory.close()

"""Reports as answers: a message that asks for one and nothing else gets it, with a model and without one; inside a
larger question the model gets it by the house tool `daily_report`. Both go the way of schedule and command line.

The report's card can't travel in an answer's text: whoever delivers the answer of a run asks for its report here.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from datetime import datetime
from typing import Literal

from hermes_ops.report.model import Kind, Lang
from hermes_ops.schedule.asked import AskedReport
from hermes_ops.schedule.asked import read as read
from hermes_ops.schedule.reporter import Made, Reporter, team_zone, window_of
from hermes_ops.settings import Settings
from memory import Runs
from orchestrator import when
from orchestrator.cleaning import CHINESE
from orchestrator.contracts import (
    Answer,
    Asked,
    Evidence,
    Findings,
    Incoming,
    Json,
    ToolResult,
    Usage,
    Window,
    dumps,
    from_json,
    to_json,
)
from orchestrator.errors import ConfigError, HermesError
from orchestrator.ports import Context, Runtime
from orchestrator.stop import Stop
from orchestrator.tool import Tool, tool

KEPT = 50  # reports of runs whose answers nobody fetched
ID = "R1"  # how an answer cites the report


class Reports:
    """`reporter` makes one now."""

    def __init__(self, reporter: Reporter, settings: Settings, runs: Runs) -> None:
        self._reporter, self._settings, self._runs = reporter, settings, runs
        self._made: OrderedDict[str, Made] = OrderedDict()

    def pop(self, run: str) -> Made | None:
        """The report that this run's answer consists of."""
        return self._made.pop(run, None)

    async def answer(
        self, asked: AskedReport, question: Incoming, run: str, runtime: Runtime, stop: Stop, model: str, lang: str
    ) -> Answer:
        """Raises HermesError where no report can be made; words that are no time are asked back."""
        language: Lang = "zh" if (lang or _language(question)) == "zh" else "en"
        try:
            kind, window = self._window(asked, question.at, question)
        except ConfigError as e:
            return Answer(run, "needs_input", str(e), model=model)
        await self._runs.note(run, window=to_json(window), scope=None, model=model)

        async def make() -> Json:
            made = await stop.race(self._reporter.kept(kind, window, language, stop=stop))
            note = {"report": made.kind, "window": when.say(made.window), "gaps": len(made.gaps)}
            return {"note": note, "made": to_json(replace(made, json=None))}

        made = from_json(Made, (await runtime.step("report", make))["made"])
        self._keep(run, made)
        evidence = (_evidence(made, {}),)
        answer = Answer(run, "ok", f"**{made.title}**\n\n{made.text}", made.window, evidence=evidence, model=model)
        runtime.emit("answer", {"status": answer.status}, dumps(to_json(answer)))
        return answer

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The supervisor's `daily_report`."""
        return (self._tool(),)

    def _window(self, asked: AskedReport, now: datetime, question: Incoming) -> tuple[Kind, Window]:
        zone = question.zone if question.zoned else team_zone(self._settings)
        return window_of(asked, now, zone, self._settings.oncall)

    def _keep(self, run: str, made: Made) -> None:
        self._made[run] = made
        while len(self._made) > KEPT:
            self._made.popitem(last=False)

    def _tool(self) -> Tool:
        @tool(timeout=None)
        async def daily_report(
            ctx: Context, time: str = "", kind: Literal["day", "week", "handover"] = "day"
        ) -> ToolResult:
            """The team's ops report, figures counted by code: alerts, availability, error logs, changes, incidents and
            their suspects. For "the daily report", "the hand-over", "how was last week"; not for a question about one
            service, alert or change: ask a sub-agent for that.

            Args:
                time: Which time, in the person's own words ("昨天", "2026-11-29", "昨晚21:00到今早9:00"); "" for the
                    last whole day, week or shift.
                kind: A day, a week, or a shift's hand-over.
            """
            wanted = AskedReport(time, week=kind == "week", handover=kind == "handover")
            language: Lang = "zh" if ctx.lang == "zh" else "en"
            try:
                which, window = self._window(wanted, ctx.now, ctx.question)
                made = await self._reporter.kept(which, window, language, stop=ctx.stop)
            except HermesError as e:
                return ToolResult("error", f"no report: {e}")
            return _told(made, {"time": time, "kind": kind})

        return Tool.of(daily_report, branch=True, targets=_targets)


def _targets(args: Json) -> tuple[str, ...]:
    return ("report",)


def _told(made: Made, args: Json) -> ToolResult:
    """As a sub-agent's findings, so that what is said of it is held to its figures."""
    said = when.say(made.window)
    row = Asked("report", made.title, said, "", "ok", 0)
    found = Findings("report", "ok", made.text, evidence=(_evidence(made, args),), gaps=made.gaps)
    data = [{"asked": to_json(row), "findings": to_json(found), "usage": to_json(Usage())}]
    text = f"{made.title}\n{made.text}\n(cite it as [{ID}])"
    return ToolResult("ok", text, data, made.figures, "report", said, made.window)


def _evidence(made: Made, args: Json) -> Evidence:
    result = ToolResult("ok", made.text, None, made.figures, "report", made.title, made.window, gaps=made.gaps)
    return Evidence(ID, "report", "daily_report", args, result)


def _language(question: Incoming) -> str:
    return "zh" if CHINESE.search(question.text) or question.locale.startswith("zh") else "en"

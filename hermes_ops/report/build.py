"""From sources to a report without its prose: every figure asked or counted here, by code.

What can't be told is a gap and an unknown figure; the report still comes. It knows no file, no chat and no model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from hermes_ops.report import alerting, changing, comparing, erring, serving
from hermes_ops.report.attending import attention, handover
from hermes_ops.report.comparing import Find
from hermes_ops.report.day import IsWorkday, date_of, like_day, weekdays
from hermes_ops.report.desk import Desk
from hermes_ops.report.explaining import explained
from hermes_ops.report.grouping import seeds
from hermes_ops.report.judging import judge
from hermes_ops.report.model import Alerts, Handover, Incident, Kind, Lang, OnCall, Report
from hermes_ops.report.settings import ReportSettings
from hermes_ops.report.verdict import verdict
from memory.reports import Confirmed
from orchestrator.contracts import Window
from subagents.sources import Sources
from subagents.topology import Pairs, Topology, learnt


@dataclass(frozen=True, slots=True)
class Order:
    """Which report is wanted. `services` () = all."""

    kind: Kind
    window: Window
    lang: Lang = "zh"
    team: str = ""
    services: tuple[str, ...] = ()
    corrected: bool = False


async def nothing(kind: Kind, window: Window) -> Report | None:
    """No report is stored."""
    return None


@dataclass(frozen=True, slots=True)
class Known:
    """What a report needs beside its sources. `depends`: calls that the settings name; `find`: a stored report;
    `confirmed`: incident → the cause that an operator gave."""

    rules: ReportSettings = ReportSettings()
    core: tuple[str, ...] = ()
    depends: Pairs = frozenset()
    is_workday: IsWorkday = weekdays
    mask: Callable[[str], str] = str
    find: Find = nothing
    confirmed: Mapping[str, Confirmed] = field(default_factory=dict)
    on_call: tuple[OnCall, ...] = ()


@dataclass(frozen=True, slots=True)
class _Facts:
    """All that was asked for the window."""

    fired: alerting.Fired
    changed: changing.Changed
    errors: erring.Counted
    like: erring.Counted | None
    served: serving.Served
    over: serving.Budget
    graph: Topology


async def build(order: Order, sources: Sources, known: Known, made_at: datetime) -> Report:
    """A report of kind day or shift, its prose still empty. A week is made of days (`week.py`)."""
    desk = Desk(sources, order.window, order.lang, known.mask)
    await desk.look()
    facts = await _gathered(desk, order, known)
    mined = await erring.patterns(desk, facts.like.window if facts.like else None, order.services)
    desk.sampled = bool(erring.fuller_of(facts.errors, mined))
    judged = await judge(desk, facts.fired, mined, facts.changed.all, facts.graph)
    found = seeds(facts.fired, judged, facts.errors, facts.like, facts.graph, known.rules.burst)
    incidents = await explained(
        desk, found, facts.fired, facts.graph, facts.changed.all, known.confirmed, known.rules.incidents
    )  # fmt: skip
    alerts = alerting.section(desk, facts.fired, judged)
    errors = erring.section(desk, facts.errors, facts.like, mined)
    core = _core(order, known)
    slos = serving.section(desk, facts.served, facts.over, core, known.rules)
    now = comparing.Now(order.kind, facts.fired, facts.like)
    compared = await comparing.compared(desk, now, order.services, core, known.is_workday, known.find)
    gaps = tuple(desk.gaps)
    return Report(
        kind=order.kind,
        team=order.team,
        window=order.window,
        lang=order.lang,
        made_at=made_at,
        verdict=verdict(alerts, errors, slos, incidents, known.rules, order.lang),
        alerts=alerts,
        errors=errors,
        changes=changing.section(desk, facts.changed, incidents),
        availability=slos,
        incidents=incidents,
        comparison=compared,
        attention=attention(order.window, order.lang, alerts, errors, slos, incidents, gaps, known.rules),
        on_call=known.on_call,
        handover=_handover(desk, order, facts, alerts, incidents) if order.kind == "shift" else None,
        gaps=gaps,
        services=order.services,
        corrected=order.corrected,
        workday=known.is_workday(date_of(order.window)),
    )


async def _gathered(desk: Desk, order: Order, known: Known) -> _Facts:
    """Sources of different kinds are asked at the same time."""
    like = like_day(order.window, known.is_workday)
    core = _core(order, known)

    async def served() -> tuple[serving.Served, serving.Budget]:
        now = await serving.served(desk, order.window, core)
        return now, await serving.budget(desk, now, core, known.rules.budget_days)

    async def errors() -> tuple[erring.Counted, erring.Counted | None]:
        now = await erring.counted(desk, order.window, order.services)
        return now, await erring.alike(desk, like, order.services) if like else None

    fired, changed, (now, then), (here, over), edges = await asyncio.gather(
        alerting.fired(desk, order.services),
        changing.changed(desk, order.services),
        errors(),
        served(),
        learnt(desk.sources.spans, None),
    )
    return _Facts(fired, changed, now, then, here, over, Topology(known.depends | edges))


def _core(order: Order, known: Known) -> tuple[str, ...]:
    """Whose availability is told: of a narrowed report its services, else the core, else () = all that are measured."""
    return order.services or known.rules.core or known.core


def _handover(desk: Desk, order: Order, facts: _Facts, alerts: Alerts, incidents: tuple[Incident, ...]) -> Handover:
    end = order.window.end
    quiet = [e for e in facts.fired.rows if e.suppressed and (e.end is None or e.end > end)]
    quieted = [replace(e, by=desk.mask(e.by)) for e in quiet]
    return handover(order.window, order.lang, alerts, quieted, incidents, changing.in_flight(desk, facts.changed))

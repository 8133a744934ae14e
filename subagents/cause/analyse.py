"""The whole analysis, left to right: gather, find what moved, tell which of it is one incident and where it began,
weigh changes and operational causes, decide. A library: it reads sources, prints nothing and asks no model.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

from orchestrator.contracts import Scope, Window
from subagents.asking import before, widened
from subagents.cause import missing, operational, places, symptoms, verdict
from subagents.cause.facts import Facts, gather, shortened, with_logs, with_warnings
from subagents.cause.model import Analysis, Cause, Reason
from subagents.cause.suspects import Weighing
from subagents.cause.symptoms import Symptom
from subagents.cause.telling import telling
from subagents.cause.triage import triage
from subagents.sources import Sources
from subagents.topology import Topology

LEAST, MOST = timedelta(hours=3), timedelta(hours=24)  # looked at before the window, for the usual level
FOLLOWED = timedelta(hours=2)
CHANGES = timedelta(hours=24)  # changes may be that much older than the window


async def analyse(
    sources: Sources,
    window: Window,
    scope: Scope | None = None,
    now: datetime | None = None,
    topology: Topology | None = None,
    onset: datetime | None = None,
    begins: bool = False,
) -> Analysis:
    """What happened in `window` to the services of `scope` (none: the loudest trouble), and why.

    `now`: what lies after it isn't looked at; `onset`: a moment at which the trouble is known to go on; `begins`: only
    trouble that began with the window. What lies before the window is looked at for the usual level. Sources that fail
    are gaps of the result.
    """
    scope = scope or Scope()
    if now is not None and window.start < now < window.end:
        window = replace(window, end=now)
    looked = widened(window, before(window, LEAST, MOST))
    facts = shortened(await gather(sources, looked, scope.services, topology or Topology(()), widened(window, CHANGES)))
    found = await asyncio.to_thread(_rough, facts, onset, window, begins)  # no single step of it holds the others up
    if found is None and facts.lines:
        facts = await with_warnings(sources, facts)
        found = await asyncio.to_thread(_rough, facts, onset, window, begins)
    if found is not None:
        facts = await with_logs(sources, facts, found.onset or found.at, found.at)
    return await asyncio.to_thread(judge, facts, scope, onset, window, begins)


async def since(
    sources: Sources, window: Window, scope: Scope | None = None, topology: Topology | None = None
) -> Analysis:
    """The trouble that began with the window, where any did; else the loudest one in it. What follows the first hours
    isn't looked at where they tell: a later incident is another one."""
    near = replace(window, end=min(window.end, window.start + FOLLOWED))
    found = await analyse(sources, near, scope, topology=topology, begins=True)
    return found if found.cause.onset is not None else await analyse(sources, window, scope, topology=topology)


def _rough(facts: Facts, onset: datetime | None, window: Window, begins: bool) -> places.Incident | None:
    """As far as it can be told without the texts of logs; None: nothing moved."""
    moved = _moved(facts)
    at, crying = places.anchor(facts, moved, onset, window, begins)
    return None if at is None else places.incident(facts, moved, at, crying)


def judge(
    facts: Facts, scope: Scope, onset: datetime | None = None, window: Window | None = None, begins: bool = False
) -> Analysis:
    """The same from facts already gathered. Pure."""
    window, facts = window or facts.window, shortened(facts)
    moved = _moved(facts)
    at, crying = places.anchor(facts, moved, onset, window, begins)
    batch = triage(facts)
    if at is None:
        why = Reason("calm", "nothing left its usual level, and no alert fired")
        return Analysis(Cause("unknown", reasons=(why,)), (), (), batch, window, facts.gaps, facts.links)
    rough = places.incident(facts, moved, at, crying)
    start = rough.onset or at
    later = symptoms.told(facts, start) + missing.symptoms(facts, start)
    found = places.incident(facts, moved + later, at, crying)
    told = telling(facts, found)
    weighed = Weighing(facts, found, told, scope.environment).weigh()
    ranked = verdict.suspects(weighed, operational.operational(facts, found, told))
    cause = verdict.cause(found, told, ranked)
    shown = (*ranked[: verdict.SHOWN], *verdict.ruled_out(weighed))
    return Analysis(cause, shown, found.places, batch, window, facts.gaps, facts.links)


def _moved(facts: Facts) -> list[Symptom]:
    return symptoms.measured(facts) + symptoms.fired(facts, facts.episodes)

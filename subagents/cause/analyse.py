"""The whole analysis, left to right: gather, find what moved, tell which of it is one incident and where it began,
weigh changes and operational causes, decide. A library: it reads sources, prints nothing and asks no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from orchestrator.contracts import Scope, Window
from subagents.cause import operational, places, symptoms, verdict
from subagents.cause.facts import Facts, gather, with_logs
from subagents.cause.model import Analysis, Cause, Reason
from subagents.cause.suspects import Desk
from subagents.cause.telling import telling
from subagents.sources import Sources
from subagents.topology import Topology


async def analyse(
    sources: Sources,
    window: Window,
    scope: Scope = Scope(),
    now: datetime | None = None,
    topology: Topology | None = None,
    onset: datetime | None = None,
) -> Analysis:
    """What happened in `window` to the services of `scope` (none: the loudest trouble), and why.

    `now`: what lies after it isn't looked at; `onset`: a moment at which the trouble is known to have begun.
    """
    looked = replace(window, end=min(window.end, now)) if now is not None and now > window.start else window
    facts = await gather(sources, looked, scope.services, topology or Topology(()))
    first = symptoms.measured(facts)
    first += symptoms.fired(facts, facts.episodes)
    at, crying = places.anchor(facts, first, onset)
    if at is None:
        return judge(facts, scope, onset)
    rough = places.incident(facts, first, at, crying)
    facts = await with_logs(sources, facts, rough.onset or at)
    return judge(facts, scope, onset)


def judge(facts: Facts, scope: Scope, onset: datetime | None = None) -> Analysis:
    """The same from facts already gathered. Pure."""
    moved = symptoms.measured(facts) + symptoms.fired(facts, facts.episodes)
    at, crying = places.anchor(facts, moved, onset)
    if at is None:
        why = Reason("calm", "nothing left its usual level, and no alert fired")
        return Analysis(Cause("unknown", reasons=(why,)), window=facts.window, gaps=facts.gaps)
    rough = places.incident(facts, moved, at, crying)
    found = places.incident(facts, moved + symptoms.told(facts, rough.onset or at), at, crying)
    told = telling(facts, found)
    weighed = Desk(facts, found, told, scope.environment).weigh()
    ranked = verdict.suspects(weighed, operational.operational(facts, found, told))
    cause = verdict.cause(facts, found, told, ranked)
    shown = (*ranked[: verdict.SHOWN], *verdict.ruled_out(weighed))
    return Analysis(cause, shown, found.places, (), facts.window, facts.gaps)


def services_of(found: Analysis) -> Sequence[str]:
    return [p.service for p in found.services]

"""From findings to a plain question's answer: one line or a few, the verdict in the first word. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.agent import Turn
from orchestrator.contracts import Findings
from subagents.plain import (
    blame,
    causes,
    edges,
    effects,
    extent,
    measure,
    order,
    parts,
    persons,
    slowness,
    sought,
    state,
)
from subagents.plain.kinds import ASKS, WHY, Kind, kinds
from subagents.plain.seen import Seen


@dataclass(frozen=True, slots=True)
class Plain:
    """`alone`: the lines are the whole answer, but for what begins at another time where `aside`, and
    that there are two incidents where `several`, and what concludes about a cause where `why`; else they lead it."""

    lines: tuple[str, ...] = ()
    alone: bool = False
    aside: bool = False
    several: bool = False
    why: bool = False


def brief(seen: Seen) -> list[str]:
    """Two sentences for somebody who wasn't there."""
    lines = state.shown(seen)[:1]
    return [causes.cause(seen), *lines] if seen.ranking is not None else lines


ANSWERS: Mapping[Kind, Callable[[Seen], list[str]]] = {
    "since": effects.since, "rollback": blame.rollback, "helped": effects.helped,
    "who": persons.who, "undone": persons.undoings, "unresolved": state.unresolved,
    "over": state.over, "still": state.still,
    "began": extent.began, "ended": extent.ended, "lasted": extent.lasted, "first": order.first,
    "longest": order.longest, "compare": order.compare, "threshold": measure.threshold, "impact": measure.impact,
    "blame": blame.verdict, "brief": brief, "slow": slowness.slow, "edge": edges.edge,
    "sound": state.sound, "trouble": state.trouble,
}  # fmt: skip
YES_NO: frozenset[Kind] = frozenset(("over", "helped", "still", "threshold", "blame", "sound", "trouble"))
WHYS: frozenset[Kind] = frozenset(
    ("rollback", "who", "undone", "brief", "impact", "slow")
)  # asked beside a "why" these are answered too
OF_INCIDENTS: frozenset[Kind] = frozenset(
    ("rollback", "who", "blame", "over", "still", "began", "ended", "lasted", "brief")
)  # may mean another one
LEADING: frozenset[Kind] = frozenset(("trouble", "sound"))  # what was seen stands below


def plainly(turn: Turn, found: Sequence[Findings], broken: bool = False) -> Plain:
    """Of all that the question asks, what the findings can answer first."""
    text = turn.ctx.question.text
    seen = Seen(turn, found, broken)
    if seen.answered:
        return Plain()
    if lines := parts.told(seen) or parts.rate(seen):
        return Plain(tuple(lines), not WHY.search(text))
    if lines := sought.told(seen):
        return Plain((*lines, *((causes.cause(seen),) if seen.ranking else ())), True)
    for kind in ("edge", *kinds(text)) if edges.asked(text) else kinds(text):
        if (kind in YES_NO and not ASKS.search(text)) or (WHY.search(text) and kind not in WHYS):
            continue
        if lines := ANSWERS[kind](seen):
            if kind == "slow" and seen.ranking is not None:
                return Plain(tuple(lines), True, several=True, why=True)
            calm = kind in LEADING and not (seen.alerts[0] or (seen.stretch and not seen.stretch.aside))
            return Plain(tuple(lines), calm or kind not in LEADING, calm, kind in OF_INCIDENTS)
    return Plain()

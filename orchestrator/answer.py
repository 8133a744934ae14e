"""From the supervisor's outcome to the Answer: status, checked text, evidence, route and cost. Code only."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.agent import Outcome
from orchestrator.contracts import Answer, AnswerStatus, Asked, Findings, Json, Usage, from_json
from orchestrator.evidence import Checked, check
from orchestrator.planner import NAME
from orchestrator.ports import Context


def rows(outcome: Outcome) -> list[Json]:
    """What the delegates' results hold for code: {asked, findings, usage} each."""
    fresh = (t.result.data for t in outcome.taken if not t.repeated)
    return [row for data in fresh if isinstance(data, list) for row in data if isinstance(row, dict) and "asked" in row]


def _found(asked: Sequence[Json]) -> list[Findings]:
    return [from_json(Findings, row["findings"]) for row in asked]


def _text(outcome: Outcome, found: Sequence[Findings]) -> str:
    """The supervisor's words; the sub-agents' own where it was ended before it had any."""
    summaries = [f.summary.strip() for f in found if f.summary.strip()]
    return "\n\n".join(summaries) if outcome.reply is None and summaries else outcome.text


def _checked(outcome: Outcome, found: Sequence[Findings], ctx: Context) -> Checked:
    evidence = [e for f in found for e in f.evidence]
    told = "\n".join([ctx.question.text, *(why for f in found for why in f.unreachable)])  # figures that nobody claims
    return check(_text(outcome, found), evidence, ctx.window, told)


def unsupported(outcome: Outcome, ctx: Context) -> bool:
    """An ops answer that cites nothing, though there was time to do better."""
    return outcome.stopped is None and _checked(outcome, _found(rows(outcome)), ctx).uncited


def assemble(ctx: Context, outcome: Outcome, used: Usage, model: str) -> Answer:
    """The Answer. Its text carries a visible mark after whatever evidence doesn't bear out."""
    asked = rows(outcome)
    found = _found(asked)
    checked = _checked(outcome, found, ctx)
    if model == NAME and not outcome.taken:  # what code says of itself: nobody was asked
        checked = Checked((), outcome.text, (), (), False)
    return Answer(
        run_id=ctx.runtime.run,
        status=_status(outcome, found),
        text=checked.marked,
        window=ctx.window,
        scope=ctx.scope,
        evidence=tuple(e for f in found for e in f.evidence),
        cause=_cause(found),
        unverified=checked.unverified,
        route=tuple(from_json(Asked, row["asked"]) for row in asked),
        usage=sum((from_json(Usage, row["usage"]) for row in asked), used),
        model=model,
    )


def _cause(found: Sequence[Findings]) -> Json:
    """What a tool worked out as the cause (`data["cause"]`), the latest where several did; None where none did."""
    data = [e.result.data for f in found for e in f.evidence]
    return next((d["cause"] for d in reversed(data) if isinstance(d, dict) and d.get("cause")), None)


def _status(outcome: Outcome, found: list[Findings]) -> AnswerStatus:
    if outcome.stopped in ("needs_input", "cancelled"):
        return "needs_input" if outcome.stopped == "needs_input" else "cancelled"
    if outcome.stopped == "fatal" or (found and all(f.status == "failed" for f in found)):
        return "failed"
    if outcome.stopped or any(f.status != "ok" for f in found):
        return "partial"
    if found and not any(e.result.status == "ok" for f in found for e in f.evidence):
        return "no_evidence"
    return "ok"

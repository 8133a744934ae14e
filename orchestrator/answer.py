"""From the supervisor's outcome to the Answer: status, checked text, evidence, route and cost. Code only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from orchestrator.agent import Outcome
from orchestrator.contracts import Answer, AnswerStatus, Asked, Findings, Json, Usage, from_json
from orchestrator.evidence import Checked, check
from orchestrator.planner import NAME
from orchestrator.ports import Context


class Weighed(NamedTuple):
    """An outcome, what was asked and found on the way, and how its words stand beside that: worked out once."""

    outcome: Outcome
    asked: list[Json]
    found: list[Findings]
    checked: Checked

    @property
    def unsupported(self) -> bool:
        """An ops answer that cites nothing, though there was time to do better."""
        return self.outcome.stopped is None and self.checked.uncited

    @property
    def empty(self) -> bool:
        """Nobody was asked, nothing was said, and every call failed: there is nothing that an answer could be."""
        said, stopped = self.outcome.reply and self.outcome.reply.text.strip(), self.outcome.stopped
        failed = all(t.result.status == "error" for t in self.outcome.taken)
        return stopped in ("steps", "repeating", "model") and failed and not self.asked and not said


def weigh(outcome: Outcome, ctx: Context) -> Weighed:
    fresh = (t.result.data for t in outcome.taken if not t.repeated)
    rows = (row for data in fresh if isinstance(data, list) for row in data)
    asked = [row for row in rows if isinstance(row, dict) and "asked" in row]
    found = [from_json(Findings, row["findings"]) for row in asked]
    evidence = [e for f in found for e in f.evidence]
    told = "\n".join([ctx.question.text, *(why for f in found for why in f.unreachable)])  # figures that nobody claims
    return Weighed(outcome, asked, found, check(_text(outcome, found), evidence, ctx.window, told))


def _text(outcome: Outcome, found: Sequence[Findings]) -> str:
    """The supervisor's words; the sub-agents' own where it was ended before it had any, or had none in the end."""
    summaries = [f.summary.strip() for f in found if f.summary.strip()]
    mute = outcome.stopped not in ("needs_input", "unreadable") and not (outcome.reply and outcome.reply.text.strip())
    return "\n\n".join(dict.fromkeys(summaries)) if mute and summaries else outcome.text


def assemble(ctx: Context, weighed: Weighed, used: Usage, model: str) -> Answer:
    """The Answer. Its text carries a visible mark after whatever evidence doesn't bear out."""
    outcome, asked, found, checked = weighed
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

"""A suite's result: as JSON to keep and compare, as a table to read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hermes_ops.evals.rates import Outcome, Rate
from orchestrator.contracts import Json

SHOWN = 12  # failed cases in the table; all are in the JSON


@dataclass(frozen=True, slots=True)
class Result:
    suite: str
    model: str
    at: datetime
    outcomes: Sequence[Outcome]
    rates: Sequence[Rate]

    @property
    def ok(self) -> bool:
        return all(r.reached for r in self.rates)

    def as_json(self) -> Json:
        about = {"suite": self.suite, "model": self.model, "at": self.at.isoformat(), "ok": self.ok}
        return {**about, "rates": [r.as_json() for r in self.rates], "cases": [_case(o) for o in self.outcomes]}

    def table(self) -> str:
        seconds = sorted(o.seconds for o in self.outcomes)
        middle, tokens = seconds[len(seconds) // 2], sum(o.tokens for o in self.outcomes)
        head = f"{self.suite} · {len(self.outcomes)} cases · {self.model} · median {middle:.2f} s"
        lines = [f"{head}, slowest {seconds[-1]:.2f} s" + (f" · {tokens:,} tokens" if tokens else "")]
        lines.append(f"  {'check':<12}{'hits':>12}{'rate':>9}   {'95 %':<15}  threshold")
        lines += [_rate(r) for r in self.rates]
        failed = [(o, c) for o in self.outcomes for c in o.wrong]
        lines += [f"  {o.id}: {c.name}: {c.detail}  ({o.question[:60]})" for o, c in failed[:SHOWN]]
        more = len(failed) - SHOWN
        return "\n".join([*lines, *([f"  and {more} more; see the JSON"] if more > 0 else [])])

    def keep(self, folder: Path) -> Path:
        """Writes the JSON beside earlier ones, and returns its path."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.suite}-{self.at.astimezone(UTC):%Y%m%d-%H%M%S}.json"
        path.write_text(json.dumps(self.as_json(), ensure_ascii=False, indent=1), encoding="utf-8")
        return path


def _case(o: Outcome) -> Json:
    checks = [{"name": c.name, "ok": c.ok, **({} if c.ok else {"detail": c.detail})} for c in o.checks]
    return {"id": o.id, "question": o.question, "ok": not o.wrong, "seconds": round(o.seconds, 3), "checks": checks,
            "asked": list(o.asked), "answer": o.answer}  # fmt: skip


def _rate(r: Rate) -> str:
    low, high = r.interval()
    held = "" if r.threshold is None else f"{r.threshold:.1%}{'' if r.reached else '  not reached'}"
    return f"  {r.name:<12}{f'{r.hits}/{r.n}':>12}{r.value:>9.1%}   {f'{low:.1%}–{high:.1%}':<15}  {held}"

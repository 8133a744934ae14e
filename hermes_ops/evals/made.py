"""Generated incidents as cases: writes the folder, and turns its truth into what a case wants."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from hermes_ops.demo.generate import generate
from hermes_ops.demo.truth import Question, Truth
from hermes_ops.demo.variant import parse
from hermes_ops.evals.case import Case, Wanted, WantedCause
from orchestrator.errors import ConfigError

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def incident(case: Case, home: Path) -> tuple[Path, Truth]:
    """The folder of the case's seed and variant under `home`, with the truth. Raises ConfigError."""
    assert case.seed is not None, "only a case with a seed is generated"
    try:
        variant = parse(case.variant, case.seed)
    except ValueError as e:
        raise ConfigError(f"Case {case.id}: {e}.") from None
    folder = home / f"{case.variant.replace(':', '-') or 'drawn'}-{case.seed}"
    return folder, generate(folder, case.seed, case.now or NOW, variant)


def filled(case: Case, truth: Truth) -> Case:
    """A case with its own question keeps it, with {service} and {other} put in; else it gets the incident's."""
    if case.question:
        names = {"{service}": truth.trouble.service, "{other}": truth.services[-2], "{edge}": truth.services[0]}
        *before, question = (_put(text, names) for text in (*case.before, case.question))
        return replace(case, before=tuple(before), question=question, now=case.now or truth.now)
    asked = _asked(case, truth)
    wanted = tuple(Wanted(f.name, f.value, f.labels, f.tolerance) for f in asked.figures)
    cause = None
    if asked.about in ("cause", "day"):
        other = truth.other.cause.ids if truth.other else ()
        said = truth.trouble
        cause = WantedCause(said.cause.verdict, said.cause.ids, (*truth.decoys, *other), said.first_failing)  # type: ignore[arg-type]
    return replace(case, question=asked.text, now=truth.now, zone=truth.zone, route=asked.route, figures=wanted,
                   cause=cause, verified=True, whole=True, status=("ok", "partial"))  # fmt: skip


def _put(text: str, names: dict[str, str]) -> str:
    for mark, name in names.items():
        text = text.replace(mark, name)
    return text


def _asked(case: Case, truth: Truth) -> Question:
    found = [q for q in truth.questions if q.about == case.about and q.lang == case.lang]
    if not found:
        known = ", ".join(dict.fromkeys(q.about for q in truth.questions))
        raise ConfigError(f"Case {case.id}: nothing is asked about {case.about!r} in {case.lang!r}; there is {known}.")
    return found[0]

"""`hermes-ops eval`: runs a suite, prints its rates, keeps the result; exit code 1 when a threshold isn't reached."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from hermes_ops.cli.faults import say
from hermes_ops.cli.options import AsJson, Offline
from hermes_ops.exits import ANSWERED, FAILED


def evaluate(
    suite: Annotated[str, typer.Argument(help="A built-in suite, a file or a folder of cases.")],
    offline: Offline = False,
    model: Annotated[str, typer.Option("--model", metavar="M", help="Another model than the configured one.")] = "",
    repeat: Annotated[int, typer.Option("--repeat", metavar="N", min=1, help="Ask every question N times.")] = 1,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N cases.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure answers against cases with known right ones."""
    from hermes_ops.evals.suite import load as load_suite

    cases = load_suite(suite).first(limit).repeated(repeat)  # what is wrong there is said before the rest is imported
    from hermes_ops.evals import runner
    from hermes_ops.evals.rates import rates
    from hermes_ops.evals.result import Result
    from hermes_ops.loading import load
    from hermes_ops.trace.printing import json_text

    settings = runner.with_model(load(), model)
    outcomes = runner.run(cases.cases, settings, offline)
    used = settings.model.model if settings.model.model and not offline else "offline"
    result = Result(cases.name, used, datetime.now(UTC), outcomes, rates(outcomes, cases.thresholds))
    print(json_text(result.as_json()) if as_json else result.table(), flush=True)
    say(f"Kept as {result.keep(settings.data_dir / 'evals')}")
    raise typer.Exit(ANSWERED if result.ok else FAILED)

"""Availability of the core services against their objectives, with what is left of the error budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from hermes_ops.report.desk import Desk
from hermes_ops.report.model import Amount, Availability, unknown
from hermes_ops.report.reach import SLACK
from hermes_ops.report.settings import ReportSettings
from hermes_ops.report.words import say
from orchestrator.contracts import Window
from subagents.asking import Merged
from subagents.sources import Answered, MetricSource, Ratio

MOST = 400  # services
LEAST = timedelta(minutes=1)  # that a source with a figure has measured
WHOLE = 0.97  # of a budget's stretch, from which on it counts as known


@dataclass(frozen=True, slots=True)
class Served:
    """Requests by service in a window; `found` None: nothing is known."""

    window: Window
    found: Merged[Ratio] | None

    @property
    def by_service(self) -> dict[str, Ratio]:
        """Of several sources that know a service, the one that saw the most requests."""
        rows: dict[str, Ratio] = {}
        for row in self.found.rows if self.found else ():
            if row.service not in rows or row.total > rows[row.service].total:
                rows[row.service] = row
        return rows

    def percents(self) -> dict[str, float]:
        return {s: round(r.percent, 4) for s, r in self.by_service.items() if r.percent is not None}


async def served(desk: Desk, window: Window, services: tuple[str, ...]) -> Served:
    async def call(source: MetricSource) -> Answered[tuple[Ratio, ...]]:
        return await source.ratio(services, window)

    return Served(window, await desk.ask("metrics", window, call, desk.sources.metrics))


@dataclass(frozen=True, slots=True)
class Budget:
    """Requests of the stretch that budgets are for, as far as the metrics reach. `part`: how much of `window` that is;
    what lies before is taken for as busy, and free of errors."""

    window: Window
    had: Served
    part: float

    def shares(self, ratio: Ratio, objective: float) -> tuple[float, float]:
        """(spent of the budget over the stretch, spent by `ratio` alone), in percent."""
        long = self.had.by_service.get(ratio.service, ratio)
        allowed = max(long.total, ratio.total) / self.part * (1 - objective / 100)
        return 100 * max(long.bad, ratio.bad) / allowed, 100 * ratio.bad / allowed


async def budget(desk: Desk, now: Served, services: tuple[str, ...], days: int) -> Budget:
    window = replace(now.window, start=now.window.end - timedelta(days=days))
    parts = desk.reaches["metrics"].parts(window)
    start, end = (parts[0][0], parts[-1][1]) if parts else (window.end, window.end)
    part = max(end - start, LEAST) / (window.end - window.start)
    if now.found is None or start >= now.window.start - SLACK:
        return Budget(window, now, min(1.0, part))
    return Budget(window, await served(desk, replace(window, start=start), services), min(1.0, part))


def section(
    desk: Desk, now: Served, over: Budget, core: tuple[str, ...], rules: ReportSettings
) -> tuple[Availability, ...]:
    """The least available first; those that nobody measured last."""
    here = now.by_service
    names = core or tuple(here)
    rows = [_row(desk, name, now, here.get(name), over, rules) for name in names[:MOST]]
    return tuple(sorted(rows, key=lambda r: (r.percent.value is None, r.percent.value or 0.0, r.service)))


def _row(desk: Desk, name: str, now: Served, ratio: Ratio | None, over: Budget, rules: ReportSettings) -> Availability:
    objective = rules.objectives.get(name, rules.objective)
    if ratio is None or ratio.percent is None:
        no = desk.amount(0, "metrics", now.window, now.found)
        no = no if no.value is None else unknown(say("no_requests", desk.lang))
        return Availability(name, no, no, no, objective, no)

    def sure(made: Amount) -> Amount:
        return Amount(made.value, "approx", say("about", desk.lang)) if ratio.approx and made.sure == "known" else made

    served, bad = (sure(desk.count(n, "metrics", now.window, now.found)) for n in (ratio.total, ratio.bad))

    spent, here = over.shares(ratio, objective)
    short = over.part < WHOLE
    why = say("budget_part", desk.lang, n=f"{max(0.1, over.part * rules.budget_days):.2g}") if short else ""
    left, today = (
        Amount(round(n, 2), "approx" if short or ratio.approx else "known", why) for n in (100 - spent, here)
    )
    exact = sure(desk.amount(round(ratio.percent, 6), "metrics", now.window, now.found))
    return Availability(name, exact, served, bad, objective, left, over.window, today)

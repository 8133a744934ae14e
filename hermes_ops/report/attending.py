"""What needs a person, and what the next shift gets. Pure: it reads the other sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from hermes_ops.report.model import (
    AlertRow,
    Alerts,
    Attention,
    Availability,
    ChangeRow,
    Errors,
    Gap,
    Handover,
    Incident,
    Lang,
    Silence,
)
from hermes_ops.report.settings import ReportSettings
from hermes_ops.report.view.figures import clock
from hermes_ops.report.words import joined, named, say, spaced
from orchestrator.contracts import Window
from subagents.alerts.current import held
from subagents.paging import holds
from subagents.saying import Clock
from subagents.sources import Episode

LOW = 25.0  # percent of an error budget from which on somebody should know
BURN = 20.0  # percent of it that one window may spend
FRESH = timedelta(hours=2)  # an incident that ended so near the end may come back
MOST = 20
_UNTIL = re.compile(
    r"(?:until|ends?(?:_?at)?|to|至|到)\W{0,2}(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d))"
)


def attention(
    window: Window,
    lang: Lang,
    alerts: Alerts,
    errors: Errors,
    availability: Sequence[Availability],
    incidents: Sequence[Incident],
    gaps: Sequence[Gap],
    rules: ReportSettings,
) -> tuple[Attention, ...]:
    """The most pressing first."""
    told = [
        *_open(alerts.rows, window, lang),
        *_causes(incidents, lang),
        *_budgets(availability, rules, lang),
        *_errors(errors, incidents, rules, lang),
        *_flapping(alerts.rows, lang),
        *_down(gaps, lang),
    ]
    return tuple(dict.fromkeys(told))[:MOST]


def _open(rows: Sequence[AlertRow], window: Window, lang: Lang) -> Iterator[Attention]:
    for r in rows:
        if r.end is None and (r.open or (not r.open_known and r.page)):
            key = "see_open" if r.open else "see_open_maybe"
            text = say(key, lang, name=named(r.name, r.service, lang), at=clock(r.first, window))
            yield Attention("open_alert", text, r.service)


def _causes(incidents: Sequence[Incident], lang: Lang) -> Iterator[Attention]:
    for i in incidents:
        services, first = joined(i.services, lang), next(iter(i.services), "")
        if not i.alerts:
            yield Attention("incident", say("see_no_alert", lang, services=services), first)
        if not i.cause.found:
            yield Attention("incident", say(f"see_{i.cause.kind}", lang, services=services), first)
        elif i.cause.kind != "confirmed":
            what = f"{i.cause.service} {i.cause.version}".strip() if i.cause.version else i.cause.title
            what = spaced(what) if lang == "zh" else what
            yield Attention("incident", say("see_cause", lang, services=services, cause=what), first)


def _budgets(rows: Sequence[Availability], rules: ReportSettings, lang: Lang) -> Iterator[Attention]:
    """A line for those that have none left, one for those that have little, one for those that spent much at once."""
    measured = [(r, r.budget_left.value, r.budget_spent.value or 0) for r in rows if r.budget_left.value is not None]
    gone = [(r.service, "") for r, left, _ in measured if left <= 0]
    low = [(r.service, f" {left:.0f}%") for r, left, _ in measured if 0 < left < LOW]
    burnt = [(r.service, f" {spent:.0f}%") for r, left, spent in measured if left >= LOW and spent >= BURN]
    for key, some in (("see_budget", gone), ("see_budget_low", low), ("see_burn", burnt)):
        if some:
            names = joined((f"{service}{share}" for service, share in some), lang)
            text = say(key, lang, names=names, days=rules.budget_days)
            yield Attention("budget", text, some[0][0])


def _errors(errors: Errors, incidents: Sequence[Incident], rules: ReportSettings, lang: Lang) -> Iterator[Attention]:
    known = {s for i in incidents for s in i.services}
    for p in errors.patterns:
        if p.new and p.n >= rules.errors_worth and p.service not in known:
            text = say("see_pattern", lang, service=p.service, sample=p.sample[:80])
            yield Attention("errors", text, p.service)


def _flapping(rows: Sequence[AlertRow], lang: Lang) -> Iterator[Attention]:
    for r in rows:
        if r.flapping:
            yield Attention(
                "open_alert", say("see_flapping", lang, name=named(r.name, r.service, lang), n=r.fired), r.service
            )


def _down(gaps: Sequence[Gap], lang: Lang) -> Iterator[Attention]:
    """A source that failed; that one holds less than the window is only said beside the figures."""
    failed = say("down", lang, why="")
    for g in gaps:
        if g.what.startswith(failed):
            yield Attention("gap", say("see_gap", lang, source=g.source, what=g.what))


# ── hand-over ─────────────────────────────────────────────────────────────────────────────────


def handover(
    window: Window,
    lang: Lang,
    alerts: Alerts,
    quieted: Sequence[Episode],
    incidents: Sequence[Incident],
    flying: tuple[ChangeRow, ...],
) -> Handover:
    """`quieted`: firings that are suppressed and not over at the window's end."""
    still = tuple(r for r in alerts.rows if r.end is None and not r.suppressed)
    clock_, zh = Clock(window), lang == "zh"
    silences = {
        (e.name, e.service): Silence(e.name, e.service, held(e.by, clock_, zh, ends=False), _until(e)) for e in quieted
    }
    watch = [
        say("watch_recovered", lang, services=joined(i.services, lang), at=clock(i.end, window))
        for i in incidents if i.end is not None and window.end - i.end <= FRESH
    ]  # fmt: skip
    watch += [say("watch_flight", lang, title=f"{c.service} {c.title}".strip()) for c in flying]
    return Handover(still, tuple(silences.values()), flying, tuple(dict.fromkeys(watch)))


def _until(e: Episode) -> datetime | None:
    """Where what suppressed it says until when; of several silences the last."""
    if ends := [hold.until for hold in holds(e.by) if hold.until]:
        return max(ends)
    found = _UNTIL.search(" ".join((e.by, *e.annotations.values())))
    return datetime.fromisoformat(found[1].replace("Z", "+00:00")) if found else None

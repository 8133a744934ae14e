"""A week, rolled up from the reports of its days: sums of what they counted, never by asking again. Pure.

A day without a report is a gap, and whatever is summed over it is "at least".
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from hermes_ops.report.attending import attention
from hermes_ops.report.build import Order
from hermes_ops.report.day import date_of
from hermes_ops.report.model import (
    AlertRow,
    Alerts,
    Amount,
    Availability,
    Changes,
    Compared,
    DayLine,
    ErrorHour,
    Errors,
    Gap,
    PatternRow,
    Report,
    ServiceErrors,
    Sure,
    unknown,
)
from hermes_ops.report.settings import ReportSettings
from hermes_ops.report.verdict import verdict
from hermes_ops.report.words import joined, say
from orchestrator.contracts import Window

Days = Sequence[tuple[Window, Report | None]]
SHOWN = 100
PATTERNS = 20
_CLOCK = re.compile(r"\d\d:\d\d")


def rolled_up(order: Order, days: Days, before: Sequence[Report], rules: ReportSettings, made_at: datetime) -> Report:
    """`days`: each local day with its report, None where none is stored; `before`: of the week before."""
    reports = [r for _, r in days if r is not None]
    whole = len(reports) == len(days)
    alerts, errors = _alerts(order, reports, whole), _errors(order, days, whole)
    lacks = say("days_part", order.lang)
    slos, incidents = _availability(reports, whole, lacks), tuple(i for r in reports for i in r.incidents)
    gaps = _gaps(order, days, reports)
    return Report(
        kind="week",
        team=order.team,
        window=order.window,
        lang=order.lang,
        made_at=made_at,
        verdict=verdict(alerts, errors, slos, incidents, rules, order.lang),
        alerts=alerts,
        errors=errors,
        changes=_changes(order, reports, whole),
        availability=slos,
        incidents=incidents,
        comparison=(_before(order, before, len(days)),),
        attention=attention(order.window, order.lang, alerts, errors, slos, incidents, gaps, rules),
        on_call=tuple(dict.fromkeys(o for r in reports for o in r.on_call)),
        gaps=gaps,
        services=order.services,
        days=tuple(_line(order, window, r) for window, r in days),
        corrected=order.corrected,
    )


def total(amounts: Iterable[Amount], whole: bool = True, lacks: str = "") -> Amount:
    """Unknown where none is known; at least so many, where a part isn't, with `lacks` as what a sum then lacks."""
    found = list(amounts)
    known = [a.value for a in found if a.value is not None]
    if not known:
        return unknown(next((a.why for a in found if a.why), ""))
    kinds = {a.sure for a in found} | (set() if whole else {"unknown"})
    if kinds == {"known"}:
        return Amount(sum(known))
    why = next((a.why for a in found if a.sure != "known" and a.why), "")
    if kinds & {"least", "unknown"}:
        return Amount(sum(known), "least", lacks or why)
    return Amount(sum(known), "approx", why)


def _line(order: Order, window: Window, r: Report | None) -> DayLine:
    if r is None:
        no = unknown(say("no_report", order.lang))
        return DayLine(window, None, no, no, no, missing=True)
    return DayLine(window, r.verdict.rating, r.alerts.fired, r.errors.total, Amount(len(r.incidents)))


def _alerts(order: Order, reports: Sequence[Report], whole: bool) -> Alerts:
    parts = [r.alerts for r in reports]

    def summed(name: str) -> Amount:
        return total((getattr(a, name) for a in parts), whole, say("days_part", order.lang))

    rows = _rows(row for a in parts for row in a.rows)
    cut = whole and all(a.distinct.value == len(a.rows) for a in parts)
    no = unknown(say("no_ended", order.lang))
    resolved = sorted(a.resolve_median.value for a in parts if a.resolve_median.value is not None)
    slow = [a.resolve_p90.value for a in parts if a.resolve_p90.value is not None]
    return Alerts(
        fired=summed("fired"),
        inhibited=summed("inhibited"),
        silenced=summed("silenced"),
        carried=parts[0].carried if parts else no,
        still_open=parts[-1].still_open if parts else no,
        distinct=Amount(len(rows), "known" if cut else "approx") if parts else no,
        new=summed("new"),
        recurring=_known(parts, Amount(sum(r.recurring is True for r in rows))),
        flapping=_known(parts, Amount(sum(r.flapping for r in rows))),
        deserved=_known(parts, Amount(sum(r.page is True for r in rows))),
        resolve_median=Amount(resolved[len(resolved) // 2], "approx") if resolved else no,
        resolve_p90=Amount(max(slow), "approx") if slow else no,
        by_severity=_summed(a.by_severity for a in parts),
        by_service=dict(Counter(_summed(a.by_service for a in parts)).most_common()),
        hours=tuple(h for a in parts for h in a.hours),
        rows=tuple(rows[:SHOWN]),
        longest=max((a.longest for a in parts if a.longest), key=lambda r: r.firing, default=None),
    )


def _known(parts: Sequence[Alerts], amount: Amount) -> Amount:
    return amount if any(a.fired.value is not None for a in parts) else unknown("")


def _rows(rows: Iterable[AlertRow]) -> list[AlertRow]:
    """One alert of several days is one row; it is open if it was at the end of the last of them."""
    found: dict[tuple[str, str, str], AlertRow] = {}
    for row in rows:
        key = (row.name, row.service, row.severity)
        old = found.get(key)
        found[key] = row if old is None else replace(
            row,
            fired=old.fired + row.fired,
            first=min(old.first, row.first),
            firing=old.firing + row.firing,
            recurring=True if (old.recurring or row.recurring) else old.recurring,
            flapping=old.flapping or row.flapping,
            suppressed=old.suppressed + row.suppressed,
            page=bool(old.page or row.page) if None not in (old.page, row.page) else old.page or row.page,
            why=row.why if row.page or not old.page else old.why,
        )  # fmt: skip
    return sorted(found.values(), key=lambda r: (not r.page, not r.open, -r.fired, r.name, r.service))


def _summed(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for part in parts:
        found.update(part)
    return dict(found)


def _errors(order: Order, days: Days, whole: bool) -> Errors:
    reports = [r for _, r in days if r is not None]
    services: dict[str, list[ServiceErrors]] = defaultdict(list)
    for r in reports:
        for row in r.errors.rows:
            services[row.service].append(row)
    rows = [
        ServiceErrors(s, total((x.n for x in xs), whole), total(x.before for x in xs)) for s, xs in services.items()
    ]
    rows.sort(key=lambda r: (-(r.n.value or 0), r.service))
    why = say("no_data_then", order.lang)
    return Errors(
        total=total((r.errors.total for r in reports), whole, say("days_part", order.lang)),
        sampled=any(r.errors.sampled for r in reports),
        before=unknown(why),
        rows=tuple(rows),
        hours=tuple(_day(window, r) for window, r in days),
        patterns=_patterns(reports),
        why_not=why,
    )


def _day(window: Window, r: Report | None) -> ErrorHour:
    """Of a week the steps are days."""
    n = r.errors.total.value if r is not None else None
    return ErrorHour(window.start, None if n is None else int(n))


def _patterns(reports: Sequence[Report]) -> tuple[PatternRow, ...]:
    found: dict[tuple[str, str], PatternRow] = {}
    for p in (p for r in reports for p in r.errors.patterns):
        old = found.get((p.service, p.template))
        found[p.service, p.template] = p if old is None else replace(old, n=old.n + p.n, new=old.new)
    return tuple(sorted(found.values(), key=lambda p: (not p.new, -p.n, p.service, p.template))[:PATTERNS])


def _changes(order: Order, reports: Sequence[Report], whole: bool) -> Changes:
    rows = tuple(row for r in reports for row in r.changes.rows)
    kinds = _summed(r.changes.by_kind for r in reports)
    lacks = say("days_part", order.lang)
    return Changes(total((r.changes.total for r in reports), whole, lacks), kinds, rows[-2 * SHOWN :])


def _availability(reports: Sequence[Report], whole: bool, lacks: str = "") -> tuple[Availability, ...]:
    """From requests summed over the days; the budget as it stood at the end of the last one."""
    parts: dict[str, list[Availability]] = defaultdict(list)
    for r in reports:
        for a in r.availability:
            parts[a.service].append(a)
    rows = []
    for service, days in parts.items():
        measured = [a for a in days if a.total.value]
        served, bad = (total((getattr(a, n) for a in measured), whole, lacks) for n in ("total", "bad"))
        spent = total((a.budget_spent for a in measured), whole)
        percent = unknown(days[-1].percent.why)
        if served.value:
            sure: Sure = "known" if served.sure == "known" else "approx"
            percent = Amount(round(100 * (1 - (bad.value or 0) / served.value), 6), sure, served.why)
        rows.append(replace(days[-1], percent=percent, total=served, bad=bad, budget_spent=spent, service=service))
    return tuple(sorted(rows, key=lambda a: (a.percent.value is None, a.percent.value or 0.0, a.service)))


def _before(order: Order, reports: Sequence[Report], days: int) -> Compared:
    whole = len(reports) == days
    alerts = total((r.alerts.fired for r in reports), whole)
    errors = total((r.errors.total for r in reports), whole)
    if not reports:
        why = say("no_report", order.lang)
        return Compared("period_before", None, unknown(why), unknown(why), why_not=why)
    window = Window(reports[0].window.start, reports[-1].window.end, order.window.zone)
    slos = {a.service: round(a.percent.value, 4) for a in _availability(reports, whole) if a.percent.value is not None}
    return Compared("period_before", window, alerts, errors, slos)


def _gaps(order: Order, days: Days, reports: Sequence[Report]) -> tuple[Gap, ...]:
    missing = [f"{date_of(window):%m-%d}" for window, r in days if r is None]
    own = (
        [Gap("reports", say("missing_days", order.lang, days=joined(missing, order.lang, 7)), "alerts")]
        if missing
        else []
    )
    return tuple(dict.fromkeys([*own, *(_dated(g, r.window) for r in reports for g in r.gaps)]))


def _dated(gap: Gap, day: Window) -> Gap:
    """A time of day in it is of its day."""
    return replace(gap, what=f"{date_of(day):%m-%d} {gap.what}") if _CLOCK.search(gap.what) else gap

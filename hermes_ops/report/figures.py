"""A report's figures as typed evidence: what a model that words it is given, and what its words are checked against.

A chat goes on from the same figures when somebody replies to the report.
"""

from __future__ import annotations

from collections.abc import Iterator

from hermes_ops.report.model import Amount, CauseSaid, Report
from hermes_ops.report.view.figures import clock, hidden
from hermes_ops.report.words import say
from orchestrator.contracts import Evidence, Figure, ToolResult, dumps, to_json

ID = "R1"
SERVICES = 12  # of each list that a model is told
AGENT = "report"


def figures(report: Report) -> tuple[Figure, ...]:
    """Every known count, with what it is of."""
    return tuple(_all(report))


def evidence(report: Report) -> Evidence:
    """The whole report as one result, cited as R1. Its text names incidents, with their times and causes, and holds no
    count: a count must be that of a figure."""
    result = ToolResult(
        "ok",
        dumps(to_json({"incidents": _incidents(report)})),
        figures=figures(report),
        source="report",
        query=f"report {report.kind} {report.team}".strip(),
        window=report.window,
        shown=1,
        total=1,
        gaps=tuple(f"{g.source}: {g.what}" for g in report.gaps),
    )
    return Evidence(ID, AGENT, "daily_report", {}, result)


def _all(r: Report) -> Iterator[Figure]:
    a = r.alerts
    alerts = {
        "alerts fired": a.fired, "alerts inhibited": a.inhibited, "alerts silenced": a.silenced,
        "alerts open": a.still_open, "distinct alerts": a.distinct, "new alerts": a.new,
        "recurring alerts": a.recurring, "flapping alerts": a.flapping, "alerts that deserve a person": a.deserved,
    }  # fmt: skip
    for name, amount in alerts.items():
        yield from _figure(name, amount)
    yield from _figure("median time to resolve", a.resolve_median, "s")
    yield from _figure("90th percentile time to resolve", a.resolve_p90, "s")
    for key, by in (("severity", a.by_severity), ("service", a.by_service)):
        for value, n in by.items():
            yield Figure("alerts fired", n, labels={key: value})
    for row in a.rows:
        labels = {"alertname": row.name, "service": row.service, "severity": row.severity}
        yield Figure("alerts fired", row.fired, labels=labels)
    yield from _served(r)
    yield from _figure("errors", r.errors.total)
    yield from _figure("errors before", r.errors.before)
    for e in r.errors.rows:
        yield from _figure("errors", e.n, service=e.service)
        yield from _figure("errors before", e.before, service=e.service)
    for p in r.errors.patterns:
        yield Figure("errors", p.n, labels={"service": p.service, "pattern": p.template[:80]})
    yield from _figure("changes", r.changes.total)
    for kind, n in r.changes.by_kind.items():
        yield Figure("changes", n, labels={"kind": kind})
    yield Figure("incidents", len(r.incidents))
    for c in r.comparison:
        yield from _figure("alerts fired", c.alerts, when=c.against)
        yield from _figure("errors", c.errors, when=c.against)


def _served(r: Report) -> Iterator[Figure]:
    for s in r.availability:
        yield from _figure("availability", s.percent, "%", service=s.service)
        yield from _figure("requests", s.total, service=s.service)
        yield from _figure("failed requests", s.bad, service=s.service)
        yield from _figure("error budget left", s.budget_left, "%", service=s.service)
        if s.objective is not None:
            yield Figure("objective", s.objective, "%", {"service": s.service})


def _figure(name: str, amount: Amount, unit: str = "", **labels: str) -> Iterator[Figure]:
    if amount.value is not None and not hidden(amount):
        yield Figure(name, amount.value, unit, labels, amount.sure != "known")


def facts(report: Report) -> str:
    """The figures and the times as JSON: no log line and no alert text stands in it."""
    a = report.alerts
    told = {
        "kind": report.kind,
        "verdict": {"rating": report.verdict.rating, "rules": [r.text for r in report.verdict.rules[:6]]},
        "alerts": {
            **{k: _plain(getattr(a, k)) for k in ("fired", "inhibited", "silenced", "still_open", "new", "recurring",
                                                  "flapping", "deserved")},
            "by_severity": dict(a.by_severity),
            "by_service": dict(list(a.by_service.items())[:SERVICES]),
        },
        "availability_percent": {
            s.service: {"percent": _plain(s.percent), "objective": s.objective, "budget_left": _plain(s.budget_left)}
            for s in report.availability[:SERVICES]
        },
        "errors": {
            "total": _plain(report.errors.total),
            "like_day": _plain(report.errors.before),
            "by_service": {e.service: _plain(e.n) for e in report.errors.rows[:SERVICES]},
        },
        "changes": {"total": _plain(report.changes.total), "by_kind": dict(report.changes.by_kind)},
        "incidents": _incidents(report),
        "compared": {
            c.against: {"alerts": _plain(c.alerts), "errors": _plain(c.errors)} for c in report.comparison if c.window
        },
        "gaps": [f"{g.source}: {g.where}" for g in report.gaps],
    }  # fmt: skip
    return dumps(to_json(told))


def _incidents(report: Report) -> list[dict[str, object]]:
    w = report.window
    return [
        {
            "services": i.services,
            "severity": i.severity,
            "from": clock(i.onset or i.start, w),
            "to": clock(i.end, w) if i.end else None,
            "first_failing": i.first_failing,
            "cause": _cause(i.cause, report),
        }
        for i in report.incidents
    ]


def _plain(amount: Amount) -> int | float | str | None:
    if amount.value is None or hidden(amount):
        return "unknown"
    words = {"approx": "about", "least": "at least"}
    return f"{words[amount.sure]} {amount.value}" if amount.sure in words else amount.value


def _cause(c: CauseSaid, report: Report) -> dict[str, object]:
    at = clock(c.changed_at, report.window) if c.changed_at else None
    if not c.found:
        return {"kind": c.kind, "text": say(f"caused_{c.kind}", report.lang)}
    return {"kind": c.kind, "title": c.title, "service": c.service, "version": c.version, "at": at}
